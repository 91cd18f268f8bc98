// Real series for comparing bands with later observations or with those in a gap. The last column
// has the number of rows to learn from and the number of rows to forecast.
//
//   name           contents and source                                               rows
//   lynx-hare      pelts in thousands, 1900 to 1920, Hudson's Bay Company            15 + 6 years
//   yeast-paramecium  S. pombe and Paramecium bursaria, Gause 1934, figure 39        13 + 5 days
//   paramecium-didinium  individuals per ml, Veilleux 1976, figure 11a,              53 + 18
//                  every half day
//   wolf-moose     Isle Royale, 1959 to 2011, Vucetich and Peterson                  40 + 13 years
//   school-flu     boys in bed and convalescent, BMJ 4 March 1978, p. 587            10 + 4 days
//   yeast-growth   Carlson 1913, after Pearl 1927, every hour                        13 + 6
//   us-census      millions, 1790 to 1970, every ten years                           14 + 5
//   air-quality    temperature, relative and absolute humidity, hourly;              720 + 48
//                  De Vito 2008, UCI repository; read from the file air-quality.csv
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   RealSeries series = ReadRealSeries("lynx-hare", folder);
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/dataset.h"

namespace gpode::experiments {

struct RealSeries {
  std::string name;
  std::string file = {};  // the file that holds it; empty if its numbers are in real_series.cc
  std::vector<std::string> channels = {};
  std::vector<double> times = {};  // (T)
  Matrix values = {};              // (T, channels); NaN for missing values
  std::size_t learnt = 0;  // the first `learnt` rows are for training, the others are forecast
};

// Returns the names in the order of the table.
const std::vector<std::string>& RealSeriesNames();

// Returns the name of the file that a series is read from, or an empty name.
std::string FileOfRealSeries(std::string_view name);

// Returns a series. Throws an InputError if it is in a file that cannot be read from the folder.
RealSeries ReadRealSeries(std::string_view name, const std::filesystem::path& folder);

}  // namespace gpode::experiments
