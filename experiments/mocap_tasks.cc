// Motion capture (paper, section 4.4): 50 channels, an ODE in 5 principal components. Test
// forecasts start from the first test frame and are scored on every frame, the first included.
#include <fmt/format.h>

#include "gpode/error.h"
#include "gpode/npz.h"
#include "gpode/simulate.h"
#include "tasks.h"

namespace gpode::experiments {
namespace {

constexpr double kFrame = 0.01;  // seconds
constexpr std::size_t kComponents = 5, kInducing = 100, kSteps = 1000;
// Without movement; the same numbers as in the paper's experiments.
constexpr Eigen::Index kSilentChannels[] = {24, 25, 31, 32};
constexpr double kSilentValue = 1e-6;

std::vector<Matrix> Sequences(const Array& array) {
  if (array.shape.size() != 3) ThrowInput("Mocap", "array", "must have three dimensions");
  const auto frames = static_cast<Eigen::Index>(array.shape[1]);
  const auto channels = static_cast<Eigen::Index>(array.shape[2]);
  std::vector<Matrix> sequences;
  for (std::size_t n = 0; n < array.shape[0]; ++n) {
    const auto offset = static_cast<Eigen::Index>(n) * frames * channels;
    Matrix values = Eigen::Map<const Matrix>(array.values.data() + offset, frames, channels);
    for (Eigen::Index c : kSilentChannels) values.col(c).setConstant(kSilentValue);
    sequences.push_back(values);
  }
  return sequences;
}

std::vector<double> FrameTimes(Eigen::Index frames) {
  return RegularTimes(0, kFrame * static_cast<double>(frames - 1),
                      static_cast<std::size_t>(frames));
}

// Forecasts start from the first frame.
std::vector<TestSequence> FromFirstFrame(const std::vector<Matrix>& sequences) {
  std::vector<TestSequence> tests;
  for (const Matrix& values : sequences) {
    tests.push_back(
        {{values.data(), values.data() + values.cols()}, FrameTimes(values.rows()), values});
  }
  return tests;
}

Task MocapTask(const std::vector<Matrix>& training, const std::vector<Matrix>& validation,
               const std::vector<Matrix>& tests, Eigen::Index frames) {
  Task task;
  for (Eigen::Index c = 0; c < training[0].cols(); ++c) {
    task.data.channels.push_back(fmt::format("channel {}", c + 1));
  }
  for (const Matrix& values : training) {
    task.data.trajectories.push_back({.name = "",
                                      .times = FrameTimes(frames),
                                      .values = values.topRows(frames),
                                      .start_time = -kFrame});
  }
  task.tests = FromFirstFrame(tests);
  task.validation = FromFirstFrame(validation);
  // The protocol fits the components on whole training sequences.
  Dataset whole = task.data;
  for (std::size_t n = 0; n < training.size(); ++n) {
    whole.trajectories[n].times = FrameTimes(training[n].rows());
    whole.trajectories[n].values = training[n];
  }
  task.options.observation = Observation::kPca;
  task.options.observation_map = PrincipalComponents(whole, kComponents);
  task.options.states = kComponents;
  task.options.inducing = kInducing;
  task.options.steps = kSteps;
  task.options.precision = FeaturePrecision::kFloat;
  return task;
}

}  // namespace

std::vector<Row> MocapRows(const std::filesystem::path& folder) {
  struct Subject {
    std::string number;
    Eigen::Index short_frames, long_frames;
  };
  const std::vector<Subject> subjects = {{"09", 50, 100}, {"35", 50, 250}, {"39", 100, 250}};
  std::vector<Row> rows;
  for (const Subject& subject : subjects) {
    const Archive archive = ReadNpz(folder / fmt::format("mocap{}.npz", subject.number));
    const std::vector<Matrix> training = Sequences(archive.at("train"));
    const std::vector<Matrix> validation = Sequences(archive.at("validation"));
    const std::vector<Matrix> tests = Sequences(archive.at("test"));
    rows.push_back({fmt::format("{} short", subject.number),
                    {MocapTask(training, validation, tests, subject.short_frames)}});
    rows.push_back({fmt::format("{} long", subject.number),
                    {MocapTask(training, validation, tests, subject.long_frames)}});
  }
  return rows;
}

}  // namespace gpode::experiments
