#include "store/model_members.h"

#include <cmath>

#include "gpode/error.h"

namespace gpode::internal {

InputColumns ToInputColumns(const std::vector<std::string>& names,
                            const std::vector<InputSamples>& samples) {
  InputColumns columns{.names = names};
  Eigen::Index rows = 0;
  for (const InputSamples& one : samples) rows += one.values.rows();
  columns.values.resize(rows, samples.empty() ? 0 : samples.front().values.cols());
  rows = 0;
  for (const InputSamples& one : samples) {
    columns.lengths.push_back(one.times.size());
    columns.times.insert(columns.times.end(), one.times.begin(), one.times.end());
    columns.values.middleRows(rows, one.values.rows()) = one.values;
    rows += one.values.rows();
  }
  return columns;
}

std::vector<InputSamples> FromColumns(const InputColumns& columns) {
  CheckSize("inputs", "input_values", static_cast<std::size_t>(columns.values.rows()),
            columns.times.size());
  std::vector<InputSamples> samples;
  std::size_t taken = 0;
  for (std::size_t length : columns.lengths) {
    if (length > columns.times.size() - taken) {
      ThrowInput("inputs", "input_lengths", "exceed the times");
    }
    const auto first = columns.times.begin() + static_cast<std::ptrdiff_t>(taken);
    samples.push_back({.times = {first, first + static_cast<std::ptrdiff_t>(length)},
                       .values = columns.values.middleRows(static_cast<Eigen::Index>(taken),
                                                           static_cast<Eigen::Index>(length))});
    taken += length;
  }
  CheckSize("inputs", "input_times", columns.times.size(), taken);
  return samples;
}

InputColumns ToInputColumns(const Dataset& data) {
  std::vector<InputSamples> samples;
  for (const Trajectory& t : data.trajectories) samples.push_back(t.inputs);
  return ToInputColumns(data.inputs, samples);
}

void SetInputs(const InputColumns& columns, Dataset* data) {
  std::vector<InputSamples> samples = FromColumns(columns);
  data->inputs = columns.names;
  if (data->inputs.empty()) return;
  CheckSize("data", "input_lengths", samples.size(), data->trajectories.size());
  for (std::size_t n = 0; n < samples.size(); ++n) {
    data->trajectories[n].inputs = std::move(samples[n]);
  }
}

DataColumns ToColumns(const Dataset& data) {
  DataColumns columns;
  Eigen::Index rows = 0;
  for (const Trajectory& t : data.trajectories) rows += t.values.rows();
  columns.values.resize(rows, static_cast<Eigen::Index>(data.channels.size()));
  rows = 0;
  for (const Trajectory& t : data.trajectories) {
    columns.names.push_back(t.name);
    columns.start_times.push_back(t.start_time.value_or(NAN));
    columns.lengths.push_back(t.times.size());
    columns.times.insert(columns.times.end(), t.times.begin(), t.times.end());
    columns.values.middleRows(rows, t.values.rows()) = t.values;
    rows += t.values.rows();
  }
  columns.time_name = data.time_name;
  const Calendar& calendar = data.calendar;
  if (calendar.IsSet()) {
    columns.calendar = {calendar.unit, calendar.origin, calendar.is_utc ? 1.0 : 0.0,
                        static_cast<double>(calendar.order)};
  }
  columns.reading = data.reading;
  return columns;
}

namespace {

Calendar CalendarOf(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  CheckSize("data", "calendar", numbers.size(), 4);
  CheckFinite("data", "calendar", numbers);
  CheckPositive("data", "calendar", numbers[0]);
  if (numbers[3] != 0 && numbers[3] != 1 && numbers[3] != 2) {
    ThrowInput("data", "calendar", "has an unknown order of dates");
  }
  return {.unit = numbers[0],
          .origin = numbers[1],
          .is_utc = numbers[2] != 0,
          .order = static_cast<DateOrder>(static_cast<int>(numbers[3]))};
}

}  // namespace

Dataset FromColumns(const DataColumns& columns, const std::vector<std::string>& channels) {
  const std::size_t count = columns.lengths.size();
  CheckSize("data", "names", columns.names.size(), count);
  CheckSize("data", "start_times", columns.start_times.size(), count);
  CheckSize("data", "times", columns.times.size(), static_cast<std::size_t>(columns.values.rows()));
  Dataset data{.channels = channels,
               .trajectories = {},
               .time_name = columns.time_name,
               .calendar = CalendarOf(columns.calendar),
               .reading = columns.reading};
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = columns.lengths[i];
    if (length > columns.times.size() - taken) ThrowInput("data", "lengths", "exceed the times");
    const auto first = columns.times.begin() + static_cast<std::ptrdiff_t>(taken);
    Trajectory& t = data.trajectories.emplace_back();
    t.name = columns.names[i];
    t.times.assign(first, first + static_cast<std::ptrdiff_t>(length));
    t.values = columns.values.middleRows(static_cast<Eigen::Index>(taken),
                                         static_cast<Eigen::Index>(length));
    if (!std::isnan(columns.start_times[i])) t.start_time = columns.start_times[i];
    taken += length;
  }
  CheckSize("data", "times", columns.times.size(), taken);
  return data;
}

HoldoutColumns ToColumns(const Holdout& holdout) {
  const HoldoutReport& report = holdout.report;
  HoldoutColumns columns{.share = holdout.options.share,
                         .after = holdout.options.after.value_or(NAN),
                         .refit = holdout.options.refit,
                         .seen_times = report.seen_times,
                         .held_times = report.held_times,
                         .diverged = report.diverged,
                         .unfinished = report.unfinished};
  columns.rows.resize(std::ssize(report.rows), 9);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const auto& [channel, from, to, values, rmse, persistence, linear, inside, inside_widened] =
        report.rows[i];
    columns.rows.row(static_cast<Eigen::Index>(i)) << static_cast<double>(channel), from, to,
        static_cast<double>(values), rmse, persistence, linear, inside, inside_widened;
  }
  return columns;
}

Holdout FromColumns(const HoldoutColumns& columns, std::size_t channels) {
  constexpr double kMostValues = 1e15;
  Holdout holdout{.options = {.share = columns.share, .refit = columns.refit},
                  .report = {.seen_times = columns.seen_times,
                             .held_times = columns.held_times,
                             .diverged = columns.diverged,
                             .unfinished = columns.unfinished}};
  CheckFinite("holdout", "share", columns.share);
  if (!std::isnan(columns.after)) {
    CheckFinite("holdout", "after", columns.after);
    holdout.options.after = columns.after;
  }
  if (columns.rows.rows() > 0) CheckSize("holdout", "a row", columns.rows.cols(), 9);
  for (const auto& row : columns.rows.rowwise()) {
    if (!(row[0] >= 0 && row[0] < static_cast<double>(channels) && row[3] >= 0 &&
          row[3] <= kMostValues)) {
      ThrowInput("holdout", "rows", "have an impossible channel or number of values");
    }
    holdout.report.rows.push_back({.channel = static_cast<std::size_t>(row[0]),
                                   .from = row[1],
                                   .to = row[2],
                                   .values = static_cast<std::size_t>(row[3]),
                                   .rmse = row[4],
                                   .persistence = row[5],
                                   .linear = row[6],
                                   .inside = row[7],
                                   .inside_widened = row[8]});
  }
  return holdout;
}

Matrix ToColumns(const std::vector<TransitionStatistics>& statistics) {
  Matrix columns(std::ssize(statistics), 6);
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const auto& [log_density, energy, acceptance, depth, leapfrogs, divergent] = statistics[i];
    columns.row(static_cast<Eigen::Index>(i)) << log_density, energy, acceptance,
        static_cast<double>(depth), static_cast<double>(leapfrogs), divergent ? 1.0 : 0.0;
  }
  return columns;
}

std::vector<TransitionStatistics> FromColumns(const Matrix& statistics) {
  constexpr double kMost = 9007199254740992.0;
  std::vector<TransitionStatistics> all;
  if (statistics.rows() > 0) CheckSize("sampling", "a row of statistics", statistics.cols(), 6);
  for (const auto& row : statistics.rowwise()) {
    if (!(row[3] >= 0 && row[3] <= kMost && row[4] >= 0 && row[4] <= kMost)) {
      ThrowInput("sampling", "statistics", "have an impossible depth or number of steps");
    }
    all.push_back({.log_density = row[0],
                   .energy = row[1],
                   .acceptance = row[2],
                   .depth = static_cast<std::size_t>(row[3]),
                   .leapfrogs = static_cast<std::size_t>(row[4]),
                   .divergent = row[5] != 0});
  }
  return all;
}

}  // namespace gpode::internal
