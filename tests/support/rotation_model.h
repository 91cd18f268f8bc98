// A model with a known field, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/model.h"
#include "model/model_draws.h"

namespace gpode::testing_support {

// In the model's coordinates the field is a damped rotation, x' = (-damping x + y, -x - damping y).
// It is given by inducing values on a grid, with a small standard deviation, and is observed in
// other units through three channels.
constexpr double kDamping = 0.1, kTimeScale = 2.0, kStart = 10.0;

// Returns the true state in the model's coordinates.
inline Matrix TrueState(const Vector& x0, double time) {
  const double t = (time - kStart) / kTimeScale, decay = std::exp(-kDamping * t);
  Matrix x(1, 2);
  x << decay * (x0[0] * std::cos(t) + x0[1] * std::sin(t)),
      decay * (x0[1] * std::cos(t) - x0[0] * std::sin(t));
  return x;
}

// Sets the parameters of a model to zeros, in the shapes that its options ask for.
inline void MakeParameters(Model& model) {
  const ParameterLayout layout = ModelParts(model.options, ShapeOf(model)).layout();
  model.parameters = {layout, std::vector<double>(layout.value_size())};
}

inline void Put(Model& model, std::string_view block, const auto& from) {
  const std::span<double> to = model.parameters[block];
  ASSERT_EQ(static_cast<std::size_t>(from.size()), to.size()) << block;
  std::copy_n(from.data(), from.size(), to.begin());
}

inline Matrix InitialMeans(const Model& model) { return model.parameters.AsMatrix("x0_mean"); }

inline Model Rotation(double doubt = 1e-3) {
  Model model;
  model.options.features = 64;
  model.channels = {"a", "b", "c"};
  model.map.matrix = Matrix(3, 2);
  model.map.matrix << 20, 0, 0, 0.5, 3, -4;
  model.map.offset = Vector{{100, -1, 0}};
  model.coordinates.state_scale = Vector{{2, 5}};
  model.coordinates.state_offset = Vector{{1, -3}};
  model.coordinates.time_scale = kTimeScale;
  model.start_times = {kStart, kStart + 1};
  model.end_times = {kStart + 5, kStart + 5};
  constexpr Eigen::Index kSide = 7, kInducing = kSide * kSide;
  GpParameters gp;
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
  const Matrix mean = whitened.transpose();
  model.options.inducing = static_cast<std::size_t>(kInducing);
  model.options.shared_hyperparameters = true;
  MakeParameters(model);
  Put(model, "noise_variance", Vector::Ones(3).eval());
  Put(model, "x0_mean", Matrix{{1, 0.5}, {-0.8, 0.3}});
  const Matrix identity = Matrix::Identity(2, 2);
  Matrix factors(2, 4);
  factors << identity.reshaped<Eigen::RowMajor>().transpose(),
      identity.reshaped<Eigen::RowMajor>().transpose();
  Put(model, "x0_chol", Matrix(1e-3 * factors));
  Put(model, "inducing_locations", gp.inducing_locations);
  Put(model, "lengthscales", gp.lengthscales);
  Put(model, "variances", gp.variances);
  Put(model, "inducing_mean", mean);
  Matrix chol(2 * kInducing, kInducing);
  chol << gp.inducing_chol[0], gp.inducing_chol[1];
  Put(model, "inducing_chol", chol);
  return model;
}

}  // namespace gpode::testing_support
