#include "store/model_members.h"

#include <cmath>

#include "gpode/error.h"

namespace gpode::internal {

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
  return columns;
}

Dataset FromColumns(const DataColumns& columns, const std::vector<std::string>& channels) {
  const std::size_t count = columns.lengths.size();
  CheckSize("data", "names", columns.names.size(), count);
  CheckSize("data", "start_times", columns.start_times.size(), count);
  CheckSize("data", "times", columns.times.size(), static_cast<std::size_t>(columns.values.rows()));
  Dataset data{.channels = channels, .trajectories = {}, .time_name = columns.time_name};
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

}  // namespace gpode::internal
