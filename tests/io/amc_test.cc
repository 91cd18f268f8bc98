// Tests of the readers of skeletons and motions, and of their messages.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "gpode/data_files.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

// Shortened files in the style of the motion capture database of Carnegie Mellon University.
constexpr std::string_view kSkeleton =
    "# AST/ASF file generated using VICON BodyLanguage\n"
    ":version 1.10\n:name VICON\n:units\n  mass 1.0\n  length 0.45\n  angle deg\n"
    ":documentation\n   .ast/.asf automatically generated\n"
    ":root\n   order TX TY TZ RX RY RZ\n   axis XYZ\n   position 0 0 0\n   orientation 0 0 0\n"
    ":bonedata\n"
    "  begin\n     id 1\n     name lhipjoint\n     direction 0.6 -0.7 0.3\n     length 2.4\n"
    "     axis 0 0 0  XYZ\n  end\n"
    "  begin\n     id 2\n     name lfemur\n     length 7.16\n     axis 0 0 20  XYZ\n"
    "    dof rx ry rz\n    limits (-160.0 20.0)\n           (-70.0 70.0)\n"
    "           (-60.0 70.0)\n  end\n"
    "  begin\n     id 3\n     name ltibia\n     dof rx\n     limits (-10.0 170.0)\n  end\n"
    ":hierarchy\n  begin\n    root lhipjoint\n    lhipjoint lfemur\n  end\n";

constexpr std::string_view kMotion =
    "#!OML:ASF F:\\VICON\\USERDATA\\INSTALL\\rory3.ASF\n:FULLY-SPECIFIED\n:DEGREES\n"
    "1\nroot 9.3 17.8 -17.3 -2 -7.3 -3.5\nlfemur 2.5 -1 0.5\nltibia 20\n"
    "2\nroot 9.4 17.9 -17.2 -2 -7.3 -3.5\nlfemur 2.25 -1 0.5\nltibia 21\n"
    "4\nroot 9.5 18 -17.1 -2 -7.3 -3.5\nlfemur 2 -1 5e-1\nltibia +22\n";

Dataset Read(std::string_view motion, std::string_view skeleton = kSkeleton,
             const ReadOptions& options = {}) {
  return ReadAmcText(motion, "m.amc", skeleton, "s.asf", options);
}

TEST(Amc, ChannelsAreNamedByTheSkeleton) {
  const Dataset data = Read(kMotion);
  EXPECT_EQ(data.channels, (std::vector<std::string>{"root.tx", "root.ty", "root.tz", "root.rx",
                                                     "root.ry", "root.rz", "lfemur.rx", "lfemur.ry",
                                                     "lfemur.rz", "ltibia.rx"}));
  const Trajectory& t = data.trajectories.at(0);
  EXPECT_EQ(t.name, "m");
  EXPECT_EQ(t.times, (std::vector<double>{1 / 120.0, 2 / 120.0, 4 / 120.0}));
  EXPECT_EQ(t.values(0, 0), 9.3);
  EXPECT_EQ(t.values(1, 6), 2.25);
  EXPECT_EQ(t.values(2, 9), 22);
}

TEST(Amc, ChannelsAreNumberedWithoutASkeleton) {
  const Dataset data = Read(kMotion, "");
  EXPECT_EQ(data.channels[0], "root.1");
  EXPECT_EQ(data.channels[8], "lfemur.3");
  EXPECT_EQ(data.channels[9], "ltibia.1");
  EXPECT_EQ(data.trajectories[0].values, Read(kMotion).trajectories[0].values);
}

TEST(Amc, TakesEverySoManyFramesAtTheRateGiven) {
  const Dataset data = Read(kMotion, kSkeleton,
                            {.channels = {"ltibia.rx", "root.ty"}, .frame_rate = 60, .every = 2});
  EXPECT_EQ(data.channels, (std::vector<std::string>{"ltibia.rx", "root.ty"}));
  EXPECT_EQ(data.trajectories[0].times, (std::vector<double>{1 / 60.0, 4 / 60.0}));
  EXPECT_EQ(data.trajectories[0].values(1, 0), 22);
  EXPECT_EQ(data.trajectories[0].values(1, 1), 18);
}

TEST(Amc, SeveralFilesAreSeveralTrajectories) {
  const TemporaryFolder folder;
  std::ofstream(folder / "s.asf") << kSkeleton;
  std::ofstream(folder / "a.amc") << kMotion;
  std::ofstream(folder / "b.AMC") << kMotion;
  const std::vector<std::filesystem::path> files = {folder / "a.amc", folder / "s.asf",
                                                    folder / "b.AMC"};
  const Dataset data = ReadDataset(files);
  ASSERT_EQ(data.trajectories.size(), 2U);
  EXPECT_EQ(data.trajectories[0].name, "a");
  EXPECT_EQ(data.trajectories[1].name, "b");
  EXPECT_EQ(data.channels[6], "lfemur.rx");
}

TEST(Amc, BadFiles) {
  const TemporaryFolder folder;
  std::ofstream(folder / "s.asf") << kSkeleton;
  std::ofstream(folder / "a.amc") << kMotion;
  std::ofstream(folder / "b.amc") << "1\nroot 1 2\n";
  std::ofstream(folder / "c.csv") << "time,x\n0,1\n";
  const auto message = [&](const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names) files.push_back(folder / name);
    return MessageOf([&] { ReadDataset(files); });
  };
  const std::string at = folder.path().string() + "/";
  EXPECT_EQ(message({"s.asf"}), "ReadAmc: files have no motion, must have at least one .amc file");
  EXPECT_EQ(message({"s.asf", "a.amc", "s.asf"}),
            at + "s.asf: is a second skeleton, there must be one at most");
  EXPECT_EQ(message({"a.amc", "c.csv"}),
            at + "c.csv: is not motion capture, must be .amc or .asf as the other files are");
  EXPECT_EQ(message({"b.amc", "a.amc"}),
            at + "a.amc: channels 'root.1', 'root.2', 'root.3', 'root.4', 'root.5', 'root.6', "
                 "'lfemur.1', 'lfemur.2' and 2 more found, must be those of the first motion: "
                 "'root.1', 'root.2'");
  EXPECT_EQ(message({"none.amc"}), at + "none.amc: no such file, must exist");
}

TEST(Amc, BadMotions) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "m.amc: has no frame, must have at least one"},
      {":DEGREES\n", "m.amc: has no frame, must have at least one"},
      {":PARTLY\n", "m.amc:1:1: ':PARTLY' found, must be :FULLY-SPECIFIED, :DEGREES or :RADIANS"},
      {"ltibia 1\n", "m.amc:1:1: 'ltibia' found before the first frame, must be its number"},
      {"1\n", "m.amc: frame 1 ends after 0 bones, must have at least one"},
      {"1\n2\nltibia 1\n", "m.amc:2:1: frame 1 ends after 0 bones, must have at least one"},
      {"1.5\nltibia 1\n", "m.amc:1:1: frame '1.5' found, must be a whole number"},
      {"-1\nltibia 1\n", "m.amc:1:1: frame '-1' found, must be a whole number"},
      {"99999999999999999999\n",
       "m.amc:1:1: frame '99999999999999999999' found, must be a whole number"},
      {"1\nltibia 1\n1\nltibia 2\n", "m.amc:3:1: frame 1 comes after 1, frames must increase"},
      {"1\nltibia x\n", "m.amc:2:8: 'x' found, must be a finite number"},
      {"1\nltibia nan\n", "m.amc:2:8: 'nan' found, must be a finite number"},
      {"1\nltibia\n", "m.amc:2:1: no number found, must have at least one"},
      {"1\nlfemur 1 2\n", "m.amc:2:1: 2 numbers found for bone 'lfemur', must be 3 as in s.asf"},
      {"1\nneck 1\n", "m.amc:2:1: bone 'neck' found, must be one that moves in s.asf"},
      {"1\nlhipjoint 1\n", "m.amc:2:1: bone 'lhipjoint' found, must be one that moves in s.asf"},
      {"1\nltibia 1\nltibia 1\n",
       "m.amc:3:1: bone 'ltibia' found twice in a frame, must be there once"},
      {"1\nltibia 1\n2\nlfemur 1 2 3\n",
       "m.amc:4:1: 'lfemur' found, must be 'ltibia' as in the first frame"},
      {"1\nltibia 1\n2\nltibia 1\nltibia 1\n",
       "m.amc:5:1: 'ltibia' found, must be a frame's number as in the first frame"},
      {"1\nltibia 1\n2\nltibia 1 2\n",
       "m.amc:4:1: 2 numbers found for bone 'ltibia', must be 1 as in the first frame"},
      {"1\nltibia 1\nlfemur 1 2 3\n2\nltibia 1\n3\n",
       "m.amc:6:1: frame 2 ends after 1 bones, must have 2"},
      {"1\nltibia 1\nlfemur 1 2 3\n2\nltibia 1\n",
       "m.amc: frame 2 ends after 1 bones, must have 2"},
  };
  for (const auto& [motion, message] : cases) {
    EXPECT_EQ(MessageOf([&motion = motion] { Read(motion); }), message);
  }
}

TEST(Amc, BadSkeletons) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {":root\n", "s.asf: has no bone that moves, must have at least one"},
      {":root\norder TX QX\n",
       "s.asf:2:10: 'QX' found, must be each of tx, ty, tz, rx, ry, rz, l once at most"},
      {":bonedata\nbegin\nname a\ndof rx rx\nend\n",
       "s.asf:4:8: 'rx' found, must be each of tx, ty, tz, rx, ry, rz, l once at most"},
      {":bonedata\nbegin\nbegin\n", "s.asf:3:1: 'begin' found inside a bone, must be 'end' first"},
      {":bonedata\nend\n", "s.asf:2:1: 'end' found without 'begin'"},
      {":bonedata\nbegin\ndof rx\nend\n", "s.asf:4:1: a bone without name ends, must have one"},
      {":bonedata\nbegin\nname a b\n", "s.asf:3:1: 'name' must be followed by one word"},
      {":bonedata\nbegin\nname a\n", "s.asf: ends inside a bone, must have 'end'"},
      {":bonedata\nbegin\nname a\ndof rx\nend\nbegin\nname a\ndof rx\nend\n",
       "s.asf:9:1: bone 'a' found twice, names must differ"},
  };
  for (const auto& [skeleton, message] : cases) {
    EXPECT_EQ(MessageOf([&skeleton = skeleton] { Read(kMotion, skeleton); }), message);
  }
}

TEST(Amc, AnyChangedByteIsReadOrRefusedInOneLine) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    std::string motion(kMotion), skeleton(kSkeleton);
    std::string& text = i % 2 == 0 ? motion : skeleton;
    text[random() % text.size()] = static_cast<char>(random());
    const std::string message = MessageOf([&] { Read(motion, skeleton); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace gpode
