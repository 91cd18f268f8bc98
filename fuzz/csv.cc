// The fuzz target of CSV. The first byte chooses options. Data that were read must be the same
// after writing and reading them again.
#include <bit>
#include <cmath>
#include <sstream>

#include "fuzz.h"
#include "gpode/data_files.h"

namespace {

using gpode::Dataset;
using gpode::Matrix;

bool Same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

bool Same(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (!Same(a.data()[i], b.data()[i])) return false;
  }
  return true;
}

bool Same(const Dataset& a, const Dataset& b) {
  if (a.channels != b.channels || a.trajectories.size() != b.trajectories.size()) return false;
  for (std::size_t n = 0; n < a.trajectories.size(); ++n) {
    if (a.trajectories[n].times != b.trajectories[n].times ||
        a.trajectories[n].name != b.trajectories[n].name ||
        !Same(a.trajectories[n].values, b.trajectories[n].values)) {
      return false;
    }
  }
  return true;
}

gpode::ReadOptions OptionsFrom(std::uint8_t choice) {
  gpode::ReadOptions options;
  options.separator = "\0,;\t"[choice & 3];
  options.decimal = "\0.,\0"[choice >> 2 & 3];
  if (choice & 16) options.channels = {"x"};
  if (choice & 32) options.time_column = "x";
  if (choice & 64) options.trajectory_column = "y";
  options.allow_empty_channels = choice & 128;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const gpode::ReadOptions options = OptionsFrom(data[0]);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  Dataset read;
  gpode::fuzz::ReadsOrRefuses([&] { read = gpode::ReadCsvText(text, "f", options); });
  // Data with dates are not compared, because dates are written in whole microseconds.
  if (read.trajectories.empty() || read.calendar.IsSet()) return 0;
  std::ostringstream out;
  gpode::WriteCsv(out, gpode::ColumnsOf(read));
  const gpode::ReadOptions again{.separator = ',', .allow_empty_channels = true};
  // Reading again may be refused, because a channel may have the name of a column that is written
  // before it, such as the time.
  gpode::fuzz::ReadsOrRefuses(
      [&] { GPODE_CHECK(Same(read, gpode::ReadCsvText(out.str(), "f", again))); });
  return 0;
}
