// Tests of data sets in NumPy's files, and of several files as one data set.
#include "gpode/data_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "gpode/npz.h"
#include "gpode/simulate.h"
#include "io/lines.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Array Text(const std::vector<std::string>& lines) {
  const std::string text = internal::JoinLines(lines);
  Array array{{text.size()}, {}};
  for (char c : text) array.values.push_back(static_cast<unsigned char>(c));
  return array;
}

Dataset Read(const Archive& archive, const ReadOptions& options = {}) {
  return ReadNumpyDataset(NpzBytes(archive), "d.npz", options);
}

TEST(NumpyDataset, OneTrajectory) {
  const Dataset data = Read({{"times", {{3}, {0, 1, 3}}},
                             {"values", {{3, 2}, {1, 2, kNan, 4, 5, 6}}},
                             {"channels", Text({"x", "\xCE\xBB"})},
                             {"noise", {{}, {0.1}}}});
  EXPECT_EQ(data.channels, (std::vector<std::string>{"x", "\xCE\xBB"}));
  ASSERT_EQ(data.trajectories.size(), 1U);
  EXPECT_EQ(data.trajectories[0].name, "d");
  EXPECT_EQ(data.trajectories[0].times, (std::vector<double>{0, 1, 3}));
  EXPECT_TRUE(std::isnan(data.trajectories[0].values(1, 0)));
  EXPECT_EQ(data.trajectories[0].values(2, 1), 6);
}

TEST(NumpyDataset, SeveralTrajectoriesWithSharedOrOwnTimes) {
  const Archive shared = {{"times", {{2}, {0, 1}}}, {"values", {{3, 2, 1}, {1, 2, 3, 4, 5, 6}}}};
  const Dataset data = Read(shared);
  ASSERT_EQ(data.trajectories.size(), 3U);
  EXPECT_EQ(data.channels, std::vector<std::string>{"x1"});
  EXPECT_EQ(data.trajectories[2].name, "3");
  EXPECT_EQ(data.trajectories[2].values(1, 0), 6);

  const Dataset ragged = Read(
      {{"times", {{2, 3}, {0, 1, 2, 5, 6, kNan}}}, {"values", {{2, 3, 1}, {1, 2, 3, 4, 5, kNan}}}});
  EXPECT_EQ(ragged.trajectories[0].times.size(), 3U);
  EXPECT_EQ(ragged.trajectories[1].times, (std::vector<double>{5, 6}));
  EXPECT_EQ(ragged.trajectories[1].values.rows(), 2);
}

TEST(NumpyDataset, ThePapersArchives) {
  const Archive archive = {{"train_ts", {{2}, {0, 1}}},
                           {"train_ys", {{1, 2, 2}, {1, 2, 3, 4}}},
                           {"test_ts", {{1}, {7}}},
                           {"test_ys", {{1, 1, 2}, {5, 6}}}};
  EXPECT_EQ(Read(archive).trajectories[0].values(1, 0), 3);
  EXPECT_EQ(Read(archive, {.part = "test"}).trajectories[0].times, std::vector<double>{7});
  const Archive mocap = {{"train", {{2, 2, 1}, {1, 2, 3, 4}}}, {"test", {{1, 1, 1}, {9}}}};
  EXPECT_EQ(Read(mocap).trajectories[1].times, (std::vector<double>{0, 0.01}));
  EXPECT_EQ(Read(mocap, {.part = "test"}).trajectories[0].values(0, 0), 9);
}

TEST(NumpyDataset, ATable) {
  const Array table{{2, 3}, {0, 1, 2, 0.5, 3, 4}};
  const Dataset data = ReadNumpyDataset(NpyBytes(table), "d.npy", {.channels = {"x2"}});
  EXPECT_EQ(data.channels, std::vector<std::string>{"x2"});
  EXPECT_EQ(data.trajectories[0].times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(data.trajectories[0].values(1, 0), 4);
  EXPECT_EQ(MessageOf([] {
              ReadNumpyDataset(NpyBytes({{3}, {1, 2, 3}}), "d.npy");
            }),
            "d.npy: shape (3) found, must be (times, 1 + channels), with the times in the first "
            "column");
}

TEST(NumpyDataset, BadArchives) {
  const Array times{{2}, {0, 1}}, values{{2, 2}, {1, 2, 3, 4}};
  const std::vector<std::pair<Archive, std::string>> cases = {
      {{},
       "d.npz: arrays none found, must be 'times' and 'values', or 'train_ts' and 'train_ys', or "
       "'train'; see --part"},
      {{{"a", times}, {"times", times}},
       "d.npz: arrays 'a', 'times' found, must be 'times' and 'values', or 'train_ts' and "
       "'train_ys', or 'train'; see --part"},
      {{{"model/channels", times}}, "d.npz: is a model file, must be data"},
      {{{"times", times}, {"values", {{3, 2}, {1, 2, 3, 4, 5, 6}}}},
       "d.npz: entry 'times': shape (2) found, must be (3) or (1, 3) as 'values' is (3, 2)"},
      {{{"times", times}, {"values", {{}, {1}}}},
       "d.npz: entry 'values': shape () found, must be (times, channels) or (trajectories, times, "
       "channels)"},
      {{{"times", times}, {"values", {{2, 0}, {}}}},
       "d.npz: entry 'values': shape (2, 0) found, is empty"},
      {{{"times", {{2}, {1, 1}}}, {"values", values}},
       "d.npz: 'd': times[1] is 1, must be later than the one before, 1"},
      {{{"times", {{2}, {kNan, 1}}}, {"values", values}},
       "d.npz: 'd': times[0] is nan, must be finite"},
      {{{"times", {{2}, {kNan, kNan}}}, {"values", values}},
       "d.npz: trajectory 'd' has 0 rows, must have at least 1"},
      {{{"times", times}, {"values", {{2, 2}, {1, kNan, 3, kNan}}}},
       "d.npz: channel 'x2' has no value, must have at least one; choose others with --channels"},
      {{{"times", times}, {"values", {{2, 2}, {1, 2, 3, INFINITY}}}},
       "d.npz: 'd': values[1, 1] is infinite, must be finite or missing (NaN)"},
      {{{"times", times}, {"values", values}, {"channels", Text({"x"})}},
       "d.npz: entry 'channels': 1 names found, must be 2"},
      {{{"times", times}, {"values", values}, {"channels", Text({"x", "x"})}},
       "d.npz: entry 'channels': 'x' found twice, names must differ"},
      {{{"times", times}, {"values", values}, {"channels", Text({"x", "\xFF"})}},
       "d.npz: entry 'channels': name '\\xff' found, must be printable UTF-8"},
  };
  for (const auto& [archive, message] : cases) {
    EXPECT_EQ(MessageOf([&archive = archive] { Read(archive); }), message);
  }
  EXPECT_EQ(MessageOf([&] {
              Read({{"times", times}, {"values", values}}, {.channels = {"z"}});
            }),
            "d.npz: channels 'x1', 'x2' found, one must be 'z'");
}

// A folder with files that tests write by name.
class ReadDatasetTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  Dataset Read(const std::vector<std::string>& names, const ReadOptions& options = {}) {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names) files.push_back(folder_ / name);
    return ReadDataset(files, options);
  }
  std::string Message(const std::vector<std::string>& names) {
    return MessageOf([&] { Read(names); });
  }

  TemporaryFolder folder_;
};

TEST_F(ReadDatasetTest, FilesAreTrajectories) {
  Write("a.csv", "time,x,y\n0,1,2\n1,,4\n");
  Write("b.tsv", "y\tt\tx\n20\t0\t10\n");
  Write("c.csv", "trajectory,time,x,y\np,0,5,6\nq,0,7,8\n");
  WriteNpz(folder_ / "d.dat",
           {{"times", {{1}, {0}}}, {"values", {{1, 2}, {9, 10}}}, {"channels", Text({"x", "y"})}});
  const Dataset data = Read({"a.csv", "b.tsv", "c.csv", "d.dat"});
  EXPECT_EQ(data.channels, (std::vector<std::string>{"x", "y"}));
  std::vector<std::string> names;
  for (const Trajectory& t : data.trajectories) names.push_back(t.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c/p", "c/q", "d"}));
  EXPECT_EQ(data.trajectories[1].values(0, 0), 10);
  EXPECT_EQ(data.trajectories[1].values(0, 1), 20);
  EXPECT_EQ(data.trajectories[4].values(0, 1), 10);
  EXPECT_EQ(Read({"c.csv"}).trajectories[1].name, "q");
}

TEST_F(ReadDatasetTest, AChannelMayBeMissingFromOneFile) {
  Write("a.csv", "time,x,y\n0,1,\n");
  Write("b.csv", "time,x,y\n0,1,2\n");
  Write("c.csv", "time,x,y\n0,1,\n");
  EXPECT_EQ(Read({"a.csv", "b.csv"}).observed(), 3U);
  const std::string a = (folder_ / "a.csv").string();
  const std::string message =
      ": channel 'y' has no value, must have at least one; choose others with --channels";
  EXPECT_EQ(Message({"a.csv"}), a + message);
  EXPECT_EQ(Message({"a.csv", "c.csv"}), a + " and 1 more" + message);
}

TEST_F(ReadDatasetTest, BadFiles) {
  Write("a.csv", "time,x,y\n0,1,2\n");
  Write("b.csv", "time,x,z\n0,1,2\n");
  Write("c.csv", "PK is no archive\n");
  Write("d.csv", "");
  const std::string at = folder_.path().string() + "/";
  EXPECT_EQ(Message({}), "ReadDataset: files is empty, must name at least one");
  EXPECT_EQ(Message({"a.csv", "b.csv"}),
            at + "b.csv: channels 'x', 'z' found, must be those of " + at + "a.csv: 'x', 'y'");
  EXPECT_EQ(Message({"c.csv"}), at +
                                    "c.csv:1:1: columns 'PK', 'is', 'no', 'archive' found, none is "
                                    "clearly the time; name it with --time, or the time between "
                                    "rows with --dt");
  EXPECT_EQ(Message({"d.csv"}), at + "d.csv: is empty, must have a header and rows");
  EXPECT_EQ(Message({"none.csv"}), at + "none.csv: no such file, must exist");
  EXPECT_EQ(Message({"."}), at + ".: is a directory, must be a file");
}

TEST_F(ReadDatasetTest, SimulatedDataSurvive) {
  SimulationOptions options;
  options.system = "vdp";
  options.trajectories = 3;
  options.missing = 0.2;
  Dataset data = Simulate(options).data;
  WriteCsv(folder_ / "vdp.csv", ColumnsOf(data));
  const Dataset read = Read({"vdp.csv"});
  ASSERT_EQ(read.trajectories.size(), 3U);
  EXPECT_EQ(read.channels, data.channels);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(read.trajectories[n].name, std::to_string(n + 1));
    EXPECT_EQ(read.trajectories[n].times, data.trajectories[n].times);
  }
  EXPECT_EQ(read.observed(), data.observed());
}

TEST(PaperData, IsRead) {
  const char* const given = std::getenv("GPODE_DATA_DIR");
  const std::filesystem::path folder = given != nullptr ? given : GPODE_DATA_DEFAULT;
  if (!std::filesystem::exists(folder / "mocap" / "mocap09.npz")) {
    GTEST_SKIP() << "the paper's data are not at " << folder;
  }
  const Dataset vdp = ReadNumpyDataset(folder / "vdp" / "vdp_uniform.npz");
  EXPECT_EQ(vdp.trajectories.at(0).values.rows(), 50);
  EXPECT_EQ(vdp.channels.size(), 2U);
  const Dataset gap =
      ReadNumpyDataset(folder / "fhn" / "fhn_interpolation_small.npz", {.part = "interpolation"});
  EXPECT_EQ(gap.trajectories.at(0).times.size(), 6U);
  const Dataset mocap = ReadNumpyDataset(folder / "mocap" / "mocap09.npz", {.part = "validation"});
  EXPECT_EQ(mocap.trajectories.size(), 2U);
  EXPECT_EQ(mocap.channels.size(), 50U);
}

TEST(WriteDataset, IsReadBack) {
  const TemporaryFolder folder;
  Dataset data{.channels = {"x", "y, or so"}, .trajectories = {}};
  data.trajectories.push_back({"a", {0, 1, 2.5}, Matrix::Random(3, 2), {}});
  data.trajectories.push_back({"b", {0.5, 1}, Matrix::Random(2, 2), {}});
  data.trajectories[0].values(1, 1) = kNan;
  for (const char* name : {"d.csv", "d.npz"}) {
    const std::vector<std::filesystem::path> files = {folder.path() / name};
    WriteDataset(files[0], data);
    const Dataset read = ReadDataset(files);
    EXPECT_EQ(read.channels, data.channels);
    ASSERT_EQ(read.trajectories.size(), 2u);
    for (std::size_t n = 0; n < 2; ++n) {
      EXPECT_EQ(read.trajectories[n].times, data.trajectories[n].times);
      const Matrix &a = read.trajectories[n].values, &b = data.trajectories[n].values;
      ASSERT_EQ(a.rows(), b.rows());
      EXPECT_TRUE((a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all());
    }
  }
}

}  // namespace
}  // namespace gpode
