// The latent variables of a model: everything that is random in it, as one vector z with named
// parts.
//
//   part      items x size             a priori
//   inducing  outputs x M (+ J)        standard normal: the whitened inducing values of a process
//                                      and the J weights of its kernel's polynomial part
//   weight    P x 1                    standard normal: the P weights of a network, each divided by
//                                      its prior standard deviation
//   x0        trajectories x D         standard normal: initial states
//   state     shooting states x D      no prior of their own: the bound (src/model/bound.cc) ties
//                                      each of them to the end of the segment before it
//
// Variables of the same item may be correlated a posteriori. Which correlations a posterior can
// represent depends on its family (posterior_family.h). The posteriors q(U), q(x0), q(s_i) and
// their divergences from the prior are computed in src/model/posterior_families.cc.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
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
  kFlat,  // density one everywhere, so that the divergence from it is minus the entropy
};

struct LatentPart {
  std::string name;
  std::size_t items = 0, size = 0;
  LatentPrior prior = LatentPrior::kStandardNormal;
  // The random stream (random.h) that the normals of this part come from.
  Purpose purpose = Purpose::kInducing;
  // The factor of the part's divergence in the bound. Bayes' rule has the factor one.
  double divergence_weight = 1;
  std::size_t offset = 0;  // the place in z of the part, which LatentLayout::Add sets

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

  // These return one item, a range of items or a whole part of z, a vector of all latent variables.
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

  // Writes the standard normals of the items of `ranges` for draw `sample` at training step `step`.
  // They depend on the item's index, so that an item has the same normals whichever other items are
  // in `ranges`.
  void SampleNormals(std::uint64_t seed, std::uint64_t step, std::uint64_t sample,
                     std::span<const LatentRange> ranges, std::span<double> normals) const;

 private:
  std::vector<LatentPart> parts_;
  std::size_t size_ = 0;
};

}  // namespace gpode
