// The fuzz target of gzip: compressed bytes are decompressed or refused, in blocks of any size.
#include "io/gzip.h"

#include <algorithm>
#include <vector>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 22;
  if (size == 0) return 0;
  std::vector<char> block(1 + data[0] * 7);
  std::size_t taken = 1;
  gpode::fuzz::ReadsOrRefuses([&] {
    gpode::internal::GzipStream stream(
        [&](std::span<char> into) {
          const std::size_t count = std::min(into.size(), size - taken);
          std::copy_n(data + taken, count, into.begin());
          taken += count;
          return count;
        },
        "f");
    std::size_t total = 0;
    for (std::size_t count = block.size(); count == block.size() && total < kMostBytes;) {
      count = stream.Read(block);
      total += count;
    }
  });
  return 0;
}
