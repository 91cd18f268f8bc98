// Named blocks of parameters in one flat vector of doubles.
//
// Optimisers, checkpoints and distributed sums work on the flat vector and know nothing about
// models. A model defines its blocks once and reads their values, which may be constrained, for
// instance to be positive. A transform computes the constrained values from the flat vector, in
// which any finite numbers are allowed:
//
//   transform          block (constrained)                       flat (unconstrained)
//   kFree              x                                         x
//   kPositive          exp(u)                                    u
//   kLowerTriangular   (..., n, n), upper part zero,             (..., n (n+1) / 2), rows of the
//                      diagonal exp(u)                           lower triangle one after the other
//
// Thread safety: const functions may be called from any thread.
//
//   ParameterLayout layout;
//   const std::size_t noise = layout.Add("noise_variance", {channels}, Transform::kPositive);
//   layout.Constrain(flat, values);
//   std::span<const double> variance = layout.Values(noise, values);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/matrix.h"

namespace gpode {

enum class Transform { kFree, kPositive, kLowerTriangular };

struct ParameterBlock {
  std::string name;
  std::vector<std::size_t> shape;  // the shape of the constrained values
  Transform transform = Transform::kFree;
  std::size_t flat_offset = 0, flat_size = 0;
  std::size_t value_offset = 0, value_size = 0;
  std::size_t items = 0;  // the first dimension; 1 for a scalar or a single triangular matrix
};

// Items first .. first + count - 1 of a block (along its first dimension), such as those that a
// minibatch uses.
struct ParameterRange {
  std::size_t block, first, count;
};

// A contiguous part of the flat vector or of the vector of constrained values.
struct Stretch {
  std::size_t offset, size;
};

class ParameterLayout {
 public:
  // Appends a block and returns its index. The name must be new; the last two dimensions of a
  // kLowerTriangular block must be equal.
  std::size_t Add(std::string name, std::vector<std::size_t> shape, Transform transform);

  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  const ParameterBlock& Find(std::string_view name) const;
  bool Has(std::string_view name) const;
  std::size_t Index(std::string_view name) const;  // the index of the block with this name
  std::size_t flat_size() const { return flat_size_; }
  std::size_t value_size() const { return value_size_; }

  // Returns the part of a vector of all constrained values that belongs to one block.
  std::span<double> Values(std::size_t block, std::span<double> values) const;
  std::span<const double> Values(std::size_t block, std::span<const double> values) const;

  // Constrain maps flat (flat_size) to values (value_size), Unconstrain maps them back. Unconstrain
  // throws an InputError for values outside the range of Constrain, such as a negative variance.
  void Constrain(std::span<const double> flat, std::span<double> values) const;
  void Unconstrain(std::span<const double> values, std::span<double> flat) const;

  // Reverses Constrain: bflat += (dvalues/dflat)^T bvalues. `values` are those that Constrain
  // computed.
  void ConstrainPullback(std::span<const double> values, std::span<const double> bvalues,
                         std::span<double> bflat) const;

  // These are the same functions for a range of one block. They take the vectors of all parameters,
  // but read and write only the entries of that range. Whole returns the range of all items of a
  // block; FlatOf and ValuesOf return the entries of a range in the two vectors.
  ParameterRange Whole(std::size_t block) const { return {block, 0, blocks_[block].items}; }
  Stretch FlatOf(const ParameterRange& range) const;
  Stretch ValuesOf(const ParameterRange& range) const;
  void Constrain(const ParameterRange& range, std::span<const double> flat,
                 std::span<double> values) const;
  void ConstrainPullback(const ParameterRange& range, std::span<const double> values,
                         std::span<const double> bvalues, std::span<double> bflat) const;

 private:
  std::vector<ParameterBlock> blocks_;
  std::size_t flat_size_ = 0;
  std::size_t value_size_ = 0;
};

// Constrained values of named parameters, as a model keeps them.
struct NamedValues {
  ParameterLayout layout;
  std::vector<double> values;  // (layout.value_size())

  bool Has(std::string_view name) const { return layout.Has(name); }
  std::span<const double> operator[](std::string_view name) const;
  std::span<double> operator[](std::string_view name);
  // Returns a block as a matrix whose rows are the items of its first dimension; an empty matrix if
  // there is no such block.
  Matrix AsMatrix(std::string_view name) const;
};

}  // namespace gpode
