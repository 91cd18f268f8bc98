// Tests of reading CSV in all dialects, and of writing it.
#include "io/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "gpode/data_files.h"
#include "io/number_text.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::uint64_t> Bits(std::span<const double> values) {
  std::vector<std::uint64_t> bits;
  // All NaNs count as equal, since each of them means a missing value.
  for (double v : values) bits.push_back(std::bit_cast<std::uint64_t>(std::isnan(v) ? kNan : v));
  return bits;
}

std::vector<std::uint64_t> Bits(const Matrix& m) {
  return Bits(std::span(m.data(), static_cast<std::size_t>(m.size())));
}

void ExpectSame(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.channels, b.channels);
  ASSERT_EQ(a.trajectories.size(), b.trajectories.size());
  for (std::size_t n = 0; n < a.trajectories.size(); ++n) {
    EXPECT_EQ(a.trajectories[n].name, b.trajectories[n].name);
    EXPECT_EQ(Bits(a.trajectories[n].times), Bits(b.trajectories[n].times));
    EXPECT_EQ(Bits(a.trajectories[n].values), Bits(b.trajectories[n].values));
  }
}

// Returns the data that each dialect must give: time 0, 1.5, 3; x 1, missing, -2.5e3; y -1, 2, 3.
Dataset Sample() {
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  Trajectory& t = data.trajectories.emplace_back();
  t.name = "f";
  t.times = {0, 1.5, 3};
  t.values.resize(3, 2);
  t.values << 1, -1, kNan, 2, -2500, 3;
  return data;
}

void ExpectSample(std::string_view text, const ReadOptions& options = {}) {
  SCOPED_TRACE(text);
  try {
    ExpectSame(ReadCsvText(text, "f.csv", options), Sample());
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
  }
}

TEST(Csv, TimesMayHaveAUnitAndKeepTheirName) {
  const auto name_of = [](std::string_view header, const ReadOptions& options = {}) {
    const std::string text = std::string(header) + "\n0,1\n1,2\n";
    const Dataset data = ReadCsvText(text, "f.csv", options);
    EXPECT_EQ(data.channels.size(), 1u);
    return data.time_name;
  };
  EXPECT_EQ(name_of("time,x"), "time");
  EXPECT_EQ(name_of("T,x"), "T");
  EXPECT_EQ(name_of("t [ms],x"), "t [ms]");
  EXPECT_EQ(name_of("Time (h),x"), "Time (h)");
  EXPECT_EQ(name_of("t[s],x"), "t[s]");
  EXPECT_EQ(name_of("t,T [K]"), "t");
  EXPECT_EQ(name_of("T [K],t (s)"), "t (s)");
  EXPECT_EQ(name_of("day,time [s]", {.time_column = "day"}), "day");
}

TEST(Csv, NamesInSeveralLinesBecomeOne) {
  const Dataset data = ReadCsvText("time,\"voltage\n [mV]\",\"\ta\r\n\nb \"\n0,1,2\n", "f.csv");
  EXPECT_EQ(data.channels, (std::vector<std::string>{"voltage [mV]", "a b"}));
}

TEST(Csv, ReadsAllDialects) {
  ExpectSample("time,x,y\n0,1,-1\n1.5,,2\n3,-2.5e3,3\n");
  ExpectSample("t,x,y\n0,1,-1\n1.5,NA,2\n3,-2.5e3,3");
  ExpectSample("T;x;y\r\n0;1;-1\r\n1.5;nan;2\r\n3;-2.5E+3;3\r\n");
  ExpectSample("TIME\tx\ty\n0\t1\t-1\n1.5\t\t2\n3\t-2500\t3\n");
  ExpectSample("\xEF\xBB\xBFtime,x,y\n0,1,-1\n1.5,NaN,2\n3,-2500,3\n");
  ExpectSample("\xEF\xBB\xBF\"time\",\"x\",\"y\"\n\"0\",\"1\",-1\n1.5,\"\",2\n3,\"-2500\",3\n");
  ExpectSample(" time , x , y \n 0 , +1 , -1.0\n +1.5, na , 2.\n3 ,-2500.000, 3\t\n");
  ExpectSample("time;x;y\n0;1;-1\n1,5;;2\n3;-2,5e3;3,0\n");
  ExpectSample("time\tx\ty\n0\t1\t-1\n1,5\t\t2\n3\t-2500\t3,000\n");
  ExpectSample("time,x,y\n0,1,-1\n\"1,5\",,2\n3,\"-2500,0\",3\n", {.decimal = ','});
  ExpectSample("x,time,y\n1,0,-1\n,1.5,2\n-2500,3,3\n");
  ExpectSample("time,x,y\n0,1,-1\n1.5,-nan,2\n3,-2500,3\n");
}

TEST(Csv, PassesOverCommentsAndBlankLines) {
  ExpectSample(
      "# from \"the lab\n\n#a,b\ntime,x,y\n  \n0,1,-1\n# half\n1.5,,2\n,,\n3,-2500,3\n\n \n\r\n");
}

TEST(Csv, TakesTheSeparatorThatGivesATimeColumn) {
  ExpectSample("time,x,y\n0,1,-1\n1.5,,2\n3,-2500,3\n", {.separator = ','});
  const Dataset data = ReadCsvText("time,a;b\n0,1\n", "f");
  EXPECT_EQ(data.channels, std::vector<std::string>{"a;b"});
}

TEST(Csv, TakesTheNamedColumns) {
  ExpectSample("t,time,x,y\n5,0,1,-1\n5,1.5,,2\n5,3,-2500,3\n",
               {.time_column = "time", .channels = {"x", "y"}});
  ExpectSample("y,note,x,time\n-1,good,1,0\n2,\"so, so\",,1.5\n3,bad,-2500,3\n",
               {.channels = {"x", "y"}});
  const Dataset other = ReadCsvText("Day,t\n1,20\n2,21\n", "f", {.time_column = "Day"});
  EXPECT_EQ(other.channels, std::vector<std::string>{"t"});
  EXPECT_EQ(other.trajectories[0].times, (std::vector<double>{1, 2}));
}

TEST(Csv, TrajectoriesMayBeInterleaved) {
  const Dataset data = ReadCsvText(
      "Trajectory,time,x\nb,0,1\n\"a \"\"1\"\"\",0,2\nb,1,3\n\"a \"\"1\"\"\",2,4\nb,2,5\n", "f");
  ASSERT_EQ(data.trajectories.size(), 2U);
  EXPECT_EQ(data.trajectories[0].name, "b");
  EXPECT_EQ(data.trajectories[0].times, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(data.trajectories[0].values(2, 0), 5);
  EXPECT_EQ(data.trajectories[1].name, "a \"1\"");
  EXPECT_EQ(data.trajectories[1].times, (std::vector<double>{0, 2}));
  const Dataset by_run =
      ReadCsvText("time,run,trajectory\n0,1,5\n0,2,6\n", "f", {.trajectory_column = "run"});
  EXPECT_EQ(by_run.channels, std::vector<std::string>{"trajectory"});
  EXPECT_EQ(by_run.trajectories[1].name, "2");
}

TEST(Csv, NamesAreUtf8) {
  const Dataset data = ReadCsvText("time,\xCE\xBB \xF0\x9F\x98\x80\n0,1\n", "f");
  EXPECT_EQ(data.channels[0], "\xCE\xBB \xF0\x9F\x98\x80");
}

TEST(Csv, NumbersAtTheEndsOfTheirRange) {
  using internal::ToNumber;
  EXPECT_EQ(ToNumber("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(ToNumber("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ToNumber("1e-400"), 0.0);
  EXPECT_EQ(ToNumber("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(ToNumber("5e-324"), 5e-324);
  EXPECT_TRUE(std::signbit(*ToNumber("-0")));
  for (const char* bad : {"", "+", "-", "--1", "+-1", "1e", "0x10", "1 2", ".", "1..2", "e5"}) {
    EXPECT_FALSE(ToNumber(bad).has_value()) << bad;
  }
}

TEST(Csv, NumbersOutOfRangeAreJudgedByAllOfTheirDigits) {
  using internal::ToNumber;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::string nines(400, '9'), zeros(400, '0');
  EXPECT_EQ(ToNumber(nines), kInfinite);
  EXPECT_EQ(ToNumber(nines + "e-10"), kInfinite);
  EXPECT_EQ(ToNumber("-" + nines + ".5e-10"), -kInfinite);
  EXPECT_EQ(ToNumber("000" + nines + "E-10"), kInfinite);
  EXPECT_EQ(ToNumber(nines + "e-800"), 0.0);
  EXPECT_EQ(ToNumber("0." + zeros + "1e10"), 0.0);
  EXPECT_EQ(ToNumber("." + zeros + "1e+10"), 0.0);
  EXPECT_EQ(ToNumber("00." + zeros + "1E10"), 0.0);
  EXPECT_EQ(ToNumber("0." + zeros + "1e800"), kInfinite);
  EXPECT_EQ(ToNumber("0." + zeros + "1e500"), 1e99);
  EXPECT_EQ(ToNumber("0." + zeros + "e500"), 0.0);
  EXPECT_EQ(ToNumber("1" + zeros + "e-400"), 1.0);
  EXPECT_EQ(ToNumber("0001e400"), kInfinite);
  EXPECT_EQ(ToNumber("1e+99999999999999999999"), kInfinite);
  EXPECT_EQ(ToNumber("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(ToNumber("0e99999999999999999999"), 0.0);
}

// Returns a random number of any magnitude, or NaN.
double AnyNumber() {
  const double value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  return std::isfinite(value) ? value : kNan;
}

RC_GTEST_PROP(CsvProperty, WhatIsWrittenReadsBackToTheSameBits, ()) {
  Dataset data;
  const auto channels = *rc::gen::inRange<std::size_t>(1, 5);
  for (std::size_t c = 0; c < channels; ++c) data.channels.push_back("c" + std::to_string(c));
  const auto trajectories = *rc::gen::inRange<std::size_t>(1, 4);
  for (std::size_t n = 0; n < trajectories; ++n) {
    Trajectory& t = data.trajectories.emplace_back();
    t.name = std::to_string(n) + *rc::gen::element<std::string>(" ,", "\"", "#", ";'", "\xCE\xBB");
    auto times = *rc::gen::nonEmpty(
        rc::gen::unique<std::vector<double>>(rc::gen::map<int>([](int i) { return i / 7.0; })));
    std::sort(times.begin(), times.end());
    t.times = times;
    t.values.resize(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(channels));
    for (double& v : t.values.reshaped()) v = AnyNumber();
  }
  std::ostringstream out;
  WriteCsv(out, ColumnsOf(data));
  if (data.observed() == 0) return;
  ExpectSame(ReadCsvText(out.str(), "f", {.allow_empty_channels = true}), data);
  RC_ASSERT(!::testing::Test::HasFailure());
}

std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Csv, WritesTheFewestDigitsAndQuotesWhatNeedsIt) {
  const TemporaryFolder folder;
  const std::vector<Column> columns = {
      {.name = "trajectory", .words = {"a", "b,c", "d\"e", "#f", ""}},
      {.name = "time", .numbers = {0, 0.1, 1e300, 1 / 3.0, -0.0}},
      {.name = "x 5%", .numbers = {kNan, 1e-5, 100000, 123456789, 2.5}}};
  WriteCsv(folder / "f.csv", columns);
  EXPECT_EQ(FileText(folder / "f.csv"),
            "trajectory,time,x 5%\na,0,\n\"b,c\",0.1,1e-05\n\"d\"\"e\",1e+300,1e+05\n"
            "\"#f\",0.3333333333333333,123456789\n\"\",-0,2.5\n");
  EXPECT_EQ(folder.size(), 1);
}

// A spreadsheet runs a cell that begins with one of = + - @, whether it is quoted or not.
TEST(Csv, WordsThatLookLikeFormulasAreGuardedAndReadBack) {
  const std::vector<std::string> names = {"=1+1", "+a", "-b", "@c", "'=d", "''@e", "'f", "-"};
  Dataset data{.channels = names,
               .trajectories = {{"=cmd|x", {0, 1}, Matrix::Ones(2, 8), {}},
                                {"-5", {0, 1}, Matrix::Ones(2, 8), {}}}};
  std::ostringstream out;
  WriteCsv(out, ColumnsOf(data));
  const std::string text = out.str();
  EXPECT_TRUE(text.starts_with(R"(trajectory,time,"'=1+1","'+a","'-b","'@c","''=d","'''@e",'f,"'-")"
                               "\n\"'=cmd|x\",0,"))
      << text;
  EXPECT_NE(text.find("\n-5,0,"), std::string::npos) << "a number is not a formula";
  const Dataset again = ReadCsvText(text, "f", {});
  EXPECT_EQ(again.channels, names);
  EXPECT_EQ(again.trajectories[0].name, "=cmd|x");
  EXPECT_EQ(again.trajectories[1].name, "-5");
}

TEST(Csv, RefusesTablesWithoutColumnsOrOfUnequalLength) {
  std::ostringstream out;
  const std::vector<Column> uneven = {{"a", {1, 2}, {}}, {"b", {1}, {}}};
  EXPECT_EQ(MessageOf([&] { WriteCsv(out, uneven); }),
            "WriteCsv: column 'b' has 1 values, must have 2");
  EXPECT_EQ(MessageOf([&] { WriteCsv(out, {}); }),
            "WriteCsv: columns is empty, must have at least one");
  out.setstate(std::ios::badbit);
  EXPECT_EQ(MessageOf([&] {
              WriteCsv(out, std::vector<Column>{{"a", {1}, {}}});
            }),
            "WriteCsv: stream cannot be written to its end");
}

// Records may begin and end anywhere in a block.
TEST(Csv, AnyBlockSizeGivesTheSame) {
  const TemporaryFolder folder;
  std::string text = "\xEF\xBB\xBF# \"odd\ntrajectory,time,x\r\n";
  for (int i = 0; i < 60; ++i) {
    text += i % 3 == 0 ? "\"a \"\"1\"\"\"," : "b\t,";
    text += std::to_string(i) + "." + std::string(static_cast<std::size_t>(i % 17), '3') + ",1e-3";
    text += i % 5 == 0 ? "\r\n\n" : "\n";
  }
  std::ofstream(folder / "f.csv", std::ios::binary) << text;
  const Dataset expected = ReadCsvText(text, "f.csv");
  for (std::size_t block = 1; block < 200; ++block) {
    internal::TextRecords records(folder / "f.csv", internal::Quoting::kDoubled, block);
    ExpectSame(internal::ParseCsv(&records, {}), expected);
  }
}

TEST(Csv, LongFilesAreReadInBlocks) {
  const TemporaryFolder folder;
  constexpr std::size_t kRows = 40000;
  {
    std::ofstream file(folder / "long.csv", std::ios::binary);
    file << "time,x\n";
    for (std::size_t i = 0; i < kRows; ++i) file << i << ".25," << i * 7 % 11 << ".5\n";
  }
  ASSERT_GT(std::filesystem::file_size(folder / "long.csv"), internal::kTextBlock);
  const Dataset data = ReadCsv(folder / "long.csv");
  ASSERT_EQ(data.trajectories[0].times.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(data.trajectories[0].times[i], static_cast<double>(i) + 0.25);
    ASSERT_EQ(data.trajectories[0].values(static_cast<Eigen::Index>(i), 0),
              static_cast<double>(i * 7 % 11) + 0.5);
  }
}

}  // namespace
}  // namespace gpode
