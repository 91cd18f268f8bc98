// The matrices of the library are Eigen's and always row-major. A row is a point, a state of a
// trajectory or an output dimension.
//
//   Matrix states{{1.0, 0.0}, {0.9, -0.4}};  // two states of two dimensions
//   Vector first = states.row(0);
//   MatrixStack draws(128, 50, 2);  // 128 matrices (50, 2), one after the other in memory
//   draws[0] = states;
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace gpode {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Matrices of one shape, one after the other in one piece of memory. An element is a view of that
// memory: assigning to it changes the stack. A loop takes elements by value or as const auto&; a
// `const Matrix&` would be a copy.
class MatrixStack {
 public:
  MatrixStack() = default;
  // Makes `count` matrices of zeros.
  MatrixStack(std::size_t count, Eigen::Index rows, Eigen::Index cols)
      : count_(count),
        rows_(rows),
        cols_(cols),
        values_(count * static_cast<std::size_t>(rows * cols)) {}
  MatrixStack(std::initializer_list<Matrix> matrices) {
    for (const Matrix& matrix : matrices) push_back(matrix);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  // The entries (size(), rows(), cols()).
  const double* data() const { return values_.data(); }

  Eigen::Map<Matrix> operator[](std::size_t i) {
    return {values_.data() + i * Step(), rows_, cols_};
  }
  Eigen::Map<const Matrix> operator[](std::size_t i) const {
    return {values_.data() + i * Step(), rows_, cols_};
  }

  // Appends a matrix, which must have the shape of the others.
  void push_back(const Matrix& matrix) {
    if (count_ == 0) rows_ = matrix.rows(), cols_ = matrix.cols();
    eigen_assert(matrix.rows() == rows_ && matrix.cols() == cols_);
    values_.insert(values_.end(), matrix.data(), matrix.data() + matrix.size());
    ++count_;
  }

  template <typename Stack>
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = decltype(std::declval<Stack&>()[0]);
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    Iterator(Stack* stack, std::size_t i) : stack_(stack), i_(i) {}
    value_type operator*() const { return (*stack_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    Stack* stack_;
    std::size_t i_;
  };
  Iterator<MatrixStack> begin() { return {this, 0}; }
  Iterator<MatrixStack> end() { return {this, count_}; }
  Iterator<const MatrixStack> begin() const { return {this, 0}; }
  Iterator<const MatrixStack> end() const { return {this, count_}; }

  bool operator==(const MatrixStack&) const = default;

 private:
  std::size_t Step() const { return static_cast<std::size_t>(rows_ * cols_); }

  std::size_t count_ = 0;
  Eigen::Index rows_ = 0, cols_ = 0;
  std::vector<double> values_;
};

}  // namespace gpode
