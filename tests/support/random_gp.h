// Random sparse processes for tests, and their parameters as one flat vector.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "gpode/gp.h"
#include "gpode/random.h"

namespace gpode::testing_support {

// Random numbers from a stream of the tests' own, one after the other.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : stream_(seed, 0, 0, Purpose::kTest) {}

  double Normal() {
    double z;
    stream_.Normals({&z, 1}, next_++);
    return z;
  }
  double Uniform(double low, double high) {
    double u;
    stream_.Uniforms({&u, 1}, next_++);
    return low + (high - low) * u;
  }
  Matrix Normals(std::size_t rows, std::size_t cols, double scale = 1.0) {
    Matrix m(rows, cols);
    for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = scale * Normal();
    return m;
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

// Returns a process with any number of inputs and outputs.
inline GpParameters RandomGpOf(std::uint64_t seed, std::size_t inputs, std::size_t outputs,
                               std::size_t inducing, bool shared = false) {
  Numbers numbers(seed);
  GpParameters p;
  p.inducing_locations = numbers.Normals(inducing, inputs, 1.5);
  p.inducing_mean = numbers.Normals(outputs, inducing);
  for (std::size_t d = 0; d < outputs; ++d) {
    Matrix chol = numbers.Normals(inducing, inducing, 0.1).triangularView<Eigen::StrictlyLower>();
    for (std::size_t m = 0; m < inducing; ++m) chol(m, m) = numbers.Uniform(0.05, 0.6);
    p.inducing_chol.push_back(chol);
  }
  const std::size_t rows = shared ? 1 : outputs;
  p.lengthscales.resize(rows, inputs);
  p.variances.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < inputs; ++k) p.lengthscales(r, k) = numbers.Uniform(0.7, 2.0);
    p.variances[r] = numbers.Uniform(0.3, 1.5);
  }
  return p;
}

// Returns a process with as many outputs as inputs, whose draws are autonomous fields.
inline GpParameters RandomGp(std::uint64_t seed, std::size_t dim, std::size_t inducing,
                             bool shared = false) {
  return RandomGpOf(seed, dim, dim, inducing, shared);
}

// Calls visit(array) for every array of the parameters. Factors are visited as whole matrices.
template <typename Parameters, typename Visit>
void VisitArrays(Parameters& p, Visit visit) {
  visit(p.inducing_locations);
  visit(p.inducing_mean);
  for (auto& chol : p.inducing_chol) visit(chol);
  visit(p.lengthscales);
  visit(p.variances);
}

inline std::vector<double> Flatten(const GpParameters& p) {
  std::vector<double> flat;
  VisitArrays(p, [&](const auto& a) { flat.insert(flat.end(), a.data(), a.data() + a.size()); });
  return flat;
}

inline GpParameters Unflatten(std::span<const double> flat, GpParameters shape) {
  std::size_t at = 0;
  VisitArrays(shape, [&](auto& a) {
    for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = flat[at++];
  });
  return shape;
}

}  // namespace gpode::testing_support
