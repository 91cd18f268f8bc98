#include "experiments/paper_tasks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "experiments/numpy_random.h"
#include "gpode/npz.h"

namespace gpode::experiments {
namespace {

// The expected numbers are those of numpy.random.RandomState.
TEST(NumpyRandom, IsNumPysLegacyGenerator) {
  NumpyRandom normals(121);
  for (double expected : {-0.21203316548106813, -0.28492916979378413, -0.5738982088085403,
                          -0.44031016659917316, -0.33011055527122996, 1.1836945699116346}) {
    EXPECT_NEAR(normals.Normal(), expected, 1e-15);
  }
  for (int i = 6; i < 999; ++i) normals.Normal();
  EXPECT_NEAR(normals.Normal(), 0.2083571433375403, 1e-15);
  EXPECT_EQ(normals.Uniform(), 0.41261170426597094);
  const std::vector<double> uniforms = NumpyRandom(122).Uniforms(1001);
  EXPECT_EQ(uniforms[0], 0.1569918378916666);
  EXPECT_EQ(uniforms[1], 0.7022100424924458);
  EXPECT_EQ(uniforms[1000], 0.8289461898361874);
}

// Compares tasks with the archives of the original data sets, whose values are in float32. The
// tests are skipped unless GPODE_DATA_DIR or the folder beside the project has these archives.
class PaperArchives : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("GPODE_DATA_DIR");
    folder_ = given ? given : GPODE_DATA_DEFAULT;
    if (!std::filesystem::exists(folder_ / "vdp")) {
      GTEST_SKIP() << "the paper's archives are not in " << folder_ << "; set GPODE_DATA_DIR";
    }
  }

  // Expects that the task has the values of the archive. `first` is the index in the archive at
  // which the test data begin.
  void ExpectSame(const PaperTask& task, const std::string& file, const std::string& test,
                  std::size_t first) const {
    const Archive archive = ReadNpz(folder_ / file);
    const Trajectory& t = task.data.trajectories[0];
    ExpectNear(t.times, archive.at("train_ts").values, 0);
    ExpectNear({t.values.data(), t.values.data() + t.values.size()}, archive.at("train_ys").values,
               0);
    ExpectNear(task.test_times, archive.at(test + "_ts").values, first);
    const Matrix& v = task.test_values;
    ExpectNear({v.data(), v.data() + v.size()}, archive.at(test + "_ys").values, 2 * first);
    EXPECT_EQ(task.noise_variance, archive.at("obs_noise_var").Scalar("obs_noise_var"));
  }

 private:
  static void ExpectNear(const std::vector<double>& ours, const std::vector<double>& theirs,
                         std::size_t first) {
    ASSERT_EQ(ours.size() + first, theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[first + i], 1e-6);
  }

  std::filesystem::path folder_;
};

TEST_F(PaperArchives, VanDerPol) {
  ExpectSame(VanDerPolRegular(), "vdp/vdp_uniform.npz", "test", 50);
  ExpectSame(VanDerPolIrregular(), "vdp/vdp_nonuniform.npz", "test", 0);
}

TEST_F(PaperArchives, FitzHughNagumo) {
  ExpectSame(FitzHughNagumoGap(25), "fhn/fhn_interpolation_small.npz", "interpolation", 0);
  ExpectSame(FitzHughNagumoGap(50), "fhn/fhn_interpolation.npz", "interpolation", 0);
}

// The first values are checked without archives, so that changes are noticed on every machine.
TEST(PaperTasks, StartOneGapEarlierWithTheSameNoise) {
  const PaperTask regular = VanDerPolRegular(), irregular = VanDerPolIrregular();
  const PaperTask gap = FitzHughNagumoGap(), series = LongVanDerPol(25, 0.01);
  for (const PaperTask* task : {&regular, &irregular, &gap, &series}) {
    CheckDataset(task->data);
    const Trajectory& t = task->data.trajectories[0];
    EXPECT_DOUBLE_EQ(t.start(), -t.times[1]) << task->name;
    EXPECT_EQ(t.times[0], 0.0) << task->name;
    const double x0 = task == &gap ? -1.0 : -1.5;
    EXPECT_NEAR(t.values(0, 0), x0 + std::sqrt(task->noise_variance) * -0.21203316548106813, 1e-12);
  }
  EXPECT_EQ(gap.data.trajectories[0].times.size(), 19u);
  EXPECT_EQ(gap.test_times.size(), 6u);
}

TEST(PaperTasks, LongSeriesContinueAtTheSameSpacing) {
  const PaperTask task = LongVanDerPol(40, 0.05);
  const Trajectory& t = task.data.trajectories[0];
  ASSERT_EQ(t.times.size(), 160u);
  EXPECT_EQ(t.times.back(), 40.0);
  ASSERT_EQ(task.test_times.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_NEAR(task.test_times[i], 40 + t.times[1] * static_cast<double>(i + 1), 1e-12);
  }
}

}  // namespace
}  // namespace gpode::experiments
