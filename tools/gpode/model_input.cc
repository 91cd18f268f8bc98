#include "model_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "commands.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/reading.h"
#include "output.h"
#include "report/model_view.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostNames = 10;  // names that a message lists

std::string KnownTrajectories(const TrainedModel& trained) {
  const std::size_t count = trained.model.start_times.size();
  std::vector<std::string> names;
  for (std::size_t n = 0; n < std::min(count, kMostNames); ++n) {
    names.push_back(report::TrajectoryName(trained, n));
  }
  if (names.front() == "1") return fmt::format("a number from 1 to {}", count);
  if (count == 1) return fmt::format("{} or 1", internal::Quote(names.front()));
  return fmt::format("{}{}, or a number from 1 to {}", fmt::join(names, ", "),
                     count > kMostNames ? ", ..." : "", count);
}

}  // namespace

ReadOptions TestOptions(const TrainedModel& trained, const ReadChanges& changes) {
  ReadOptions like = OptionsLike(trained.data);
  like.part = "test";
  like.allow_empty_channels = true;
  like.channels = trained.model.channels;
  like.inputs = trained.model.inputs;
  like.allow_missing_inputs = true;
  return Changed(like, changes);
}

Dataset ReadTestData(const std::vector<std::string>& files, const ReadOptions& options,
                     bool quiet) {
  std::vector<std::string> notes;
  Dataset data =
      ReadDataset(std::vector<std::filesystem::path>(files.begin(), files.end()), options, &notes);
  for (const std::string& note : notes) {
    if (!quiet) PrintRemark(fmt::format("{}: {}", files.front(), note));
  }
  return data;
}

namespace {

// Returns true if the trajectory has a row with this time and these values.
bool HasRow(const Trajectory& t, double time, const Eigen::Ref<const Vector>& values) {
  const auto found = std::lower_bound(t.times.begin(), t.times.end(), time);
  if (found == t.times.end() || *found != time) return false;
  const auto row = t.values.row(found - t.times.begin()).transpose().array();
  return row.size() == values.size() &&
         (row == values.array() || (row.isNaN() && values.array().isNaN())).all();
}

// Returns the training trajectory with the name of a test trajectory, or the only one.
const Trajectory* TrainingOf(const TrainedModel& trained, const Dataset& tests, std::size_t n) {
  const std::vector<Trajectory>& known = trained.data.trajectories;
  for (const Trajectory& t : known) {
    if (t.name == tests.trajectories[n].name) return &t;
  }
  return known.size() == 1 && tests.trajectories.size() == 1 ? &known.front() : nullptr;
}

}  // namespace

void LeaveOutTrainingRows(const TrainedModel& trained, const std::string& file, bool quiet,
                          Dataset* tests) {
  Dataset others = *tests;
  std::size_t rows = 0, kept = 0;
  for (std::size_t n = 0; n < tests->trajectories.size(); ++n) {
    const Trajectory& all = tests->trajectories[n];
    const Trajectory* known = TrainingOf(trained, *tests, n);
    Trajectory some{all.name, {}, {}, all.start_time, all.inputs};
    std::vector<Eigen::Index> chosen;
    for (std::size_t i = 0; i < all.times.size(); ++i) {
      const Vector values = all.values.row(static_cast<Eigen::Index>(i));
      if (known != nullptr && HasRow(*known, all.times[i], values)) continue;
      chosen.push_back(static_cast<Eigen::Index>(i));
      some.times.push_back(all.times[i]);
    }
    some.values = all.values(chosen, Eigen::all);
    rows += all.times.size();
    kept += chosen.size();
    others.trajectories[n] = std::move(some);
  }
  if (kept == 0 || kept == rows) return;
  *tests = std::move(others);
  if (quiet) return;
  PrintRemark(fmt::format("{}: {} of {} rows are training data, and are left out", file,
                          rows - kept, rows));
}

TrainedModel LoadForBands(const std::string& file, bool raw) {
  TrainedModel trained = LoadTrainedModel(file);
  if (raw) trained.model.widening = {};
  return trained;
}

std::size_t FindTrajectory(const Place& place, std::string_view word, const TrainedModel& trained) {
  const std::size_t count = trained.model.start_times.size();
  for (std::size_t n = 0; n < count; ++n) {
    if (report::TrajectoryName(trained, n) == word) return n;
  }
  std::size_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || number == 0 || number > count) {
    Refuse(place, word, KnownTrajectories(trained));
  }
  return number - 1;
}

std::size_t MatchTrajectory(const Dataset& tests, std::size_t n, const TrainedModel& trained,
                            std::string_view file) {
  const std::size_t known = trained.model.start_times.size();
  for (std::size_t k = 0; k < known; ++k) {
    if (report::TrajectoryName(trained, k) == tests.trajectories[n].name) return k;
  }
  if (known == 1 && tests.trajectories.size() == 1) return 0;
  if (known == tests.trajectories.size()) return n;
  internal::ThrowAt(
      file, fmt::format("{} found where the model has {}, must have the same names or number, "
                        "or see --trajectory and --start first-row",
                        report::Pluralise(tests.trajectories.size(), "trajectory", "trajectories"),
                        known));
}

std::size_t FindState(const Place& place, std::string_view word, const std::string& name,
                      const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    Refuse(place, word, fmt::format("among the model's states: {}", internal::ListOf(names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

Trajectory RowsBetween(const Trajectory& all, const std::optional<double>& after,
                       const std::optional<double>& until) {
  Trajectory some{all.name, {}, {}, all.start_time, all.inputs};
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < all.times.size(); ++i) {
    if (all.times[i] <= after.value_or(-HUGE_VAL) || all.times[i] > until.value_or(HUGE_VAL)) {
      continue;
    }
    some.times.push_back(all.times[i]);
    rows.push_back(static_cast<Eigen::Index>(i));
  }
  some.values = all.values(rows, Eigen::all);
  return some;
}

bool KeepRowsAfter(const std::optional<double>& after, Dataset* data) {
  bool any = false;
  for (Trajectory& t : data->trajectories) {
    if (after) t = RowsBetween(t, after, {});
    any = any || !t.times.empty();
  }
  return any;
}

std::vector<double> ChannelValues(const Place& place, std::string_view word, const Model& model) {
  std::vector<double> values(model.channels.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, text] : ParseAssignments(place, word)) {
    const auto found = std::find(model.channels.begin(), model.channels.end(), name);
    if (found == model.channels.end()) {
      Refuse(place, word, fmt::format("values of channels: {}", internal::ListOf(model.channels)));
    }
    values[static_cast<std::size_t>(found - model.channels.begin())] =
        ParseNumber({place.command, fmt::format("{} {}", place.option, name)}, text, kSaneNumber);
  }
  return values;
}

StartState StateFromChannels(const Posterior& posterior, std::span<const double> values,
                             const std::string& complaint) {
  const Model& model = posterior.model();
  const std::vector<Link> links = model.links();
  for (std::size_t c = 0; c < links.size(); ++c) {
    if (std::isnan(values[c]) || IsAccepted(links[c], values[c])) continue;
    throw InputError(fmt::format("the start of {} is {:g}, must be {} for its link {}",
                                 internal::Quote(model.channels[c]), values[c],
                                 LinkDemand(links[c]), NameOf(links[c])));
  }
  try {
    return posterior.StateOf(values);
  } catch (const InputError&) {
    throw InputError(complaint);
  }
}

std::string DescribeLost(const LostDraws& lost) {
  std::string text = fmt::format("{} diverged", lost.diverged);
  if (lost.unfinished > 0) text += fmt::format(", {} out of solver steps", lost.unfinished);
  return text;
}

void CheckLostDraws(std::string_view command, const LostDraws& lost) {
  if (!lost.many) return;
  if (lost.all) throw ForecastFailed(fmt::format("{}: {}", command, lost.Warning()));
  PrintRemark(fmt::format("warning: {}", lost.Warning()));
}

Origin ParseOrigin(std::string_view word) {
  return word == "latest" ? Origin::kLatestState : Origin::kInitialState;
}

}  // namespace gpode::tool
