// A writer that builds an .npz archive in memory, one array after the other.
//
// Thread safety: a writer belongs to one thread.
//
//   NpzWriter writer("WriteNpz");
//   writer.Add("x", {2, 3}, values);
//   std::vector<std::byte> bytes = std::move(writer).Finish();
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpode::internal {

class NpzWriter {
 public:
  // Every error message begins with `where`.
  explicit NpzWriter(std::string_view where) : where_(where) {}

  // Each of these functions adds one array. Names must be printable ASCII and differ. A text
  // becomes an array of its bytes (uint8).
  void Add(std::string_view name, std::span<const std::size_t> shape,
           std::span<const double> values);
  void AddText(std::string_view name, std::string_view text);

  // Returns the archive. The comment is stored at its end, where zip has a place for one.
  std::vector<std::byte> Finish(std::string_view comment = {}) &&;

 private:
  void AddNpy(std::string_view name, std::span<const std::byte> npy);

  std::string where_;
  std::vector<std::byte> out_, directory_;
  std::size_t entries_ = 0;
};

}  // namespace gpode::internal
