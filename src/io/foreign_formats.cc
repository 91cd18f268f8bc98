#include "io/foreign_formats.h"

#include <fmt/format.h>

#include <string>

#include "io/files.h"
#include "io/reading.h"

namespace gpode::internal {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view name;
  std::string_view first_bytes;  // bytes with which such a file begins
  std::string_view contains;     // bytes within its first kilobyte; empty if they do not matter
  std::string_view advice;       // {0} stands for the file, {1} for its name with .csv
};

constexpr Format kFormats[] = {
    {"an Excel workbook", "PK\x03\x04"sv, "[Content_Types].xml"sv, "save it as CSV"},
    {"an Excel workbook", "PK\x03\x04"sv, "xl/"sv, "save it as CSV"},
    {"an OpenDocument spreadsheet", "PK\x03\x04"sv, "opendocument.spreadsheet"sv, "save it as CSV"},
    {"an old Excel workbook", "\xD0\xCF\x11\xE0"sv, ""sv, "save it as CSV"},
    {"a MATLAB file", "MATLAB 5.0 MAT-file"sv, ""sv,
     "convert it in MATLAB with writematrix([t y], '{1}'), or save it with scipy as .npz"},
    {"a MATLAB file", "MATLAB 7.3 MAT-file"sv, ""sv,
     "convert it in MATLAB with writematrix([t y], '{1}'), or with h5py as .npz"},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n"sv, ""sv,
     "convert it with h5py: numpy.savez('data.npz', times=t, values=y)"},
    {"a Parquet file", "PAR1"sv, ""sv,
     "convert it with pandas.read_parquet('{0}').to_csv('{1}', index=False)"},
    {"a Feather file", "ARROW1"sv, ""sv,
     "convert it with pandas.read_feather('{0}').to_csv('{1}', index=False)"},
    {"compressed by xz",
     "\xFD"
     "7zXZ"sv,
     ""sv, "decompress it with unxz"},
    {"compressed by bzip2", "BZh"sv, ""sv, "decompress it with bunzip2"},
    {"compressed by zstd", "\x28\xB5\x2F\xFD"sv, ""sv, "decompress it with unzstd"}};

}  // namespace

void RefuseForeignFormat(std::string_view beginning, const std::filesystem::path& path) {
  for (const Format& format : kFormats) {
    if (!beginning.starts_with(format.first_bytes)) continue;
    if (beginning.find(format.contains) == std::string_view::npos) continue;
    const std::string file = ShowPath(path);
    ThrowAt(file,
            fmt::format("is {}, must be CSV, NPZ, NPY or AMC; {}", format.name,
                        fmt::format(fmt::runtime(format.advice), file, NameOf(path) + ".csv")));
  }
}

}  // namespace gpode::internal
