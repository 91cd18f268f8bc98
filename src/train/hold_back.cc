#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/holdout.h"

namespace gpode {
namespace {

constexpr std::size_t kFewestSeen = 2;
constexpr std::string_view kWhere = "holdout";

std::string NameOf(const Trajectory& t, std::size_t n) {
  return t.name.empty() ? fmt::format("trajectory {}", n + 1)
                        : fmt::format("trajectory '{}'", t.name);
}

// Returns how many rows of trajectory t, which has the index n in the data, stay for training.
std::size_t RowsSeen(const Trajectory& t, std::size_t n, const HoldoutOptions& options) {
  const std::size_t rows = t.times.size();
  if (options.after) {
    const auto seen = static_cast<std::size_t>(
        std::upper_bound(t.times.begin(), t.times.end(), *options.after) - t.times.begin());
    if (seen >= std::min(kFewestSeen, rows)) return seen;
    ThrowInput(
        kWhere, "after",
        fmt::format("is {:g}, must not be before {:g}, so that {} keeps {} rows", *options.after,
                    t.times[std::min(kFewestSeen, rows) - 1], NameOf(t, n), kFewestSeen));
  }
  if (rows <= kFewestSeen) return rows;
  const auto share =
      static_cast<std::size_t>(std::round(options.share * static_cast<double>(rows)));
  return rows - std::clamp<std::size_t>(share, 1, rows - kFewestSeen);
}

Trajectory Rows(const Trajectory& t, std::size_t first, std::size_t count) {
  const auto from = t.times.begin() + static_cast<std::ptrdiff_t>(first);
  return {.name = t.name,
          .times = {from, from + static_cast<std::ptrdiff_t>(count)},
          .values = t.values.middleRows(static_cast<Eigen::Index>(first),
                                        static_cast<Eigen::Index>(count)),
          .start_time = first == 0 ? t.start_time : std::nullopt,
          .inputs = t.inputs};
}

}  // namespace

HeldBack HoldBack(const Dataset& data, const HoldoutOptions& options) {
  CheckDataset(data);
  if (options.after) {
    CheckFinite(kWhere, "after", *options.after);
  } else if (!(options.share > 0 && options.share < 1)) {
    ThrowInput(kWhere, "share", fmt::format("is {:g}, must be between 0 and 1", options.share));
  }
  const Dataset empty{data.channels, {}, data.time_name, data.calendar, data.reading, data.inputs};
  HeldBack parts{empty, empty};
  double last = -HUGE_VAL;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Trajectory& t = data.trajectories[n];
    const std::size_t seen = RowsSeen(t, n, options);
    parts.seen.trajectories.push_back(Rows(t, 0, seen));
    parts.held.trajectories.push_back(Rows(t, seen, t.times.size() - seen));
    last = std::max(last, t.times.back());
  }
  if (parts.held.observed() == 0) {
    ThrowInput(kWhere, options.after ? "after" : "share",
               options.after
                   ? fmt::format("is {:g}, must be before the last observation, at {:g}",
                                 *options.after, last)
                   : fmt::format("is {:g}, but no trajectory has observations to hold back; "
                                 "trajectories must have at least {} rows",
                                 options.share, kFewestSeen + 1));
  }
  if (parts.seen.observed() == 0) {
    ThrowInput(kWhere, options.after ? "after" : "share", "leaves no observation to learn from");
  }
  return parts;
}

Dataset Rejoin(const Dataset& seen, const Dataset& held) {
  CheckSize(kWhere, "held", held.trajectories.size(), seen.trajectories.size());
  Dataset whole = seen;
  for (std::size_t n = 0; n < whole.trajectories.size(); ++n) {
    Trajectory& t = whole.trajectories[n];
    const Trajectory& tail = held.trajectories[n];
    t.times.insert(t.times.end(), tail.times.begin(), tail.times.end());
    Matrix values(t.values.rows() + tail.values.rows(), t.values.cols());
    values << t.values, tail.values;
    t.values = std::move(values);
  }
  return whole;
}

}  // namespace gpode
