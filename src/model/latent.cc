// The layout of the latent variables; their posteriors q, divergences and entropies are in
// posterior_families.cc.
#include "gpode/latent.h"

namespace gpode {

std::size_t LatentLayout::Add(LatentPart part) {
  part.offset = size_;
  size_ += part.count();
  parts_.push_back(std::move(part));
  return parts_.size() - 1;
}

void LatentLayout::SampleNormals(std::uint64_t seed, std::uint64_t step, std::uint64_t sample,
                                 std::span<const LatentRange> ranges,
                                 std::span<double> normals) const {
  for (const LatentRange& range : ranges) {
    const LatentPart& part = parts_[range.part];
    RandomStream(seed, step, sample, part.purpose)
        .Normals(Range(range, normals), range.first * part.size);
  }
}

}  // namespace gpode
