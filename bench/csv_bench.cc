// Measures the speed and the memory of reading CSV. usage: csv_bench [MEGABYTES]
//
// A file of that size is written to the temporary folder first. It has a time and two channels with
// about 16 digits, as programs write them. Times are CPU times of the thread.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "gpode/data_files.h"
#include "support/machine.h"

namespace {

constexpr double kMega = 1e6;

// Writes the file in pieces, which needs little memory.
void WriteTable(const std::filesystem::path& path, double megabytes) {
  constexpr int kRows = 10000;
  std::ofstream out(path, std::ios::binary);
  out << "time,x,y\n";
  std::string text;
  for (long row = 0; static_cast<double>(out.tellp()) < megabytes * kMega;) {
    text.clear();
    for (int i = 0; i < kRows; ++i, ++row) {
      const double t = 0.01 * static_cast<double>(row);
      text += fmt::format("{},{},{}\n", t, std::sin(t), std::cos(1.7 * t));
    }
    out << text;
  }
}

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / kMega;
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 200;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("gpode_csv_bench_{}.csv", getpid());
  WriteTable(path, megabytes);
  const double before = PeakMegabytes();
  const double start = gpode::testing_support::OwnSeconds();
  const gpode::Dataset data = gpode::ReadCsv(path);
  const double seconds = gpode::testing_support::OwnSeconds() - start;
  const double file = static_cast<double>(std::filesystem::file_size(path)) / kMega;
  std::filesystem::remove(path);

  const gpode::Trajectory& t = data.trajectories[0];
  const double numbers =
      static_cast<double>(t.times.size() * (1 + data.channels.size()) * sizeof(double)) / kMega;
  fmt::print("| file | rows | time | speed | numbers | memory | ratio |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  fmt::print("| {:.0f} MB | {} | {:.2f} s | {:.0f} MB/s | {:.0f} MB | {:.0f} MB | {:.2f} |\n", file,
             t.times.size(), seconds, file / seconds, numbers, PeakMegabytes() - before,
             (PeakMegabytes() - before) / numbers);
}
