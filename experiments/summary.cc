#include "experiments/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpode::experiments {
namespace {

// Summarises value(run) over those runs for which it returns one.
template <typename Value>
Summary SummariseOver(std::span<const RunRecord* const> runs, Value value) {
  std::vector<double> values;
  for (const RunRecord* run : runs) {
    const std::optional<double> v = value(*run);
    if (v) values.push_back(*v);
  }
  return Summarise(values);
}

// Summarises a score. A failed run has no scores. It counts as infinite if the scores are those of
// test data or if other runs have such scores.
Summary SummariseOneScore(std::span<const RunRecord* const> runs,
                          std::optional<Scores> RunRecord::*scores, double Scores::*member) {
  const bool any = std::any_of(runs.begin(), runs.end(),
                               [&](const RunRecord* run) { return (run->*scores).has_value(); });
  return SummariseOver(runs, [&](const RunRecord& run) -> std::optional<double> {
    if (run.*scores) return (*(run.*scores)).*member;
    // If all runs failed, it is not known whether the task has other scores than those of test
    // data.
    if (run.failed && (any || scores == &RunRecord::scores)) return HUGE_VAL;
    return std::nullopt;
  });
}

Summary SummariseSettling(std::span<const RunRecord* const> runs, double Settling::*member) {
  return SummariseOver(runs, [&](const RunRecord& run) -> std::optional<double> {
    if (!run.settling) return std::nullopt;
    return (*run.settling).*member;
  });
}

void SummariseScores(std::span<const RunRecord* const> runs, MethodSummary* s) {
  const auto test = [&](double Scores::*member) {
    return SummariseOneScore(runs, &RunRecord::scores, member);
  };
  s->mnll = test(&Scores::mnll);
  s->mse = test(&Scores::mse);
  s->crps = test(&Scores::crps);
  s->coverage_50 = test(&Scores::coverage_50);
  s->coverage_90 = test(&Scores::coverage_90);
  s->coverage_95 = test(&Scores::coverage_95);
  s->predictive_90 = test(&Scores::predictive_90);
  s->calibrated_mnll = SummariseOneScore(runs, &RunRecord::calibrated, &Scores::mnll);
  s->calibrated_crps = SummariseOneScore(runs, &RunRecord::calibrated, &Scores::crps);
  s->calibrated_predictive_90 =
      SummariseOneScore(runs, &RunRecord::calibrated, &Scores::predictive_90);
  s->validation_mnll = SummariseOneScore(runs, &RunRecord::validation, &Scores::mnll);
  s->validation_mse = SummariseOneScore(runs, &RunRecord::validation, &Scores::mse);
  s->validation_calibrated_mnll =
      SummariseOneScore(runs, &RunRecord::validation_calibrated, &Scores::mnll);
}

template <typename Value>
Summary OverSamplers(std::span<const RunRecord* const> runs, Value value) {
  return SummariseOver(runs, [&](const RunRecord& run) -> std::optional<double> {
    if (!run.sampler) return std::nullopt;
    return static_cast<double>(value(run));
  });
}

void SummariseSamplers(std::span<const RunRecord* const> runs, MethodSummary* s) {
  s->rhat = OverSamplers(runs, [](const RunRecord& r) { return r.sampler->worst_rhat; });
  s->bulk_ess = OverSamplers(runs, [](const RunRecord& r) { return r.sampler->least_bulk_ess; });
  s->divergent = OverSamplers(runs, [](const RunRecord& r) { return r.sampler->divergent; });
  s->at_max_depth = OverSamplers(runs, [](const RunRecord& r) { return r.sampler->at_max_depth; });
  s->sampled = OverSamplers(runs, [](const RunRecord& r) { return r.sampled; });
}

// Returns the means of bands over runs; runs with other times than the first are left out.
std::vector<BandPoint> MeanBands(std::span<const RunRecord* const> runs) {
  std::vector<const RunRecord*> with;
  for (const RunRecord* run : runs) {
    const auto same = [](const BandPoint& a, const BandPoint& b) {
      return a.time == b.time && a.channel == b.channel;
    };
    if (!run->bands.empty() &&
        (with.empty() || std::ranges::equal(run->bands, with[0]->bands, same))) {
      with.push_back(run);
    }
  }
  std::vector<BandPoint> bands = with.empty() ? std::vector<BandPoint>() : with[0]->bands;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    for (double BandPoint::*member : {&BandPoint::mean, &BandPoint::lower, &BandPoint::upper}) {
      bands[i].*member = SummariseOver(with, [&](const RunRecord& r) {
                           return std::optional(r.bands[i].*member);
                         }).mean;
    }
  }
  return bands;
}

template <typename ScoresOf>
BandSummary SummariseBands(std::span<const RunRecord* const> runs, ScoresOf scores_of) {
  BandSummary summary;
  for (std::size_t i = 0; i < kBandScores.size(); ++i) {
    const BandScore& score = kBandScores[i];
    // A score that no run has although some did not fail, such as one against an unknown truth, gets
    // no value for failed runs either.
    const auto failed = [](const RunRecord* run) { return !run->calibration; };
    const bool any =
        std::ranges::all_of(runs, failed) || std::ranges::any_of(runs, [&](const RunRecord* run) {
          return !failed(run) && !std::isnan(scores_of(*run->calibration).*score.member);
        });
    summary.scores[i] = SummariseOver(runs, [&](const RunRecord& run) -> std::optional<double> {
      if (!any) return std::nullopt;
      if (!run.calibration) return score.failed;
      const double value = scores_of(*run.calibration).*score.member;
      return std::isnan(value) ? std::nullopt : std::optional(value);
    });
  }
  return summary;
}

CalibrationSummary SummariseCalibration(std::span<const RunRecord* const> runs) {
  CalibrationSummary summary;
  summary.all = SummariseBands(runs, [](const CalibrationScores& s) { return s.all; });
  for (std::size_t k = 0; k < kHorizons; ++k) {
    summary.horizon[k] =
        SummariseBands(runs, [&](const CalibrationScores& s) { return s.horizon[k]; });
  }
  summary.seen = SummariseBands(runs, [](const CalibrationScores& s) { return s.seen; });
  return summary;
}

std::vector<RankSummary> SummariseAllRanks(std::span<const RunRecord* const> runs) {
  std::vector<std::string> quantities;
  for (const RunRecord* run : runs) {
    for (const TruthRank& rank : run->ranks) {
      if (std::ranges::find(quantities, rank.quantity) == quantities.end()) {
        quantities.push_back(rank.quantity);
      }
    }
  }
  std::vector<RankSummary> summaries;
  for (const std::string& quantity : quantities) {
    std::vector<std::size_t> ranks;
    for (const RunRecord* run : runs) {
      for (const TruthRank& rank : run->ranks) {
        if (rank.quantity == quantity) ranks.push_back(rank.rank);
      }
    }
    summaries.push_back(SummariseRanks(quantity, ranks));
  }
  return summaries;
}

// Returns the mean of the tasks' means. Its standard error follows from the standard errors of the
// tasks or, if some task has only one run and no standard error, from the spread of the means.
Summary MeanOf(std::span<const Summary> parts) {
  std::size_t runs = 0, finite = 0;
  std::vector<double> means, worst;
  double squares = 0;
  for (const Summary& part : parts) {
    runs += part.runs;
    finite += part.finite;
    if (part.runs > 0) worst.push_back(part.worst);
    if (part.finite == 0) continue;
    means.push_back(part.mean);
    squares += part.error * part.error;
  }
  Summary mean = Summarise(means);
  if (!std::isnan(squares)) mean.error = std::sqrt(squares) / static_cast<double>(means.size());
  mean.worst = Summarise(worst).worst;
  mean.runs = runs;
  mean.finite = finite;
  return mean;
}

template <typename PartOf>
Summary MeanOver(std::span<const MethodSummary* const> tasks, PartOf part_of) {
  std::vector<Summary> parts;
  for (const MethodSummary* task : tasks) parts.push_back(part_of(*task));
  return MeanOf(parts);
}

template <typename BandsOf>
BandSummary MeanBandsOver(std::span<const MethodSummary* const> tasks, BandsOf bands_of) {
  BandSummary mean;
  for (std::size_t i = 0; i < kBandScores.size(); ++i) {
    mean.scores[i] =
        MeanOver(tasks, [&](const MethodSummary& s) { return bands_of(*s.calibration).scores[i]; });
  }
  return mean;
}

MethodSummary MeanOverTasks(std::span<const MethodSummary* const> tasks) {
  MethodSummary mean;
  mean.task = tasks[0]->task;
  mean.task.name = mean.task.group;
  mean.task.title = fmt::format("mean of {}", tasks.size());
  mean.method = tasks[0]->method;
  mean.title = tasks[0]->title;
  for (const MethodSummary* task : tasks) {
    mean.runs += task->runs;
    mean.failed += task->failed;
    mean.warned += task->warned;
  }
  mean.seconds = MeanOver(tasks, [](const MethodSummary& s) { return s.seconds; });
  CalibrationSummary& bands = mean.calibration.emplace();
  bands.all = MeanBandsOver(tasks, [](const CalibrationSummary& s) { return s.all; });
  for (std::size_t k = 0; k < kHorizons; ++k) {
    bands.horizon[k] =
        MeanBandsOver(tasks, [&](const CalibrationSummary& s) { return s.horizon[k]; });
  }
  bands.seen = MeanBandsOver(tasks, [](const CalibrationSummary& s) { return s.seen; });
  return mean;
}

MethodSummary SummariseMethod(std::span<const RunRecord* const> runs) {
  const RunRecord& first = *runs[0];
  MethodSummary s;
  const auto& tasks = AllTasks();
  s.task = *std::find_if(tasks.begin(), tasks.end(),
                         [&](const TaskInfo& t) { return t.name == first.task; });
  s.method = first.method;
  s.title = FindMethod(first.method)->title;
  s.runs = runs.size();
  for (const RunRecord* run : runs) {
    s.failed += run->failed ? 1 : 0;
    s.warned += run->warning.empty() ? 0 : 1;
    s.diverged += run->scores ? run->scores->diverged : 0;
  }
  SummariseScores(runs, &s);
  s.floor = SummariseOver(runs, [](const RunRecord& r) {
    return std::isnan(r.floor) ? std::nullopt : std::optional(r.floor);
  });
  s.seconds = SummariseOver(runs, [](const RunRecord& r) { return std::optional(r.seconds); });
  s.steps = SummariseOver(
      runs, [](const RunRecord& r) { return std::optional(static_cast<double>(r.steps)); });
  if (s.task.kind == TaskKind::kCalibration) s.calibration = SummariseCalibration(runs);
  s.ranks = SummariseAllRanks(runs);
  SummariseSamplers(runs, &s);
  s.bands = MeanBands(runs);
  s.end_bound = SummariseSettling(runs, &Settling::bound);
  s.settling_seconds = SummariseSettling(runs, &Settling::seconds);
  s.settling_steps = SummariseSettling(runs, &Settling::step);
  for (const PaperRow& row : PaperRowsOf(first.task)) {
    if (row.method == first.method) s.paper = row;
  }
  return s;
}

}  // namespace

const Summary& BandSummary::Of(double BandScores::*member) const {
  const auto found = std::ranges::find(kBandScores, member, &BandScore::member);
  return scores[static_cast<std::size_t>(found - kBandScores.begin())];
}

std::vector<MethodSummary> WithMeans(std::span<const MethodSummary> summaries) {
  std::vector<MethodSummary> all;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const std::string& group = summaries[i].task.group;
    all.push_back(summaries[i]);
    if (!summaries[i].calibration) continue;
    if (i + 1 < summaries.size() && summaries[i + 1].task.group == group) continue;
    std::vector<std::vector<const MethodSummary*>> methods;
    for (const MethodSummary& s : summaries) {
      if (s.task.group != group) continue;
      const auto same = [&](const auto& method) { return method[0]->method == s.method; };
      const auto found = std::ranges::find_if(methods, same);
      found == methods.end() ? methods.push_back({&s}) : found->push_back(&s);
    }
    for (const auto& method : methods) {
      if (method.size() > 1) all.push_back(MeanOverTasks(method));
    }
  }
  return all;
}

Summary Summarise(std::span<const double> values) {
  Summary s{.runs = values.size(), .mean = NAN, .error = NAN, .worst = NAN};
  double sum = 0, squares = 0;
  for (double v : values) {
    if (!(v <= s.worst)) s.worst = std::isnan(v) ? HUGE_VAL : v;
    if (!std::isfinite(v)) continue;
    sum += v;
    ++s.finite;
  }
  if (s.finite == 0) return s;
  const auto n = static_cast<double>(s.finite);
  s.mean = sum / n;
  for (double v : values) {
    if (std::isfinite(v)) squares += (v - s.mean) * (v - s.mean);
  }
  if (s.finite > 1) s.error = std::sqrt(squares / (n * (n - 1)));
  return s;
}

double DifferenceInErrors(const Summary& ours, const PaperScore& theirs) {
  if (ours.runs == 0 || std::isnan(theirs.mean)) return NAN;
  if (!ours.all()) return HUGE_VAL;
  const double scale = std::hypot(ours.error, theirs.error);
  return scale > 0 ? (ours.mean - theirs.mean) / scale : NAN;
}

std::vector<MethodSummary> SummariseRuns(std::span<const RunRecord> runs) {
  std::vector<std::vector<const RunRecord*>> groups;
  for (const RunRecord& run : runs) {
    const auto same = [&](const std::vector<const RunRecord*>& group) {
      return group[0]->task == run.task && group[0]->method == run.method;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({&run});
    } else {
      found->push_back(&run);
    }
  }
  std::vector<MethodSummary> summaries;
  for (const auto& group : groups) summaries.push_back(SummariseMethod(group));
  return summaries;
}

}  // namespace gpode::experiments
