// Vectorised loops over arrays.
//
// One source (loops.cc) is compiled for several instruction sets, and the best one that the CPU
// supports is chosen at the first call. The environment variable GPODE_SIMD (baseline, v3 or v4)
// can select a weaker one; the first call throws an InputError if the name is unknown or the CPU
// lacks that instruction set. An empty name counts as none.
//
//   function   argument (float)     largest error, double     float
//   SinCos     |x| <= 1e6 (8192)    1.6 ulp (baseline: 2.6)   1.6 ulp or 2^-36 (baseline: 2^-35),
//                                                             whichever is more
//              larger               that of the C library, which is called
//              infinite or NaN      NaN
//   Exp        any                  1.1 ulp                   1.1 ulp
//   Tanh       any                  2.7 ulp                   2.7 ulp; both keep the sign of zero
//   Polar      1e-150 to 1e150, 0   radius 1.3 ulp, angle 3 ulp; the angle lies in [-pi, pi]
//   Normals    64 random bits       4 ulp; the same bits on every instruction set
//
// An ulp is the distance between the two floating-point numbers next to the exact result; for
// subnormal results it is the smallest subnormal number. The sine and cosine of a float have an
// absolute error of up to 2^-36, because the argument is reduced by multiples of pi/2, of which
// only about 50 bits are used. Where sine or cosine are near zero, that can be hundreds of ulp.
//
// The result for an element does not depend on its position, its neighbours or the array's length.
// Results of different instruction sets differ in the last bits (fused multiply-adds) unless stated
// otherwise.
//
// Thread safety: all functions may be called from any thread.
//
//   simd::SinCos(phase, sine, cosine);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpode::simd {

void SinCos(std::span<const double> x, std::span<double> sine, std::span<double> cosine);
void SinCos(std::span<const float> x, std::span<float> sine, std::span<float> cosine);
// In Exp, ExpScaled and Tanh, x and y may be the same memory.
void Exp(std::span<const double> x, std::span<double> y);
void Exp(std::span<const float> x, std::span<float> y);
void ExpScaled(double scale, std::span<const double> x, std::span<double> y);  // exp(scale x)
void Tanh(std::span<const double> x, std::span<double> y);
void Tanh(std::span<const float> x, std::span<float> y);
// Computes the polar coordinates of the points (x, y). The angle of the origin is 0, or -0 if y is
// -0.
void Polar(std::span<const double> x, std::span<const double> y, std::span<double> radius,
           std::span<double> angle);
// Computes standard normals by the Box-Muller method, two from each pair of 64-bit words. The size
// must be even.
void Normals(std::span<const std::uint64_t> bits, std::span<double> normals);

// The Fourier part of a draw (gp.h):  prior_d(x) = sum_i a_di cos(w_di . x + phase_di),  with
// amplitudes a, frequencies w and phases of at most 4 in absolute value. A block holds kBlock
// features i of one output in rows of 64 bytes: one row of w for each input, then a row of a, then
// a row of phases. Unused places of the last block are zero.
template <typename Real>
struct FourierTable {
  static constexpr std::size_t kBlock = 64 / sizeof(Real);

  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::size_t blocks = 0;           // number of blocks of each output
  const Real* features = nullptr;   // (outputs, blocks, inputs + 2, kBlock)
  const double* largest = nullptr;  // (outputs, inputs): max_i |w_dik| for output d and input k
};

// The kernel part of a draw (gp.h):  update_d(x) = sum_m nu_dm phi(s_dm),  where
// s_dm = sum_k (x_k - z_mk)^2 / l_dk^2,  z_m are the inducing locations, l the lengthscales, and nu
// is the nu of gp.h times the signal variance.
struct UpdateTable {
  static constexpr std::size_t kPad = 8;  // rows are padded to a multiple of this

  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::size_t stride = 0;                   // number of inducing points, padded
  const double* locations = nullptr;        // (inputs, stride)
  const double* inverse_squares = nullptr;  // (outputs, inputs): 1 / l^2
  const double* weights = nullptr;          // (outputs, stride): nu, zero in the padding
};

// The loops of one instruction set. Arrays have the shapes given above; points x are (n, inputs),
// or a single point (inputs) for functions that have no argument n. Results of point p are written
// at offset p * record_stride.
struct Loops {
  void (*sincos_double)(std::size_t, const double*, double*, double*);
  void (*sincos_float)(std::size_t, const float*, float*, float*);
  void (*exp_double)(std::size_t, const double*, double*);
  void (*exp_float)(std::size_t, const float*, float*);
  void (*exp_scaled)(std::size_t, double scale, const double*, double*);
  void (*tanh_double)(std::size_t, const double*, double*);
  void (*tanh_float)(std::size_t, const float*, float*);
  void (*polar)(std::size_t, const double*, const double*, double*, double*);
  void (*normals)(std::size_t, const std::uint64_t*, double*);

  // Computes the value (outputs) and, unless the pointer is null, the Jacobian (outputs, inputs) of
  // the Fourier part at each point.
  void (*fourier_double)(const FourierTable<double>&, std::size_t n, const double* x, double* value,
                         double* jacobian, std::size_t record_stride);
  void (*fourier_float)(const FourierTable<float>&, std::size_t n, const double* x, double* value,
                        double* jacobian, std::size_t record_stride);

  // Computes s (outputs, stride) for one point.
  void (*distances)(const UpdateTable&, const double* x, double* s);
  // Computes value_d = sum_m nu_dm phi_dm. phi (outputs, stride) are the profiles phi(s_dm).
  void (*update_value)(const UpdateTable&, const double* phi, double* value);
  // Computes the value and jacobian_dk = -sum_m nu_dm psi_dm (x_k - z_mk) / l_dk^2, where
  // psi = -2 dphi/ds (kernel.h). psi and phi may be the same memory.
  void (*update_jacobian)(const UpdateTable&, const double* x, const double* phi, const double* psi,
                          double* value, double* jacobian);
  // The reverse, given the cotangent g (outputs) of the value:  bweights_dm += g_d phi_dm,
  // blocations_km += sum_d g_d nu_dm psi_dm (x_k - z_mk) / l_dk^2,
  // bsquares_dk += sum_m g_d nu_dm psi_dm (x_k - z_mk)^2.
  void (*update_pullback)(const UpdateTable&, const double* x, const double* phi, const double* psi,
                          const double* g, double* bweights, double* blocations, double* bsquares);
};

// Instruction sets, weakest first: x86-64 (or any machine that is not an x86), x86-64-v3,
// x86-64-v4.
enum class Isa { kBaseline, kV3, kV4 };

std::string_view Name(Isa isa);
// Returns the instruction sets that this machine supports, weakest first.
std::span<const Isa> Available();
// Returns the instruction set of this name, or the best one if the name is empty. Throws an
// InputError if it is not among `available`, which is ordered weakest first.
Isa SelectIsa(std::string_view name, std::span<const Isa> available);
// ActiveIsa returns the instruction set in use, Active its loops, LoopsFor the loops of any set.
// ActiveIsa and Active throw an InputError if GPODE_SIMD cannot be used.
Isa ActiveIsa();
const Loops& LoopsFor(Isa isa);
const Loops& Active();

}  // namespace gpode::simd
