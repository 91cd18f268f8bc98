// A fully connected network, for instance as the right-hand side of a neural ODE.
//
//   h_0 = x,   h_l = tanh(W_l h_{l-1} + b_l),  l = 1, ..., L,   f(x) = W_{L+1} h_L + b_{L+1}
//
// with I inputs, O outputs and L hidden layers of widths h1, ..., hL; L = 0 is an affine function.
//   R. T. Q. Chen et al. (2018), Neural ordinary differential equations.
//
// The parameters are one flat vector:  W_1 (h1, I) row-major, b_1 (h1), W_2 (h2, h1), b_2, ...,
// W_{L+1} (O, hL), b_{L+1} (O).
//
// A record holds the activations h_1, ..., h_L of a point. Value, Record and Pullback allocate no
// memory: the pullback keeps the cotangents of two layers on the stack, so layers have at most
// kMaxWidth units.
//
// Thread safety: as for Function. No other thread may use the network while its parameters change.
//
//   Mlp network(2, {32});  // two inputs, two outputs
//   network.InitializeXavier(normals);  // weight_count() standard normals
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpode/function.h"

namespace gpode {

class Mlp final : public Function {
 public:
  // The largest width of a hidden layer.
  static constexpr std::size_t kMaxWidth = 1024;

  // Makes a network whose parameters are all zero. The second form has as many outputs as inputs.
  // Both throw an InputError when a size is zero or a hidden layer is wider than kMaxWidth.
  Mlp(std::size_t inputs, const std::vector<std::size_t>& hidden_sizes, std::size_t outputs);
  Mlp(std::size_t dim, const std::vector<std::size_t>& hidden_sizes)
      : Mlp(dim, hidden_sizes, dim) {}

  std::size_t inputs() const override { return layers_.front().inputs; }
  std::size_t outputs() const override { return layers_.back().outputs; }
  std::size_t parameter_count() const override { return parameters_.size(); }
  std::size_t record_size() const override { return record_size_; }
  // The number of parameters that are not biases.
  std::size_t weight_count() const { return weight_count_; }

  std::span<const double> parameters() const { return parameters_; }
  std::span<double> parameters() { return parameters_; }
  // Throws an InputError when the size is not parameter_count().
  void SetParameters(std::span<const double> parameters);

  // Sets the weights of each layer to the given standard normals, taken in the order of the
  // parameters and scaled to the variance 2 / (inputs + outputs); sets the biases to zero.
  //   X. Glorot, Y. Bengio (2010), Understanding the difficulty of training deep feedforward neural
  //   networks, equation 12.
  // Throws an InputError when the size is not weight_count().
  void InitializeXavier(std::span<const double> standard_normals);

  void Value(std::span<const double> x, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(std::span<const double> x, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(std::span<const double> x, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;

 private:
  struct Layer {
    std::size_t inputs;
    std::size_t outputs;
    std::size_t weights;      // start of W in the parameters
    std::size_t biases;       // start of b in the parameters
    std::size_t activations;  // start of h in a point's record; unused in the last layer
  };

  // Both work on one point: x (I), f (O), record (record_size()), g (O), bx (I).
  void RecordAt(const double* x, double* f, double* record) const;
  void PullbackAt(const double* x, const double* record, const double* g, double* bx,
                  double* bparameters) const;

  std::vector<Layer> layers_;  // the hidden layers, then the output layer
  std::vector<double> parameters_;
  std::size_t weight_count_ = 0;
  std::size_t record_size_ = 0;
};

}  // namespace gpode
