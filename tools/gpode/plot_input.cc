#include <fmt/format.h>

#include "io/files.h"
#include "output.h"
#include "plot.h"

namespace gpode::tool {
namespace {

Dataset ReadTest(const PlotArguments& a, const Model& model) {
  if (!a.test) return {};
  ReadOptions read = a.read;
  read.channels = model.channels;
  const std::filesystem::path path(*a.test);
  Dataset all = ReadDataset({&path, 1}, read);
  bool any = false;
  for (Trajectory& t : all.trajectories) {
    t = RowsBetween(t, a.after, {});
    any = any || !t.times.empty();
  }
  if (!any) internal::ThrowAt(*a.test, "holds no row after --after, must hold some");
  return all;
}

}  // namespace

ForecastOptions PlotInput::Options(Origin otherwise) const {
  return {.draws = arguments.draws,
          .seed = arguments.common.seed,
          .threads = arguments.common.threads,
          .from = arguments.start ? OriginOf(*arguments.start) : otherwise};
}

PlotInput LoadPlotInput(const PlotArguments& arguments) {
  TrainedModel trained = LoadTrainedModel(arguments.model);
  Posterior posterior(trained.model);
  Dataset test = ReadTest(arguments, trained.model);
  return {arguments, std::move(trained), std::move(posterior), std::move(test)};
}

std::vector<std::size_t> ChosenTrajectories(const PlotInput& input) {
  const PlotArguments& a = input.arguments;
  if (a.trajectory) {
    return {FindTrajectory({"plot", "--trajectory"}, *a.trajectory, input.trained)};
  }
  std::vector<std::size_t> all(input.model().start_times.size());
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
  return all;
}

const Trajectory* SeenOf(const PlotInput& input, std::size_t trajectory) {
  const std::vector<Trajectory>& all = input.trained.data.trajectories;
  return trajectory < all.size() ? &all[trajectory] : nullptr;
}

std::size_t TrainedTrajectory(const PlotInput& input, std::size_t test) {
  if (input.arguments.trajectory) return ChosenTrajectories(input).front();
  return MatchTrajectory(input.test, test, input.trained, *input.arguments.test);
}

}  // namespace gpode::tool
