#include "io/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "gpode/error.h"
#include "io/files.h"
#include "io/number_text.h"

namespace gpode::internal {

std::string NameOf(const std::filesystem::path& path) {
  if (path == kStandardInput || path == "standard input") return "stdin";
  const bool compressed = SameWord(path.extension().string(), ".gz");
  return (compressed ? path.stem() : path).stem().string();
}

std::string NameFiles(std::span<const std::filesystem::path> files) {
  GPODE_CHECK(!files.empty());
  const std::string first = ShowPath(files[0]);
  return files.size() == 1 ? first : fmt::format("{} and {} more", first, files.size() - 1);
}

std::string ListOf(std::span<const std::string> names) {
  constexpr std::size_t kMost = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    list += (i > 0 ? ", " : "") + Quote(names[i], 40);
  }
  if (names.size() > kMost) list += fmt::format(" and {} more", names.size() - kMost);
  return list;
}

void CheckReadOptions(const ReadOptions& options, std::string_view where) {
  const auto one_of = [&](std::string_view name, char value, std::string_view allowed,
                          std::string_view right) {
    if (value == 0 || allowed.find(value) != std::string_view::npos) return;
    ThrowInput(where, name, fmt::format("is {}, must be {}", Quote({&value, 1}), right));
  };
  one_of("separator", options.separator, ",;\t ", "a comma, a semicolon, a tab or a space");
  one_of("decimal", options.decimal, ".,", "a point or a comma");
  CheckPositive(where, "frame_rate", options.frame_rate);
  CheckNonNegative(where, "dt", options.dt);
  if (options.long_name.empty() != options.long_value.empty()) {
    ThrowInput(where, "long",
               "has one of two columns, must have those of the channel's name and of the value");
  }
  if (!options.time_unit.empty() && !SecondsOf(options.time_unit)) {
    ThrowInput(where, "time_unit",
               fmt::format("is {}, must be seconds, minutes, hours, days or years",
                           Quote(options.time_unit)));
  }
  if (options.every == 0) ThrowInput(where, "every", "is 0, must be at least 1");
  const bool chooses_rows = !options.after.empty() || !options.until.empty() || options.every > 1 ||
                            !options.only.empty();
  if (options.sample_rows > 0 && chooses_rows) {
    ThrowInput(where, "sample_rows", "cannot be combined with after, until, every or only");
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& channel : options.channels) {
    if (seen.insert(channel).second) continue;
    ThrowInput(where, "channels", fmt::format("has {} twice, must differ", Quote(channel)));
  }
  for (const std::string& input : options.inputs) {
    if (seen.insert(input).second) continue;
    const bool is_channel = std::ranges::find(options.channels, input) != options.channels.end();
    ThrowInput(where, "inputs",
               is_channel
                   ? fmt::format("has the channel {}, must differ from channels", Quote(input))
                   : fmt::format("has {} twice, must differ", Quote(input)));
  }
}

std::vector<std::string> ColumnsToRead(const ReadOptions& options,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> columns = options.channels;
  if (columns.empty()) return columns;
  for (const std::string& input : options.inputs) {
    const bool found = std::ranges::find(names, input) != names.end();
    if (found || !options.allow_missing_inputs) columns.push_back(input);
  }
  return columns;
}

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string> ChooseNames(std::span<const std::string> patterns,
                                     const std::vector<std::string>& names,
                                     const std::function<void(const std::string&)>& fail) {
  std::vector<std::string> chosen;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) chosen.push_back(name);
  };
  for (const std::string& pattern : patterns) {
    const auto exact = std::find(names.begin(), names.end(), pattern);
    bool found = exact != names.end();
    if (found) add(*exact);
    for (std::size_t i = 0; exact == names.end() && i < names.size(); ++i) {
      if (!MatchesPattern(pattern, names[i])) continue;
      add(names[i]);
      found = true;
    }
    if (!found) fail(pattern);
  }
  return chosen;
}

void SelectChannels(std::span<const std::string> channels, std::string_view file, Dataset* data) {
  const std::vector<std::string> chosen =
      ChooseNames(channels, data->channels, [&](const std::string& pattern) {
        ThrowAt(file, fmt::format("channels {} found, one must be {}", ListOf(data->channels),
                                  Quote(pattern, 40)));
      });
  if (chosen == data->channels) return;
  std::vector<Eigen::Index> columns;
  for (const std::string& channel : chosen) {
    columns.push_back(std::find(data->channels.begin(), data->channels.end(), channel) -
                      data->channels.begin());
  }
  for (Trajectory& trajectory : data->trajectories) {
    trajectory.values = Matrix(trajectory.values(Eigen::all, columns));
  }
  data->channels = chosen;
}

namespace {

void CheckRows(const Dataset& data, std::string_view file, std::size_t fewest) {
  for (const Trajectory& trajectory : data.trajectories) {
    const std::size_t rows = trajectory.times.size();
    if (rows >= fewest) continue;
    ThrowAt(file, fmt::format("trajectory {} has {} row{}, must have at least {}",
                              Quote(trajectory.name, 40), rows, rows == 1 ? "" : "s", fewest));
  }
}

bool HasValue(const Dataset& data, Eigen::Index channel) {
  return std::any_of(data.trajectories.begin(), data.trajectories.end(), [&](const Trajectory& t) {
    for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
      const double value = t.values(i, channel);
      if (value == value) return true;
    }
    return false;
  });
}

void CheckReadData(const Dataset& data, std::string_view file, const ReadOptions& options) {
  CheckRows(data, file, options.fewest_rows);
  for (std::size_t c = 0; c < data.channels.size() && !options.allow_empty_channels; ++c) {
    if (HasValue(data, static_cast<Eigen::Index>(c))) continue;
    ThrowAt(file, fmt::format("channel {} has no value, must have at least one; choose others with "
                              "--channels",
                              Quote(data.channels[c], 40)));
  }
  if (data.observed() == 0) ThrowAt(file, "has no value in any channel, must have at least one");
  NamingFile(file, [&] { CheckDataset(data); });
}

// Returns the unit of time, in seconds, that suits the median gap between times, which are in
// seconds: the largest of minute, hour, day and year that is not longer than the gap, or else a
// second. From 300 days on, a gap counts as a year. If there are no gaps, the unit is a day.
double UnitFor(const Dataset& data) {
  constexpr double kLeastYear = 300 * 86400.0;
  std::vector<double> gaps;
  for (const Trajectory& t : data.trajectories) {
    for (std::size_t i = 1; i < t.times.size(); ++i) gaps.push_back(t.times[i] - t.times[i - 1]);
  }
  if (gaps.empty()) return 86400;
  const auto middle = gaps.begin() + (std::ssize(gaps) - 1) / 2;
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle < 60           ? 1
         : *middle < 3600       ? 60
         : *middle < 86400      ? 3600
         : *middle < kLeastYear ? 86400
                                : kSecondsPerYear;
}

// Turns times that are seconds since 1970 into times of a calendar: that of the options if it is
// fixed, or else one that counts from the first time in the unit that is given or suits the data.
void SetCalendar(std::string_view file, const ReadOptions& options, Dataset* data) {
  Calendar& calendar = data->calendar;
  if (!calendar.IsSet()) {
    // Plain numbers are taken to be in the unit of the earlier data.
    if (options.has_fixed_calendar) calendar = options.calendar;
    return;
  }
  if (options.has_fixed_calendar && options.calendar.IsSet()) {
    calendar = options.calendar;
  } else if (options.has_fixed_calendar) {
    ThrowAt(file, "has dates, must have times as numbers like the data of the model");
  } else {
    calendar.unit = options.time_unit.empty() ? UnitFor(*data) : *SecondsOf(options.time_unit);
    calendar.origin = std::numeric_limits<double>::infinity();
    for (const Trajectory& t : data->trajectories) {
      calendar.origin = std::min(calendar.origin, t.times.front());
    }
  }
  for (Trajectory& t : data->trajectories) {
    for (double& time : t.times) time = (time - calendar.origin) / calendar.unit;
  }
}

// Turns the columns of inputs, which were read as channels, into samples of the inputs. Every row
// is a sample, except rows in long format that have no input.
void SplitInputs(std::string_view file, const ReadOptions& options, Dataset* data) {
  if (options.inputs.empty()) return;
  std::vector<Eigen::Index> columns, others;
  for (const std::string& input : options.inputs) {
    const auto found = std::ranges::find(data->channels, input);
    if (found == data->channels.end() && options.allow_missing_inputs) continue;
    if (found == data->channels.end()) {
      ThrowAt(file, fmt::format("columns {} found, one must be the input {}",
                                ListOf(data->channels), Quote(input, 40)));
    }
    columns.push_back(found - data->channels.begin());
  }
  std::vector<std::string> channels;
  for (std::size_t c = 0; c < data->channels.size(); ++c) {
    if (std::ranges::find(options.inputs, data->channels[c]) != options.inputs.end()) continue;
    others.push_back(static_cast<Eigen::Index>(c));
    channels.push_back(data->channels[c]);
  }
  if (channels.empty()) ThrowAt(file, "has inputs only, must have at least one channel");
  const bool complete = columns.size() == options.inputs.size();
  for (Trajectory& t : data->trajectories) {
    if (complete) {
      const Matrix values = t.values(Eigen::all, columns);
      std::vector<Eigen::Index> rows;
      for (Eigen::Index i = 0; i < values.rows(); ++i) {
        if (!options.long_name.empty() && values.row(i).array().isNaN().all()) continue;
        rows.push_back(i);
        t.inputs.times.push_back(t.times[static_cast<std::size_t>(i)]);
      }
      t.inputs.values = values(rows, Eigen::all);
    }
    t.values = Matrix(t.values(Eigen::all, others));
  }
  data->channels = std::move(channels);
  if (complete) data->inputs = options.inputs;
}

// Drops samples of inputs at the ends that are incomplete or lie beyond an incomplete one. Before
// the first observation, it drops all samples up to the last one with a missing value; after the
// last observation, the first one with a missing value and all later ones.
void TrimInputs(Trajectory* t) {
  InputSamples& all = t->inputs;
  if (all.empty() || t->times.empty()) return;
  Eigen::Index first = 0, end = all.values.rows();
  for (Eigen::Index i = 0; i < end; ++i) {
    if (all.values.row(i).allFinite()) continue;
    const double time = all.times[static_cast<std::size_t>(i)];
    if (time < t->times.front()) first = i + 1;
    if (time > t->times.back()) end = i;
  }
  if (first == 0 && end == all.values.rows()) return;
  all.times = {all.times.begin() + first, all.times.begin() + end};
  all.values = Matrix(all.values.middleRows(first, end - first));
}

double TimeLimit(const std::string& word, std::string_view option, const Calendar& calendar) {
  const std::optional<double> time = ParseTime(word, calendar);
  if (!time) {
    throw InputError(fmt::format(
        "{} is {}, must be a time{}", option, Quote(word),
        calendar.IsSet() ? ": a date such as 2004-03-10T18:00, or a number" : " as a number"));
  }
  return *time;
}

void KeepTrajectories(std::string_view file, const ReadOptions& options, Dataset* data) {
  if (options.only.empty()) return;
  std::vector<std::string> names;
  for (const Trajectory& t : data->trajectories) names.push_back(t.name);
  const std::vector<std::string> chosen =
      ChooseNames(options.only, names, [&](const std::string& pattern) {
        ThrowAt(file, fmt::format("trajectories {} found, one must be {}", ListOf(names),
                                  Quote(pattern, 40)));
      });
  std::erase_if(data->trajectories, [&](const Trajectory& t) {
    return std::find(chosen.begin(), chosen.end(), t.name) == chosen.end();
  });
}

// Keeps the first of the rows later than `after` and not later than `until`, and then every n-th of
// them, where n is `every`.
void KeepRows(double after, double until, std::size_t every, Trajectory* t) {
  const auto first = std::upper_bound(t->times.begin(), t->times.end(), after);
  const auto last = std::upper_bound(first, t->times.end(), until);
  if (first == t->times.begin() && last == t->times.end() && every == 1) return;
  std::vector<Eigen::Index> rows;
  for (auto row = first - t->times.begin(); row < last - t->times.begin();
       row += static_cast<std::ptrdiff_t>(every)) {
    rows.push_back(row);
  }
  std::vector<double> times;
  for (Eigen::Index row : rows) times.push_back(t->times[static_cast<std::size_t>(row)]);
  t->times = std::move(times);
  t->values = Matrix(t->values(rows, Eigen::all));
}

// Throws unless times increase, so that rows can be chosen by time.
void CheckOrder(const Dataset& data, std::string_view file) {
  if (data.inputs.empty()) return NamingFile(file, [&] { CheckDataset(data); });
  Dataset rows = data;
  rows.inputs.clear();  // only the inputs of the rows that are kept must be known
  for (Trajectory& t : rows.trajectories) t.inputs = {};
  NamingFile(file, [&] { CheckDataset(rows); });
}

void Slice(std::string_view file, const ReadOptions& options, Dataset* data,
           std::vector<std::string>* notes) {
  KeepTrajectories(file, options, data);
  if (options.after.empty() && options.until.empty() && options.every == 1) return;
  CheckOrder(*data, file);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double after =
      options.after.empty() ? -kInfinity : TimeLimit(options.after, "--after", data->calendar);
  const double until =
      options.until.empty() ? kInfinity : TimeLimit(options.until, "--until", data->calendar);
  for (Trajectory& t : data->trajectories) KeepRows(after, until, options.every, &t);
  const std::size_t empty =
      std::erase_if(data->trajectories, [](const Trajectory& t) { return t.times.empty(); });
  if (data->trajectories.empty()) {
    ThrowAt(file, "holds no row between --after and --until, must hold some");
  }
  if (empty > 0) {
    notes->push_back(
        fmt::format("left out {} without rows between --after and --until",
                    empty == 1 ? "a trajectory" : fmt::format("{} trajectories", empty)));
  }
}

}  // namespace

void FinishReading(std::string_view file, const ReadOptions& options, Dataset* data,
                   std::vector<std::string>* notes) {
  SetCalendar(file, options, data);
  SplitInputs(file, options, data);
  std::vector<std::string> ignored;
  Slice(file, options, data, notes != nullptr ? notes : &ignored);
  for (Trajectory& t : data->trajectories) TrimInputs(&t);
  CheckReadData(*data, file, options);
}

}  // namespace gpode::internal
