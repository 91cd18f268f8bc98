#include "gpode/mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpode/error.h"
#include "simd/simd.h"

namespace gpode {
namespace {

// Contiguous memory, so that Eigen multiplies in place without temporaries.
using ConstMatrixMap = Eigen::Map<const Matrix>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstVectorMap = Eigen::Map<const Vector>;
using VectorMap = Eigen::Map<Vector>;

void CheckWidths(std::size_t dim, const std::vector<std::size_t>& hidden_sizes) {
  CheckAtLeast("Mlp", "dim", static_cast<std::ptrdiff_t>(dim), 1);
  for (std::size_t l = 0; l < hidden_sizes.size(); ++l) {
    if (hidden_sizes[l] >= 1 && hidden_sizes[l] <= Mlp::kMaxWidth) continue;
    ThrowInput("Mlp", fmt::format("hidden_sizes[{}]", l),
               fmt::format("is {}, must be between 1 and {}", hidden_sizes[l], Mlp::kMaxWidth));
  }
}

}  // namespace

Mlp::Mlp(std::size_t dim, const std::vector<std::size_t>& hidden_sizes) {
  CheckWidths(dim, hidden_sizes);
  std::size_t inputs = dim;
  std::size_t next_parameter = 0;
  const auto add_layer = [&](std::size_t outputs) {
    const std::size_t weights = next_parameter;
    const std::size_t biases = weights + outputs * inputs;
    layers_.push_back({inputs, outputs, weights, biases, record_size_});
    next_parameter = biases + outputs;
    weight_count_ += outputs * inputs;
    inputs = outputs;
  };
  for (const std::size_t width : hidden_sizes) {
    add_layer(width);
    record_size_ += width;
  }
  add_layer(dim);
  parameters_.assign(next_parameter, 0.0);
}

void Mlp::SetParameters(std::span<const double> parameters) {
  CheckSize("Mlp::SetParameters", "parameters", parameters.size(), parameters_.size());
  std::copy(parameters.begin(), parameters.end(), parameters_.begin());
}

void Mlp::InitializeXavier(std::span<const double> standard_normals) {
  CheckSize("Mlp::InitializeXavier", "standard_normals", standard_normals.size(), weight_count_);
  std::fill(parameters_.begin(), parameters_.end(), 0.0);
  auto normal = standard_normals.begin();
  for (const Layer& layer : layers_) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(layer.inputs + layer.outputs));
    for (std::size_t i = layer.weights; i < layer.biases; ++i) {
      parameters_[i] = deviation * *normal++;
    }
  }
}

void Mlp::Value(std::span<const double> x, std::span<double> f, std::span<double> scratch) const {
  Record(x, f, scratch);
}

void Mlp::Record(std::span<const double> x, std::span<double> f, std::span<double> record) const {
  const std::size_t d = dim();
  const std::size_t n = x.size() / d;
  GPODE_CHECK(x.size() == n * d && f.size() == n * d && record.size() >= n * record_size_);
  // Point by point, and not one matrix product for all: its bits would depend on the batch.
  for (std::size_t p = 0; p < n; ++p) {
    RecordAt(x.data() + p * d, f.data() + p * d, record.data() + p * record_size_);
  }
}

void Mlp::Pullback(std::span<const double> x, std::span<const double> record,
                   std::span<const double> g, std::span<double> bx,
                   std::span<double> bparameters) const {
  const std::size_t d = dim();
  const std::size_t n = x.size() / d;
  GPODE_CHECK(x.size() == n * d && g.size() == n * d && bx.size() == n * d);
  GPODE_CHECK(record.size() >= n * record_size_ && bparameters.size() == parameters_.size());
  for (std::size_t p = 0; p < n; ++p) {
    PullbackAt(x.data() + p * d, record.data() + p * record_size_, g.data() + p * d,
               bx.data() + p * d, bparameters.data());
  }
}

void Mlp::RecordAt(const double* x, double* f, double* record) const {
  const double* input = x;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool hidden = l + 1 < layers_.size();
    double* output = hidden ? record + layer.activations : f;
    const ConstMatrixMap weights(&parameters_[layer.weights], layer.outputs, layer.inputs);
    VectorMap sum(output, layer.outputs);
    sum = ConstVectorMap(&parameters_[layer.biases], layer.outputs);
    sum.noalias() += weights * ConstVectorMap(input, layer.inputs);
    if (hidden) simd::Tanh({output, layer.outputs}, {output, layer.outputs});
    input = output;
  }
}

void Mlp::PullbackAt(const double* x, const double* record, const double* g, double* bx,
                     double* bparameters) const {
  // Cotangents on W h + b of this layer and of the one before it, taking turns.
  std::array<std::array<double, kMaxWidth>, 2> buffers;
  const double* bsum = g;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const ConstVectorMap b(bsum, layer.outputs);
    const ConstVectorMap input(l > 0 ? record + layers_[l - 1].activations : x, layer.inputs);
    const ConstMatrixMap weights(&parameters_[layer.weights], layer.outputs, layer.inputs);
    MatrixMap(bparameters + layer.weights, layer.outputs, layer.inputs).noalias() +=
        b * input.transpose();
    VectorMap(bparameters + layer.biases, layer.outputs) += b;
    if (l == 0) {
      VectorMap(bx, layer.inputs).noalias() += weights.transpose() * b;
      break;
    }
    VectorMap binput(buffers[l % 2].data(), layer.inputs);
    binput.noalias() = weights.transpose() * b;
    binput.array() *= 1.0 - input.array().square();  // tanh' = 1 - tanh^2
    bsum = binput.data();
  }
}

}  // namespace gpode
