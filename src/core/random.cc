// Streams of random numbers. field/gp_normals.cc draws the frequencies and weights of the paper's
// decoupled sampling (section S1.2) from them.
#include "gpode/random.h"

#include <Random123/philox.h>

#include <algorithm>
#include <array>

#include "simd/simd.h"

namespace gpode {
namespace {

constexpr std::size_t kWordsPerBlock = 4;
constexpr std::size_t kChunk = 64;  // words computed at a time, on the stack

}  // namespace

void RandomStream::Words(std::span<std::uint64_t> out, std::uint64_t first) const {
  const r123::Philox4x64::key_type key = {{seed_, 0}};
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t index = first + done;
    const r123::Philox4x64::ctr_type counter = {{index / kWordsPerBlock, sample_, step_, purpose_}};
    const auto block = r123::Philox4x64()(counter, key);
    for (std::size_t i = index % kWordsPerBlock; i < kWordsPerBlock && done < out.size(); ++i) {
      out[done++] = block[i];
    }
  }
}

void RandomStream::Uniforms(std::span<double> out, std::uint64_t first) const {
  std::array<std::uint64_t, kChunk> words;
  for (std::size_t done = 0; done < out.size();) {
    const std::size_t count = std::min(kChunk, out.size() - done);
    Words(std::span(words).first(count), first + done);
    for (std::size_t i = 0; i < count; ++i) {
      out[done + i] = static_cast<double>(words[i] >> 11) * 0x1p-53;
    }
    done += count;
  }
}

void RandomStream::Normals(std::span<double> out, std::uint64_t first) const {
  std::array<std::uint64_t, kChunk> words;
  std::array<double, kChunk> normals;
  for (std::size_t done = 0; done < out.size();) {
    // Two normals are computed from two words, so the first word must have an even index.
    const std::size_t skip = (first + done) % 2;
    const std::size_t count = std::min(kChunk - skip, out.size() - done);
    const std::size_t made = (skip + count + 1) / 2 * 2;
    Words(std::span(words).first(made), first + done - skip);
    simd::Normals(std::span(words).first(made), std::span(normals).first(made));
    std::copy_n(normals.begin() + skip, count, out.begin() + done);
    done += count;
  }
}

}  // namespace gpode
