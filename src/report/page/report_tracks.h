// The trajectories that a report shows, and the times at which it shows them.
//
// A track is a trajectory of the model, with the test data that continue it, or a test trajectory
// whose forecast starts from its first row.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   for (const Track& track : TracksOf(trained, test, options)) {
//     Forecast forecast = Follow(posterior, track, GridOf(posterior, track, 2, options), options);
//   }
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpode/posterior.h"
#include "report/page/report_data.h"

namespace gpode::report {

struct Track {
  std::string name;
  const Trajectory* observed = nullptr;  // null if there are no training data
  const Trajectory* test = nullptr;      // null if there are no test data
  // The span of the training data. The forecast begins at `end`. For a track that starts from its
  // first row, both are the time of that row.
  double begin = 0, end = 0;
  std::size_t trajectory = 0;       // the index of the model's trajectory
  std::optional<StartState> start;  // set if the forecast starts from a first row
};

// Returns the tracks of a report. They point into `trained` and `test`.
std::vector<Track> TracksOf(const TrainedModel& trained, const Dataset& test,
                            const ReportOptions& options);

// Forecasts a track with its states.
Forecast Follow(const Posterior& posterior, const Track& track, const std::vector<double>& times,
                const ReportOptions& options);

// Returns regular times from the beginning of a track to the end of its forecast. There are enough
// of them for straight lines between them to follow a trajectory, but at most `most`, and always a
// few hundred.
std::vector<double> GridOf(const Posterior& posterior, const Track& track, std::size_t most,
                           const ReportOptions& options);

// Returns the times of a path in state space. These are the times of the forecast if there are not
// too many and straight lines between them follow the trajectory. Otherwise they are closer times,
// on a shorter span around the end of the data.
std::vector<double> PathTimes(const Posterior& posterior, const Track& track,
                              const Forecast& on_grid, const ReportOptions& options);

}  // namespace gpode::report
