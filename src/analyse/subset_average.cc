#include "analyse/subset_average.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "gpode/random.h"

namespace gpode {
namespace {

using Subset = std::uint64_t;

constexpr Eigen::Index kMostEnumerated = 16, kMostTerms = 60;
constexpr int kSweeps = 1500;
constexpr double kNegligible = 30;  // subsets this far below the best log probability are left out

// The regression on one subset.
struct Regression {
  Vector coefficients = {};
  Matrix inverse = {};  // the inverse of the Gram matrix
  double residual = 0;  // the residual sum of squares
  double log_probability = 0;
};

class Averager {
 public:
  Averager(const Matrix& x, const Vector& y, double n) : n_(n), terms_(x.cols()) {
    scale_ = x.colwise().norm().transpose().cwiseMax(1e-300);
    const Matrix scaled = x * scale_.cwiseInverse().asDiagonal();
    gram_ = scaled.transpose() * scaled;
    product_ = scaled.transpose() * y;
    total_ = y.squaredNorm();
    g_ = std::max(n, static_cast<double>(terms_ * terms_));
  }

  SubsetAverage Run(std::uint64_t seed) {
    terms_ <= kMostEnumerated ? Enumerate() : Sample(seed);
    double best = -HUGE_VAL;
    for (const auto& [subset, value] : known_) best = std::max(best, value);
    SubsetAverage average{Vector::Zero(terms_), Vector::Zero(terms_), Vector::Zero(terms_)};
    Vector squares = Vector::Zero(terms_);
    double sum = 0;
    for (const auto& [subset, value] : known_) {
      if (value < best - kNegligible) continue;
      const double weight = std::exp(value - best);
      sum += weight;
      Add(subset, weight, &average, &squares);
    }
    for (Eigen::Index k = 0; k < terms_; ++k) {
      const double weight = average.probabilities[k];
      if (weight > 0) {
        average.means[k] /= weight;
        squares[k] /= weight;
        average.variances[k] = std::max(0.0, squares[k] - average.means[k] * average.means[k]);
      }
      average.probabilities[k] = std::min(1.0, weight / sum);
    }
    Choose(&average);
    return average;
  }

 private:
  static std::vector<Eigen::Index> Members(Subset subset) {
    std::vector<Eigen::Index> members;
    for (; subset != 0; subset &= subset - 1) members.push_back(std::countr_zero(subset));
    return members;
  }

  // Returns the regression on a subset; nothing if its regressors are linearly dependent.
  std::optional<Regression> Regress(Subset subset, bool all) const {
    const std::vector<Eigen::Index> members = Members(subset);
    const auto k = std::ssize(members);
    Regression result;
    result.residual = total_;
    if (k > 0) {
      const Eigen::MatrixXd gram = gram_(members, members);
      const Eigen::LDLT<Eigen::MatrixXd> factors(gram);
      const Vector diagonal = factors.vectorD();
      if (!(diagonal.minCoeff() > 1e-13)) return {};
      const Vector product = product_(members);
      result.coefficients = factors.solve(product);
      result.residual = std::max(total_ - product.dot(result.coefficients), 1e-14 * total_);
      if (all) result.inverse = factors.solve(Eigen::MatrixXd::Identity(k, k));
    }
    if (!(n_ > static_cast<double>(k) + 1)) return {};
    const double share = result.residual / total_;  // 1 - R^2
    const auto size = static_cast<double>(k), count = static_cast<double>(terms_);
    result.log_probability = 0.5 * (n_ - size) * std::log1p(g_) -
                             0.5 * n_ * std::log1p(g_ * share) + std::lgamma(size + 1) +
                             std::lgamma(count - size + 1) - std::lgamma(count + 1);
    return result;
  }

  double LogProbability(Subset subset) {
    const auto found = known_.find(subset);
    if (found != known_.end()) return found->second;
    const std::optional<Regression> result = Regress(subset, false);
    return known_[subset] = result ? result->log_probability : -HUGE_VAL;
  }

  void Enumerate() {
    for (Subset subset = 0; subset < Subset{1} << terms_; ++subset) LogProbability(subset);
  }

  // Visits subsets by Gibbs sampling, once from the empty subset and once from the greedy one.
  void Sample(std::uint64_t seed) {
    Subset now = Greedy();
    std::vector<double> uniforms(static_cast<std::size_t>(terms_));
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      RandomStream(seed, static_cast<std::uint64_t>(sweep), 0, Purpose::kInitialisation)
          .Uniforms(uniforms);
      for (Eigen::Index k = 0; k < terms_; ++k) {
        const Subset with = now | Subset{1} << k, without = now & ~(Subset{1} << k);
        const double odds = LogProbability(with) - LogProbability(without);
        const double share = std::isnan(odds) ? 0 : 1 / (1 + std::exp(-odds));
        now = uniforms[static_cast<std::size_t>(k)] < share ? with : without;
      }
    }
  }

  // Returns a subset that becomes less probable with any one regressor added or removed.
  Subset Greedy() {
    Subset now = 0;
    for (;;) {
      Subset best = now;
      for (Eigen::Index k = 0; k < terms_; ++k) {
        const Subset other = now ^ Subset { 1 } << k;
        if (LogProbability(other) > LogProbability(best)) best = other;
      }
      if (best == now) return now;
      now = best;
    }
  }

  // Adds a subset with its weight to the sums.
  void Add(Subset subset, double weight, SubsetAverage* average, Vector* squares) const {
    const std::optional<Regression> result = Regress(subset, true);
    if (!result) return;
    const std::vector<Eigen::Index> members = Members(subset);
    const double variance = VarianceOf(*result, members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto j = static_cast<Eigen::Index>(i);
      const Eigen::Index k = members[i];
      const double w = result->coefficients[j] / scale_[k];
      average->probabilities[k] += weight;
      average->means[k] += weight * w;
      (*squares)[k] +=
          weight * (w * w + variance * result->inverse(j, j) / (scale_[k] * scale_[k]));
    }
  }

  double VarianceOf(const Regression& result, std::size_t size) const {
    return result.residual / std::max(1.0, n_ - static_cast<double>(size));
  }

  void Choose(SubsetAverage* average) const {
    Subset subset = 0;
    for (Eigen::Index k = 0; k < terms_; ++k) {
      if (average->probabilities[k] >= 0.5) subset |= Subset{1} << k;
    }
    const std::optional<Regression> result = Regress(subset, true);
    if (!result) return;
    average->chosen = Members(subset);
    const Vector unit = scale_(average->chosen).cwiseInverse();
    if (average->chosen.empty()) return;
    average->coefficients = unit.cwiseProduct(result->coefficients);
    average->covariance = VarianceOf(*result, average->chosen.size()) * unit.asDiagonal() *
                          result->inverse * unit.asDiagonal();
  }

  double n_, g_ = 0, total_ = 0;
  Eigen::Index terms_;
  Vector scale_, product_;
  Matrix gram_;
  std::map<Subset, double> known_;
};

}  // namespace

SubsetAverage AverageSubsets(const Matrix& x, const Vector& y, double n, std::uint64_t seed) {
  static_assert(kMostTerms < 64);
  return Averager(x, y, n).Run(seed);
}

}  // namespace gpode
