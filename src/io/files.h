// Reading and writing of whole files, and error messages about them.
//
// WriteFile replaces a file in one piece: it writes a temporary file in the same folder, flushes it
// to the disk and renames it. If the process dies at any moment, a reader finds either the old file
// or the new one, never a part. A killed process may leave its temporary file, NAME.PID.N.tmp,
// which the next WriteFile to NAME removes.
//
// A symbolic link stays one: the file that it points to is replaced. The new file has the mode and,
// where the system permits it, the owner of the old one. A hard link is cut: the other names of the
// old file keep its contents.
//
// Thread safety: all functions may be called from any thread.
//
//   std::vector<std::byte> bytes = ReadFile("data.npz");
//   WriteFile("copy.npz", bytes);
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/error.h"
#include "io/gzip.h"

namespace gpode::internal {

// Throws an InputError "WHERE: MESSAGE".
[[noreturn]] void ThrowAt(std::string_view where, std::string_view message);

// Returns text from a file for a message of one line: in quotes, at most `longest` characters,
// unprintable bytes as \xNN.
std::string Quote(std::string_view text, std::size_t longest = 60);

// These functions read and write a whole file. Errors are InputErrors that begin with the path.
// After a failed write, the old file is unchanged and there is no temporary file. If there is no
// old file, the new one gets mode and owner of the file `like`, if that is given and exists.
std::vector<std::byte> ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes,
               const std::filesystem::path& like = {});

// Returns the path of the file that WriteFile replaces or makes: the end of a chain of symbolic
// links. Throws an InputError if the chain has no end, or leads to a descriptor of a process, as
// /dev/stdout does.
std::filesystem::path ResolveTarget(const std::filesystem::path& path);

// The path that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";
// Returns the path, or "standard input" for the path "-", for messages.
std::string ShowPath(const std::filesystem::path& path);

// Reads a file, a pipe or standard input from its beginning, block by block, and decompresses what
// gzip has compressed. A reader belongs to one thread.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // Returns the first bytes, up to kBeginning of them, which Read() returns as well. Must be called
  // before Read().
  std::string_view Beginning() const { return beginning_; }
  bool IsCompressed() const { return gzip_ != nullptr; }

  // Returns the number of bytes read, which is smaller than requested only at the end of the file.
  std::size_t Read(std::span<char> into);

  // Returns the size of the file. Throws an InputError if it is not a regular file.
  std::size_t FileSize() const;

 private:
  static constexpr std::size_t kBeginning = 1024;

  // Reads bytes of the file as they are, compressed or not.
  std::size_t ReadBytes(std::span<char> into);
  // Reads what follows beginning_, decompressed if the file is compressed.
  std::size_t ReadOn(std::span<char> into);

  std::string name_;
  int descriptor_ = -1;
  std::string beginning_;
  std::size_t taken_ = 0;  // number of bytes of beginning_ that Read has returned
  std::unique_ptr<GzipStream> gzip_;
};

// Returns parse(bytes of the file, its path). Throws an InputError if memory does not suffice.
template <typename Parse>
auto ParseFile(const std::filesystem::path& path, Parse parse) {
  try {
    return parse(std::span<const std::byte>(ReadFile(path)), path.string());
  } catch (const std::bad_alloc&) {
    ThrowAt(path.string(), "is too large, must fit in memory");
  }
}

// Returns use(). InputErrors that do not begin with the file's name get it as a prefix.
template <typename Use>
auto NamingFile(std::string_view file, Use use) {
  try {
    return use();
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    if (message.starts_with(file)) throw;
    ThrowAt(file, message);
  }
}

}  // namespace gpode::internal
