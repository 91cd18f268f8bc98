#include "experiments/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gpode::experiments {
namespace {

using Row = std::vector<Cell>;

std::string Fixed(double value, int digits = 3) {
  return std::isnan(value) ? "" : fmt::format("{:.{}f}", value, digits);
}

std::string WithError(double mean, double error, int digits) {
  return std::isnan(error) ? Fixed(mean, digits)
                           : fmt::format("{:.{}f} ± {:.{}f}", mean, digits, error, digits);
}

std::string TextOf(const Summary& s, int digits = 3) {
  if (s.runs == 0) return "";
  if (s.finite == 0) return fmt::format("inf (0 of {})", s.runs);
  const std::string text = WithError(s.mean, s.error, digits);
  return s.all() ? text : fmt::format("inf; {} in {} of {}", text, s.finite, s.runs);
}

// Returns the text of a mean without its error, for shares and similar numbers.
std::string MeanOf(const Summary& s, int digits) {
  return s.runs == 0 ? "" : Fixed(s.mean, digits);
}

std::string TextOf(const PaperScore& score) {
  if (std::isnan(score.mean)) return "";
  return std::isnan(score.error) ? fmt::format("{:g}", score.mean)
                                 : WithError(score.mean, score.error, 2);
}

std::string SignedOf(double difference) {
  return std::isnan(difference) ? "" : fmt::format("{:+.1f}", difference);
}

std::vector<const MethodSummary*> OfGroup(std::span<const MethodSummary> summaries,
                                          std::string_view group) {
  std::vector<const MethodSummary*> chosen;
  for (const MethodSummary& s : summaries) {
    if (s.task.group == group) chosen.push_back(&s);
  }
  return chosen;
}

// Marks the cells of a column that have the smallest value of their task.
void MarkBest(const std::vector<std::string>& tasks, const std::vector<double>& values,
              std::size_t column, Table* table) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool best = std::isfinite(values[i]);
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (tasks[j] == tasks[i] && values[j] < values[i]) best = false;
    }
    table->rows[i][column].best = best;
  }
}

// Returns the value by which cells are ranked. It is infinite unless all runs succeeded.
double Rank(const Summary& s) { return s.all() ? s.mean : HUGE_VAL; }
double Rank(const PaperScore& s) { return s.mean; }

// A row of a comparison: a method of ours, of the paper, or of both.
struct Compared {
  std::string task;  // the title of the task
  std::string method;
  const MethodSummary* ours = nullptr;
  PaperScore mnll{NAN, NAN}, mse{NAN, NAN};
};

std::vector<Compared> Compare(const std::vector<const MethodSummary*>& group) {
  std::vector<Compared> lines;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const MethodSummary& s = *group[i];
    Compared line{.task = s.task.title, .method = s.title, .ours = &s};
    if (s.paper) line.mnll = s.paper->mnll, line.mse = s.paper->mse;
    lines.push_back(line);
    if (i + 1 < group.size() && group[i + 1]->task.name == s.task.name) continue;
    // Methods that only the paper or later work has follow a task's last method.
    for (const PaperRow& row : PaperRowsOf(s.task.name)) {
      const bool here = std::any_of(group.begin(), group.end(), [&](const MethodSummary* other) {
        return other->task.name == s.task.name && other->method == row.method;
      });
      if (!here) lines.push_back({s.task.title, row.title, nullptr, row.mnll, row.mse});
    }
  }
  return lines;
}

bool HasCalibrated(const std::vector<const MethodSummary*>& group) {
  return std::any_of(group.begin(), group.end(),
                     [](const MethodSummary* s) { return s->calibrated_mnll.runs > 0; });
}

class ComparisonMaker {
 public:
  explicit ComparisonMaker(const std::vector<const MethodSummary*>& group)
      : lines_(Compare(group)), calibrated_(HasCalibrated(group)) {
    for (const Compared& line : lines_) {
      tasks_.push_back(line.task);
      table_.rows.push_back({{line.task}, {line.method}});
    }
    table_.columns = {"task", "method"};
  }

  Table Make() {
    AddScore("MNLL", &MethodSummary::mnll, &Compared::mnll);
    if (calibrated_) AddOurs("MNLL, noise calibrated", &MethodSummary::calibrated_mnll);
    AddScore("MSE", &MethodSummary::mse, &Compared::mse);
    table_.columns.push_back("seconds");
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      table_.rows[i].push_back({lines_[i].ours ? MeanOf(lines_[i].ours->seconds, 1) : ""});
    }
    return std::move(table_);
  }

 private:
  void AddOurs(const std::string& name, Summary MethodSummary::*ours) {
    table_.columns.push_back(name);
    std::vector<double> ranks;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const MethodSummary* s = lines_[i].ours;
      table_.rows[i].push_back({s ? TextOf(s->*ours) : ""});
      ranks.push_back(s ? Rank(s->*ours) : HUGE_VAL);
    }
    MarkBest(tasks_, ranks, table_.columns.size() - 1, &table_);
  }

  void AddScore(const std::string& name, Summary MethodSummary::*ours,
                PaperScore Compared::*theirs) {
    AddOurs(name, ours);
    table_.columns.push_back("paper");
    std::vector<double> ranks;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      table_.rows[i].push_back({TextOf(lines_[i].*theirs)});
      ranks.push_back(Rank(lines_[i].*theirs));
    }
    MarkBest(tasks_, ranks, table_.columns.size() - 1, &table_);
    table_.columns.push_back("difference");
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const MethodSummary* s = lines_[i].ours;
      table_.rows[i].push_back(
          {s ? SignedOf(DifferenceInErrors(s->*ours, lines_[i].*theirs)) : ""});
    }
  }

  std::vector<Compared> lines_;
  bool calibrated_;
  std::vector<std::string> tasks_;
  Table table_;
};

std::string AboveFloor(const Summary& mnll, const Summary& floor) {
  return mnll.all() && floor.all() ? Fixed(mnll.mean - floor.mean) : "";
}

Row ScoresRow(const MethodSummary& s, bool calibrated) {
  const Summary& mnll = calibrated ? s.calibrated_mnll : s.mnll;
  const Summary& crps = calibrated ? s.calibrated_crps : s.crps;
  const Summary& noisy = calibrated ? s.calibrated_predictive_90 : s.predictive_90;
  return {{s.task.title},
          {calibrated ? s.title + ", noise calibrated" : s.title},
          {TextOf(mnll)},
          {Fixed(mnll.worst)},
          {MeanOf(s.floor, 3)},
          {AboveFloor(mnll, s.floor)},
          {TextOf(s.mse)},
          {MeanOf(crps, 3)},
          {MeanOf(s.coverage_50, 2)},
          {MeanOf(s.coverage_90, 2)},
          {MeanOf(s.coverage_95, 2)},
          {MeanOf(noisy, 2)},
          {fmt::format("{}", s.diverged)},
          {fmt::format("{} of {}", s.failed, s.runs)},
          {MeanOf(s.seconds, 1)}};
}

const MethodSummary* FindSummary(std::span<const MethodSummary> summaries, std::string_view task,
                                 std::string_view method) {
  const auto found = std::find_if(summaries.begin(), summaries.end(), [&](const MethodSummary& s) {
    return s.task.name == task && s.method == method;
  });
  return found == summaries.end() ? nullptr : &*found;
}

double WidthOf(const BandPoint& p) { return p.upper - p.lower; }

// Returns a sentence about the mean difference of bands over all rows.
std::string DifferenceOf(const std::vector<BandPoint>& ours, const std::vector<BandPoint>& audit) {
  double means = 0, widths = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    means += std::abs(ours[i].mean - audit[i].mean) / WidthOf(audit[i]);
    widths += WidthOf(ours[i]) / WidthOf(audit[i]);
  }
  const auto n = static_cast<double>(ours.size());
  return fmt::format(
      "GPODE's bands against NUTS's, widths of 95 %: "
      "the means differ by {:.3f} of NUTS's width, widths are {:.2f} times NUTS's "
      "(means over the rows).",
      means / n, widths / n);
}

void DropEmptyColumns(Table* table) {
  for (std::size_t c = table->columns.size(); c-- > 0;) {
    const auto empty = [&](const Row& row) { return row[c].text.empty(); };
    if (!std::ranges::all_of(table->rows, empty)) continue;
    table->columns.erase(table->columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (Row& row : table->rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::vector<std::string> GroupsOf(std::span<const MethodSummary> summaries) {
  std::vector<std::string> groups;
  for (const MethodSummary& s : summaries) {
    if (std::find(groups.begin(), groups.end(), s.task.group) == groups.end()) {
      groups.push_back(s.task.group);
    }
  }
  return groups;
}

}  // namespace

Table ComparisonTable(std::span<const MethodSummary> summaries, std::string_view group) {
  return ComparisonMaker(OfGroup(summaries, group)).Make();
}

Table ScoresTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{
      {"task", "method", "MNLL", "worst", "floor", "above it", "MSE", "CRPS", "50 % bands",
       "90 % bands", "95 % bands", "90 % with noise", "diverged draws", "failed runs", "seconds"},
      {}};
  std::vector<std::string> tasks;
  std::vector<double> mnll, mse;
  for (const MethodSummary* s : OfGroup(summaries, group)) {
    for (const bool calibrated : {false, true}) {
      if (calibrated && s->calibrated_mnll.runs == 0) continue;
      table.rows.push_back(ScoresRow(*s, calibrated));
      tasks.push_back(s->task.title);
      mnll.push_back(Rank(calibrated ? s->calibrated_mnll : s->mnll));
      mse.push_back(Rank(s->mse));
    }
  }
  MarkBest(tasks, mnll, 2, &table);
  MarkBest(tasks, mse, 6, &table);
  return table;
}

Table ValidationTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{{"task", "method", "validation MNLL", "noise calibrated", "validation MSE"}, {}};
  for (const MethodSummary* s : OfGroup(summaries, group)) {
    if (s->validation_mnll.runs == 0) continue;
    table.rows.push_back({{s->task.title},
                          {s->title},
                          {TextOf(s->validation_mnll)},
                          {TextOf(s->validation_calibrated_mnll)},
                          {TextOf(s->validation_mse)}});
  }
  return table;
}

Table CalibrationTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{
      {std::string(group), "method", "truth in 50 %", "90 %", "95 %", "observations in 50 %",
       "90 %", "95 %", "MNLL", "CRPS", "MSE", "width", "ran away", "failed", "warned", "seconds"},
      {}};
  for (const MethodSummary& s : WithMeans(summaries)) {
    if (s.task.group != group || !s.calibration) continue;
    const BandSummary& all = s.calibration->all;
    Row row = {{s.task.title}, {s.title}};
    for (double BandScores::*coverage :
         {&BandScores::truth_50, &BandScores::truth_90, &BandScores::truth_95,
          &BandScores::observed_50, &BandScores::observed_90, &BandScores::observed_95}) {
      row.push_back({TextOf(all.Of(coverage), 2)});
    }
    row.push_back({TextOf(all.Of(&BandScores::mnll), 2)});
    for (double BandScores::*score : {&BandScores::crps, &BandScores::mse}) {
      row.push_back({TextOf(all.Of(score), 3)});
    }
    row.push_back({TextOf(all.Of(&BandScores::width), 2)});
    row.push_back({fmt::format("{:.1f} %", 100 * all.Of(&BandScores::ran_away).mean)});
    row.push_back({fmt::format("{} of {}", s.failed, s.runs)});
    row.push_back({fmt::format("{}", s.warned)});
    row.push_back({MeanOf(s.seconds, 1)});
    table.rows.push_back(std::move(row));
  }
  DropEmptyColumns(&table);
  return table;
}

Table HorizonTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{{std::string(group), "method"}, {}};
  const std::vector<const MethodSummary*> own = OfGroup(summaries, group);
  const bool truth = std::ranges::any_of(own, [](const MethodSummary* s) {
    return s->calibration && s->calibration->all.Of(&BandScores::truth_90).runs > 0;
  });
  if (truth) table.columns.push_back("truth in 90 %, training");
  struct Column {
    const char* name;
    double BandScores::*member;
    int digits;
  };
  const Column columns[] = {{truth ? "truth in 90 %" : "observations in 90 %",
                             truth ? &BandScores::truth_90 : &BandScores::observed_90, 2},
                            {"width", &BandScores::width, 2},
                            {"MNLL", &BandScores::mnll, 2},
                            {"MSE", &BandScores::mse, 3}};
  for (const Column& column : columns) {
    for (std::size_t k = 0; k < kHorizons; ++k) {
      table.columns.push_back(k == 0 ? fmt::format("{}, third 1", column.name)
                                     : fmt::format("{}", k + 1));
    }
  }
  for (const MethodSummary& s : WithMeans(summaries)) {
    if (s.task.group != group || !s.calibration) continue;
    Row row = {{s.task.title}, {s.title}};
    if (truth) row.push_back({MeanOf(s.calibration->seen.Of(&BandScores::truth_90), 2)});
    for (const Column& column : columns) {
      for (const BandSummary& third : s.calibration->horizon) {
        row.push_back({MeanOf(third.Of(column.member), column.digits)});
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table RanksTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{{std::string(group), "method", "quantity", "ranks, in eighths", "chi-square, 7 d.f.",
               "p", "in 50 %", "90 %", "95 %"},
              {}};
  for (const MethodSummary* s : OfGroup(summaries, group)) {
    for (const RankSummary& ranks : s->ranks) {
      table.rows.push_back({{s->task.title},
                            {s->title},
                            {ranks.quantity},
                            {fmt::format("{}", fmt::join(ranks.counts, " "))},
                            {Fixed(ranks.chi_square, 1)},
                            {Fixed(ranks.p_value)},
                            {Fixed(ranks.coverage_50, 2)},
                            {Fixed(ranks.coverage_90, 2)},
                            {Fixed(ranks.coverage_95, 2)}});
    }
  }
  return table;
}

Table EfficiencyTable(std::span<const MethodSummary> summaries) {
  Table table{{"method", "steps", "seconds", "ms per step", "bound at the end",
               "settled after seconds", "after steps"},
              {}};
  for (const MethodSummary& s : summaries) {
    if (s.task.kind != TaskKind::kEfficiency) continue;
    table.rows.push_back({{s.title},
                          {MeanOf(s.steps, 0)},
                          {TextOf(s.seconds, 1)},
                          {Fixed(1000 * s.seconds.mean / s.steps.mean, 3)},
                          {TextOf(s.end_bound, 1)},
                          {TextOf(s.settling_seconds, 1)},
                          {TextOf(s.settling_steps, 0)}});
  }
  return table;
}

Table SamplersTable(std::span<const MethodSummary> summaries, std::string_view group) {
  Table table{{"task", "method", "draws", "R-hat", "largest", "effective draws",
               "divergent transitions", "at the largest depth"},
              {}};
  for (const MethodSummary* s : OfGroup(summaries, group)) {
    if (s->rhat.runs == 0) continue;
    table.rows.push_back({{s->task.title},
                          {s->title},
                          {MeanOf(s->sampled, 0)},
                          {MeanOf(s->rhat, 3)},
                          {Fixed(s->rhat.worst)},
                          {MeanOf(s->bulk_ess, 0)},
                          {MeanOf(s->divergent, 1)},
                          {MeanOf(s->at_max_depth, 1)}});
  }
  table.note =
      "R-hat and effective draws are a run's worst; all but the largest R-hat are means over runs.";
  return table;
}

Table BandsTable(std::span<const MethodSummary> summaries, std::string_view task) {
  Table table{{"time", "channel", "truth", "GPODE mean", "NUTS mean", "GPODE width", "NUTS width"},
              {}};
  const MethodSummary* const ours = FindSummary(summaries, task, kVariational);
  const MethodSummary* const audit = FindSummary(summaries, task, kAudit);
  if (ours == nullptr || audit == nullptr || ours->bands.empty() ||
      ours->bands.size() != audit->bands.size()) {
    return table;
  }
  for (std::size_t i = 0; i < ours->bands.size(); ++i) {
    const BandPoint &a = ours->bands[i], &b = audit->bands[i];
    table.rows.push_back({{fmt::format("{:.4g}", a.time)},
                          {fmt::format("x{}", a.channel + 1)},
                          {Fixed(a.truth)},
                          {Fixed(a.mean)},
                          {Fixed(b.mean)},
                          {Fixed(WidthOf(a))},
                          {Fixed(WidthOf(b))}});
  }
  table.note = DifferenceOf(ours->bands, audit->bands);
  return table;
}

std::vector<Table> TablesOf(std::span<const MethodSummary> summaries) {
  std::vector<Table> tables;
  for (const std::string& group : GroupsOf(summaries)) {
    const std::vector<const MethodSummary*> own = OfGroup(summaries, group);
    if (own[0]->task.kind == TaskKind::kEfficiency) {
      tables.push_back(EfficiencyTable(summaries));
      continue;
    }
    if (own[0]->task.kind == TaskKind::kCalibration) {
      tables.push_back(CalibrationTable(summaries, group));
      tables.push_back(HorizonTable(summaries, group));
      tables.push_back(RanksTable(summaries, group));
      tables.push_back(SamplersTable(summaries, group));
      continue;
    }
    const bool paper = !PaperRowsOf(own[0]->task.name).empty();
    tables.push_back(paper ? ComparisonTable(summaries, group) : ScoresTable(summaries, group));
    tables.push_back(SamplersTable(summaries, group));
    for (const TaskInfo& task : AllTasks()) {
      if (task.group == group) tables.push_back(BandsTable(summaries, task.name));
    }
  }
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace gpode::experiments
