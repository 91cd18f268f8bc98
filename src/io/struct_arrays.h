// Conversion between members of structs and named arrays of an .npz archive.
//
// Every struct has one function ForMembers(struct, visit), which calls visit(name, member) for each
// member. MemberWriter and MemberReader are such visitors. Writing and reading use the same
// function and therefore the same names.
//
//   member                         array
//   number, bool                   ()
//   std::optional of a count       (), 0 if it has no value
//   std::vector of numbers, Vector (n)
//   Matrix                         (rows, columns)
//   std::vector<Matrix>            (n, rows, columns), all of one shape
//   Ragged(std::vector<Matrix>)    (rows of all matrices, columns), and NAME_rows (n): rows of each
//   std::string                    (bytes), uint8
//   std::vector<std::string>       (bytes), uint8: one line each (lines.h)
//
// A member whose array is missing from the archive keeps its value when it is read. An array with
// the wrong shape or an impossible value is an InputError that names file and entry. Reading never
// allocates much more memory than the values in the archive need, whatever shapes it declares.
//
// Thread safety: a writer or reader belongs to one thread.
//
//   MemberWriter write(&npz, "gp/");      MemberReader read(archive, "gp/", "model.gpode");
//   ForMembers(gp, write);                ForMembers(gp, read);
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/field.h"
#include "gpode/npz.h"
#include "io/npz_writer.h"

namespace gpode::internal {

// Marks a list of matrices that may have different numbers of rows.
template <typename Matrices>
struct Ragged {
  explicit Ragged(Matrices& m) : matrices(m) {}
  Matrices& matrices;
};

class MemberWriter {
 public:
  // The names of all arrays begin with `group`.
  MemberWriter(NpzWriter* out, std::string_view group) : out_(out), group_(group) {}

  void operator()(std::string_view name, double value) const;
  template <std::unsigned_integral T>
  void operator()(std::string_view name, T value) const {
    (*this)(name, static_cast<double>(value));
  }
  void operator()(std::string_view name, const std::optional<std::size_t>& value) const {
    (*this)(name, value.value_or(0));
  }
  void operator()(std::string_view name, const std::vector<double>& values) const;
  template <std::unsigned_integral T>
  void operator()(std::string_view name, const std::vector<T>& values) const {
    (*this)(name, std::vector<double>(values.begin(), values.end()));
  }
  void operator()(std::string_view name, const Vector& values) const;
  void operator()(std::string_view name, const Matrix& values) const;
  void operator()(std::string_view name, const std::vector<Matrix>& matrices) const;
  void operator()(std::string_view name, Ragged<const std::vector<Matrix>> ragged) const;
  void operator()(std::string_view name, const std::string& text) const;
  void operator()(std::string_view name, const std::vector<std::string>& lines) const;

 private:
  std::string Key(std::string_view name) const;

  NpzWriter* out_;
  std::string group_;
};

class MemberReader {
 public:
  MemberReader(const Archive& archive, std::string_view group, std::string_view file)
      : archive_(archive), group_(group), file_(file) {}

  void operator()(std::string_view name, double& value) const;
  template <std::unsigned_integral T>
  void operator()(std::string_view name, T& value) const {
    if (const Array* array = Find(name, 0)) value = ToCount<T>(name, array->values[0]);
  }
  void operator()(std::string_view name, std::optional<std::size_t>& value) const {
    std::size_t count = value.value_or(0);
    (*this)(name, count);
    value = count > 0 ? std::optional(count) : std::nullopt;
  }
  void operator()(std::string_view name, std::vector<double>& values) const;
  template <std::unsigned_integral T>
  void operator()(std::string_view name, std::vector<T>& values) const {
    const Array* array = Find(name, 1);
    if (array == nullptr) return;
    values.clear();
    for (double value : array->values) values.push_back(ToCount<T>(name, value));
  }
  void operator()(std::string_view name, Vector& values) const;
  void operator()(std::string_view name, Matrix& values) const;
  void operator()(std::string_view name, std::vector<Matrix>& matrices) const;
  void operator()(std::string_view name, Ragged<std::vector<Matrix>> ragged) const;
  void operator()(std::string_view name, std::string& text) const;
  void operator()(std::string_view name, std::vector<std::string>& lines) const;

  bool Has(std::string_view name) const { return archive_.contains(Key(name)); }

 private:
  std::string Key(std::string_view name) const;
  // Returns nullptr if the array is missing; throws if its number of dimensions is wrong.
  const Array* Find(std::string_view name, std::size_t dimensions) const;
  [[noreturn]] void Fail(std::string_view name, std::string_view message) const;
  std::uint64_t Whole(std::string_view name, double value, std::uint64_t most) const;

  template <std::unsigned_integral T>
  T ToCount(std::string_view name, double value) const {
    // A double cannot represent all integers beyond 2^53.
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
    const auto most = std::min<std::uint64_t>(
        std::is_same_v<T, bool> ? 1 : std::numeric_limits<T>::max(), kExact);
    return static_cast<T>(Whole(name, value, most));
  }

  const Archive& archive_;
  std::string group_, file_;
};

}  // namespace gpode::internal
