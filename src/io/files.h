// Whole files, and the messages about what is wrong with them.
//
// A file is replaced in one piece: the bytes go to a temporary file beside it, which is flushed to
// the disk and then renamed. Whenever the process dies, a reader finds the old file or the new one.
// A killed process may leave its temporary file, NAME.PID.N.tmp, behind.
//
// Thread safety: all functions may be called from any thread.
//
//   std::vector<std::byte> bytes = ReadFile("data.npz");
//   WriteFile("copy.npz", bytes);
#pragma once

#include <cstddef>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/error.h"

namespace gpode::internal {

// Throws InputError("where: message").
[[noreturn]] void ThrowAt(std::string_view where, std::string_view message);

// Text from a file, fit for a one-line message: quoted, cut after `longest` characters, unprintable
// bytes as \xNN.
std::string Quote(std::string_view text, std::size_t longest = 60);

// What goes wrong is an InputError that begins with the path. A write that fails leaves the old
// file as it was and no temporary file.
std::vector<std::byte> ReadFile(const std::filesystem::path& path);
void WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes);

// A file or pipe from its beginning, block by block. Belongs to one thread.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // How many bytes were read; fewer than asked for only at the end.
  std::size_t Read(std::span<char> into);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// parse(bytes of the file, its name); a file too large for this machine is the file's fault.
template <typename Parse>
auto ParseFile(const std::filesystem::path& path, Parse parse) {
  try {
    return parse(std::span<const std::byte>(ReadFile(path)), path.string());
  } catch (const std::bad_alloc&) {
    ThrowAt(path.string(), "is too large, must fit in memory");
  }
}

// What `use` returns; InputErrors from it that do not name the file yet then do.
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
