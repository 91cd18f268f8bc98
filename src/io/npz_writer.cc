#include "io/npz_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/files.h"
#include "io/npy.h"
#include "io/zip.h"

namespace gpode::internal {

std::string EntryPlace(std::string_view file, std::string_view name) {
  return fmt::format("{}: entry {}", file, Quote(name));
}

bool IsPrintableAscii(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

namespace {

struct Entry {
  std::string name;
  std::uint32_t crc;
  std::uint32_t size;
  std::uint32_t offset;
};

// Writes the part of an entry that the local header and the central directory share.
void PutSharedPart(const Entry& entry, std::vector<std::byte>* out) {
  constexpr std::uint16_t kVersion = 20;
  constexpr std::uint16_t kNoFlags = 0;
  constexpr std::uint16_t kTime = 0;
  constexpr std::uint16_t kDate = 1 << 5 | 1;  // 1 January 1980, the earliest date of zip
  constexpr std::uint16_t kNoExtra = 0;
  PutLittleEndian(out, kVersion, kNoFlags, kStored, kTime, kDate, entry.crc, entry.size, entry.size,
                  static_cast<std::uint16_t>(entry.name.size()), kNoExtra);
}

void PutCentralEntry(const Entry& entry, std::vector<std::byte>* out) {
  constexpr std::uint16_t kMadeBy = 20;
  constexpr std::uint16_t kNoComment = 0;
  constexpr std::uint16_t kDisk = 0;
  constexpr std::uint16_t kInternalAttributes = 0;
  constexpr std::uint32_t kExternalAttributes = 0;
  PutLittleEndian(out, kCentralSignature, kMadeBy);
  PutSharedPart(entry, out);
  PutLittleEndian(out, kNoComment, kDisk, kInternalAttributes, kExternalAttributes, entry.offset);
  PutText(entry.name, out);
}

void PutEndRecord(std::size_t entries, std::size_t size, std::size_t offset,
                  std::string_view comment, std::vector<std::byte>* out) {
  constexpr std::uint16_t kDisk = 0;
  const auto count = static_cast<std::uint16_t>(entries);
  PutLittleEndian(out, kEndSignature, kDisk, kDisk, count, count, static_cast<std::uint32_t>(size),
                  static_cast<std::uint32_t>(offset), static_cast<std::uint16_t>(comment.size()));
  PutText(comment, out);
}

}  // namespace

void NpzWriter::Add(std::string_view name, std::span<const std::size_t> shape,
                    std::span<const double> values) {
  std::vector<std::byte> npy;
  AppendNpy(shape, values, EntryPlace(where_, name), &npy);
  AddNpy(name, npy);
}

void NpzWriter::AddText(std::string_view name, std::string_view text) {
  std::vector<std::byte> npy;
  AppendNpy(text, &npy);
  AddNpy(name, npy);
}

// Adds an array in .npy format. Throws if the archive would need zip64, the extension for large
// archives, which this writer does not have, or if the name is one that ReadNpz does not accept.
void NpzWriter::AddNpy(std::string_view name, std::span<const std::byte> npy) {
  if (!IsPrintableAscii(name) || name.size() + kSuffix.size() > kSee64Short) {
    ThrowAt(EntryPlace(where_, name), "name must be printable ASCII and at most 65531 bytes long");
  }
  if (++entries_ >= kSee64Short) {
    ThrowAt(where_, "archive has more than 65534 entries, must have at most that many");
  }
  constexpr std::size_t kLocalSize = 30;
  if (out_.size() + directory_.size() + npy.size() + 2 * name.size() + 4 * kLocalSize >= kSee64) {
    ThrowAt(where_, "archive is larger than 4 GiB, must be smaller");
  }
  const Entry entry{.name = fmt::format("{}{}", name, kSuffix),
                    .crc = Crc(npy),
                    .size = static_cast<std::uint32_t>(npy.size()),
                    .offset = static_cast<std::uint32_t>(out_.size())};
  PutLittleEndian(&out_, kLocalSignature);
  PutSharedPart(entry, &out_);
  PutText(entry.name, &out_);
  out_.insert(out_.end(), npy.begin(), npy.end());
  PutCentralEntry(entry, &directory_);
}

std::vector<std::byte> NpzWriter::Finish(std::string_view comment) && {
  const std::size_t offset = out_.size();
  out_.insert(out_.end(), directory_.begin(), directory_.end());
  PutEndRecord(entries_, directory_.size(), offset, comment, &out_);
  return std::move(out_);
}

}  // namespace gpode::internal
