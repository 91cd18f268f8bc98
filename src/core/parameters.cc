// Transforms between flat vectors and constrained values. The shooting constraint of the paper
// (section 3.4) is a term of the bound, in model/bound.cc.
#include "gpode/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpode/error.h"

namespace gpode {
namespace {

constexpr char kUnconstrain[] = "ParameterLayout::Unconstrain";

// Calls element(flat index, value index, is on the diagonal) for every entry of the lower triangles
// of the n x n matrices in `values`. `flat` is the flat index of the first entry.
template <typename Element>
void ForLowerTriangles(std::size_t n, std::size_t flat, Stretch values, Element element) {
  const std::size_t matrices = n == 0 ? 0 : values.size / (n * n);
  for (std::size_t m = 0; m < matrices; ++m) {
    const std::size_t matrix = values.offset + m * n * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) element(flat++, matrix + i * n + j, i == j);
    }
  }
}

double Logarithm(const ParameterBlock& block, double value) {
  CheckPositive(kUnconstrain, block.name, value);
  return std::log(value);
}

// Throws an InputError unless all entries above the diagonals are zero. `values` are those of the
// block.
void CheckUpperTrianglesZero(const ParameterBlock& block, std::span<const double> values) {
  const std::size_t n = block.shape.back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % n <= i / n % n || values[i] == 0) continue;
    ThrowInput(kUnconstrain, fmt::format("{}[{}]", block.name, i),
               fmt::format("is {}, must be zero above the diagonal", values[i]));
  }
}

}  // namespace

std::size_t ParameterLayout::Add(std::string name, std::vector<std::size_t> shape,
                                 Transform transform) {
  for (const ParameterBlock& block : blocks_) {
    if (block.name == name) {
      ThrowInput("ParameterLayout::Add", "name", fmt::format("is '{}', must be a new name", name));
    }
  }
  ParameterBlock block{.name = std::move(name), .shape = std::move(shape), .transform = transform};
  block.value_size =
      std::accumulate(block.shape.begin(), block.shape.end(), std::size_t{1}, std::multiplies<>());
  block.flat_size = block.value_size;
  const bool one_matrix = transform == Transform::kLowerTriangular && block.shape.size() == 2;
  block.items = block.shape.empty() || one_matrix ? 1 : block.shape[0];
  if (transform == Transform::kLowerTriangular) {
    const std::size_t rank = block.shape.size();
    if (rank < 2 || block.shape[rank - 1] != block.shape[rank - 2]) {
      ThrowInput("ParameterLayout::Add", "shape",
                 fmt::format("of '{}' must end in two equal numbers", block.name));
    }
    const std::size_t n = block.shape.back();
    block.flat_size = n == 0 ? 0 : block.value_size / (n * n) * (n * (n + 1) / 2);
  }
  block.flat_offset = flat_size_;
  block.value_offset = value_size_;
  flat_size_ += block.flat_size;
  value_size_ += block.value_size;
  blocks_.push_back(std::move(block));
  return blocks_.size() - 1;
}

std::size_t ParameterLayout::Index(std::string_view name) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].name == name) return i;
  }
  ThrowInput("ParameterLayout", "name", fmt::format("is '{}', must be that of a block", name));
}

bool ParameterLayout::Has(std::string_view name) const {
  return std::ranges::any_of(blocks_, [&](const ParameterBlock& b) { return b.name == name; });
}

const ParameterBlock& ParameterLayout::Find(std::string_view name) const {
  return blocks_[Index(name)];
}

std::span<double> ParameterLayout::Values(std::size_t block, std::span<double> values) const {
  return values.subspan(blocks_[block].value_offset, blocks_[block].value_size);
}

std::span<const double> ParameterLayout::Values(std::size_t block,
                                                std::span<const double> values) const {
  return values.subspan(blocks_[block].value_offset, blocks_[block].value_size);
}

Stretch ParameterLayout::FlatOf(const ParameterRange& range) const {
  const ParameterBlock& b = blocks_[range.block];
  const std::size_t each = b.items == 0 ? 0 : b.flat_size / b.items;
  return {b.flat_offset + range.first * each, range.count * each};
}

Stretch ParameterLayout::ValuesOf(const ParameterRange& range) const {
  const ParameterBlock& b = blocks_[range.block];
  const std::size_t each = b.items == 0 ? 0 : b.value_size / b.items;
  return {b.value_offset + range.first * each, range.count * each};
}

void ParameterLayout::Constrain(const ParameterRange& range, std::span<const double> flat,
                                std::span<double> values) const {
  const ParameterBlock& b = blocks_[range.block];
  const Stretch from = FlatOf(range), to = ValuesOf(range);
  if (b.transform == Transform::kLowerTriangular) {
    std::fill_n(values.begin() + to.offset, to.size, 0.0);
    ForLowerTriangles(b.shape.back(), from.offset, to,
                      [&](std::size_t u, std::size_t v, bool diagonal) {
                        values[v] = diagonal ? std::exp(flat[u]) : flat[u];
                      });
    return;
  }
  for (std::size_t i = 0; i < to.size; ++i) {
    const double u = flat[from.offset + i];
    values[to.offset + i] = b.transform == Transform::kPositive ? std::exp(u) : u;
  }
}

void ParameterLayout::Constrain(std::span<const double> flat, std::span<double> values) const {
  CheckSize("ParameterLayout::Constrain", "flat", flat.size(), flat_size_);
  CheckSize("ParameterLayout::Constrain", "values", values.size(), value_size_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) Constrain(Whole(b), flat, values);
}

void ParameterLayout::Unconstrain(std::span<const double> values, std::span<double> flat) const {
  CheckSize(kUnconstrain, "values", values.size(), value_size_);
  CheckSize(kUnconstrain, "flat", flat.size(), flat_size_);
  for (const ParameterBlock& b : blocks_) {
    const std::span<const double> own = values.subspan(b.value_offset, b.value_size);
    CheckFinite(kUnconstrain, b.name, own);
    if (b.transform == Transform::kLowerTriangular) {
      CheckUpperTrianglesZero(b, own);
      ForLowerTriangles(b.shape.back(), b.flat_offset, {b.value_offset, b.value_size},
                        [&](std::size_t u, std::size_t v, bool diagonal) {
                          flat[u] = diagonal ? Logarithm(b, values[v]) : values[v];
                        });
      continue;
    }
    for (std::size_t i = 0; i < b.value_size; ++i) {
      const double value = values[b.value_offset + i];
      flat[b.flat_offset + i] = b.transform == Transform::kPositive ? Logarithm(b, value) : value;
    }
  }
}

void ParameterLayout::ConstrainPullback(const ParameterRange& range, std::span<const double> values,
                                        std::span<const double> bvalues,
                                        std::span<double> bflat) const {
  const ParameterBlock& b = blocks_[range.block];
  const Stretch to = FlatOf(range), from = ValuesOf(range);
  if (b.transform == Transform::kLowerTriangular) {
    ForLowerTriangles(b.shape.back(), to.offset, from,
                      [&](std::size_t u, std::size_t v, bool diagonal) {
                        bflat[u] += diagonal ? values[v] * bvalues[v] : bvalues[v];
                      });
    return;
  }
  for (std::size_t i = 0; i < to.size; ++i) {
    const std::size_t v = from.offset + i;
    bflat[to.offset + i] +=
        b.transform == Transform::kPositive ? values[v] * bvalues[v] : bvalues[v];
  }
}

void ParameterLayout::ConstrainPullback(std::span<const double> values,
                                        std::span<const double> bvalues,
                                        std::span<double> bflat) const {
  CheckSize("ParameterLayout::ConstrainPullback", "values", values.size(), value_size_);
  CheckSize("ParameterLayout::ConstrainPullback", "bvalues", bvalues.size(), value_size_);
  CheckSize("ParameterLayout::ConstrainPullback", "bflat", bflat.size(), flat_size_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    ConstrainPullback(Whole(b), values, bvalues, bflat);
  }
}

std::span<const double> NamedValues::operator[](std::string_view name) const {
  return layout.Values(layout.Index(name), std::span<const double>(values));
}

std::span<double> NamedValues::operator[](std::string_view name) {
  return layout.Values(layout.Index(name), std::span<double>(values));
}

Matrix NamedValues::AsMatrix(std::string_view name) const {
  if (!Has(name)) return {};
  const ParameterBlock& block = layout.Find(name);
  const auto rows = static_cast<Eigen::Index>(block.shape.empty() ? 1 : block.shape.front());
  const auto size = static_cast<Eigen::Index>(block.value_size);
  return Eigen::Map<const Matrix>((*this)[name].data(), rows, rows == 0 ? 0 : size / rows);
}

}  // namespace gpode
