#include "experiments/summary.h"

#include <algorithm>
#include <cmath>

namespace gpode::experiments {
namespace {

// Summarises value(run) over those runs for which it returns one.
template <typename Value>
Summary Over(std::span<const RunRecord* const> runs, Value value) {
  std::vector<double> values;
  for (const RunRecord* run : runs) {
    const std::optional<double> v = value(*run);
    if (v) values.push_back(*v);
  }
  return Summarise(values);
}

// Summarises a score. A failed run has no scores and counts as infinite if other runs have some.
Summary OverScores(std::span<const RunRecord* const> runs, std::optional<Scores> RunRecord::*scores,
                   double Scores::*member) {
  const bool any = std::any_of(runs.begin(), runs.end(),
                               [&](const RunRecord* run) { return (run->*scores).has_value(); });
  return Over(runs, [&](const RunRecord& run) -> std::optional<double> {
    if (run.*scores) return (*(run.*scores)).*member;
    // If all runs failed, only test scores are certain to exist for the task.
    if (run.failed && (any || scores == &RunRecord::scores)) return HUGE_VAL;
    return std::nullopt;
  });
}

Summary OverSettling(std::span<const RunRecord* const> runs, double Settling::*member) {
  return Over(runs, [&](const RunRecord& run) -> std::optional<double> {
    if (!run.settling) return std::nullopt;
    return (*run.settling).*member;
  });
}

void SummariseScores(std::span<const RunRecord* const> runs, MethodSummary* s) {
  const auto test = [&](double Scores::*member) {
    return OverScores(runs, &RunRecord::scores, member);
  };
  s->mnll = test(&Scores::mnll);
  s->mse = test(&Scores::mse);
  s->crps = test(&Scores::crps);
  s->coverage_50 = test(&Scores::coverage_50);
  s->coverage_90 = test(&Scores::coverage_90);
  s->coverage_95 = test(&Scores::coverage_95);
  s->predictive_90 = test(&Scores::predictive_90);
  s->calibrated_mnll = OverScores(runs, &RunRecord::calibrated, &Scores::mnll);
  s->calibrated_crps = OverScores(runs, &RunRecord::calibrated, &Scores::crps);
  s->calibrated_predictive_90 = OverScores(runs, &RunRecord::calibrated, &Scores::predictive_90);
  s->validation_mnll = OverScores(runs, &RunRecord::validation, &Scores::mnll);
  s->validation_mse = OverScores(runs, &RunRecord::validation, &Scores::mse);
  s->validation_calibrated_mnll =
      OverScores(runs, &RunRecord::validation_calibrated, &Scores::mnll);
}

template <typename Value>
Summary OverSamplers(std::span<const RunRecord* const> runs, Value value) {
  return Over(runs, [&](const RunRecord& run) -> std::optional<double> {
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
      bands[i].*member =
          Over(with, [&](const RunRecord& r) { return std::optional(r.bands[i].*member); }).mean;
    }
  }
  return bands;
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
    s.diverged += run->scores ? run->scores->diverged : 0;
  }
  SummariseScores(runs, &s);
  s.floor = Over(runs, [](const RunRecord& r) {
    return std::isnan(r.floor) ? std::nullopt : std::optional(r.floor);
  });
  s.seconds = Over(runs, [](const RunRecord& r) { return std::optional(r.seconds); });
  s.steps =
      Over(runs, [](const RunRecord& r) { return std::optional(static_cast<double>(r.steps)); });
  SummariseSamplers(runs, &s);
  s.bands = MeanBands(runs);
  s.end_bound = OverSettling(runs, &Settling::bound);
  s.settling_seconds = OverSettling(runs, &Settling::seconds);
  s.settling_steps = OverSettling(runs, &Settling::step);
  for (const PaperRow& row : PaperRowsOf(first.task)) {
    if (row.method == first.method) s.paper = row;
  }
  return s;
}

}  // namespace

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
