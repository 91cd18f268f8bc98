// Tests of the exact messages about bad CSV files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "gpode/data_files.h"
#include "io/csv_cells.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

struct Bad {
  std::string text, message;
};

void ExpectMessages(const std::vector<Bad>& cases, const ReadOptions& options = {}) {
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(MessageOf([&text = text, &options] { ReadCsvText(text, "f.csv", options); }),
              "f.csv" + message);
  }
}

TEST(CsvErrors, Headers) {
  const std::string no_time =
      "none is clearly the time; name it with --time, or the time between rows with --dt";
  ExpectMessages({
      {"", ": is empty, must have a header and rows"},
      {"\n \n# nothing\n", ": is empty, must have a header and rows"},
      {"\xEF\xBB\xBF", ": is empty, must have a header and rows"},
      {"time,x\n", ": has a header but no rows, must have at least one"},
      {"time,x\n\n#1,2\n", ": has a header but no rows, must have at least one"},
      {"a,b\n1,2\n", ":1:1: columns 'a', 'b' found, " + no_time},
      {"0,1.5\n1,2\n", ":1:1: columns 'c1', 'c2' found, " + no_time},
      {"a,b,c,d,e,f,g,h,i,j\n",
       ":1:1: columns 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more found, " + no_time},
      {"time,x,t\n0,1,2\n",
       ":1:8: columns 'time' and 't' could both be the time; choose one with --time"},
      {"time,x,Time\n0,1,2\n",
       ":1:8: columns 'time' and 'Time' could both be the time; choose one with --time"},
      {"time,x,y,x\n0,1,2,3\n", ":1:10: a second column 'x' found, names must differ"},
      {"\n\n# hm\ntime,x,\n0,1,2\n", ":4:8: column 3 has no name, must have one"},
      {"time\n0\n", ":1:1: columns 'time' found, none is a channel, must be at least one"},
      {"time,trajectory\n0,a\n",
       ":1:1: columns 'time', 'trajectory' found, none is a channel, must be at least one"},
      {"time,\xFF\xFE\n0,1\n", ":1:6: name '\\xff\\xfe' found, must be printable UTF-8"},
      {"time,\"a\033b\"\n0,1\n", ":1:6: name 'a\\x1bb' found, must be printable UTF-8"},
      {"time,\"a\nb\",a b\n0,1,2\n", ":2:4: a second column 'a b' found, names must differ"},
      {"t [s],x,time [s]\n0,1,2\n",
       ":1:9: columns 't [s]' and 'time [s]' could both be the time; choose one with --time"},
      {"t [s,x\n0,1\n", ":1:1: columns 't [s', 'x' found, " + no_time},
      {"T [K],x\n0,1\n", ":1:1: columns 'T [K]', 'x' found, " + no_time},
      {"time,\"x\" y\n0,1\n", ":1:10: 'y' found after a closing quote, must be a separator"},
      {"time,\"x\n0,1\n", ":1:6: a quote is never closed, must end with \""},
  });
  ExpectMessages(
      {{"time,x\n0,1\n", ":1:1: columns 'time', 'x' found, none is the time column 'day'"}},
      {.time_column = "day"});
  ExpectMessages(
      {{"time,x\n0,1\n", ":1:1: columns 'time', 'x' found, none is the trajectory column 'run'"}},
      {.trajectory_column = "run"});
  ExpectMessages({{"time,x\n0,1\n", ":1:1: columns 'time', 'x' found, none is the channel 'y'"}},
                 {.channels = {"x", "y"}});
}

TEST(CsvErrors, Numbers) {
  const std::string or_empty = "must be a number, or empty for missing; see --missing";
  ExpectMessages({
      {"time,x\n0,abc\n", ":2:3: 'abc' found in column 'x', " + or_empty},
      {"time,x\n0,1\n1,  12a\n", ":3:5: '12a' found in column 'x', " + or_empty},
      {"time,x\n0,\"1 2\"\n", ":2:3: '1 2' found in column 'x', " + or_empty},
      {"time,x\n0,0x1F\n", ":2:3: '0x1F' found in column 'x', " + or_empty},
      {"time,x\n0," + std::string(50, 'z') + "\n",
       ":2:3: '" + std::string(40, 'z') + "...' found in column 'x', " + or_empty},
      {"time,x\n0,\x01\n", ":2:3: '\\x01' found in column 'x', " + or_empty},
      {"time,x\n0,1\n2024-01-01,2\n",
       ":3:1: '2024-01-01' found in column 'time', must be a number"},
      {"time,x\n,2\n", ":2:1: nothing found in column 'time', must be a number"},
      {"time,x\nNA,2\n", ":2:1: 'NA' found in column 'time', must be a number"},
      {"time,x\nNaN,2\n", ":2:1: 'NaN' found in column 'time', must be a number"},
      {"time,x\n-nan,2\n", ":2:1: '-nan' found in column 'time', must be finite"},
      {"time,x\ninf,2\n", ":2:1: 'inf' found in column 'time', must be finite"},
      {"time,x\n1e999,2\n", ":2:1: '1e999' found in column 'time', must be finite"},
      {"x,time\n2,-Infinity\n", ":2:3: '-Infinity' found in column 'time', must be finite"},
      {"time,x\n0,inf\n", ":2:3: 'inf' found in column 'x', must be finite, or empty for missing"},
      {"time,x\n0,-1e400\n",
       ":2:3: '-1e400' found in column 'x', must be finite, or empty for missing"},
      {"time;x\n0.5;1\n1;2,5\n",
       ":3:3: '2,5' found in column 'x', must be a number with a decimal point; see --decimal"},
      {"time;x\n0,5;1\n1;2.5\n",
       ":3:3: '2.5' found in column 'x', must be a number with a decimal comma; see --decimal"},
      {"time;x\n0;1,234,5\n", ":2:3: '1,234,5' found in column 'x', " + or_empty},
      {"time,x\n0,\"1,5\"\n",
       ":2:3: '1,5' found in column 'x', must be a number with a decimal point; see --decimal"},
      {"time,\xCE\xBB\n0,\xC3\xBC-\n", ":2:3: '\xC3\xBC-' found in column '\xCE\xBB', " + or_empty},
  });
}

TEST(CsvErrors, Rows) {
  const std::string as_header = " as in the header; see --skip and --separator",
                    repeated =
                        ", times must increase; see --duplicates, --trajectories-by and "
                        "--long";
  ExpectMessages({
      {"time,x\n0\n", ":2:1: 1 cell found, must be 2" + as_header},
      {"time,x\n0,1\n1,2,3\n", ":3:1: 3 cells found, must be 2" + as_header},
      {"time,x,y\n0,1,2\n\n1,2\n", ":4:1: 2 cells found, must be 3" + as_header},
      {"time,x\n0,1\n0,2\n", ":3:1: time 0 is repeated from line 2" + repeated},
      {"time,x\n2,1\n1,2\n1.5,0\n",
       ":4:1: time 1.5 comes after 1 on line 3, times must fall as in the rows before; see "
       "--trajectories-by and --long"},
      {"time,x\n0,1\n#\n2,1\n1.5,2\n",
       ":5:1: time 1.5 comes after 2 on line 4, times must increase; see --trajectories-by "
       "and --long"},
      {"trajectory,time,x\na,0,1\nb,0,1\na,0,2\n",
       ":4:1: time 0 of trajectory 'a' is repeated from line 2" + repeated},
      {"trajectory,time,x\n,0,1\n", ":2:1: the trajectory is missing, must be a name"},
      {"trajectory,time,x\na\xFF,0,1\n",
       ":2:1: trajectory 'a\\xff' found, must be printable UTF-8"},
      {"time,x\n0,\"1\n2,3\n", ":2:3: a quote is never closed, must end with \""},
      {"time,x\n0,\"1\"2\n", ":2:6: '2' found after a closing quote, must be a separator"},
      {"time,x,y\n0,1,\n1,2,NA\n",
       ": channel 'y' has no value, must have at least one; choose others with --channels"},
  });
  ExpectMessages({{"time,x\n0,1\n", ": trajectory 'f' has 1 row, must have at least 2"},
                  {"time,trajectory,x\n0,a,1\n0,b,2\n1,b,3\n",
                   ": trajectory 'a' has 1 row, must have at least 2"}},
                 {.fewest_rows = 2});
  ExpectMessages({{"note,time,x\n\"a\nb\",0,1\nc,1,q\n",
                   ":4:5: 'q' found in column 'x', must be a number, or empty for missing; see "
                   "--missing"}},
                 {.channels = {"x"}});
  ExpectMessages({{"time,x\n0,\n", ": has no value in any channel, must have at least one"}},
                 {.allow_empty_channels = true});
}

TEST(CsvErrors, BinaryAndOverlongFiles) {
  using namespace std::string_literals;
  ExpectMessages({
      {"time,x\n0,\0001\n"s, ":2:3: a NUL byte found, must be text"},
      {"PK\003\004\0\0"s, ":1:5: a NUL byte found, must be text"},
      {"\xFF\xFEt\0i\0"s, ": is UTF-16, must be UTF-8"},
      {"time,x\r0,1\r1,2\r", ":1:6: name 'x\\x0d0' found, must be printable UTF-8"},
      {"time,x\n0," + std::string(internal::kLongestRecord, '1') + "\n",
       ":2:1: the line is longer than 4194304 bytes, must be shorter"},
      {"time,x\n0,\"" + std::string(internal::kLongestRecord, '\n'),
       ":2:3: a quote is never closed, must end with \""},
  });
  std::string wide = "time";
  for (std::size_t i = 0; i < internal::kMostColumns; ++i) wide += ",c" + std::to_string(i);
  const std::string message = MessageOf([&] { ReadCsvText(wide + "\n", "f.csv"); });
  EXPECT_NE(message.find(": more than 16384 columns found, must be at most 16384"),
            std::string::npos)
      << message;
}

TEST(CsvErrors, Options) {
  const auto message = [](const ReadOptions& options) {
    return MessageOf([&] { ReadCsvText("time,x\n0,1\n", "f.csv", options); });
  };
  EXPECT_EQ(message({.separator = '|'}),
            "ReadOptions: separator is '|', must be a comma, a semicolon, a tab or a space");
  EXPECT_EQ(message({.decimal = ';'}), "ReadOptions: decimal is ';', must be a point or a comma");
  EXPECT_EQ(message({.channels = {"x", "x"}}), "ReadOptions: channels has 'x' twice, must differ");
  EXPECT_EQ(message({.frame_rate = 0}),
            "ReadOptions: frame_rate is 0, must be positive and finite");
  EXPECT_EQ(message({.every = 0}), "ReadOptions: every is 0, must be at least 1");
}

TEST(CsvErrors, Files) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing.csv").string();
  EXPECT_EQ(MessageOf([&] { ReadCsv(missing); }), missing + ": no such file, must exist");
  EXPECT_EQ(MessageOf([&] { ReadCsv(folder.path()); }),
            folder.path().string() + ": is a directory, must be a file");
  const std::filesystem::path secret = folder / "secret.csv";
  std::ofstream(secret) << "time,x\n0,1\n";
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (std::ifstream(secret)) GTEST_SKIP() << "this user may read every file";
  EXPECT_EQ(MessageOf([&] { ReadCsv(secret); }),
            secret.string() + ": cannot be opened: Permission denied");
}

// The file is longer than one block of the reader. Errors in a later block have the right line
// number.
TEST(CsvErrors, LinesOfLaterBlocksAreCounted) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "long.csv";
  {
    std::ofstream file(path, std::ios::binary);
    file << "time,x\n";
    for (int i = 0; i < 50000; ++i) file << i << ",1.5\n";
    file << "50000,oops\n";
  }
  EXPECT_EQ(MessageOf([&] { ReadCsv(path); }),
            path.string() +
                ":50002:7: 'oops' found in column 'x', must be a number, or empty for missing; see "
                "--missing");
  std::ofstream(path, std::ios::binary | std::ios::app) << std::string(3, '\0');
  EXPECT_EQ(MessageOf([&] { ReadCsv(path); }),
            path.string() + ":50003:1: a NUL byte found, must be text");
}

TEST(CsvErrors, AnyChangedByteIsReadOrRefusedInOneLine) {
  const std::string good = "trajectory;t;x;\"y \"\"1\"\"\"\r\n\"a\";0,5;1;2\r\n# c\nb;1;NA;-3e2\n";
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (int changes = 1 + i % 3; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    const std::string message = MessageOf([&] { ReadCsvText(text, "f"); });
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace gpode
