// A model with a known field, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/model.h"

namespace gpode::testing_support {

// In the model's coordinates the field is a damped rotation, x' = (-damping x + y, -x - damping y),
// whose inducing values on a grid have a small standard deviation. It is observed in other units
// through three channels.
constexpr double kDamping = 0.1, kTimeScale = 2.0, kStart = 10.0;

// Returns the true state in the model's coordinates.
inline Matrix TrueState(const Vector& x0, double time) {
  const double t = (time - kStart) / kTimeScale, decay = std::exp(-kDamping * t);
  Matrix x(1, 2);
  x << decay * (x0[0] * std::cos(t) + x0[1] * std::sin(t)),
      decay * (x0[1] * std::cos(t) - x0[0] * std::sin(t));
  return x;
}

inline Model Rotation(double doubt = 1e-3) {
  Model model;
  model.options.features = 64;
  model.channels = {"a", "b", "c"};
  model.map.matrix = Matrix(3, 2);
  model.map.matrix << 20, 0, 0, 0.5, 3, -4;
  model.map.offset = Vector{{100, -1, 0}};
  model.state_scale = Vector{{2, 5}};
  model.state_offset = Vector{{1, -3}};
  model.time_scale = kTimeScale;
  model.start_times = {kStart, kStart + 1};
  model.end_times = {kStart + 5, kStart + 5};
  model.noise_variance = Vector::Ones(3);
  model.x0_mean = Matrix(2, 2);
  model.x0_mean << 1, 0.5, -0.8, 0.3;
  model.x0_chol.assign(2, 1e-3 * Matrix::Identity(2, 2));

  constexpr Eigen::Index kSide = 7, kInducing = kSide * kSide;
  GpParameters& gp = model.gp;
  gp.inducing_locations.resize(kInducing, 2);
  for (Eigen::Index i = 0; i < kInducing; ++i) {
    gp.inducing_locations.row(i) << 0.75 * static_cast<double>(i / kSide - kSide / 2),
        0.75 * static_cast<double>(i % kSide - kSide / 2);
  }
  gp.lengthscales = Matrix::Constant(1, 2, 2.0);
  gp.variances = Vector::Ones(1);
  gp.inducing_mean = Matrix::Zero(2, kInducing);
  gp.inducing_chol.assign(2, doubt * Matrix::Identity(kInducing, kInducing));
  SparseGp sparse(GetKernel(model.options.kernel), model.options.jitter);
  EXPECT_EQ(sparse.Set(gp), FactorStatus::kOk);
  const Matrix& z = gp.inducing_locations;
  Matrix field(kInducing, 2);
  field.col(0) = -kDamping * z.col(0) + z.col(1);
  field.col(1) = -z.col(0) - kDamping * z.col(1);
  const Matrix whitened = sparse.Factor(0).triangularView<Eigen::Lower>().solve(field);
  gp.inducing_mean = whitened.transpose();
  return model;
}

}  // namespace gpode::testing_support
