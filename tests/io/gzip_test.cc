// Tests of compressed files and of files of other programs.
#include "io/gzip.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "gpode/data_files.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

std::string Compressed(std::string_view text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string LongTable() {
  std::string text = "time,x\n";
  for (int i = 0; i < 40000; ++i) text += fmt::format("{},{}\n", i, i * 7919 % 1000);
  return text;
}

void Write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Gzip, CompressedTablesAreRead) {
  const TemporaryFolder folder;
  const std::string text = LongTable();
  Write(folder / "a.csv.gz", Compressed(text));
  // b.csv has two compressed parts, one after the other, as `cat a.gz b.gz` makes them.
  Write(folder / "b.csv", Compressed(text.substr(0, 1000)) + Compressed(text.substr(1000)));
  for (const char* name : {"a.csv.gz", "b.csv"}) {
    const std::filesystem::path path = folder / name;
    const Dataset data = ReadDataset({&path, 1});
    ASSERT_EQ(data.trajectories[0].times.size(), 40000U);
    EXPECT_EQ(data.trajectories[0].values(39999, 0), 39999 * 7919 % 1000);
    EXPECT_EQ(data.trajectories[0].name, std::string(1, name[0]));
  }
}

TEST(Gzip, DamageIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.csv.gz";
  const std::string good = Compressed(LongTable());
  Write(path, good.substr(0, good.size() / 2));
  EXPECT_EQ(MessageOf([&] { ReadCsv(path); }),
            path.string() + ": ends within its gzip data, must be complete");
  std::string bad = good;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
  Write(path, bad);
  EXPECT_EQ(MessageOf([&] { ReadCsv(path); }),
            path.string() + ": has damaged gzip data: incorrect data check");
}

TEST(ForeignFormats, SayHowToConvert) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "data.bin";
  const auto message = [&](const std::string& bytes) {
    Write(path, bytes);
    return MessageOf([&] { ReadDataset({&path, 1}); });
  };
  EXPECT_NE(message("PAR1...").find("is a Parquet file, must be CSV, NPZ, NPY or AMC; convert it "
                                    "with pandas.read_parquet("),
            std::string::npos);
  EXPECT_NE(message("PK\x03\x04.... [Content_Types].xml"s).find("is an Excel workbook"),
            std::string::npos);
  EXPECT_NE(message("\x89HDF\r\n\x1a\n").find("is an HDF5 file"), std::string::npos);
  EXPECT_NE(message("MATLAB 5.0 MAT-file, Platform").find("is a MATLAB file"), std::string::npos);
  EXPECT_NE(message("BZh91AY").find("is compressed by bzip2, must be CSV, NPZ, NPY or AMC; "
                                    "decompress it with bunzip2"),
            std::string::npos);
}

}  // namespace
}  // namespace gpode
