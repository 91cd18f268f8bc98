// Tests of reading motion capture from archives and from motions of the database.
#include "experiments/mocap.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "experiments/tasks.h"
#include "gpode/npz.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode::experiments {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

struct TestBone {
  const char* name;
  int freedoms;
  bool kept;
};

// The bones in the order of the database.
const std::vector<TestBone> kBones = {
    {"root", 6, true},      {"lowerback", 3, true}, {"upperback", 3, true}, {"thorax", 3, true},
    {"lowerneck", 3, true}, {"upperneck", 3, true}, {"head", 3, true},      {"rclavicle", 2, true},
    {"rhumerus", 3, true},  {"rradius", 1, true},   {"rwrist", 1, true},    {"rhand", 2, false},
    {"rfingers", 1, false}, {"rthumb", 2, false},   {"lclavicle", 2, true}, {"lhumerus", 3, true},
    {"lradius", 1, true},   {"lwrist", 1, true},    {"lhand", 2, false},    {"lfingers", 1, false},
    {"lthumb", 2, false},   {"rfemur", 3, true},    {"rtibia", 1, true},    {"rfoot", 2, true},
    {"rtoes", 1, false},    {"lfemur", 3, true},    {"ltibia", 1, true},    {"lfoot", 2, true},
    {"ltoes", 1, false}};

// Returns channel c, of 50, in a frame of a motion. For the root's position, the values are the
// differences between frames, so that a motion file has their running sum.
double Value(int motion, int frame, int c) {
  return std::sin(0.1 * frame * (1 + c % 7) + motion) + 0.25 * c + motion;
}

void WriteMotion(const std::filesystem::path& path, int motion, int frames) {
  std::ofstream file(path);
  file.precision(17);
  file << ":FULLY-SPECIFIED\n:DEGREES\n";
  double place[3] = {5, 17, -3};
  for (int frame = 0; frame < frames; ++frame) {
    file << frame + 1 << "\n";
    int c = 0;
    for (const TestBone& bone : kBones) {
      file << bone.name;
      for (int i = 0; i < bone.freedoms; ++i) {
        file << " " << (!bone.kept ? 1e6 : c < 3 ? place[c] : Value(motion, frame, c));
        if (bone.kept) ++c;
      }
      file << "\n";
    }
    for (int k = 0; k < 3; ++k) place[k] += Value(motion, frame, k);
  }
}

// Writes all motions of subject 09, with more frames than the tasks use.
void WriteSubject09(const std::filesystem::path& folder, int frames = 130) {
  std::filesystem::create_directories(folder);
  for (int motion : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11}) {
    WriteMotion(folder / fmt::format("09_{:02}.amc", motion), motion, frames);
  }
}

TEST(Mocap, MotionsAreSplitCutAndCentredAsThePaperDoes) {
  TemporaryFolder folder;
  WriteSubject09(folder / "subjects/09");
  const MocapSequences all = ReadMocap(folder.path(), "09");
  ASSERT_EQ(all.train.size(), 6u);
  ASSERT_EQ(all.validation.size(), 2u);
  ASSERT_EQ(all.test.size(), 2u);
  Vector mean = Vector::Zero(50);
  for (const auto* part : {&all.train, &all.validation, &all.test}) {
    for (const Matrix& values : *part) {
      ASSERT_EQ(values.rows(), 120);
      ASSERT_EQ(values.cols(), 50);
      mean += values.colwise().sum().transpose();
      EXPECT_EQ(values.row(119).head(3), values.row(118).head(3));
    }
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 1e-9);
  // The reader subtracts means, which cancel in differences between sequences. The sequences for
  // training are the motions 5, ..., 9 and 11.
  const auto difference = [&](int a, int b, int frame, int c) {
    return Value(a, frame, c) - Value(b, frame, c);
  };
  for (int c = 0; c < 50; ++c) {
    EXPECT_NEAR(all.train[5](7, c) - all.train[0](7, c), difference(11, 5, 7, c), 1e-9) << c;
    EXPECT_NEAR(all.validation[0](7, c) - all.test[1](7, c), difference(1, 4, 7, c), 1e-9) << c;
  }
}

Archive ArchiveOf(const MocapSequences& all) {
  Archive archive;
  const auto put = [&](const char* name, const std::vector<Matrix>& sequences) {
    Array& array = archive[name];
    array.shape = {sequences.size(), static_cast<std::size_t>(sequences[0].rows()), 50};
    for (const Matrix& values : sequences) {
      array.values.insert(array.values.end(), values.data(), values.data() + values.size());
    }
  };
  put("train", all.train), put("validation", all.validation), put("test", all.test);
  return archive;
}

TEST(Mocap, ArchivesAndMotionsMakeTheSameTask) {
  TemporaryFolder motions, archives;
  WriteSubject09(motions / "09");
  WriteNpz(archives / "mocap09.npz", ArchiveOf(ReadMocap(motions.path(), "09")));
  const TaskInfo info = ExpandTasks(std::vector<std::string>{"mocap-09-short"}).at(0);
  const Task a = MakeTask(info, 3, motions.path()), b = MakeTask(info, 3, archives.path());
  EXPECT_EQ(a.data.trajectories[5].values, b.data.trajectories[5].values);
  EXPECT_EQ(a.data.trajectories.size(), 6u);
  EXPECT_EQ(a.data.trajectories[0].times.size(), 50u);
  EXPECT_EQ(a.tests.size(), 2u);
  EXPECT_EQ(a.tests[1].values.rows(), 120);
  EXPECT_EQ(a.validation[0].values, b.validation[0].values);
  ASSERT_EQ(a.validation_data.trajectories.size(), 2u);
  EXPECT_EQ(a.validation_data.trajectories[1].values, a.validation[1].values);
  EXPECT_EQ(a.validation_data.channels, a.data.channels);
  EXPECT_TRUE(HasMocap(motions.path(), "09") && HasMocap(archives.path(), "09"));
  EXPECT_FALSE(HasMocap(motions.path(), "35"));
  EXPECT_EQ(a.data.trajectories[0].values(9, 24), 1e-6);  // a channel of the clavicle
  EXPECT_EQ(a.fit_seed, 3u);
}

TEST(Mocap, WhatIsWrongIsOneLine) {
  TemporaryFolder folder;
  EXPECT_NE(MessageOf([&] {
              ReadMocap(folder.path(), "35");
            }).find("holds neither mocap35.npz nor 35/35_01.amc, must hold mocap09.npz"),
            std::string::npos);
  WriteSubject09(folder / "09", 119);
  EXPECT_EQ(MessageOf([&] { ReadMocap(folder.path(), "09"); }),
            (folder / "09/09_05.amc").string() + ": has 119 frames, must have at least 120");
  WriteSubject09(folder / "09", 120);
  std::filesystem::remove(folder / "09/09_11.amc");
  EXPECT_EQ(MessageOf([&] { ReadMocap(folder.path(), "09"); }),
            (folder / "09/09_11.amc").string() + ": no such file, must exist");
  std::ofstream(folder / "09/09_05.amc") << "1\nroot 1 2 3 4 5 6\nrhand 1 2\n";
  EXPECT_EQ(MessageOf([&] { ReadMocap(folder.path(), "09"); }),
            (folder / "09/09_05.amc").string() +
                ": has 6 channels besides hands, fingers, thumbs and toes, must have 50");
  WriteNpz(folder / "mocap09.npz", {{"train", {{2}, {1, 2}}}});
  EXPECT_EQ(MessageOf([&] { ReadMocap(folder.path(), "09"); }),
            (folder / "mocap09.npz").string() +
                ": array 'train' is of shape (2), must be (sequences, 120, 50)");
}

// The properties that are checked suggest that the paper's archives have the same channels as
// sequences read from motions.
TEST(Mocap, ThePapersArchivesBearTheSameSigns) {
  const char* const given = std::getenv("GPODE_DATA_DIR");
  const std::filesystem::path folder =
      std::filesystem::path(given != nullptr ? given : GPODE_DATA_DEFAULT) / "mocap";
  if (!std::filesystem::exists(folder / "mocap39.npz")) GTEST_SKIP() << "no archives";
  for (const char* subject : {"09", "35", "39"}) {
    const MocapSequences all = ReadMocap(folder, subject);
    Vector mean = Vector::Zero(50);
    for (const auto* part : {&all.train, &all.validation, &all.test}) {
      for (const Matrix& values : *part) {
        mean += values.colwise().mean().transpose();
        const Eigen::Index last = values.rows() - 1;
        EXPECT_EQ(values.row(last).head(3), values.row(last - 1).head(3));
        EXPECT_LT(values(Eigen::all, {24, 25, 31, 32}).cwiseAbs().maxCoeff(), 1e-10);
      }
    }
    EXPECT_LT(mean.cwiseAbs().maxCoeff(), 1e-10);
  }
}

}  // namespace
}  // namespace gpode::experiments
