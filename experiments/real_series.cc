#include "experiments/real_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "io/files.h"
#include "io/number_text.h"

namespace gpode::experiments {
namespace {

// The values of the series, row by row.

const std::vector<double> kLynxHare = {
    30.0, 4.0,  47.2, 6.1,  70.2, 9.8,  77.4, 35.2, 36.3, 59.4, 20.6, 41.7, 18.1, 19.0,
    21.4, 13.0, 22.0, 8.3,  25.4, 9.1,  27.1, 7.4,  40.3, 8.0,  57.0, 12.3, 76.6, 19.5,
    52.3, 45.7, 19.5, 51.1, 11.2, 29.7, 7.6,  15.8, 14.6, 9.7,  16.2, 10.1, 24.7, 8.6};

const std::vector<double> kYeastParamecium = {40.6, 24.0, 17.1, 40.9, 3.9,  51.6, 2.1,  55.7, 3.6,
                                              23.5, 2.6,  11.8, 2.7,  10.3, 2.3,  5.6,  2.7,  3.4,
                                              4.3,  2.1,  5.8,  1.7,  7.7,  1.8,  12.4, 2.9,  19.1,
                                              3.7,  11.8, 7.0,  14.8, 11.1, 10.8, 19.2, 6.5,  19.3};

const std::vector<double> kParameciumDidinium = {
    15.65, 5.76,  53.57, 9.05,  73.34, 17.26, 93.93, 41.97, 115.4, 55.97, 76.57, 74.91, 32.83,
    62.52, 23.74, 27.04, 56.7,  18.77, 86.37, 31.11, 121,   58.31, 71.48, 73.13, 55.78, 63.21,
    31.84, 52.46, 26.87, 40.07, 53.24, 27.67, 65.59, 26,    81.23, 24.32, 143.9, 21,    237.9,
    33.35, 276.6, 64.67, 222.2, 94.34, 137.2, 103.4, 46.45, 82.74, 27.46, 65.4,  41.46, 51.35,
    44.73, 28.24, 88.42, 23.27, 105.7, 38.09, 155.2, 14.97, 205.5, 24.84, 312.7, 49.56, 213.7,
    75.93, 163.4, 104,   85.78, 106.4, 48.64, 100.6, 44.49, 84.08, 63.44, 45.3,  71.66, 35.37,
    127.7, 35.35, 206.9, 41.1,  309.9, 52.62, 156.5, 120.2, 63.3,  112.8, 77.29, 92.14, 45.11,
    65.72, 57.45, 33.54, 69.8,  21.14, 121.7, 17.82, 185.2, 26.04, 175.3, 65.61, 139,   76.3,
    77.11, 96.07, 57.29, 68.84, 54.79, 54.79, 75.38, 35.8,  87.73, 32.48, 136.4, 24.21, 290.6,
    35.73, 345.8, 55.5,  271.6, 93.41, 156.1, 117.3, 71.1,  95.02, 43.86, 85.92, 30.64, 82.6,
    35.56, 66.08, 52.03, 63.58, 37.99, 37.99, 62.71, 25.6,  103.9, 23.1,  187.2, 37.09};

const std::vector<double> kWolfMoose = {
    20, 538,  22, 564,  22, 572,  23, 579,  20, 596,  26, 620,  28, 634,  26, 661,  22, 766,
    22, 848,  17, 1041, 18, 1045, 20, 1183, 23, 1243, 24, 1215, 31, 1203, 41, 1139, 44, 1070,
    34, 949,  40, 845,  43, 857,  50, 788,  30, 767,  14, 780,  23, 830,  24, 927,  22, 976,
    20, 1014, 16, 1046, 12, 1116, 12, 1260, 15, 1315, 12, 1496, 12, 1697, 13, 1784, 17, 2017,
    16, 2117, 22, 2398, 24, 900,  14, 925,  25, 997,  29, 1031, 19, 1120, 17, 1100, 19, 900,
    29, 750,  30, 540,  30, 450,  21, 385,  23, 650,  24, 530,  19, 510,  16, 515};

const std::vector<double> kSchoolFlu = {3,   0,   8,   0,   26,  0,   76,  0,   225, 9,
                                        298, 17,  258, 105, 233, 162, 189, 176, 128, 166,
                                        68,  150, 29,  85,  14,  47,  4,   20};

const std::vector<double> kYeastGrowth = {9.6,   18.3,  29.0,  47.2,  71.1,  119.1, 174.6,
                                          257.3, 350.7, 441.0, 513.3, 559.7, 594.8, 629.4,
                                          640.8, 651.1, 655.9, 659.6, 661.8};

const std::vector<double> kUsCensus = {3.93,  5.31,  7.24,  9.64,  12.9, 17.1, 23.2,
                                       31.4,  39.8,  50.2,  62.9,  76.0, 92.0, 105.7,
                                       122.8, 131.7, 151.3, 179.3, 203.2};

constexpr const char* kAirQuality = "air-quality.csv";
constexpr std::size_t kAirHours = 768, kAirLearnt = 720;
constexpr double kAirMissing = -200;

// A series whose numbers are in this file, at equally spaced times.
struct Entry {
  std::string name;
  std::vector<std::string> channels;
  const std::vector<double>* values;
  double first, step;  // the first time, and the distance between times
  std::size_t learnt;
};

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = {
      {"lynx-hare", {"hare", "lynx"}, &kLynxHare, 1900, 1, 15},
      {"yeast-paramecium", {"yeast", "paramecium"}, &kYeastParamecium, 0, 1, 13},
      {"paramecium-didinium", {"paramecium", "didinium"}, &kParameciumDidinium, 0, 0.5, 53},
      {"wolf-moose", {"wolves", "moose"}, &kWolfMoose, 1959, 1, 40},
      {"school-flu", {"in bed", "convalescent"}, &kSchoolFlu, 1, 1, 10},
      {"yeast-growth", {"yeast"}, &kYeastGrowth, 0, 1, 13},
      {"us-census", {"population"}, &kUsCensus, 1790, 10, 14},
  };
  return entries;
}

RealSeries FromEntry(const Entry& entry) {
  RealSeries series{.name = entry.name, .channels = entry.channels, .learnt = entry.learnt};
  const auto channels = static_cast<Eigen::Index>(entry.channels.size());
  series.values = Eigen::Map<const Matrix>(entry.values->data(),
                                           std::ssize(*entry.values) / channels, channels);
  for (Eigen::Index i = 0; i < series.values.rows(); ++i) {
    series.times.push_back(entry.first + entry.step * static_cast<double>(i));
  }
  return series;
}

// Returns the cells of a line between semicolons.
std::vector<std::string> CellsOf(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const std::size_t end = std::min(line.find(';'), line.size());
    cells.emplace_back(line.substr(0, end));
    if (end == line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

// Reads a number with a decimal comma; -200 means missing.
double AirNumber(std::string cell, const std::string& where) {
  std::replace(cell.begin(), cell.end(), ',', '.');
  const std::optional<double> number = internal::ToNumber(cell);
  if (!number) {
    internal::ThrowAt(where, fmt::format("{} found, must be a number", internal::Quote(cell)));
  }
  return *number == kAirMissing ? NAN : *number;
}

// Reads the columns T, RH and AH, one row per hour.
RealSeries ReadAirQuality(const std::filesystem::path& path) {
  constexpr std::size_t kFirst = 12, kChannels = 3;
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RealSeries series{.name = "air-quality",
                    .file = kAirQuality,
                    .channels = {"T", "RH", "AH"},
                    .learnt = kAirLearnt};
  series.values = Matrix(kAirHours, kChannels);
  for (std::size_t line = 0; line <= kAirHours; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string> cells = CellsOf(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == 0) continue;
    const std::string where = fmt::format("{}:{}", path.string(), line + 1);
    if (cells.size() < kFirst + kChannels) {
      internal::ThrowAt(where, fmt::format("{} cells found, must be at least {} in the first {} "
                                           "lines after the header",
                                           cells.size(), kFirst + kChannels, kAirHours));
    }
    series.times.push_back(static_cast<double>(line - 1));
    for (std::size_t c = 0; c < kChannels; ++c) {
      series.values(static_cast<Eigen::Index>(line - 1), static_cast<Eigen::Index>(c)) =
          AirNumber(cells[kFirst + c], where);
    }
  }
  return series;
}

}  // namespace

const std::vector<std::string>& RealSeriesNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : Entries()) all.push_back(entry.name);
    all.push_back("air-quality");
    return all;
  }();
  return names;
}

std::string FileOfRealSeries(std::string_view name) {
  return name == "air-quality" ? kAirQuality : "";
}

RealSeries ReadRealSeries(std::string_view name, const std::filesystem::path& folder) {
  for (const Entry& entry : Entries()) {
    if (entry.name == name) return FromEntry(entry);
  }
  if (name == "air-quality") return ReadAirQuality(folder / kAirQuality);
  ThrowInput("ReadRealSeries", "name", fmt::format("{} is unknown", name));
}

}  // namespace gpode::experiments
