// Tests of CSV as ordinary programs write it: the time column, index and text columns, missing
// values, separators, orders of rows, dates, long format, and what the reader says about it.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/data_files.h"
#include "io/reading.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using Names = std::vector<std::string>;
using Times = std::vector<double>;

struct Read {
  Dataset data;
  Names notes;

  const Trajectory& only() const { return data.trajectories.at(0); }
  Times column(Eigen::Index channel) const {
    const auto values = only().values.col(channel);
    return {values.begin(), values.end()};
  }
};

Read ReadText(std::string_view text, const ReadOptions& options = {}) {
  Read read;
  try {
    read.data = ReadCsvText(text, "f.csv", options, &read.notes);
  } catch (const InputError& error) {
    ADD_FAILURE() << error.what();
    read.data.trajectories.resize(1);
  }
  return read;
}

std::string MessageAbout(std::string_view text, const ReadOptions& options = {}) {
  return MessageOf([&] { ReadCsvText(text, "f.csv", options); });
}

TEST(CsvTime, IsFoundByItsName) {
  const auto time_of = [](const std::string& header, const std::string& rows) {
    return ReadText(header + "\n" + rows).data.time_name;
  };
  const std::string rows = "1,5,2\n2,3,9\n3,4,1\n";
  EXPECT_EQ(time_of("Year,Lynx,Hare", rows), "Year");
  EXPECT_EQ(time_of("timestamp_s,x,y", rows), "timestamp_s");
  EXPECT_EQ(time_of("Hours,x,y", rows), "Hours");
  EXPECT_EQ(time_of("day,x,y", rows), "day");
  EXPECT_EQ(time_of("t,T,day", rows), "t");
  EXPECT_EQ(time_of("Year,T,y", rows), "Year");
  EXPECT_EQ(MessageAbout("day,hours,y\n1,5,2\n1,3,9\n1,4,1\n"),
            "f.csv:1:5: columns 'day' and 'hours' could both be the time; choose one with --time");
}

TEST(CsvTime, IsFoundAsTheOnlySortedColumn) {
  const Read read = ReadText("a,b,c\n5,0.5,2\n3,1,9\n4,1.5,1\n");
  EXPECT_EQ(read.data.time_name, "b");
  EXPECT_EQ(read.data.channels, (Names{"a", "c"}));
  EXPECT_NE(MessageAbout("a,b\n1,1\n2,2\n3,3\n").find("none is clearly the time"),
            std::string::npos);
}

TEST(CsvTime, MayBeTheNumberOfTheRow) {
  const Read read = ReadText("x,y\n5,0.5\n3,1\n4,0\n", {.dt = 0.1});
  EXPECT_EQ(read.only().times, (Times{0, 0.1, 0.2}));
  EXPECT_EQ(read.data.channels, (Names{"x", "y"}));
  const Read tanks = ReadText("\"u\",\"y\",\"Ts\",\n1,2,4,\n3,1,,\n2,1,,\n");
  EXPECT_EQ(tanks.only().times, (Times{0, 4, 8}));
  EXPECT_EQ(tanks.data.channels, (Names{"u", "y"}));
  EXPECT_EQ(tanks.notes, Names{"no time column: rows are 4 apart, as column 'Ts' says"});
  EXPECT_EQ(MessageAbout("time,x\n0,1\n", {.dt = 1}),
            "f.csv:1:1: columns 'time', 'x' found, 'time' holds the times; --dt is for files "
            "without times");
}

TEST(CsvColumns, IndexAndTextAreLeftOutWithANote) {
  const Read pandas = ReadText(",time,x\n0,0,1\n1,0.5,2\n2,1,3\n");
  EXPECT_EQ(pandas.data.channels, Names{"x"});
  EXPECT_EQ(pandas.notes, Names{"left out the first column, which has no name"});
  const Read r = ReadText("\"time\" \"x\"\n\"1\" 0 1\n\"2\" 0.5 2\n");
  EXPECT_EQ(r.data.channels, Names{"x"});
  EXPECT_EQ(r.only().times, (Times{0, 0.5}));
  const Read text = ReadText("time,site,x,who\n0,north,1,a\n1,north,2,b\n");
  EXPECT_EQ(text.data.channels, Names{"x"});
  EXPECT_EQ(text.notes, Names{"left out columns of text: 'site', 'who'"});
}

TEST(CsvColumns, SeveralColumnsNameTrajectories) {
  const Read read = ReadText("time,site,run,x\n0,a,1,1\n1,a,1,2\n0,a,2,3\n0,b,1,4\n",
                             {.trajectory_column = "site,run"});
  ASSERT_EQ(read.data.trajectories.size(), 3U);
  EXPECT_EQ(read.data.trajectories[0].name, "a/1");
  EXPECT_EQ(read.data.trajectories[2].name, "b/1");
}

TEST(CsvColumns, AColumnHasOneRole) {
  EXPECT_EQ(MessageAbout("time,x\n0,1\n", {.time_column = "time", .trajectory_column = "time"}),
            "f.csv:1:1: columns 'time', 'x' found, 'time' cannot have two roles of time, "
            "trajectory, name and value");
  EXPECT_EQ(ReadText("time,\"a;\"\n0,1\n").data.channels, Names{"a;"});
}

TEST(CsvColumns, ChannelsMayBePatterns) {
  const std::string text = "time,y1,u,y2,note\n0,1,2,3,a\n1,2,3,4,b\n";
  EXPECT_EQ(ReadText(text, {.channels = {"y*"}}).data.channels, (Names{"y1", "y2"}));
  EXPECT_EQ(ReadText(text, {.channels = {"u", "*"}}).data.channels, (Names{"u", "y1", "y2"}));
  EXPECT_EQ(MessageAbout(text, {.channels = {"z?"}}),
            "f.csv:1:1: columns 'time', 'y1', 'u', 'y2', 'note' found, none is the channel 'z?'");
  EXPECT_TRUE(internal::MatchesPattern("a*b?d", "axxbcd"));
  EXPECT_FALSE(internal::MatchesPattern("a*b?d", "axxbd"));
  EXPECT_TRUE(internal::MatchesPattern("*", ""));
}

TEST(CsvColumns, TrailingSeparatorsAreIgnored) {
  const Read read = ReadText("time;x,,,\n0;1;;\n1;2;;,\n2;3\n");
  EXPECT_EQ(read.data.channels, Names{"x"});
  EXPECT_EQ(read.column(0), (Times{1, 2, 3}));
}

TEST(CsvCells, MissingValuesHaveManyMarkers) {
  const Read read =
      ReadText("time,x\n0,NA\n1,?\n2,-\n3,.\n4,null\n5,N/A\n6,-200\n7,-200.0\n8,off\n9,1\n",
               {.missing = {"-200", "off"}});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(std::isnan(read.column(0)[i])) << i;
  EXPECT_EQ(read.column(0)[9], 1);
}

TEST(CsvLines, PreambleHeaderAndSeparators) {
  EXPECT_EQ(ReadText("Station \"5\nsaved, 2004\ntime,x\n0,1\n", {.skip = 2}).column(0), Times{1});
  const Read none = ReadText("0 1.5 7\n1 2.5 6\n2 3 9\n", {.time_column = "c1", .header = false});
  EXPECT_EQ(none.data.channels, (Names{"c2", "c3"}));
  EXPECT_EQ(none.notes, Names{});
  const Read numbers = ReadText("0,5;1,5\n1;2,5\n2;1\n");
  EXPECT_EQ(numbers.data.channels, Names{"c2"});
  EXPECT_EQ(numbers.only().times, (Times{0.5, 1, 2}));
  EXPECT_EQ(numbers.notes, Names{"no header: columns are named c1 to c2"});
  const Read numpy = ReadText("# time x\n0.0 1.0\n1.0 2.0\n");
  EXPECT_EQ(numpy.data.channels, Names{"x"});
  EXPECT_EQ(numpy.notes, Names{});
  const Read spaces = ReadText("  t   x\ty\n 0   1   2  \n1\t3 4\n");
  EXPECT_EQ(spaces.data.channels, (Names{"x", "y"}));
  EXPECT_EQ(spaces.column(1), (Times{2, 4}));
  EXPECT_EQ(MessageAbout("t x\n0 1 2 3\n"),
            "f.csv:2:1: 4 cells found, must be 2 as in the header; see --skip and --separator");
}

TEST(CsvRows, NewestFirstIsSorted) {
  const Read read = ReadText("time,x\n3,1\n2,2\n1,3\n");
  EXPECT_EQ(read.only().times, (Times{1, 2, 3}));
  EXPECT_EQ(read.column(0), (Times{3, 2, 1}));
  EXPECT_EQ(read.notes, Names{"sorted the rows, which begin with the newest"});
}

TEST(CsvRows, RepeatedTimesAreJoinedAsAsked) {
  const std::string text = "time,x,y\n0,1,5\n1,2,\n1,4,7\n1,6,8\n2,3,1\n2,5,1\n";
  const auto with = [&](DuplicateTimes how) { return ReadText(text, {.duplicates = how}); };
  EXPECT_EQ(with(DuplicateTimes::kAverage).column(0), (Times{1, 4, 4}));
  EXPECT_EQ(with(DuplicateTimes::kAverage).column(1), (Times{5, 7.5, 1}));
  EXPECT_EQ(with(DuplicateTimes::kFirst).column(0), (Times{1, 2, 3}));
  EXPECT_EQ(with(DuplicateTimes::kLast).column(0), (Times{1, 6, 5}));
  EXPECT_EQ(with(DuplicateTimes::kAverage).notes, Names{"3 rows with a repeated time averaged"});
}

TEST(CsvRows, AreSliced) {
  const std::string text =
      "trajectory,time,x\na1,0,1\na1,1,2\na1,2,3\na1,3,4\na1,4,5\nb1,0,6\nb1,1,7\n";
  const Read rows = ReadText(text, {.after = "0", .until = "3", .every = 2});
  EXPECT_EQ(rows.data.trajectories[0].times, (Times{1, 3}));
  EXPECT_EQ(rows.data.trajectories[1].times, Times{1});
  EXPECT_EQ(ReadText(text, {.only = {"b*"}}).only().name, "b1");
  EXPECT_EQ(ReadText(text, {.after = "1"}).notes,
            Names{"left out a trajectory without rows between --after and --until"});
  EXPECT_EQ(MessageAbout(text, {.only = {"c"}}),
            "f.csv: trajectories 'a1', 'b1' found, one must be 'c'");
  EXPECT_EQ(MessageAbout(text, {.after = "9"}),
            "f.csv: holds no row between --after and --until, must hold some");
  EXPECT_EQ(MessageAbout(text, {.after = "2004-01-01"}),
            "--after is '2004-01-01', must be a time as a number");
}

TEST(CsvDates, BecomeNumbersInASensibleUnit) {
  const Read hourly = ReadText(
      "Date;Time;T\n10/03/2004;18.00.00;13,6\n10/03/2004;19.00.00;13,3\n13/03/2004;00.00.00;1\n");
  EXPECT_EQ(hourly.only().times, (Times{0, 1, 54}));
  EXPECT_EQ(hourly.data.channels, Names{"T"});
  EXPECT_EQ(hourly.data.time_name, "Date Time");
  EXPECT_EQ(UnitName(hourly.data.calendar), "hours");
  EXPECT_EQ(ShowTime(1.5, hourly.data.calendar), "2004-03-10T19:30");
  const Read daily = ReadText("day,x\n2004-02-28,1\n2004-02-29,2\n2004-03-01,3\n");
  EXPECT_EQ(daily.only().times, (Times{0, 1, 2}));
  EXPECT_EQ(ShowTime(2, daily.data.calendar), "2004-03-01");
  const Read yearly = ReadText("date,x\n1900-01-01,1\n1901-01-01,2\n1902-01-01,3\n");
  EXPECT_EQ(UnitName(yearly.data.calendar), "years");
  EXPECT_NEAR(yearly.only().times[2], 2, 0.002);
  EXPECT_EQ(
      UnitName(
          ReadText("day,x\n2004-02-28,1\n2004-02-29,2\n", {.time_unit = "hours"}).data.calendar),
      "hours");
  const Read parts = ReadText("year,month,day,x\n2004,1,31,1\n2004,2,1,2\n2004,2,2,3\n");
  EXPECT_EQ(parts.only().times, (Times{0, 1, 2}));
  EXPECT_EQ(parts.data.channels, Names{"x"});
}

TEST(CsvDates, EpochAndZones) {
  const Read seconds = ReadText("timestamp,x\n1078941600,1\n1078945200,2\n");
  EXPECT_EQ(seconds.only().times, (Times{0, 1}));
  EXPECT_EQ(ShowTime(0, seconds.data.calendar), "2004-03-10T18:00Z");
  const Read thousandths = ReadText("unix_time,x\n1078941600000,1\n1078941600500,2\n");
  EXPECT_EQ(thousandths.only().times, (Times{0, 0.5}));
  const Read zones = ReadText("time,x\n2004-03-10T18:00+01:00,1\n2004-03-10T18:00Z,2\n");
  EXPECT_EQ(zones.only().times, (Times{0, 1}));
  const Read plain =
      ReadText("timestamp,x\n1078941600,1\n1078945200,2\n", {.time_format = TimeFormat::kNumber});
  EXPECT_EQ(plain.only().times[0], 1078941600);
  EXPECT_EQ(MessageAbout("time,x\n2004-03-10T18:00Z,1\n2004-03-10T19:00,2\n"),
            "f.csv:3:1: '2004-03-10T19:00' found in column 'time', must have a time zone as the "
            "rows before");
}

TEST(CsvDates, TheOrderOfDayAndMonthIsFoundOrAskedFor) {
  EXPECT_EQ(ReadText("date,x\n03/04/2004,1\n04/04/2004,2\n13/04/2004,3\n").only().times,
            (Times{0, 1, 10}));
  EXPECT_EQ(ReadText("date,x\n03/04/2004,1\n03/05/2004,2\n03/13/2004,3\n").only().times,
            (Times{0, 1, 9}));
  const std::string unclear = "date,x\n03/04/2004,1\n03/05/2004,2\n";
  EXPECT_EQ(MessageAbout(unclear),
            "f.csv: dates such as '03/05/2004' may begin with the day or the month; say which with "
            "--dates dmy or --dates mdy");
  EXPECT_EQ(ReadText(unclear, {.date_order = DateOrder::kDayFirst}).only().times, (Times{0, 30}));
  EXPECT_EQ(ReadText(unclear, {.date_order = DateOrder::kMonthFirst}).only().times, (Times{0, 1}));
  EXPECT_EQ(MessageAbout("date,x\n2004-02-28,1\n2004-02-29,2\n2004-02-30,3\n"),
            "f.csv:4:1: '2004-02-30' found in column 'date', must be a date such as 2004-03-10, "
            "with or without 18:00:00 and Z or +01:00; see --dates");
}

TEST(CsvDates, TimesOfDayBecomeSeconds) {
  const Read read = ReadText("time,x\n23:59:00,1\n24:00:30,2\n");
  EXPECT_EQ(read.only().times, (Times{86340, 86430}));
  EXPECT_EQ(read.data.time_name, "time [s]");
}

TEST(CsvDates, LaterFilesTakeTheCalendarOfEarlierOnes) {
  const Dataset first = ReadText("day,x\n2004-03-01,1\n2004-03-02,2\n").data;
  const ReadOptions like{.calendar = first.calendar, .has_fixed_calendar = true};
  EXPECT_EQ(ReadText("date,x\n2004-03-05,1\n", like).only().times, Times{4});
  EXPECT_EQ(ReadText("time,x\n4,1\n", like).only().times, Times{4});
  EXPECT_EQ(MessageAbout("date,x\n2004-03-05,1\n", {.has_fixed_calendar = true}),
            "f.csv: has dates, must have times as numbers like the data of the model");
  EXPECT_EQ(ReadText("day,x\n2004-03-01,1\n2004-03-02,2\n2004-03-03,2\n",
                     {.after = "2004-03-01", .until = "2004-03-02"})
                .only()
                .times,
            Times{1});
}

TEST(CsvLong, OneValuePerRowBecomesAColumnPerName) {
  const std::string text =
      "Paper,Figure,Time,Species,Count\np,39.1,0,a b,1\np,39.1,1,a b,2\np,39.1,1,c,3\n"
      "p,39.1,2,c,NA\n";
  const Read read = ReadText(text, {.long_name = "Species", .long_value = "Count"});
  EXPECT_EQ(read.data.channels, (Names{"a b", "c"}));
  EXPECT_EQ(read.only().times, (Times{0, 1, 2}));
  EXPECT_EQ(read.only().values(1, 1), 3);
  EXPECT_TRUE(std::isnan(read.only().values(0, 1)));
  EXPECT_EQ(read.notes, Names{"left out the columns 'Paper', 'Figure'"});
  EXPECT_EQ(MessageAbout(text, {.long_name = "Animal", .long_value = "Count"}),
            "f.csv:1:1: columns 'Paper', 'Figure', 'Time', 'Species', 'Count' found, none is the "
            "column 'Animal' of --long");
  EXPECT_EQ(MessageAbout(text + "p,39.1,1,c,5\n", {.long_name = "Species", .long_value = "Count"}),
            "f.csv:6:1: 'c' at time 1 is repeated from line 4, must be there once; see "
            "--duplicates and --trajectories-by");
  EXPECT_EQ(ReadText(text + "p,39.1,1,c,5\n", {.long_name = "Species",
                                               .long_value = "Count",
                                               .duplicates = DuplicateTimes::kAverage})
                .only()
                .values(1, 1),
            4);
}

}  // namespace
}  // namespace gpode
