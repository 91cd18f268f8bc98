// The latent variables of a model: everything that is random in it, as one vector z with named
// parts.
//
//   part      items x size             a priori
//   inducing  outputs x M (+ J)        standard normal: the whitened inducing values of a process
//                                      and the J weights of its kernel's polynomial part
//   weight    P x 1                    standard normal: the weights of a network, in prior units
//   x0        trajectories x D         standard normal: initial states
//   state     shooting states x D      tied to the segment before; no prior of their own
//
// The variables of one item may be correlated a posteriori; which correlations a posterior keeps is
// the choice of its family (posterior_family.h). Their posteriors q(U), q(x0), q(s_i) and the
// divergences from the prior are in src/model/posterior_families.cc.
//
// Thread safety: plain values.
//
//   LatentLayout latent;
//   const std::size_t x0 = latent.Add({.name = "x0", .items = 3, .size = 2});
//   std::span<double> second = latent.Item(x0, 1, z);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpode/random.h"

namespace gpode {

enum class LatentPrior {
  kStandardNormal,
  kFlat,  // density one everywhere: the divergence from it is minus the entropy
};

struct LatentPart {
  std::string name;
  std::size_t items = 0, size = 0;
  LatentPrior prior = LatentPrior::kStandardNormal;
  // Names the random stream of the part's normals.
  Purpose purpose = Purpose::kInducing;
  // The factor of the part's divergence in the bound; one is Bayes' rule.
  double divergence_weight = 1;
  std::size_t offset = 0;  // in z; set by LatentLayout::Add

  std::size_t count() const { return items * size; }
};

// Items first .. first + count - 1 of a part.
struct LatentRange {
  std::size_t part, first, count;
};

class LatentLayout {
 public:
  // Appends a part and returns its index.
  std::size_t Add(LatentPart part);

  const std::vector<LatentPart>& parts() const { return parts_; }
  std::size_t size() const { return size_; }

  LatentRange Whole(std::size_t part) const { return {part, 0, parts_[part].items}; }

  // One item, one range or a whole part of a vector of all latent variables.
  template <typename T>
  std::span<T> Item(std::size_t part, std::size_t item, std::span<T> z) const {
    const LatentPart& p = parts_[part];
    return z.subspan(p.offset + item * p.size, p.size);
  }
  template <typename T>
  std::span<T> Range(const LatentRange& range, std::span<T> z) const {
    const LatentPart& p = parts_[range.part];
    return z.subspan(p.offset + range.first * p.size, range.count * p.size);
  }
  template <typename T>
  std::span<T> Part(std::size_t part, std::span<T> z) const {
    return z.subspan(parts_[part].offset, parts_[part].count());
  }

  // Fills the normals of some items of draw `sample` at `step`. They are addressed by the item's
  // index: an item has the same normals whichever others are filled.
  void SampleNormals(std::uint64_t seed, std::uint64_t step, std::uint64_t sample,
                     std::span<const LatentRange> ranges, std::span<double> normals) const;

 private:
  std::vector<LatentPart> parts_;
  std::size_t size_ = 0;
};

}  // namespace gpode
