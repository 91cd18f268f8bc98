// A fully connected network as a field: the right-hand side of a neural ODE.
//
//   h_0 = x,   h_l = tanh(W_l h_{l-1} + b_l),  l = 1, ..., L,   f(x) = W_{L+1} h_L + b_{L+1}
//
// with L hidden layers of any widths; L = 0 is an affine field.
//   R. T. Q. Chen et al. (2018), Neural ordinary differential equations.
//
// The parameters are one flat vector:  W_1 (h1, D) row-major, b_1 (h1), W_2 (h2, h1), b_2, ...,
// W_{L+1} (D, hL), b_{L+1} (D).
//
// A record holds the activations h_1, ..., h_L of a point. Value, Record and Pullback allocate
// nothing: the pullback keeps the cotangents of two layers on the stack, hence kMaxWidth.
// Thread safety: as any Field; changing the parameters needs the field for oneself.
//
//   Mlp field(2, {32});
//   field.InitializeXavier(normals);  // normals: field.weight_count() of them
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpode/field.h"

namespace gpode {

class Mlp final : public Field {
 public:
  static constexpr std::size_t kMaxWidth = 1024;  // of a hidden layer

  // All parameters zero. Throws InputError when a size is zero, or a hidden one above kMaxWidth.
  Mlp(std::size_t dim, const std::vector<std::size_t>& hidden_sizes);

  std::size_t dim() const override { return layers_.front().inputs; }
  std::size_t parameter_count() const override { return parameters_.size(); }
  std::size_t record_size() const override { return record_size_; }
  // The parameters that are not biases.
  std::size_t weight_count() const { return weight_count_; }

  std::span<const double> parameters() const { return parameters_; }
  std::span<double> parameters() { return parameters_; }
  // Throws InputError when the size is not parameter_count().
  void SetParameters(std::span<const double> parameters);

  // Weights of variance 2 / (inputs + outputs) from as many standard normals, in the order of the
  // parameters; biases zero.
  //   X. Glorot, Y. Bengio (2010), Understanding the difficulty of training deep feedforward neural
  //   networks, equation 12.
  // Throws InputError when the size is not weight_count().
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
    std::size_t weights;      // where W starts in the parameters
    std::size_t biases;       // where b starts in the parameters
    std::size_t activations;  // where h starts in a point's record; unused in the last layer
  };

  // One point: x (D), f (D), record (record_size()), g (D), bx (D).
  void RecordAt(const double* x, double* f, double* record) const;
  void PullbackAt(const double* x, const double* record, const double* g, double* bx,
                  double* bparameters) const;

  std::vector<Layer> layers_;  // the hidden ones, then the output
  std::vector<double> parameters_;
  std::size_t weight_count_ = 0;
  std::size_t record_size_ = 0;
};

}  // namespace gpode
