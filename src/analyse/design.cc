#include "gpode/design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyse/design_targets.h"
#include "analyse/draw_covariance.h"
#include "data/moments.h"
#include "gpode/analysis.h"
#include "gpode/error.h"
#include "gpode/summary.h"

namespace gpode {
namespace {

constexpr char kWhere[] = "design";
constexpr std::size_t kLeastDraws = 16;

// The values that the candidates observe and the targets, in all draws. A value that a draw does not
// have is not a number.
struct DrawnValues {
  Matrix seen = {};               // (draws, times * channels): along the trajectory
  std::vector<Matrix> from = {};  // (draws, start_times * channels): one for each start
  TargetDraws targets = {};
};

// A candidate with the values that it observes.
struct Option {
  DesignCandidate candidate = {};
  const Matrix* values = nullptr;
  std::vector<Eigen::Index> columns = {};

  Matrix Seen() const { return (*values)(Eigen::all, columns); }
};

// Returns the draws (T, channels) of a forecast as rows (draws, T * channels), NaN from the time on
// at which a draw is lost.
Matrix RowsOf(const Forecast& forecast) {
  Matrix rows(std::ssize(forecast.draws), forecast.draws.rows() * forecast.draws.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const auto draw = forecast.draws[static_cast<std::size_t>(i)];
    rows.row(i) = Eigen::Map<const Vector>(draw.data(), draw.size()).transpose();
  }
  return rows;
}

// Does the work of DesignMeasurements.
class Designer {
 public:
  Designer(const Posterior& posterior, const Dataset& data, const DesignOptions& options)
      : posterior_(posterior), data_(data), options_(options) {
    Check();
    SetNoise();
    design_.target = options.target;
    design_.states = StateNames(posterior.model());
    if (options.target != DesignTarget::kForecast) {
      design_.region = options.region.value_or(DefaultBox(posterior, data));
      CheckBox(kWhere, *design_.region, posterior.dim());
    }
  }

  Design Run() {
    DrawnValues drawn;
    FollowTrajectory(&drawn);
    if (options_.target == DesignTarget::kField) {
      drawn.targets = FieldTargets(posterior_, data_, *design_.region, options_);
    } else if (options_.target == DesignTarget::kStability) {
      drawn.targets = StabilityTargets(posterior_, *design_.region, options_);
      design_.fixed_point = drawn.targets.fixed_point;
      design_.probability = drawn.targets.probability;
    }
    FollowStarts(&drawn);
    KeepWholeDraws(&drawn);
    Rank(drawn);
    return std::move(design_);
  }

 private:
  std::size_t channels() const { return posterior_.model().channels.size(); }

  // Sets the noise variances of the channels. With a link they depend on the value, for which the
  // mean of the data stands.
  void SetNoise() {
    noise_variances_ = data_.trajectories.empty()
                           ? Vector::Ones(static_cast<Eigen::Index>(channels())).eval()
                           : MomentsOf(data_).mean;
    for (std::size_t c = 0; c < channels(); ++c) {
      double& value = noise_variances_[static_cast<Eigen::Index>(c)];
      value = std::pow(posterior_.model().noise().DeviationAt(c, value), 2);
    }
  }

  void Check() const {
    const auto starts = static_cast<std::size_t>(options_.starts.rows());
    CheckAtLeast(kWhere, "the number of candidates",
                 static_cast<std::ptrdiff_t>(options_.times.size() + starts), 1);
    if (options_.target == DesignTarget::kForecast) {
      CheckAtLeast(kWhere, "the number of target times", std::ssize(options_.targets), 1);
    }
    CheckAtLeast(kWhere, "draws", static_cast<std::ptrdiff_t>(options_.draws), kLeastDraws);
    if (starts > 0) {
      CheckAtLeast(kWhere, "the number of times after a start", std::ssize(options_.start_times),
                   1);
      CheckNonNegative(kWhere, "the first time after a start", options_.start_times.front());
      CheckSize(kWhere, "a start", static_cast<std::size_t>(options_.starts.cols()),
                posterior_.dim());
      CheckFinite(kWhere, "the starts",
                  {options_.starts.data(), static_cast<std::size_t>(options_.starts.size())});
    }
    const bool simple = starts == 0 && options_.target == DesignTarget::kForecast;
    if (!simple && posterior_.model().coordinates.inputs() > 0) {
      ThrowInput(kWhere, "the model",
                 "has inputs, must have none for new starts and the targets field and stability");
    }
  }

  // Forecasts the trajectory at candidate and target times together, so that every draw is one path
  // through both.
  void FollowTrajectory(DrawnValues* drawn) const {
    std::vector<double> all = options_.times;
    if (options_.target == DesignTarget::kForecast) {
      all.insert(all.end(), options_.targets.begin(), options_.targets.end());
    }
    if (all.empty()) return;
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i]; });
    std::vector<double> sorted;
    for (std::size_t i : order) sorted.push_back(all[i]);
    const Matrix rows = RowsOf(posterior_.Trajectory(options_.trajectory, sorted,
                                                     {.draws = options_.draws,
                                                      .seed = options_.seed,
                                                      .threads = options_.threads,
                                                      .from = Origin::kLatestState}));
    const auto width = static_cast<Eigen::Index>(channels()),
               candidates = std::ssize(options_.times) * width;
    Matrix joint(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < order.size(); ++i) {
      joint.middleCols(static_cast<Eigen::Index>(order[i]) * width, width) =
          rows.middleCols(static_cast<Eigen::Index>(i) * width, width);
    }
    drawn->seen = joint.leftCols(candidates);
    if (options_.target != DesignTarget::kForecast) return;
    const Vector unit = data_.trajectories.empty()
                            ? Vector::Ones(width).eval()
                            : MomentsOf(data_).variance.cwiseSqrt().cwiseMax(1e-300).eval();
    Matrix& targets = drawn->targets.values = joint.rightCols(joint.cols() - candidates);
    for (Eigen::Index k = 0; k < targets.cols(); ++k) targets.col(k) /= unit[k % width];
    for (const auto& row : joint.rowwise()) drawn->targets.has_it.push_back(row.allFinite());
  }

  // Follows the draws from each start. A draw i is the same function as in other forecasts.
  void FollowStarts(DrawnValues* drawn) {
    const auto total = static_cast<std::size_t>(options_.starts.rows());
    const double begin = posterior_.model().start_times.front();
    std::vector<double> times;
    for (double since : options_.start_times) times.push_back(begin + since);
    for (std::size_t k = 0; k < total; ++k) {
      const Vector x = options_.starts.row(static_cast<Eigen::Index>(k)).transpose();
      drawn->from.push_back(RowsOf(posterior_.From(
          {.mean = x}, begin, times,
          {.draws = options_.draws, .seed = options_.seed, .threads = options_.threads})));
      if (options_.report && !options_.report(k + 1, total)) break;
    }
    design_.starts = options_.starts.topRows(std::ssize(drawn->from));
  }

  // Leaves out the draws that do not have the targets or cannot be followed along the trajectory.
  void KeepWholeDraws(DrawnValues* drawn) {
    std::vector<Eigen::Index> kept;
    for (std::size_t i = 0; i < options_.draws; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const bool followed = drawn->seen.size() == 0 || drawn->seen.row(row).allFinite();
      if (followed && drawn->targets.has_it[i]) kept.push_back(row);
    }
    if (kept.size() < kLeastDraws) {
      ThrowInput(kWhere, "the model",
                 "has too few draws that can be followed to the times, must have 16 or more");
    }
    design_.draws = kept.size();
    std::vector<Matrix*> all = {&drawn->targets.values};
    if (drawn->seen.size() > 0) all.push_back(&drawn->seen);
    for (Matrix& values : drawn->from) all.push_back(&values);
    for (Matrix* values : all) {
      *values = Matrix((*values)(kept, Eigen::all));
      CentreColumns(values);
    }
  }

  std::vector<Option> ListOptions(const DrawnValues& drawn) const {
    std::vector<Option> list;
    for (std::size_t i = 0; i < options_.times.size(); ++i) {
      AddOptions({.time = options_.times[i]}, drawn.seen, i, &list);
    }
    for (std::size_t k = 0; k < drawn.from.size(); ++k) {
      AddOptions({.start = k,
                  .time = options_.start_times.back(),
                  .observations = options_.start_times.size()},
                 drawn.from[k], 0, &list);
    }
    return list;
  }

  // Adds a candidate for each channel, or one for all, which observes the values from the time with
  // the index `first` on.
  void AddOptions(const DesignCandidate& candidate, const Matrix& values, std::size_t first,
                  std::vector<Option>* list) const {
    const std::vector<std::string>& names = posterior_.model().channels;
    for (std::size_t c = 0; c < (options_.each_channel ? channels() : 1); ++c) {
      Option option{.candidate = candidate, .values = &values};
      option.candidate.channel = options_.each_channel ? names[c] : "all";
      option.candidate.cost = options_.cost ? options_.cost(option.candidate)
                                            : static_cast<double>(candidate.observations);
      CheckPositive(kWhere, "the cost", option.candidate.cost);
      for (std::size_t t = first; t < first + candidate.observations; ++t) {
        for (std::size_t k = 0; k < channels(); ++k) {
          if (options_.each_channel && k != c) continue;
          option.columns.push_back(static_cast<Eigen::Index>(t * channels() + k));
        }
      }
      list->push_back(std::move(option));
    }
  }

  Vector NoiseOf(const Option& option) const {
    Vector noise(std::ssize(option.columns));
    for (Eigen::Index k = 0; k < noise.size(); ++k) {
      const auto channel =
          static_cast<std::size_t>(option.columns[static_cast<std::size_t>(k)]) % channels();
      noise[k] = noise_variances_[static_cast<Eigen::Index>(channel)];
    }
    return noise;
  }

  void Rank(const DrawnValues& drawn) {
    DrawCovariance covariance(drawn.targets.values);
    const double total = covariance.TargetVariance();
    design_.deviation = std::sqrt(total / static_cast<double>(drawn.targets.values.cols()));
    const std::vector<Option> list = ListOptions(drawn);
    const auto measure = [&](const Option& option) {
      DesignCandidate result = option.candidate;
      result.reduction =
          total > 0 ? covariance.Reduction(option.Seen(), NoiseOf(option)) / total : 0;
      return result;
    };
    for (const Option& option : list) design_.candidates.push_back(measure(option));
    design_.ranked = design_.candidates;
    const auto per_cost = [](const DesignCandidate& c) { return c.reduction / c.cost; };
    std::ranges::stable_sort(design_.ranked, std::ranges::greater(), per_cost);
    std::vector<DesignCandidate> left = design_.candidates;
    for (std::size_t k = 0; k < std::min(options_.batch, list.size()); ++k) {
      if (k > 0) std::ranges::transform(list, left.begin(), measure);
      const auto best = std::ranges::max_element(left, {}, per_cost);
      design_.batch.push_back(*best);
      const Option& chosen = list[static_cast<std::size_t>(best - left.begin())];
      covariance.Condition(chosen.Seen(), NoiseOf(chosen));
    }
  }

  const Posterior& posterior_;
  const Dataset& data_;
  const DesignOptions& options_;
  Design design_;
  Vector noise_variances_;  // (channels)
};

}  // namespace

std::string_view Name(DesignTarget target) {
  constexpr std::array<std::string_view, 3> kNames = {"forecast", "field", "stability"};
  return kNames[static_cast<std::size_t>(target)];
}

Design DesignMeasurements(const Posterior& posterior, const Dataset& data,
                          const DesignOptions& options) {
  return Designer(posterior, data, options).Run();
}

}  // namespace gpode
