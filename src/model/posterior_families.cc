// The library's posterior families and their registry. See gpode/posterior_family.h.
#include <algorithm>
#include <cmath>

#include "core/registry.h"
#include "gpode/posterior_family.h"
#include "model/gaussian.h"

namespace gpode {
namespace {

// The place of one block of parameters, for access to its items.
class ItemBlock {
 public:
  ItemBlock(const ParameterLayout& layout, std::size_t block)
      : block_(block),
        offset_(layout.blocks()[block].value_offset),
        size_(layout.blocks()[block].items == 0
                  ? 0
                  : layout.blocks()[block].value_size / layout.blocks()[block].items) {}

  template <typename T>
  std::span<T> Item(std::size_t item, std::span<T> values) const {
    return values.subspan(offset_ + item * size_, size_);
  }
  std::size_t block() const { return block_; }

 private:
  std::size_t block_, offset_, size_;
};

double HalfSquare(std::span<const double> x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return 0.5 * sum;
}

// A point estimate, z = mean, as in npODE and NeuralODE. Its Divergence is minus the log density of
// the prior, up to a constant.
class PointEstimate final : public LatentPosterior {
 public:
  PointEstimate(const LatentLayout& latent, ParameterLayout& layout) : latent_(latent) {
    for (const LatentPart& part : latent.parts()) {
      const std::size_t block =
          layout.Add(part.name + "_mean", {part.items, part.size}, Transform::kFree);
      mean_.emplace_back(layout, block);
    }
  }

  bool is_point_estimate() const override { return true; }

  void Initialise(std::span<const double> mean, std::span<const double>,
                  std::span<double> values) const override {
    for (std::size_t part = 0; part < mean_.size(); ++part) {
      for (std::size_t i = 0; i < latent_.parts()[part].items; ++i) {
        std::ranges::copy(latent_.Item(part, i, mean), mean_[part].Item(i, values).begin());
      }
    }
  }

  void Draw(std::span<const double> values, std::span<const double>,
            std::span<const LatentRange> ranges, std::span<double> z) const override {
    for (const LatentRange& range : ranges) {
      for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        std::ranges::copy(mean_[range.part].Item(i, values),
                          latent_.Item(range.part, i, z).begin());
      }
    }
  }

  void DrawReverse(std::span<const double>, std::span<const double>,
                   std::span<const LatentRange> ranges, std::span<const double> bz,
                   std::span<double> bvalues) const override {
    for (const LatentRange& range : ranges) {
      for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        const std::span<const double> from = latent_.Item(range.part, i, bz);
        const std::span<double> to = mean_[range.part].Item(i, bvalues);
        for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
      }
    }
  }

  double Divergence(std::span<const double> values, const LatentRange& range, double b,
                    std::span<double> bvalues) const override {
    const LatentPart& part = latent_.parts()[range.part];
    if (part.prior == LatentPrior::kFlat) return 0;
    double sum = 0;
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      const std::span<const double> mean = mean_[range.part].Item(i, values);
      sum += HalfSquare(mean);
      if (bvalues.empty()) continue;
      const std::span<double> bmean = mean_[range.part].Item(i, bvalues);
      const double scale = b * part.divergence_weight;
      for (std::size_t k = 0; k < mean.size(); ++k) bmean[k] += scale * mean[k];
    }
    return part.divergence_weight * sum;
  }

  void AddParameterRanges(const LatentRange& range,
                          std::vector<ParameterRange>& parameters) const override {
    parameters.push_back({mean_[range.part].block(), range.first, range.count});
  }

  std::optional<GaussianItems> Marginals(std::size_t part,
                                         std::span<const double> values) const override {
    const auto items = static_cast<Eigen::Index>(latent_.parts()[part].items);
    const auto size = static_cast<Eigen::Index>(latent_.parts()[part].size);
    GaussianItems marginals{Matrix(items, size), {}};
    for (Eigen::Index i = 0; i < items; ++i) {
      std::ranges::copy(mean_[part].Item(static_cast<std::size_t>(i), values),
                        marginals.mean.row(i).begin());
      marginals.chol.push_back(Matrix::Zero(size, size));
    }
    return marginals;
  }

 private:
  LatentLayout latent_;
  std::vector<ItemBlock> mean_;
};

// The Gaussian posteriors q(U), q(x0) and q(s_i) of the paper (sections 3.2 and 3.5): for every
// item, such as one state, z = mean + chol * normals. Items are independent of each other. Each has
// a full covariance or, with `diagonal` or if it has one variable only, a standard deviation per
// variable.
class GaussianPosterior final : public LatentPosterior {
 public:
  GaussianPosterior(const LatentLayout& latent, ParameterLayout& layout, bool diagonal)
      : latent_(latent) {
    for (const LatentPart& p : latent.parts()) {
      Part part{.full = !diagonal && p.size != 1};
      std::vector<std::size_t> shape = {p.items};
      if (p.size != 1) shape.push_back(p.size);
      part.mean = ItemBlock(layout, layout.Add(p.name + "_mean", shape, Transform::kFree));
      if (part.full) shape.push_back(p.size);
      part.spread = ItemBlock(
          layout, layout.Add(p.name + (part.full ? "_chol" : "_deviation"), shape,
                             part.full ? Transform::kLowerTriangular : Transform::kPositive));
      parts_.push_back(part);
    }
  }

  void Initialise(std::span<const double> mean, std::span<const double> deviation,
                  std::span<double> values) const override {
    ForItems(AllRanges(), [&](const Part& part, std::size_t p, std::size_t i) {
      std::ranges::copy(latent_.Item(p, i, mean), part.mean.Item(i, values).begin());
      const std::span<const double> deviations = latent_.Item(p, i, deviation);
      const std::span<double> spread = part.spread.Item(i, values);
      const std::size_t d = deviations.size();
      if (part.full) std::ranges::fill(spread, 0.0);
      for (std::size_t k = 0; k < d; ++k) spread[part.full ? k * d + k : k] = deviations[k];
    });
  }

  void Draw(std::span<const double> values, std::span<const double> normals,
            std::span<const LatentRange> ranges, std::span<double> z) const override {
    ForItems(ranges, [&](const Part& part, std::size_t p, std::size_t i) {
      const std::span<const double> mean = part.mean.Item(i, values);
      const std::span<const double> spread = part.spread.Item(i, values);
      const std::span<const double> eps = latent_.Item(p, i, normals);
      const std::span<double> out = latent_.Item(p, i, z);
      if (part.full) return SampleGaussian(mean, spread, eps, out);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = mean[k] + spread[k] * eps[k];
    });
  }

  void DrawReverse(std::span<const double>, std::span<const double> normals,
                   std::span<const LatentRange> ranges, std::span<const double> bz,
                   std::span<double> bvalues) const override {
    ForItems(ranges, [&](const Part& part, std::size_t p, std::size_t i) {
      const std::span<const double> eps = latent_.Item(p, i, normals), b = latent_.Item(p, i, bz);
      const std::span<double> bmean = part.mean.Item(i, bvalues);
      const std::span<double> bspread = part.spread.Item(i, bvalues);
      if (part.full) return SampleGaussianPullback(eps, b, bmean, bspread);
      for (std::size_t k = 0; k < b.size(); ++k) {
        bmean[k] += b[k];
        bspread[k] += b[k] * eps[k];
      }
    });
  }

  double Divergence(std::span<const double> values, const LatentRange& range, double b,
                    std::span<double> bvalues) const override {
    const LatentPart& p = latent_.parts()[range.part];
    const double scale = b * p.divergence_weight;
    double sum = 0;
    ForItems({&range, 1}, [&](const Part& part, std::size_t, std::size_t i) {
      const std::span<const double> mean = part.mean.Item(i, values);
      const std::span<const double> spread = part.spread.Item(i, values);
      const bool flat = p.prior == LatentPrior::kFlat;
      sum += flat ? -EntropyOf(part, spread, mean.size()) : KlOf(part, mean, spread);
      if (bvalues.empty()) return;
      const std::span<double> bmean = part.mean.Item(i, bvalues);
      const std::span<double> bspread = part.spread.Item(i, bvalues);
      if (flat) {
        AddEntropyReverse(part, spread, mean.size(), -scale, bspread);
      } else {
        AddKlReverse(part, mean, spread, scale, bmean, bspread);
      }
    });
    return p.divergence_weight * sum;
  }

  void AddParameterRanges(const LatentRange& range,
                          std::vector<ParameterRange>& parameters) const override {
    parameters.push_back({parts_[range.part].mean.block(), range.first, range.count});
    parameters.push_back({parts_[range.part].spread.block(), range.first, range.count});
  }

  std::optional<GaussianItems> Marginals(std::size_t part,
                                         std::span<const double> values) const override {
    const auto items = static_cast<Eigen::Index>(latent_.parts()[part].items);
    const auto size = static_cast<Eigen::Index>(latent_.parts()[part].size);
    GaussianItems marginals{Matrix(items, size), {}};
    ForItems({{latent_.Whole(part)}}, [&](const Part& own, std::size_t, std::size_t i) {
      std::ranges::copy(own.mean.Item(i, values),
                        marginals.mean.row(static_cast<Eigen::Index>(i)).begin());
      const std::span<const double> spread = own.spread.Item(i, values);
      marginals.chol.push_back(
          own.full ? Matrix(Eigen::Map<const Matrix>(spread.data(), size, size))
                   : Matrix(Eigen::Map<const Vector>(spread.data(), size).asDiagonal()));
    });
    return marginals;
  }

 private:
  struct Part {
    bool full;  // true if `spread` holds Cholesky factors, false if standard deviations
    ItemBlock mean = EmptyBlock(), spread = EmptyBlock();
  };

  static ItemBlock EmptyBlock() {
    ParameterLayout none;
    return ItemBlock(none, none.Add("none", {0}, Transform::kFree));
  }

  static double KlOf(const Part& part, std::span<const double> mean,
                     std::span<const double> spread) {
    if (part.full) return KlFromStandard(mean, spread);
    double kl = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      kl += 0.5 * (spread[k] * spread[k] + mean[k] * mean[k] - 1) - std::log(spread[k]);
    }
    return kl;
  }

  static void AddKlReverse(const Part& part, std::span<const double> mean,
                           std::span<const double> spread, double b, std::span<double> bmean,
                           std::span<double> bspread) {
    if (part.full) return KlFromStandardPullback(mean, spread, b, bmean, bspread);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      bmean[k] += b * mean[k];
      bspread[k] += b * (spread[k] - 1 / spread[k]);
    }
  }

  static double EntropyOf(const Part& part, std::span<const double> spread, std::size_t size) {
    if (part.full) return Entropy(spread, size);
    double entropy = 0;
    for (double s : spread) entropy += Entropy({&s, 1}, 1);
    return entropy;
  }

  static void AddEntropyReverse(const Part& part, std::span<const double> spread, std::size_t size,
                                double b, std::span<double> bspread) {
    if (part.full) return EntropyPullback(spread, size, b, bspread);
    for (std::size_t k = 0; k < size; ++k) bspread[k] += b / spread[k];
  }

  std::vector<LatentRange> AllRanges() const {
    std::vector<LatentRange> all;
    for (std::size_t p = 0; p < parts_.size(); ++p) all.push_back(latent_.Whole(p));
    return all;
  }

  template <typename Visit>
  void ForItems(std::span<const LatentRange> ranges, const Visit& visit) const {
    for (const LatentRange& range : ranges) {
      const Part& part = parts_[range.part];
      for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        visit(part, range.part, i);
      }
    }
  }

  LatentLayout latent_;
  std::vector<Part> parts_;
};

template <typename Posterior, auto... kArguments>
class Family final : public PosteriorFamily {
 public:
  explicit Family(std::string name, bool sampled = false, bool residual = false,
                  bool linearised = false)
      : name_(std::move(name)), sampled_(sampled), residual_(residual), linearised_(linearised) {}
  std::string_view name() const override { return name_; }
  bool is_sampled() const override { return sampled_; }
  bool samples_residual() const override { return residual_; }
  bool is_linearised() const override { return linearised_; }
  std::unique_ptr<LatentPosterior> Make(const LatentLayout& latent,
                                        ParameterLayout& parameters) const override {
    return std::make_unique<Posterior>(latent, parameters, kArguments...);
  }

 private:
  std::string name_;
  bool sampled_, residual_, linearised_;
};

Registry<PosteriorFamily>& Families() {
  static Registry<PosteriorFamily>& registry = *[] {
    auto* own =
        new Registry<PosteriorFamily>("family", "GetPosteriorFamily", "RegisterPosteriorFamily");
    own->Add(std::make_unique<Family<GaussianPosterior, false>>("blocks"));
    own->Add(std::make_unique<Family<GaussianPosterior, true>>("normals"));
    own->Add(std::make_unique<Family<PointEstimate>>("point"));
    own->Add(std::make_unique<Family<PointEstimate>>("draws", true));
    own->Add(std::make_unique<Family<PointEstimate>>("nuts", true, true));
    own->Add(std::make_unique<Family<PointEstimate>>("joint", true, true, true));
    return own;
  }();
  return registry;
}

}  // namespace

bool PosteriorFamily::MakesPointEstimates() const {
  ParameterLayout trial;
  return Make({}, trial)->is_point_estimate();
}

const PosteriorFamily& GetPosteriorFamily(std::string_view name) { return Families().Get(name); }

std::vector<std::string> PosteriorFamilyNames() { return Families().Names(); }

void RegisterPosteriorFamily(std::unique_ptr<const PosteriorFamily> family) {
  Families().Add(std::move(family));
}

}  // namespace gpode
