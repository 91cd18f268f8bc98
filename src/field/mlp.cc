#include "gpode/mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpode/error.h"
#include "simd/simd.h"

namespace gpode {
namespace {

// Maps of contiguous memory, on which Eigen computes products without temporaries.
using ConstMatrixMap = Eigen::Map<const Matrix>;
using ConstVectorMap = Eigen::Map<const Vector>;
using VectorMap = Eigen::Map<Vector>;

void CheckWidths(std::size_t inputs, const std::vector<std::size_t>& hidden_sizes,
                 std::size_t outputs) {
  CheckAtLeast("Mlp", "the number of inputs", static_cast<std::ptrdiff_t>(inputs), 1);
  CheckAtLeast("Mlp", "the number of outputs", static_cast<std::ptrdiff_t>(outputs), 1);
  for (std::size_t l = 0; l < hidden_sizes.size(); ++l) {
    if (hidden_sizes[l] >= 1 && hidden_sizes[l] <= Mlp::kMaxWidth) continue;
    ThrowInput("Mlp", fmt::format("hidden_sizes[{}]", l),
               fmt::format("is {}, must be between 1 and {}", hidden_sizes[l], Mlp::kMaxWidth));
  }
}

// Computes s = W h + b for a layer with few inputs. Their number is a template argument, so that
// the compiler unrolls the inner loop.
template <std::size_t kInputs>
void SumNarrow(std::size_t outputs, const double* __restrict weights,
               const double* __restrict biases, const double* __restrict input,
               double* __restrict sums) {
  for (std::size_t o = 0; o < outputs; ++o) {
    double sum = biases[o];
    for (std::size_t i = 0; i < kInputs; ++i) sum += weights[o * kInputs + i] * input[i];
    sums[o] = sum;
  }
}

// Computes s = W h + b for any number of inputs.
void Sum(std::size_t inputs, std::size_t outputs, const double* weights, const double* biases,
         const double* input, double* sums) {
  switch (inputs) {
    case 2:
      return SumNarrow<2>(outputs, weights, biases, input, sums);
    case 3:
      return SumNarrow<3>(outputs, weights, biases, input, sums);
    case 4:
      return SumNarrow<4>(outputs, weights, biases, input, sums);
    case 5:
      return SumNarrow<5>(outputs, weights, biases, input, sums);
    default:
      break;
  }
  VectorMap sum(sums, outputs);
  sum = ConstVectorMap(biases, outputs);
  sum.noalias() += ConstMatrixMap(weights, outputs, inputs) * ConstVectorMap(input, inputs);
}

// Reverses Sum for a layer of few inputs:
//   bW += bs h^T,  bh += W^T bs.
// For each input there are four partial sums that take turns, so that an addition need not wait for
// the one before it to finish.
template <std::size_t kInputs>
void ReverseNarrow(std::size_t outputs, const double* weights, const double* input,
                   const double* bsum, double* bweights, double* binput) {
  constexpr std::size_t kSums = 4;
  std::array<std::array<double, kInputs>, kSums> sums{};
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < kInputs; ++i) {
      bweights[o * kInputs + i] += bsum[o] * input[i];
      sums[o % kSums][i] += bsum[o] * weights[o * kInputs + i];
    }
  }
  for (std::size_t i = 0; i < kInputs; ++i) {
    binput[i] += (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
  }
}

// Reverses Sum for any number of inputs. It works on two rows of W at a time, and reads each row
// once for both results.
void ReverseWide(std::size_t inputs, std::size_t outputs, const double* __restrict weights,
                 const double* __restrict input, const double* __restrict bsum,
                 double* __restrict bweights, double* __restrict binput) {
  std::size_t o = 0;
  for (; o + 2 <= outputs; o += 2) {
    const double first = bsum[o], second = bsum[o + 1];
    const double *w0 = weights + o * inputs, *w1 = w0 + inputs;
    double *bw0 = bweights + o * inputs, *bw1 = bw0 + inputs;
    for (std::size_t i = 0; i < inputs; ++i) {
      bw0[i] += first * input[i];
      bw1[i] += second * input[i];
      binput[i] += first * w0[i] + second * w1[i];
    }
  }
  for (; o < outputs; ++o) {
    const double b = bsum[o];
    for (std::size_t i = 0; i < inputs; ++i) {
      bweights[o * inputs + i] += b * input[i];
      binput[i] += b * weights[o * inputs + i];
    }
  }
}

void Reverse(std::size_t inputs, std::size_t outputs, const double* weights, const double* input,
             const double* bsum, double* bweights, double* binput) {
  switch (inputs) {
    case 2:
      return ReverseNarrow<2>(outputs, weights, input, bsum, bweights, binput);
    case 3:
      return ReverseNarrow<3>(outputs, weights, input, bsum, bweights, binput);
    case 4:
      return ReverseNarrow<4>(outputs, weights, input, bsum, bweights, binput);
    case 5:
      return ReverseNarrow<5>(outputs, weights, input, bsum, bweights, binput);
    default:
      return ReverseWide(inputs, outputs, weights, input, bsum, bweights, binput);
  }
}

}  // namespace

Mlp::Mlp(std::size_t inputs, const std::vector<std::size_t>& hidden_sizes, std::size_t outputs) {
  CheckWidths(inputs, hidden_sizes, outputs);
  std::size_t next_parameter = 0;
  const auto add_layer = [&](std::size_t width) {
    const std::size_t weights = next_parameter;
    const std::size_t biases = weights + width * inputs;
    layers_.push_back({inputs, width, weights, biases, record_size_});
    next_parameter = biases + width;
    weight_count_ += width * inputs;
    inputs = width;
  };
  for (const std::size_t width : hidden_sizes) {
    add_layer(width);
    record_size_ += width;
  }
  add_layer(outputs);
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
  const std::size_t in = inputs(), out = outputs();
  const std::size_t n = x.size() / in;
  GPODE_CHECK(x.size() == n * in && f.size() == n * out && record.size() >= n * record_size_);
  // Points are evaluated one by one: the bits of one matrix product for all points would depend on
  // the size of the batch.
  for (std::size_t p = 0; p < n; ++p) {
    RecordAt(x.data() + p * in, f.data() + p * out, record.data() + p * record_size_);
  }
}

void Mlp::Pullback(std::span<const double> x, std::span<const double> record,
                   std::span<const double> g, std::span<double> bx,
                   std::span<double> bparameters) const {
  const std::size_t in = inputs(), out = outputs();
  const std::size_t n = x.size() / in;
  GPODE_CHECK(x.size() == n * in && g.size() == n * out && bx.size() == n * in);
  GPODE_CHECK(record.size() >= n * record_size_ && bparameters.size() == parameters_.size());
  for (std::size_t p = 0; p < n; ++p) {
    PullbackAt(x.data() + p * in, record.data() + p * record_size_, g.data() + p * out,
               bx.data() + p * in, bparameters.data());
  }
}

void Mlp::RecordAt(const double* x, double* f, double* record) const {
  const double* input = x;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool hidden = l + 1 < layers_.size();
    double* output = hidden ? record + layer.activations : f;
    Sum(layer.inputs, layer.outputs, &parameters_[layer.weights], &parameters_[layer.biases], input,
        output);
    if (hidden) simd::Tanh({output, layer.outputs}, {output, layer.outputs});
    input = output;
  }
}

void Mlp::PullbackAt(const double* x, const double* record, const double* g, double* bx,
                     double* bparameters) const {
  // The cotangents of W h + b of one layer and of the layer before it; the two buffers take turns.
  std::array<std::array<double, kMaxWidth>, 2> buffers;
  const double* bsum = g;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const double* input = l > 0 ? record + layers_[l - 1].activations : x;
    VectorMap(bparameters + layer.biases, layer.outputs) += ConstVectorMap(bsum, layer.outputs);
    double* binput = l > 0 ? buffers[l % 2].data() : bx;
    if (l > 0) std::fill_n(binput, layer.inputs, 0.0);
    Reverse(layer.inputs, layer.outputs, &parameters_[layer.weights], input, bsum,
            bparameters + layer.weights, binput);
    if (l == 0) break;
    // tanh' = 1 - tanh^2
    VectorMap(binput, layer.inputs).array() *=
        1.0 - ConstVectorMap(input, layer.inputs).array().square();
    bsum = binput;
  }
}

}  // namespace gpode
