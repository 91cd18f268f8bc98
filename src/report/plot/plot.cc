#include "report/plot/plot.h"

#include <numeric>

namespace gpode::report {

ForecastOptions PlotInput::Forecasts(Origin otherwise) const {
  return {.draws = options.draws,
          .seed = options.seed,
          .threads = options.threads,
          .from = options.start.value_or(otherwise)};
}

std::vector<std::size_t> ChosenTrajectories(const PlotInput& input) {
  if (input.options.trajectory) return {*input.options.trajectory};
  std::vector<std::size_t> all(input.model().start_times.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

const Trajectory* ObservationsOf(const PlotInput& input, std::size_t trajectory) {
  const std::vector<Trajectory>& all = input.trained.data.trajectories;
  return trajectory < all.size() ? &all[trajectory] : nullptr;
}

}  // namespace gpode::report
