// Tests of samples of windows of rows, by which files larger than memory are read.
#include "io/window_sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "gpode/data_files.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using internal::RowWindow;
using internal::WindowSample;
using testing_support::MessageOf;

// Returns rows of a trajectory whose value is the number of the row.
std::string Rows(std::size_t count, const std::string& prefix = "") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}{},{}\n", prefix, 0.5 * i, i + 1);
  return text;
}

Dataset Sampled(const std::string& text, std::size_t rows, std::vector<std::string>* notes) {
  return ReadCsvText(text, "big.csv", {.sample_rows = rows}, notes);
}

void ExpectSameRows(const Trajectory& one, const Trajectory& other) {
  EXPECT_EQ(one.times, other.times);
  EXPECT_EQ(one.values, other.values);
}

TEST(WindowSample, EveryWindowHasTheSameChance) {
  constexpr std::size_t kWindows = 20000;
  WindowSample sample(WindowSample::kWindow * kWindows / 10);
  for (std::size_t i = 0; i < kWindows; ++i) {
    sample.Offer({.number = 2 * i, .times = {static_cast<double>(i)}, .values = Matrix(1, 1)});
  }
  const std::vector<RowWindow> kept = std::move(sample).Take();
  ASSERT_EQ(kept.size(), kWindows / 10);
  double sum = 0, low = 0;
  for (const RowWindow& window : kept) {
    sum += window.times[0] / kWindows;
    low += window.times[0] < kWindows / 5.0 ? 1 : 0;
  }
  // Five standard errors.
  EXPECT_NEAR(sum / std::ssize(kept), 0.5, 5 * std::sqrt(1.0 / 12 / (kWindows / 10)));
  EXPECT_NEAR(low / std::ssize(kept), 0.2, 5 * std::sqrt(0.16 / (kWindows / 10)));
}

TEST(SampleRows, ASampleOfAllRowsIsTheWholeFile) {
  const std::string text =
      "trajectory,time,x\n" + Rows(523, "a,") + Rows(40, "b,") + Rows(201, "c,");
  std::vector<std::string> notes;
  const Dataset all = ReadCsvText(text, "big.csv"), same = Sampled(text, 1000, &notes);
  ASSERT_EQ(same.trajectories.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(same.trajectories[n].name, all.trajectories[n].name);
    ExpectSameRows(same.trajectories[n], all.trajectories[n]);
  }
  EXPECT_TRUE(notes.empty());
}

TEST(SampleRows, WindowsAreRowsOfTheFileAndNamedAfterThem) {
  const std::string text = "time,x\n" + Rows(10050);
  std::vector<std::string> notes;
  const Dataset sampled = Sampled(text, 500, &notes);
  std::size_t rows = 0;
  for (const Trajectory& t : sampled.trajectories) {
    rows += t.times.size();
    const auto first = static_cast<std::size_t>(t.values(0, 0));
    EXPECT_EQ(t.name, fmt::format("big rows {} to {}", first, first + t.times.size() - 1));
    for (std::size_t i = 0; i < t.times.size(); ++i) {
      EXPECT_EQ(t.times[i], 0.5 * static_cast<double>(first + i - 1));
      EXPECT_EQ(t.values(static_cast<Eigen::Index>(i), 0), static_cast<double>(first + i));
    }
  }
  EXPECT_EQ(rows, 500u);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], fmt::format("kept a random sample: 500 of 10050 rows, in {} windows",
                                  sampled.trajectories.size()));
  const Dataset again = Sampled(text, 500, &notes);
  for (std::size_t n = 0; n < sampled.trajectories.size(); ++n) {
    ExpectSameRows(sampled.trajectories[n], again.trajectories[n]);
  }
}

TEST(SampleRows, InterleavedFallingAndRepeatedRowsAreReadAsInTheWholeFile) {
  std::string interleaved = "trajectory,time,x\n", falling = "time,x\n", repeated = "time,x\n";
  for (int i = 0; i < 350; ++i) {
    for (const char* name : {"a", "b", "c"})
      interleaved += fmt::format("{},{},{}\n", name, i, 2 * i);
    falling += fmt::format("{},{}\n", 350 - i, i);
    for (int k = 0; k < 3; ++k) repeated += fmt::format("{},{}\n", i, i + k * k);
  }
  for (const std::string& text : {interleaved, falling, repeated}) {
    const ReadOptions whole{.duplicates = DuplicateTimes::kAverage};
    ReadOptions sample = whole;
    sample.sample_rows = 5000;
    const Dataset all = ReadCsvText(text, "big.csv", whole);
    const Dataset same = ReadCsvText(text, "big.csv", sample);
    ASSERT_EQ(same.trajectories.size(), all.trajectories.size());
    for (std::size_t n = 0; n < all.trajectories.size(); ++n) {
      ExpectSameRows(same.trajectories[n], all.trajectories[n]);
    }
  }
  // Times that go back in the middle of the file are an error also after a window was cut off.
  const std::string back = "time,x\n" + Rows(150) + "3,1\n";
  EXPECT_NE(MessageOf([&] { Sampled(back, 5000, nullptr); }).find("times must increase"),
            std::string::npos);
}

// More rows than are kept in memory until their windows are full.
TEST(SampleRows, ManyTrajectoriesAreCutIntoShorterWindows) {
  constexpr int kTrajectories = 10500, kRows = 101;
  for (bool interleaved : {false, true}) {
    SCOPED_TRACE(interleaved);
    std::string text = "trajectory,time,x\n";
    for (int i = 0; i < kTrajectories * kRows; ++i) {
      const int row = interleaved ? i / kTrajectories : i % kRows;
      const int trajectory = interleaved ? i % kTrajectories : i / kRows;
      text += fmt::format("{},{},{}\n", trajectory, row, row + trajectory);
    }
    const Dataset all = Sampled(text, 2 * kTrajectories * kRows, nullptr);
    ASSERT_EQ(all.trajectories.size(), static_cast<std::size_t>(kTrajectories));
    for (int n = 0; n < kTrajectories; ++n) {
      const Trajectory& t = all.trajectories[static_cast<std::size_t>(n)];
      ASSERT_EQ(t.times.size(), static_cast<std::size_t>(kRows));
      ASSERT_EQ(t.values(50, 0), 50.0 + n);
    }
    std::vector<std::string> notes;
    const Dataset some = Sampled(text, 5000, &notes);
    std::size_t rows = 0;
    for (const Trajectory& t : some.trajectories) rows += t.times.size();
    EXPECT_GT(rows, 1500u);  // interleaved trajectories have many short windows
    EXPECT_LT(rows, 6000u);
  }
}

TEST(SampleRows, OtherWaysToChooseRowsAndOtherFormatsAreRefused) {
  const auto message = [](const ReadOptions& options, const std::string& text) {
    return MessageOf([&] { ReadCsvText(text, "big.csv", options); });
  };
  EXPECT_EQ(message({.every = 2, .sample_rows = 10}, "time,x\n1,2\n"),
            "ReadOptions: sample_rows cannot be combined with after, until, every or only");
  EXPECT_EQ(message({.long_name = "name", .long_value = "value", .sample_rows = 10},
                    "time,name,value\n1,x,2\n"),
            "big.csv: is in long format, must have one row per time for a sample of rows");
}

}  // namespace
}  // namespace gpode
