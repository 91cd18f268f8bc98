#include "gpode/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "gpode/error.h"
#include "io/files.h"
#include "io/npy.h"
#include "io/npz_writer.h"
#include "io/zip.h"

namespace gpode {
namespace {

using internal::ByteReader;
using internal::Crc;
using internal::EntryPlace;
using internal::IsPrintableAscii;
using internal::kCentralSignature;
using internal::kDeflated;
using internal::kEndSignature;
using internal::kLocalSignature;
using internal::kSee64;
using internal::kSee64Short;
using internal::kStored;
using internal::kSuffix;
using internal::ParseFile;
using internal::Quote;
using internal::ThrowAt;
using internal::verify_checksums;

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocator64Size = 20;

// The place of the central directory, the zip archive's table of contents, and its number of
// entries.
struct Directory {
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t entries;
};

struct Entry {
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t method = kStored;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // where the local header begins
  std::uint64_t end = 0;     // where the data end
  Bytes packed = {};         // the data as stored in the file
};

std::string_view WithoutSuffix(std::string_view name) {
  return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

void CheckOneDisk(bool one_disk, std::string_view file) {
  if (!one_disk) ThrowAt(file, "is part of an archive on several disks, must be whole");
}

Bytes Slice(Bytes bytes, std::uint64_t offset, std::uint64_t size, std::string_view where,
            std::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    ThrowAt(where, fmt::format("{} at byte {} with {} bytes found, must lie within {} bytes", what,
                               offset, size, bytes.size()));
  }
  return bytes.subspan(offset, size);
}

// Returns the offset of the end record. Only a comment can follow it in a zip archive, so every
// possible length of the comment is tried until there is a record that gives this length.
std::size_t FindEndRecord(Bytes bytes, std::string_view file) {
  const std::size_t longest = kEndSize + std::numeric_limits<std::uint16_t>::max();
  for (std::size_t size = kEndSize; size <= std::min(bytes.size(), longest); ++size) {
    ByteReader reader(bytes.last(size), file, "the zip end record");
    if (reader.Take<std::uint32_t>() != kEndSignature) continue;
    reader.TakeBytes(16);
    if (reader.Take<std::uint16_t>() == size - kEndSize) return bytes.size() - size;
  }
  ThrowAt(file, "no zip end record found, must be a complete .npz archive");
}

Directory ReadEndRecord64(Bytes bytes, std::size_t end, std::string_view file) {
  if (end < kLocator64Size) ThrowAt(file, "no zip64 locator found, must precede the end record");
  ByteReader locator(bytes.subspan(end - kLocator64Size, kLocator64Size), file, "zip64 locator");
  if (locator.Take<std::uint32_t>() != kLocator64Signature) {
    ThrowAt(file, "no zip64 locator found, must precede the end record");
  }
  const bool first_disk = locator.Take<std::uint32_t>() == 0;
  const std::uint64_t offset = locator.Take<std::uint64_t>();
  CheckOneDisk(first_disk && locator.Take<std::uint32_t>() <= 1, file);

  constexpr std::size_t kEnd64Size = 56;
  const Bytes before = bytes.first(end - kLocator64Size);
  ByteReader reader(Slice(before, offset, kEnd64Size, file, "zip64 end record"), file,
                    "the zip64 end record");
  if (reader.Take<std::uint32_t>() != kEnd64Signature) {
    ThrowAt(file, "zip64 end record lacks its signature, must begin with PK\\x06\\x06");
  }
  reader.TakeBytes(12);  // skips the size of this record and versions
  const std::uint32_t disk = reader.Take<std::uint32_t>();
  const std::uint32_t directory_disk = reader.Take<std::uint32_t>();
  const std::uint64_t entries_here = reader.Take<std::uint64_t>();
  Directory directory;
  directory.entries = reader.Take<std::uint64_t>();
  directory.size = reader.Take<std::uint64_t>();
  directory.offset = reader.Take<std::uint64_t>();
  CheckOneDisk(disk == 0 && directory_disk == 0 && entries_here == directory.entries, file);
  Slice(bytes.first(offset), directory.offset, directory.size, file, "central directory");
  return directory;
}

Directory FindDirectory(Bytes bytes, std::string_view file) {
  const std::size_t end = FindEndRecord(bytes, file);
  ByteReader reader(bytes.subspan(end), file, "the zip end record");
  reader.TakeBytes(4);
  const std::uint16_t disk = reader.Take<std::uint16_t>();
  const std::uint16_t directory_disk = reader.Take<std::uint16_t>();
  const std::uint16_t entries_here = reader.Take<std::uint16_t>();
  const std::uint16_t entries = reader.Take<std::uint16_t>();
  const std::uint32_t size = reader.Take<std::uint32_t>();
  const std::uint32_t offset = reader.Take<std::uint32_t>();
  if (entries == kSee64Short || size == kSee64 || offset == kSee64) {
    return ReadEndRecord64(bytes, end, file);
  }
  CheckOneDisk(disk == 0 && directory_disk == 0 && entries_here == entries, file);
  Slice(bytes.first(end), offset, size, file, "central directory");
  return {.offset = offset, .size = size, .entries = entries};
}

// Reads the zip64 part of an entry's extra data. It holds those of the four numbers below that do
// not fit their 16 or 32 bits, in this order; such a number is marked by the value kSee64 or
// kSee64Short.
void ApplyZip64(Bytes extra, std::uint32_t* disk, Entry* entry, std::string_view where) {
  ByteReader records(extra, where, "the extra data");
  const bool needed = entry->size == kSee64 || entry->packed_size == kSee64 ||
                      entry->offset == kSee64 || *disk == kSee64Short;
  while (needed && !records.rest().empty()) {
    const std::uint16_t id = records.Take<std::uint16_t>();
    ByteReader record(records.TakeBytes(records.Take<std::uint16_t>()), where, "the zip64 data");
    if (id != 1) continue;
    if (entry->size == kSee64) entry->size = record.Take<std::uint64_t>();
    if (entry->packed_size == kSee64) entry->packed_size = record.Take<std::uint64_t>();
    if (entry->offset == kSee64) entry->offset = record.Take<std::uint64_t>();
    if (*disk == kSee64Short) *disk = record.Take<std::uint32_t>();
    return;
  }
}

Entry ReadCentralEntry(ByteReader* reader, std::string_view file) {
  if (reader->Take<std::uint32_t>() != kCentralSignature) {
    ThrowAt(file, "central directory entry lacks its signature, must begin with PK\\x01\\x02");
  }
  Entry entry;
  reader->TakeBytes(4);  // skips versions
  entry.flags = reader->Take<std::uint16_t>();
  entry.method = reader->Take<std::uint16_t>();
  reader->TakeBytes(4);  // skips the time
  entry.crc = reader->Take<std::uint32_t>();
  entry.packed_size = reader->Take<std::uint32_t>();
  entry.size = reader->Take<std::uint32_t>();
  const std::size_t name_size = reader->Take<std::uint16_t>();
  const std::size_t extra_size = reader->Take<std::uint16_t>();
  const std::size_t comment_size = reader->Take<std::uint16_t>();
  std::uint32_t disk = reader->Take<std::uint16_t>();
  reader->TakeBytes(6);  // skips attributes
  entry.offset = reader->Take<std::uint32_t>();
  entry.name = reader->TakeText(name_size);
  ApplyZip64(reader->TakeBytes(extra_size), &disk, &entry,
             EntryPlace(file, WithoutSuffix(entry.name)));
  reader->TakeBytes(comment_size);
  CheckOneDisk(disk == 0, file);
  return entry;
}

void CheckReadable(const Entry& entry, std::string_view where) {
  constexpr std::uint16_t kEncrypted = 1 << 0 | 1 << 6 | 1 << 13;
  constexpr std::uint16_t kPatch = 1 << 5;
  // The largest expansion by deflate: a byte encodes at most 4 matches of 258 bytes. A larger size
  // is a lie that would make us allocate too much.
  constexpr std::uint64_t kMostExpansion = 1032;
  if (!IsPrintableAscii(entry.name)) ThrowAt(where, "name must be printable ASCII");
  if (!entry.name.ends_with(kSuffix)) ThrowAt(where, "is not an array, its name must end in .npy");
  if ((entry.flags & kEncrypted) != 0) ThrowAt(where, "is encrypted, must be plain");
  if ((entry.flags & kPatch) != 0) ThrowAt(where, "is a patch, must be plain");
  if (entry.method != kStored && entry.method != kDeflated) {
    ThrowAt(where, fmt::format("compression method {} found, must be 0 (stored) or 8 (deflated)",
                               entry.method));
  }
  const bool possible = entry.method == kStored ? entry.size == entry.packed_size
                                                : entry.size / kMostExpansion <= entry.packed_size;
  if (!possible) {
    ThrowAt(where, fmt::format("size {} found, cannot come from {} bytes by method {}", entry.size,
                               entry.packed_size, entry.method));
  }
}

// Finds the data of an entry, after its local header. The sizes in that header are ignored, because
// programs that compress while they write do not know them yet.
void Locate(Bytes body, Entry* entry, std::string_view where) {
  if (entry->offset > body.size()) {
    ThrowAt(where, fmt::format("offset {} found, must lie before the central directory at byte {}",
                               entry->offset, body.size()));
  }
  ByteReader reader(body.subspan(entry->offset), where, "its zip entry");
  if (reader.Take<std::uint32_t>() != kLocalSignature) {
    ThrowAt(where, "local header lacks its signature, must begin with PK\\x03\\x04");
  }
  reader.TakeBytes(22);
  const std::size_t name_size = reader.Take<std::uint16_t>();
  const std::size_t extra_size = reader.Take<std::uint16_t>();
  const std::string_view name = reader.TakeText(name_size);
  if (name != entry->name) {
    ThrowAt(where, fmt::format("name {} found in the local header, must be the same", Quote(name)));
  }
  reader.TakeBytes(extra_size);
  entry->packed = reader.TakeBytes(entry->packed_size);
  entry->end = body.size() - reader.rest().size();
}

// Throws if entries share bytes. Otherwise a small file could exhaust the memory, by many entries
// with the same data.
void CheckDisjoint(std::vector<Entry> entries, std::string_view file) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& before = entries[i - 1];
    const Entry& entry = entries[i];
    if (before.end > entry.offset) {
      ThrowAt(EntryPlace(file, WithoutSuffix(entry.name)),
              fmt::format("overlaps entry {}, must have bytes of its own",
                          Quote(WithoutSuffix(before.name))));
    }
  }
}

std::vector<Entry> ReadDirectory(Bytes bytes, std::string_view file) {
  const Directory directory = FindDirectory(bytes, file);
  const Bytes body = bytes.first(directory.offset);
  ByteReader reader(bytes.subspan(directory.offset, directory.size), file, "the central directory");
  std::vector<Entry> entries;
  std::uint64_t count = 0;
  for (; !reader.rest().empty(); ++count) {
    Entry entry = ReadCentralEntry(&reader, file);
    if (entry.name.ends_with('/')) continue;
    const std::string where = EntryPlace(file, WithoutSuffix(entry.name));
    CheckReadable(entry, where);
    Locate(body, &entry, where);
    entries.push_back(entry);
  }
  if (count != directory.entries) {
    ThrowAt(file, fmt::format("central directory has {} entries, must have {}", count,
                              directory.entries));
  }
  CheckDisjoint(entries, file);
  return entries;
}

std::vector<std::byte> Inflate(Bytes packed, std::size_t size, std::string_view where) {
  constexpr std::size_t kChunk = std::size_t{1} << 30;  // zlib counts bytes in 32 bits
  std::vector<std::byte> out(size + 1);                 // a stream too long fills the last byte
  z_stream stream{};
  // A negative number of bits means that the data have no zlib header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::size_t taken = 0;
  std::size_t given = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in_chunk = std::min(packed.size() - taken, kChunk);
    const std::size_t out_chunk = std::min(out.size() - given, kChunk);
    stream.next_in = reinterpret_cast<const Bytef*>(packed.data() + taken);
    stream.avail_in = static_cast<uInt>(in_chunk);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + given);
    stream.avail_out = static_cast<uInt>(out_chunk);
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in_chunk - stream.avail_in;
    given += out_chunk - stream.avail_out;
  }
  inflateEnd(&stream);
  if (given > size) ThrowAt(where, fmt::format("unpacks to more than the {} bytes declared", size));
  if (status != Z_STREAM_END || taken != packed.size() || given != size) {
    ThrowAt(where, fmt::format("{} packed bytes found, must be one deflate stream of {} bytes",
                               packed.size(), size));
  }
  out.resize(size);
  return out;
}

// Adds up the unpacked sizes of an archive's entries, so that a small file cannot exhaust the
// memory.
class UnpackedSize {
 public:
  explicit UnpackedSize(std::size_t file_size) : file_size_(file_size) {}

  // Adds an entry. Throws if the sum is then too large for an archive of this size.
  void Add(const Entry& entry, std::string_view where) {
    constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{32} << 20, kMostExpansion = 100;
    total_ += entry.size;  // cannot overflow: an entry has at most 1032 times its packed size
    if (total_ <= kAlwaysAllowed || total_ / kMostExpansion <= file_size_) return;
    ThrowAt(where, fmt::format("unpacks to {} bytes, but the archive has {}, must be compressed at "
                               "most {} times",
                               entry.size, file_size_, kMostExpansion));
  }

 private:
  std::uint64_t file_size_, total_ = 0;
};

Array ReadEntry(const Entry& entry, std::string_view where) {
  std::vector<std::byte> unpacked;
  Bytes bytes = entry.packed;
  if (entry.method == kDeflated) {
    unpacked = Inflate(entry.packed, entry.size, where);
    bytes = unpacked;
  }
  if (const std::uint32_t crc = Crc(bytes); crc != entry.crc && verify_checksums) {
    ThrowAt(where, fmt::format("is damaged: CRC-32 {:08x} found, must be {:08x}", crc, entry.crc));
  }
  return internal::ParseNpy(bytes, where);
}

}  // namespace

double Array::Scalar(std::string_view name) const {
  CheckSize("Scalar", name, size(), 1);
  return values[0];
}

Archive ReadNpz(std::span<const std::byte> bytes, std::string_view name) {
  return ReadNpz(bytes, name, [](std::string_view) { return true; });
}

Archive ReadNpz(std::span<const std::byte> bytes, std::string_view name,
                const std::function<bool(std::string_view)>& wanted) {
  Archive archive;
  UnpackedSize unpacked(bytes.size());
  for (const Entry& entry : ReadDirectory(bytes, name)) {
    const std::string_view key = WithoutSuffix(entry.name);
    if (!wanted(key)) continue;
    const std::string where = EntryPlace(name, key);
    if (archive.contains(key)) ThrowAt(where, "occurs twice, names must differ");
    unpacked.Add(entry, where);
    archive.emplace(key, ReadEntry(entry, where));
  }
  return archive;
}

std::vector<std::string> NpzNames(std::span<const std::byte> bytes, std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : ReadDirectory(bytes, name)) {
    names.emplace_back(WithoutSuffix(entry.name));
  }
  return names;
}

std::vector<std::string> NpzNames(const std::filesystem::path& path) {
  return ParseFile(path, [](Bytes bytes, std::string_view name) { return NpzNames(bytes, name); });
}

Archive ReadNpz(const std::filesystem::path& path) {
  return ParseFile(path, [](Bytes bytes, std::string_view name) { return ReadNpz(bytes, name); });
}

Array ReadNpy(std::span<const std::byte> bytes, std::string_view name) {
  return internal::ParseNpy(bytes, name);
}

Array ReadNpy(const std::filesystem::path& path) {
  return ParseFile(path, [](Bytes bytes, std::string_view name) { return ReadNpy(bytes, name); });
}

std::vector<std::byte> NpzBytes(const Archive& archive) {
  internal::NpzWriter writer("WriteNpz");
  for (const auto& [name, array] : archive) writer.Add(name, array.shape, array.values);
  return std::move(writer).Finish();
}

std::vector<std::byte> NpyBytes(const Array& array) {
  std::vector<std::byte> out;
  internal::AppendNpy(array.shape, array.values, "WriteNpy", &out);
  return out;
}

void WriteNpz(const std::filesystem::path& path, const Archive& archive) {
  internal::WriteFile(path, NpzBytes(archive));
}

void WriteNpy(const std::filesystem::path& path, const Array& array) {
  internal::WriteFile(path, NpyBytes(array));
}

}  // namespace gpode
