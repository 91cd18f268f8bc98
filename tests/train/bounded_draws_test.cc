// Tests of the removal of draws that run away after the data.
#include "train/bounded_draws.h"

#include <gtest/gtest.h>

#include "gpode/simulate.h"
#include "support/sampled_options.h"
#include "train/sampled_target.h"

namespace gpode {
namespace {

class BoundedDraws : public testing::Test {
 protected:
  // Makes a model whose draws are all equal to the start.
  Model MakeModel(const std::string& kernel) {
    FitOptions options = SampledOptions(kernel);
    options.inducing = 8;
    start_ = Initialise(data_, options);
    const SampledTarget target(data_, options, start_);
    trajectories_ = target.trajectories();
    layout_ = target.parts().layout();
    Model model = UntrainedModel(data_, options, start_);
    const std::vector<double> values = StartValues(target.parts(), start_, {});
    model.parameters = {layout_, values};
    model.draws =
        Eigen::Map<const Eigen::RowVectorXd>(values.data(), std::ssize(values)).replicate(3, 1);
    return model;
  }

  // Makes the field of a draw so large that its solutions leave the data.
  void LetRunAway(Eigen::Index row, Model& model) const {
    const ParameterBlock& latent = layout_.Find("inducing_mean");
    model.draws.row(row)
        .segment(static_cast<Eigen::Index>(latent.value_offset),
                 static_cast<Eigen::Index>(latent.value_size))
        .array() = 50;
  }

  Dataset data_ =
      Simulate({.system = "pendulum", .points = 30, .noise_share = 0.1, .seed = 3}).data;
  Start start_;
  std::vector<TimedValues> trajectories_;
  ParameterLayout layout_;
};

TEST_F(BoundedDraws, ADrawThatRunsAwayIsRemoved) {
  Model model = MakeModel("se + polynomial2");
  const Matrix before = model.draws;
  LetRunAway(1, model);
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws, before.topRows(2));
}

TEST_F(BoundedDraws, IfAllDrawsRunAwayAllAreKept) {
  Model model = MakeModel("se + polynomial2");
  for (Eigen::Index row = 0; row < 3; ++row) LetRunAway(row, model);
  const Matrix before = model.draws;
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws, before);
}

TEST_F(BoundedDraws, AKernelWithALinearPartKeepsAllDraws) {
  Model model = MakeModel("se + linear");
  LetRunAway(1, model);
  KeepBoundedDraws(trajectories_, start_.states, model);
  EXPECT_EQ(model.draws.rows(), 3);
}

}  // namespace
}  // namespace gpode
