#include "field/gp_draw_gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "simd/simd.h"

namespace gpode {

GpDrawGradient::GpDrawGradient(const SparseGp& gp, std::size_t features)
    : inputs_(gp.inputs()),
      inducing_(gp.inducing()),
      features_(features),
      stride_(RoundUp(inducing_, simd::UpdateTable::kPad)),
      sums_(inputs_, 1, stride_),
      frequencies_(features * inputs_),
      cosines_(features),
      sines_(features),
      weights_(inducing_),
      locations_(inducing_ * inputs_),
      inverse_squares_(inputs_) {
  CheckSize("GpDrawGradient", "the number of outputs", gp.outputs(), 1);
  if (!gp.kernel().slope_is_value()) {
    ThrowInput("Fit", "kernel",
               fmt::format("is {}, must be squared-exponential where derivatives of an unknown "
                           "function are used",
                           gp.kernel().name()));
  }
}

void GpDrawGradient::Set(const SparseGp& gp, const GpNormals& normals, const Matrix& nu) {
  const Hyperparameters& hyper = gp.Hyper(0);
  const double scale = std::sqrt(hyper.variance / static_cast<double>(features_));
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t k = 0; k < inputs_; ++k) {
      frequencies_[i * inputs_ + k] =
          normals.eps_omega[i * inputs_ + k] / hyper.lengthscales[static_cast<Eigen::Index>(k)];
    }
    cosines_[i] = scale * normals.w_cos[i];
    sines_[i] = scale * normals.w_sin[i];
  }
  for (std::size_t k = 0; k < inputs_; ++k) {
    const double l = hyper.lengthscales[static_cast<Eigen::Index>(k)];
    inverse_squares_[k] = 1 / (l * l);
  }
  const Matrix& z = gp.parameters().inducing_locations;
  std::copy_n(z.data(), z.size(), locations_.begin());
  for (std::size_t m = 0; m < inducing_; ++m) {
    weights_[m] = hyper.variance * nu(0, static_cast<Eigen::Index>(m));
  }
}

// The record has the gradient (I) and the Hessian (I, I) of the prior, the Hessian (I, I) of the
// draw, and the values (M) of the kernel for unit variance.
void GpDrawGradient::RecordAt(const double* x, double* f, double* record) const {
  const std::size_t in = inputs_;
  double* const slope = record;
  double* const prior = record + in;
  double* const whole = prior + in * in;
  double* const phi = whole + in * in;
  std::fill(record, phi, 0.0);
  for (std::size_t i = 0; i < features_; ++i) {
    const double* const omega = frequencies_.data() + i * in;
    double phase = 0;
    for (std::size_t k = 0; k < in; ++k) phase += omega[k] * x[k];
    const double c = std::cos(phase), s = std::sin(phase);
    const double first = sines_[i] * c - cosines_[i] * s;
    const double second = -(cosines_[i] * c + sines_[i] * s);
    for (std::size_t k = 0; k < in; ++k) {
      slope[k] += first * omega[k];
      for (std::size_t j = 0; j <= k; ++j) prior[k * in + j] += second * omega[k] * omega[j];
    }
  }
  std::copy_n(slope, in, f);
  for (std::size_t k = 0; k < in; ++k) {
    for (std::size_t j = 0; j < k; ++j) prior[j * in + k] = prior[k * in + j];
  }
  std::copy_n(prior, in * in, whole);
  for (std::size_t m = 0; m < inducing_; ++m) {
    const double* const z = locations_.data() + m * in;
    double square = 0;
    for (std::size_t k = 0; k < in; ++k)
      square += (x[k] - z[k]) * (x[k] - z[k]) * inverse_squares_[k];
    phi[m] = std::exp(-0.5 * square);
    const double value = weights_[m] * phi[m];
    for (std::size_t k = 0; k < in; ++k) {
      const double away = (x[k] - z[k]) * inverse_squares_[k];
      f[k] -= value * away;
      whole[k * in + k] -= value * inverse_squares_[k];
      for (std::size_t j = 0; j < in; ++j) {
        whole[k * in + j] += value * away * (x[j] - z[j]) * inverse_squares_[j];
      }
    }
  }
}

void GpDrawGradient::PullbackAt(const double* x, const double* record, const double* h, double* bx,
                                double* sums) const {
  const std::size_t in = inputs_;
  const double* const slope = record;
  const double* const prior = record + in;
  const double* const whole = prior + in * in;
  const double* const phi = whole + in * in;
  for (std::size_t k = 0; k < in; ++k) {
    sums[sums_.prior] += h[k] * slope[k];
    double turned = 0;
    for (std::size_t j = 0; j < in; ++j) {
      bx[k] += whole[k * in + j] * h[j];
      turned += prior[k * in + j] * h[j];
    }
    sums[sums_.prior_slope + k] += x[k] * turned + h[k] * slope[k];
  }
  for (std::size_t m = 0; m < inducing_; ++m) {
    const double* const z = locations_.data() + m * in;
    double q = 0;
    for (std::size_t k = 0; k < in; ++k) q += h[k] * (x[k] - z[k]) * inverse_squares_[k];
    sums[sums_.weights + m] -= phi[m] * q;
    const double value = weights_[m] * phi[m];
    for (std::size_t k = 0; k < in; ++k) {
      const double away = x[k] - z[k];
      sums[sums_.locations + k * stride_ + m] += value * (h[k] - q * away) * inverse_squares_[k];
      sums[sums_.squares + k] += value * (2 * h[k] * away - q * away * away);
    }
  }
}

void GpDrawGradient::Value(std::span<const double> x, std::span<double> f,
                           std::span<double> scratch) const {
  Record(x, f, scratch);
}

void GpDrawGradient::Record(std::span<const double> x, std::span<double> f,
                            std::span<double> record) const {
  for (std::size_t p = 0; p * inputs_ < x.size(); ++p) {
    RecordAt(x.data() + p * inputs_, f.data() + p * inputs_, record.data() + p * record_size());
  }
}

void GpDrawGradient::Pullback(std::span<const double> x, std::span<const double> record,
                              std::span<const double> g, std::span<double> bx,
                              std::span<double> bparameters) const {
  for (std::size_t p = 0; p * inputs_ < x.size(); ++p) {
    PullbackAt(x.data() + p * inputs_, record.data() + p * record_size(), g.data() + p * inputs_,
               bx.data() + p * inputs_, bparameters.data());
  }
}

std::vector<Matrix> KernelSlopes(const Hyperparameters& hyper, const Matrix& locations,
                                 const Matrix& points) {
  const Eigen::Index in = points.cols();
  std::vector<Matrix> slopes(static_cast<std::size_t>(in), Matrix(locations.rows(), points.rows()));
  const Vector inverse = hyper.lengthscales.cwiseAbs2().cwiseInverse();
  for (Eigen::Index p = 0; p < points.rows(); ++p) {
    for (Eigen::Index m = 0; m < locations.rows(); ++m) {
      const Vector away = (points.row(p) - locations.row(m)).transpose().cwiseProduct(inverse);
      const double value =
          hyper.variance *
          std::exp(-0.5 * away.dot((points.row(p) - locations.row(m)).transpose()));
      for (Eigen::Index k = 0; k < in; ++k) {
        slopes[static_cast<std::size_t>(k)](m, p) = -value * away[k];
      }
    }
  }
  return slopes;
}

void KernelSlopesPullback(const Hyperparameters& hyper, const Matrix& locations,
                          const Matrix& points, std::span<const Matrix> bslopes, Matrix& blocations,
                          Hyperparameters& bhyper) {
  const Eigen::Index in = points.cols();
  const Vector inverse = hyper.lengthscales.cwiseAbs2().cwiseInverse();
  Vector h(in);
  for (Eigen::Index p = 0; p < points.rows(); ++p) {
    for (Eigen::Index m = 0; m < locations.rows(); ++m) {
      for (Eigen::Index k = 0; k < in; ++k) h[k] = bslopes[static_cast<std::size_t>(k)](m, p);
      const Vector away = (points.row(p) - locations.row(m)).transpose();
      const double q = h.cwiseProduct(inverse).dot(away);
      const double phi = std::exp(-0.5 * away.cwiseAbs2().dot(inverse));
      const double value = hyper.variance * phi;
      bhyper.variance -= phi * q;
      for (Eigen::Index k = 0; k < in; ++k) {
        const double l = hyper.lengthscales[k];
        blocations(m, k) += value * (h[k] - q * away[k]) * inverse[k];
        bhyper.lengthscales[k] +=
            value * (2 * h[k] * away[k] - q * away[k] * away[k]) / (l * l * l);
      }
    }
  }
}

}  // namespace gpode
