#include "io/struct_arrays.h"

#include <fmt/format.h>

#include <cmath>

#include "gpode/error.h"
#include "io/files.h"
#include "io/lines.h"
#include "io/zip.h"

namespace gpode::internal {
namespace {

std::size_t Rows(const Matrix& m) { return static_cast<std::size_t>(m.rows()); }
std::size_t Columns(const Matrix& m) { return static_cast<std::size_t>(m.cols()); }
std::span<const double> Values(const auto& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

Matrix ToMatrix(const double* values, std::size_t rows, std::size_t columns) {
  return Eigen::Map<const Matrix>(values, static_cast<Eigen::Index>(rows),
                                  static_cast<Eigen::Index>(columns));
}

}  // namespace

std::string MemberWriter::Key(std::string_view name) const {
  return fmt::format("{}{}", group_, name);
}

void MemberWriter::operator()(std::string_view name, double value) const {
  out_->Add(Key(name), {}, {&value, 1});
}

void MemberWriter::operator()(std::string_view name, const std::vector<double>& values) const {
  out_->Add(Key(name), std::vector{values.size()}, values);
}

void MemberWriter::operator()(std::string_view name, const Vector& values) const {
  out_->Add(Key(name), std::vector{Values(values).size()}, Values(values));
}

void MemberWriter::operator()(std::string_view name, const Matrix& values) const {
  out_->Add(Key(name), std::vector{Rows(values), Columns(values)}, Values(values));
}

void MemberWriter::operator()(std::string_view name, const std::vector<Matrix>& matrices) const {
  const Matrix shape = matrices.empty() ? Matrix() : matrices.front();
  std::vector<double> all;
  all.reserve(matrices.size() * static_cast<std::size_t>(shape.size()));
  for (const Matrix& m : matrices) all.insert(all.end(), m.data(), m.data() + m.size());
  out_->Add(Key(name), std::vector{matrices.size(), Rows(shape), Columns(shape)}, all);
}

void MemberWriter::operator()(std::string_view name,
                              Ragged<const std::vector<Matrix>> ragged) const {
  std::vector<double> all;
  std::vector<std::size_t> rows;
  for (const Matrix& m : ragged.matrices) {
    rows.push_back(Rows(m));
    all.insert(all.end(), m.data(), m.data() + m.size());
  }
  const std::size_t columns = rows.empty() ? 0 : Columns(ragged.matrices.front());
  (*this)(fmt::format("{}_rows", name), rows);
  out_->Add(Key(name), std::vector{columns == 0 ? 0 : all.size() / columns, columns}, all);
}

void MemberWriter::operator()(std::string_view name, const std::string& text) const {
  out_->AddText(Key(name), text);
}

void MemberWriter::operator()(std::string_view name, const std::vector<std::string>& lines) const {
  out_->AddText(Key(name), JoinLines(lines));
}

std::string MemberReader::Key(std::string_view name) const {
  return fmt::format("{}{}", group_, name);
}

void MemberReader::Fail(std::string_view name, std::string_view message) const {
  ThrowAt(EntryPlace(file_, Key(name)), message);
}

const Array* MemberReader::Find(std::string_view name, std::size_t dimensions) const {
  const auto found = archive_.find(Key(name));
  if (found == archive_.end()) return nullptr;
  if (found->second.shape.size() != dimensions) {
    Fail(name,
         fmt::format("has {} dimensions, must have {}", found->second.shape.size(), dimensions));
  }
  return &found->second;
}

std::uint64_t MemberReader::Whole(std::string_view name, double value, std::uint64_t most) const {
  if (!(value >= 0 && value <= static_cast<double>(most)) || value != std::floor(value)) {
    Fail(name, fmt::format("has the value {}, must be a whole number from 0 to {}", value, most));
  }
  return static_cast<std::uint64_t>(value);
}

void MemberReader::operator()(std::string_view name, double& value) const {
  if (const Array* array = Find(name, 0)) value = array->values[0];
}

void MemberReader::operator()(std::string_view name, std::vector<double>& values) const {
  if (const Array* array = Find(name, 1)) values = array->values;
}

void MemberReader::operator()(std::string_view name, Vector& values) const {
  const Array* array = Find(name, 1);
  if (array == nullptr) return;
  values = Eigen::Map<const Vector>(array->values.data(), static_cast<Eigen::Index>(array->size()));
}

void MemberReader::operator()(std::string_view name, Matrix& values) const {
  const Array* array = Find(name, 2);
  if (array == nullptr) return;
  values = ToMatrix(array->values.data(), array->shape[0], array->shape[1]);
}

void MemberReader::operator()(std::string_view name, std::vector<Matrix>& matrices) const {
  const Array* array = Find(name, 3);
  if (array == nullptr) return;
  const std::size_t count = array->shape[0], rows = array->shape[1], columns = array->shape[2];
  // A shape such as (10^18, 0, 0) needs no values in the file, but the loop below would allocate
  // without limit.
  if (count > 0 && array->size() == 0)
    Fail(name, "has matrices without values, must have matrices with values");
  matrices.clear();
  for (std::size_t i = 0; i < count; ++i) {
    matrices.push_back(ToMatrix(array->values.data() + i * rows * columns, rows, columns));
  }
}

void MemberReader::operator()(std::string_view name, Ragged<std::vector<Matrix>> ragged) const {
  const Array* array = Find(name, 2);
  if (array == nullptr) return;
  const std::string rows_name = fmt::format("{}_rows", name);
  std::vector<std::size_t> rows;
  (*this)(rows_name, rows);
  std::size_t taken = 0;
  ragged.matrices.clear();
  for (std::size_t count : rows) {
    if (count > array->shape[0] - taken)
      Fail(rows_name, "has a sum that is too large, must be the number of rows");
    ragged.matrices.push_back(
        ToMatrix(array->values.data() + taken * array->shape[1], count, array->shape[1]));
    taken += count;
  }
  if (taken != array->shape[0])
    Fail(rows_name, "has a sum that is too small, must be the number of rows");
}

void MemberReader::operator()(std::string_view name, std::string& text) const {
  const Array* array = Find(name, 1);
  if (array == nullptr) return;
  text.clear();
  for (double value : array->values) text += static_cast<char>(Whole(name, value, 255));
}

void MemberReader::operator()(std::string_view name, std::vector<std::string>& lines) const {
  if (!Has(name)) return;
  std::string text;
  (*this)(name, text);
  lines = SplitLines(text);
}

}  // namespace gpode::internal
