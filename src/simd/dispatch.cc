// Chooses the instruction set of the loops at run time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "gpode/error.h"
#include "simd/simd.h"

namespace gpode::simd {

namespace baseline {
extern const Loops kLoops;
}
#if defined(GPODE_SIMD_X86)
namespace v3 {
extern const Loops kLoops;
}
namespace v4 {
extern const Loops kLoops;
}
#endif

namespace {

constexpr std::array kAll = {Isa::kBaseline, Isa::kV3, Isa::kV4};

std::size_t CountAvailable() {
#if defined(GPODE_SIMD_X86) && defined(__clang__)
  // clang 14 does not know the names x86-64-v3 and x86-64-v4, so their features are tested.
  __builtin_cpu_init();
  const auto avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!avx2) return 1;
  const auto avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? 3 : 2;
#elif defined(GPODE_SIMD_X86)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3")) return 1;
  return __builtin_cpu_supports("x86-64-v4") ? 3 : 2;
#else
  return 1;
#endif
}

}  // namespace

std::string_view Name(Isa isa) {
  constexpr std::array<std::string_view, 3> kNames = {"baseline", "v3", "v4"};
  return kNames[static_cast<std::size_t>(isa)];
}

std::span<const Isa> Available() {
  static const std::size_t count = CountAvailable();
  return std::span(kAll).first(count);
}

Isa SelectIsa(std::string_view name, std::span<const Isa> available) {
  GPODE_CHECK(!available.empty());
  if (name.empty()) return available.back();
  std::string accepted;
  for (const Isa isa : available) {
    if (Name(isa) == name) return isa;
    accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", Name(isa));
  }
  const bool known =
      std::any_of(kAll.begin(), kAll.end(), [&](Isa isa) { return Name(isa) == name; });
  throw InputError(fmt::format("GPODE_SIMD is '{}'{}, must be one of {}", name,
                               known ? ", which this CPU lacks" : "", accepted));
}

Isa ActiveIsa() {
  static const Isa isa = [] {
    const char* name = std::getenv("GPODE_SIMD");
    return SelectIsa(name == nullptr ? "" : name, Available());
  }();
  return isa;
}

const Loops& LoopsFor(Isa isa) {
#if defined(GPODE_SIMD_X86)
  if (isa == Isa::kV4) return v4::kLoops;
  if (isa == Isa::kV3) return v3::kLoops;
#endif
  GPODE_CHECK(isa == Isa::kBaseline);
  return baseline::kLoops;
}

const Loops& Active() {
  static const Loops& loops = LoopsFor(ActiveIsa());
  return loops;
}

void SinCos(std::span<const double> x, std::span<double> sine, std::span<double> cosine) {
  GPODE_CHECK(sine.size() == x.size() && cosine.size() == x.size());
  Active().sincos_double(x.size(), x.data(), sine.data(), cosine.data());
}

void SinCos(std::span<const float> x, std::span<float> sine, std::span<float> cosine) {
  GPODE_CHECK(sine.size() == x.size() && cosine.size() == x.size());
  Active().sincos_float(x.size(), x.data(), sine.data(), cosine.data());
}

void Exp(std::span<const double> x, std::span<double> y) {
  GPODE_CHECK(y.size() == x.size());
  Active().exp_double(x.size(), x.data(), y.data());
}

void Exp(std::span<const float> x, std::span<float> y) {
  GPODE_CHECK(y.size() == x.size());
  Active().exp_float(x.size(), x.data(), y.data());
}

void ExpScaled(double scale, std::span<const double> x, std::span<double> y) {
  GPODE_CHECK(y.size() == x.size());
  Active().exp_scaled(x.size(), scale, x.data(), y.data());
}

void Tanh(std::span<const double> x, std::span<double> y) {
  GPODE_CHECK(y.size() == x.size());
  Active().tanh_double(x.size(), x.data(), y.data());
}

void Tanh(std::span<const float> x, std::span<float> y) {
  GPODE_CHECK(y.size() == x.size());
  Active().tanh_float(x.size(), x.data(), y.data());
}

void Polar(std::span<const double> x, std::span<const double> y, std::span<double> radius,
           std::span<double> angle) {
  GPODE_CHECK(y.size() == x.size() && radius.size() == x.size() && angle.size() == x.size());
  Active().polar(x.size(), x.data(), y.data(), radius.data(), angle.data());
}

void Normals(std::span<const std::uint64_t> bits, std::span<double> normals) {
  GPODE_CHECK(normals.size() == bits.size() && bits.size() % 2 == 0);
  Active().normals(bits.size(), bits.data(), normals.data());
}

}  // namespace gpode::simd
