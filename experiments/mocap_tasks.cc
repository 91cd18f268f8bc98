// The tasks of motion capture (paper, section 4.4), with 50 channels and an ODE for 5 principal
// components. Test forecasts start from the first test frame and are scored on every frame,
// including the first.
#include <fmt/format.h>

#include "experiments/mocap.h"
#include "experiments/tasks.h"
#include "gpode/simulate.h"

namespace gpode::experiments {
namespace {

constexpr double kFrame = 0.01;  // the seconds between two frames, as in the paper
constexpr std::size_t kComponents = 5, kInducing = 100, kSteps = 1000;
// The channels that never move, and the value that the paper's experiments give them.
constexpr Eigen::Index kSilentChannels[] = {24, 25, 31, 32};
constexpr double kSilentValue = 1e-6;

// Returns the number of training frames (paper, table S2).
Eigen::Index TrainingFrames(const std::string& subject, bool long_task) {
  if (subject == "09") return long_task ? 100 : 50;
  if (subject == "35") return long_task ? 250 : 50;
  return long_task ? 250 : 100;
}

// Returns the sequences as tests whose forecasts start from the first frame.
std::vector<TestSequence> FromFirstFrame(const std::vector<Matrix>& sequences) {
  std::vector<TestSequence> tests;
  for (const Matrix& values : sequences) {
    tests.push_back(
        {{values.data(), values.data() + values.cols()}, FrameTimes(values.rows()), values});
  }
  return tests;
}

}  // namespace

std::vector<double> FrameTimes(Eigen::Index frames) {
  return RegularTimes(0, kFrame * static_cast<double>(frames - 1),
                      static_cast<std::size_t>(frames));
}

Dataset FirstFrames(const std::vector<Matrix>& sequences, Eigen::Index frames) {
  Dataset data;
  for (Eigen::Index c = 0; c < sequences[0].cols(); ++c) {
    data.channels.push_back(fmt::format("channel {}", c + 1));
  }
  for (const Matrix& values : sequences) {
    data.trajectories.push_back({.name = "",
                                 .times = FrameTimes(frames),
                                 .values = values.topRows(frames),
                                 .start_time = -kFrame});
  }
  return data;
}

MocapSequences ReadMocapTask(const TaskInfo& info, const std::filesystem::path& folder) {
  MocapSequences sequences = ReadMocap(folder, SubjectOf(info));
  for (auto* part : {&sequences.train, &sequences.validation, &sequences.test}) {
    for (Matrix& values : *part) {
      for (Eigen::Index c : kSilentChannels) values.col(c).setConstant(kSilentValue);
    }
  }
  return sequences;
}

std::string SubjectOf(const TaskInfo& info) { return info.name.substr(info.name.find('-') + 1, 2); }

Task MakeMocapTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder) {
  const MocapSequences sequences = ReadMocapTask(info, folder);
  Task task;
  task.data =
      FirstFrames(sequences.train, TrainingFrames(SubjectOf(info), info.name.ends_with("-long")));
  task.tests = FromFirstFrame(sequences.test);
  task.validation = FromFirstFrame(sequences.validation);
  task.validation_data = FirstFrames(sequences.validation, sequences.validation[0].rows());
  task.options.observation = Observation::kPca;
  // The paper's protocol computes the components from whole training sequences.
  task.options.observation_map =
      PrincipalComponents(FirstFrames(sequences.train, sequences.train[0].rows()), kComponents);
  task.options.states = kComponents;
  task.options.inducing = kInducing;
  task.options.steps = kSteps;
  task.options.precision = FeaturePrecision::kFloat;
  task.fit_seed = seed;
  return task;
}

}  // namespace gpode::experiments
