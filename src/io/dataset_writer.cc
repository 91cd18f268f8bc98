#include <algorithm>
#include <cmath>
#include <limits>

#include "gpode/data_files.h"
#include "io/files.h"
#include "io/npz_writer.h"
#include "io/number_text.h"
#include "io/struct_arrays.h"

namespace gpode {
namespace {

std::vector<std::byte> NpzOf(const Dataset& data) {
  std::size_t rows = 0;
  for (const Trajectory& t : data.trajectories) rows = std::max(rows, t.times.size());
  const std::size_t count = data.trajectories.size(), channels = data.channels.size();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> times(count * rows, kNan), values(count * rows * channels, kNan);
  for (std::size_t n = 0; n < count; ++n) {
    const Trajectory& t = data.trajectories[n];
    std::copy(t.times.begin(), t.times.end(),
              times.begin() + static_cast<std::ptrdiff_t>(n * rows));
    std::copy_n(t.values.data(), t.values.size(),
                values.begin() + static_cast<std::ptrdiff_t>(n * rows * channels));
  }
  internal::NpzWriter out("WriteDataset");
  internal::MemberWriter(&out, "")("channels", data.channels);
  out.Add("times", std::vector{count, rows}, times);
  out.Add("values", std::vector{count, rows, channels}, values);
  return std::move(out).Finish();
}

}  // namespace

void WriteDataset(const std::filesystem::path& path, const Dataset& data) {
  if (internal::SameWord(path.extension().string(), ".npz")) {
    internal::WriteFile(path, NpzOf(data));
  } else {
    WriteCsv(path, ColumnsOf(data));
  }
}

}  // namespace gpode
