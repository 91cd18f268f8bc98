// Decompresses, block by block, a stream of bytes that gzip has compressed. A file may consist of
// several compressed parts, one after the other; all of them are read. Damage and a missing end are
// InputErrors.
//
// Thread safety: a stream belongs to one thread.
//
//   GzipStream stream([&](std::span<char> into) { return file.Read(into); }, "data.csv.gz");
//   const std::size_t count = stream.Read(block);
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gpode::internal {

// Returns true if a file with this beginning is compressed by gzip.
bool IsGzip(std::string_view beginning);

class GzipStream {
 public:
  // Reads compressed bytes; returns how many, which is fewer than requested only at the end.
  using Source = std::function<std::size_t(std::span<char>)>;

  GzipStream(Source source, std::string name);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  // Returns the number of bytes read, which is smaller than requested only at the end.
  std::size_t Read(std::span<char> into);

 private:
  struct State;  // zlib's state

  bool MoreInput();
  [[noreturn]] void Fail(std::string_view message) const;

  Source source_;
  std::string name_;
  std::unique_ptr<State> state_;
  bool at_end_ = false;
};

}  // namespace gpode::internal
