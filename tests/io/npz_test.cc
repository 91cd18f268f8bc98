// Tests of the .npz format: files that we write, files that NumPy may write, and files that are
// refused.
#include "gpode/npz.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <fstream>
#include <limits>
#include <optional>

#include "gpode/error.h"
#include "io/npy.h"
#include "support/npy_samples.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using internal::PutLittleEndian;
using internal::PutText;
using namespace testing_support;  // NOLINT: arrays and files for tests of .npz
using testing_support::SameBits;  // overloaded below

// The file that NumPy writes for
//   numpy.savez(n=array(7), F=asfortranarray(arange(6.).reshape(2, 3)), be=array([-2, 300], '>i2'))
constexpr std::string_view kNumpyStored =
    "504b03041400000000000000210023b8f06c8800000088000000050014006e2e6e70790100100088000000000000"
    "008800000000000000934e554d5059010076007b276465736372273a20273c6938272c2027666f727472616e5f6f"
    "72646572273a2046616c73652c20277368617065273a2028292c207d202020202020202020202020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020202020200a07"
    "00000000000000504b030414000000000000002100e4c80660b0000000b000000005001400462e6e707901001000"
    "b000000000000000b000000000000000934e554d5059010076007b276465736372273a20273c6638272c2027666f"
    "727472616e5f6f72646572273a20547275652c20277368617065273a2028322c2033292c207d2020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "20202020200a00000000000000000000000000000840000000000000f03f00000000000010400000000000000040"
    "0000000000001440504b030414000000000000002100ee959f0c84000000840000000600140062652e6e70790100"
    "100084000000000000008400000000000000934e554d5059010076007b276465736372273a20273e6932272c2027"
    "666f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028322c292c207d20202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "202020202020200afffe012c504b010214031400000000000000210023b8f06c8800000088000000050000000000"
    "0000000000008001000000006e2e6e7079504b0102140314000000000000002100e4c80660b0000000b000000005"
    "00000000000000000000008001bf000000462e6e7079504b0102140314000000000000002100ee959f0c84000000"
    "840000000600000000000000000000008001a601000062652e6e7079504b050600000000030003009a0000006202"
    "00000000";

// The file that NumPy writes for
//   numpy.savez_compressed(mask=array([True, False, True]), empty=zeros((0, 3)),
//                          f=array([[0.5, -1.5], [inf, 2]], 'f4'))
constexpr std::string_view kNumpyDeflated =
    "504b03041400000008000000210016938cbb4700000083000000080014006d61736b2e6e70790100100083000000"
    "0000000047000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f545294"
    "98179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e46064600504b03041400000008"
    "0000002100eebfb9ce550000009000000005001400662e6e70790100100090000000000000005500000000000000"
    "9bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc29"
    "4e058a17672416a402f91a463a0a469a3a0ab50a64032e0606067b068603fb19181aea816c0700504b0304140000"
    "0008000000210058fb60f8460000008000000009001400656d7074792e6e70790100100080000000000000004600"
    "0000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f54529498179f5f9492"
    "0a12774bcc294e058a17672416a402f91a063a0ac69a3a0ab50a64032e00504b0102140314000000080000002100"
    "16938cbb47000000830000000800000000000000000000008001000000006d61736b2e6e7079504b010214031400"
    "0000080000002100eebfb9ce5500000090000000050000000000000000000000800181000000662e6e7079504b01"
    "0214031400000008000000210058fb60f8460000008000000009000000000000000000000080010d010000656d70"
    "74792e6e7079504b05060000000003000300a00000008e0100000000";

// Returns true if both archives have the same names and the same bits.
bool SameBits(const Archive& a, const Archive& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && SameBits(x.second, y.second);
  });
}

std::string NpzMessage(const Bytes& bytes) {
  return Message([&] { ReadNpz(bytes, "f.npz"); });
}

Bytes Deflate(const Bytes& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes packed(deflateBound(&stream, bytes.size()));
  Bytes input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A zip entry whose header may contradict its data.
struct ZipEntry {
  explicit ZipEntry(std::string_view entry_name, const Bytes& content, bool deflated = false)
      : name(entry_name),
        method(deflated ? 8 : 0),
        crc(static_cast<std::uint32_t>(
            crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()))),
        size(content.size()),
        data(deflated ? Deflate(content) : content) {}

  std::string name;
  std::string local_name = name;
  std::uint16_t flags = 0;
  std::uint16_t method;
  std::uint16_t disk = 0;
  std::uint32_t crc;
  std::uint64_t size;
  Bytes data;
  std::uint64_t packed_size = data.size();
  std::optional<std::uint64_t> offset = std::nullopt;  // by default the true offset
};

struct ZipOptions {
  bool zip64 = false;
  std::uint16_t disk = 0;
  int more_entries = 0;  // how many more entries the file declares than it has
  std::string comment = {};
};

void PutCentral(const ZipEntry& entry, std::uint64_t offset, bool zip64, Bytes* out) {
  const auto narrow = [&](std::uint64_t value) {
    return zip64 ? 0xFFFFFFFF : static_cast<std::uint32_t>(value);
  };
  const auto name_size = static_cast<std::uint16_t>(entry.name.size());
  const std::uint16_t extra_size = zip64 ? 34 : 0;
  PutLittleEndian(out, 0x02014b50U, 0U, entry.flags, entry.method, 0U, entry.crc,
                  narrow(entry.packed_size), narrow(entry.size), name_size, extra_size,
                  std::uint16_t{0}, entry.disk, std::uint16_t{0}, 0U, narrow(offset));
  PutText(entry.name, out);
  if (!zip64) return;
  PutLittleEndian(out, std::uint16_t{0x7075}, std::uint16_t{2},
                  std::uint16_t{0});  // another extra record
  PutLittleEndian(out, std::uint16_t{1}, std::uint16_t{24}, entry.size, entry.packed_size, offset);
}

void PutEnd64(std::uint64_t count, std::uint64_t size, std::uint64_t offset, Bytes* out) {
  const std::uint64_t at = out->size();
  PutLittleEndian(out, 0x06064b50U, std::uint64_t{44}, 0U, 0U, 0U, count, count, size, offset);
  PutLittleEndian(out, 0x07064b50U, 0U, at, 1U);
}

Bytes Zip(const std::vector<ZipEntry>& entries, const ZipOptions& options = {}) {
  Bytes out;
  Bytes directory;
  for (const ZipEntry& entry : entries) {
    const std::uint64_t offset = entry.offset.value_or(out.size());
    PutCentral(entry, offset, options.zip64, &directory);
    PutLittleEndian(&out, 0x04034b50U, std::uint16_t{45}, entry.flags, entry.method, 0U, entry.crc,
                    0xFFFFFFFFU, 0xFFFFFFFFU, static_cast<std::uint16_t>(entry.local_name.size()),
                    std::uint16_t{0});
    PutText(entry.local_name, &out);
    out.insert(out.end(), entry.data.begin(), entry.data.end());
  }
  const auto offset = static_cast<std::uint32_t>(out.size());
  const auto size = static_cast<std::uint32_t>(directory.size());
  const auto count =
      static_cast<std::uint16_t>(static_cast<int>(entries.size()) + options.more_entries);
  out.insert(out.end(), directory.begin(), directory.end());
  if (options.zip64) PutEnd64(count, size, offset, &out);
  PutLittleEndian(&out, 0x06054b50U, options.disk, options.disk, count, count,
                  options.zip64 ? 0xFFFFFFFFU : size, options.zip64 ? 0xFFFFFFFFU : offset,
                  static_cast<std::uint16_t>(options.comment.size()));
  PutText(options.comment, &out);
  return out;
}

std::vector<ZipEntry> SampleEntries(bool deflated) {
  std::vector<ZipEntry> entries;
  for (const auto& [name, array] : Sample()) {
    entries.emplace_back(name + ".npy", NpyBytes(array), deflated);
  }
  return entries;
}

RC_GTEST_PROP(NpzProperty, RoundTripKeepsEveryBit, ()) {
  const auto names = *rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::inRange(' ', '\x7f')));
  Archive archive;
  for (const std::string& name : names) archive[name] = AnyArray();
  RC_ASSERT(SameBits(ReadNpz(NpzBytes(archive), "f"), archive));
}

RC_GTEST_PROP(NpzProperty, ArbitraryBytesAreInputErrors, (const std::vector<std::uint8_t>& junk)) {
  Bytes bytes = One();
  bytes.resize(8);
  for (std::uint8_t byte : junk) bytes.push_back(static_cast<std::byte>(byte));
  RC_ASSERT_THROWS_AS(ReadNpz(bytes, "f"), InputError);
}

TEST(Npz, FilesRoundTripAndLeaveNothingBeside) {
  const TemporaryFolder folder;
  WriteNpz(folder / "a.npz", Sample());
  WriteNpz(folder / "a.npz", Sample());
  WriteNpy(folder / "a.npy", Sample()["x"]);
  EXPECT_EQ(ReadNpz(folder / "a.npz"), Sample());
  EXPECT_EQ(ReadNpy(folder / "a.npy"), Sample()["x"]);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST(Npz, RefusesToWriteWhatCouldNotBeReadBack) {
  const auto write = [](const Archive& archive) { return Message([&] { NpzBytes(archive); }); };
  EXPECT_EQ(
      write({{"x", {{2, 2}, {1, 2, 3}}}}),
      "WriteNpz: entry 'x': shape (2, 2) found, must have at most 32 dimensions and match the "
      "3 values");
  EXPECT_NE(write({{"x", {std::vector<std::size_t>(33, 1), {1}}}}).find("32"), std::string::npos);
  EXPECT_NE(write({{"a\nb", {{}, {1}}}}).find("'a\\x0ab'"), std::string::npos);
  Archive crowd;
  for (int i = 0; i < 65535; ++i) crowd[fmt::format("{}", i)] = {{0}, {}};
  EXPECT_EQ(write(crowd),
            "WriteNpz: archive has more than 65534 entries, must have at most that many");
}

TEST(Npz, ReadsWhatNumpyStores) {
  const Archive expected = {
      {"n", {{}, {7}}}, {"F", {{2, 3}, {0, 1, 2, 3, 4, 5}}}, {"be", {{2}, {-2, 300}}}};
  EXPECT_EQ(ReadNpz(FromHex(kNumpyStored), "f"), expected);
}

TEST(Npz, ReadsWhatNumpyCompresses) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Archive expected = {{"mask", {{3}, {1, 0, 1}}},
                            {"f", {{2, 2}, {0.5, -1.5, infinity, 2}}},
                            {"empty", {{0, 3}, {}}}};
  EXPECT_EQ(ReadNpz(FromHex(kNumpyDeflated), "f"), expected);
}

TEST(Npz, ReadsZipVariants) {
  for (bool deflated : {false, true}) {
    const std::vector<ZipEntry> entries = SampleEntries(deflated);
    EXPECT_EQ(ReadNpz(Zip(entries), "f"), Sample());
    EXPECT_EQ(ReadNpz(Zip(entries, {.zip64 = true}), "f"), Sample());
    EXPECT_EQ(ReadNpz(Zip(entries, {.comment = "by PK\x05\x06 someone"}), "f"), Sample());
  }
  EXPECT_EQ(ReadNpz(Zip({}), "f"), Archive());
  EXPECT_EQ(ReadNpz(Zip({ZipEntry("folder/", {}), ZipEntry("folder/x.npy", One())}), "f"),
            (Archive{{"folder/x", {{}, {1}}}}));
}

TEST(Npz, RefusesZipsItCannotRead) {
  const auto with = [](auto change) {
    ZipEntry entry("x.npy", One(), true);
    change(entry);
    return NpzMessage(Zip({entry}));
  };
  EXPECT_EQ(with([](ZipEntry& e) { e.flags = 1; }),
            "f.npz: entry 'x': is encrypted, must be plain");
  EXPECT_EQ(with([](ZipEntry& e) { e.method = 12; }),
            "f.npz: entry 'x': compression method 12 found, must be 0 (stored) or 8 (deflated)");
  EXPECT_NE(with([](ZipEntry& e) { e.flags = 1 << 5; }).find("patch"), std::string::npos);
  EXPECT_NE(with([](ZipEntry& e) { e.disk = 1; }).find("several disks"), std::string::npos);
  EXPECT_NE(with([](ZipEntry& e) { e.crc ^= 1; }).find("CRC-32"), std::string::npos);
  EXPECT_NE(with([](ZipEntry& e) { e.local_name = "y.npy"; }).find("'y.npy'"), std::string::npos);
  EXPECT_NE(NpzMessage(Zip({ZipEntry("x.npy", One())}, {.disk = 1})).find("several disks"),
            std::string::npos);
  EXPECT_NE(NpzMessage(Zip({ZipEntry("x.npy", One())}, {.more_entries = 1})).find("must have 2"),
            std::string::npos);
}

TEST(Npz, RefusesBadEntryNames) {
  const auto named = [](const std::string& name) {
    return NpzMessage(Zip({ZipEntry(name, One())}));
  };
  EXPECT_EQ(named("x.txt"), "f.npz: entry 'x.txt': is not an array, its name must end in .npy");
  EXPECT_EQ(named("\xce\xbb.npy"), "f.npz: entry '\xce\xbb': name must be printable ASCII");
  EXPECT_EQ(named("a\nb.npy"), "f.npz: entry 'a\\x0ab': name must be printable ASCII");
  EXPECT_EQ(NpzMessage(Zip({ZipEntry("x.npy", One()), ZipEntry("x.npy", One())})),
            "f.npz: entry 'x': occurs twice, names must differ");
}

TEST(Npz, NamesTheEntryWhoseArrayIsBad) {
  const Bytes text = Npy(Dict("|O", "()"), Bytes(20));
  EXPECT_TRUE(NpzMessage(Zip({ZipEntry("a.npy", One()), ZipEntry("b.npy", text)}))
                  .starts_with("f.npz: entry 'b': dtype '|O' found"));
}

TEST(Npz, RefusesOverlapsAndOffsetsOutOfRange) {
  ZipEntry twin("x.npy", One());
  twin.offset = 0;
  EXPECT_NE(NpzMessage(Zip({ZipEntry("x.npy", One()), twin})).find("overlaps entry 'x'"),
            std::string::npos);
  // The data of one entry are another whole entry.
  ZipEntry outer("o.npy", Zip({ZipEntry("i.npy", One())}));
  ZipEntry inner("i.npy", One());
  inner.offset = 30 + 5;
  EXPECT_NE(NpzMessage(Zip({outer, inner})).find("overlaps entry 'o'"), std::string::npos);
  for (std::uint64_t offset : {1ULL, 1000ULL, 0x7FFFFFFFFFFFFFFFULL, 0xFFFFFFFFFFFFFFFFULL}) {
    ZipEntry astray("x.npy", One());
    astray.offset = offset;
    EXPECT_TRUE(NpzMessage(Zip({astray}, {.zip64 = true})).starts_with("f.npz: entry 'x': "));
  }
  for (std::uint64_t size : {135ULL, 137ULL, 1000ULL, 0xFFFFFFFFFFFFFFFFULL}) {
    ZipEntry wrong("x.npy", One());
    wrong.size = wrong.packed_size = size;
    EXPECT_TRUE(NpzMessage(Zip({wrong}, {.zip64 = true})).starts_with("f.npz: entry 'x': "));
  }
}

TEST(Npz, RefusesDeflateBombs) {
  ZipEntry bomb("x.npy", Bytes(1 << 20), true);
  const Bytes honest = Zip({bomb});
  EXPECT_NE(NpzMessage(honest).find("does not begin with"), std::string::npos);
  bomb.size = 128;
  EXPECT_NE(NpzMessage(Zip({bomb})).find("unpacks to more than the 128 bytes"), std::string::npos);
  bomb.size = (1 << 20) + 1;
  EXPECT_NE(NpzMessage(Zip({bomb})).find("must be one deflate stream of"), std::string::npos);
  for (std::uint64_t size : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    bomb.size = size;
    EXPECT_NE(NpzMessage(Zip({bomb}, {.zip64 = true})).find("cannot come from"), std::string::npos);
  }
}

TEST(Npz, UnpacksOnlyWhatIsWanted) {
  // An array that cannot be read does no harm as long as nobody asks for it.
  const Bytes text = Npy(Dict("|O", "()"), Bytes(20));
  const Bytes zip = Zip({ZipEntry("b.npy", text), ZipEntry("a.npy", One())});
  EXPECT_EQ(NpzNames(zip, "f.npz"), (std::vector<std::string>{"b", "a"}));
  const Archive archive =
      ReadNpz(zip, "f.npz", [](std::string_view name) { return name == "a" || name == "c"; });
  ASSERT_EQ(archive.size(), 1u);
  EXPECT_TRUE(archive.contains("a"));
}

// Reading a file of 0.4 MB once took 3.5 GB of memory.
TEST(Npz, SmallArchivesThatUnpackToMuchAreRefused) {
  constexpr std::size_t kZeros = 40 << 20;
  const Bytes zeros = Npy(Dict("|u1", "(41943040,)"), Bytes(kZeros));
  EXPECT_NE(
      NpzMessage(Zip({ZipEntry("x.npy", zeros, true)})).find("must be compressed at most 100"),
      std::string::npos);
  // The same data in several smaller arrays are refused, too.
  const Bytes some = Npy(Dict("|u1", "(10485760,)"), Bytes(kZeros / 4));
  std::vector<ZipEntry> entries;
  for (const char* name : {"a.npy", "b.npy", "c.npy", "d.npy"}) {
    entries.emplace_back(name, some, true);
  }
  EXPECT_TRUE(NpzMessage(Zip(entries)).starts_with("f.npz: entry 'd': unpacks to"));
}

std::vector<Bytes> SampleFiles() {
  return {NpzBytes(Sample()),
          Zip(SampleEntries(true)),
          Zip(SampleEntries(true), {.zip64 = true}),
          Zip(SampleEntries(false), {.zip64 = true}),
          FromHex(kNumpyStored),
          FromHex(kNumpyDeflated)};
}

TEST(Npz, TruncatedAnywhereIsAnInputError) {
  for (const Bytes& file : SampleFiles()) {
    for (std::size_t size = 0; size < file.size(); ++size) {
      // The copy lets the address sanitiser detect a read past the end.
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_TRUE(NpzMessage(cut).starts_with("f.npz: ")) << size;
    }
  }
}

TEST(Npz, AnyFlippedBitIsAnInputErrorOrHarmless) {
  for (const Bytes& file : SampleFiles()) {
    const Archive expected = ReadNpz(file, "f");
    Bytes damaged = file;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
      damaged[bit / 8] ^= mask;
      try {
        EXPECT_TRUE(SameBits(ReadNpz(damaged, "f"), expected)) << "bit " << bit;
      } catch (const InputError&) {
      }
      damaged[bit / 8] ^= mask;
    }
  }
}

TEST(Npz, RefusesFilesThatAreNotThere) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing.npz").string();
  EXPECT_EQ(Message([&] { ReadNpz(missing); }), missing + ": no such file, must exist");
  EXPECT_EQ(Message([&] { ReadNpz(folder.path()); }),
            folder.path().string() + ": is a directory, must be a file");
  EXPECT_NE(Message([&] { ReadNpy("/dev/null"); }).find("must be a file"), std::string::npos);
  const std::filesystem::path empty = folder / "empty.npz";
  std::ofstream(empty).close();
  EXPECT_NE(Message([&] { ReadNpz(empty); }).find("no zip end record"), std::string::npos);
  EXPECT_NE(Message([&] { ReadNpy(empty); }).find("ends inside"), std::string::npos);
}

TEST(Npz, RefusesUnreadableFiles) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "secret.npz";
  WriteNpz(path, Sample());
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (std::ifstream(path)) GTEST_SKIP() << "this user may read every file";
  EXPECT_NE(Message([&] { ReadNpz(path); }).find("cannot be opened"), std::string::npos);
}

TEST(Npz, FailedWritesLeaveNothing) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "no" / "such" / "folder.npz";
  EXPECT_EQ(Message([&] { WriteNpz(path, Sample()); }),
            path.string() + ": cannot be written: No such file or directory");
  std::filesystem::create_directories(folder / "taken" / "inside");
  EXPECT_NE(Message([&] { WriteNpz(folder / "taken", Sample()); }).find("is a directory"),
            std::string::npos);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace gpode
