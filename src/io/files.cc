#include "io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "io/utf8.h"

namespace gpode::internal {

void ThrowAt(std::string_view where, std::string_view message) {
  throw InputError(fmt::format("{}: {}", where, message));
}

std::string Quote(std::string_view text, std::size_t longest) {
  std::string quoted = "'";
  std::size_t characters = 0;
  for (; !text.empty() && characters < longest; ++characters) {
    const std::size_t length = std::max<std::size_t>(Utf8Length(text), 1);
    const std::string_view character = text.substr(0, length);
    quoted += IsPrintableUtf8(character)
                  ? std::string(character)
                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    // Only the first byte of an unprintable character was shown: go on with its next byte.
    text.remove_prefix(IsPrintableUtf8(character) ? length : 1);
  }
  return quoted + (text.empty() ? "'" : "...'");
}

namespace {

std::string SystemMessage() { return std::generic_category().message(errno); }

// Throws unless `path`, which has this type, is a regular file: ReadFile needs the size of a file,
// and WriteFile must not replace a device such as /dev/null by a file.
void CheckIsFile(const std::filesystem::path& path, std::filesystem::file_type type) {
  if (type == std::filesystem::file_type::directory) {
    ThrowAt(path.string(), "is a directory, must be a file");
  }
  if (type != std::filesystem::file_type::regular) {
    ThrowAt(path.string(), "is a device or pipe, must be a file");
  }
}

// A temporary file in the folder of `path`. The destructor removes it unless RenameToPath has made
// it the file `path`.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path) : path_(path), temporary_(path) {
    // The name is unique because other threads and processes may write the same file.
    static std::atomic<unsigned> counter = 0;
    temporary_ += fmt::format(".{}.{}.tmp", getpid(), counter++);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) Fail();
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_) unlink(temporary_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) Fail();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void RenameToPath() {
    if (fsync(descriptor_) != 0) Fail();
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) Fail();
    renamed_ = true;
  }

 private:
  [[noreturn]] void Fail() const {
    ThrowAt(path_.string(), fmt::format("cannot be written: {}", SystemMessage()));
  }

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

// Flushes the renaming to the disk, so that it survives a power failure. Errors are ignored: some
// file systems cannot do that, and the file itself is complete.
void SyncFolderOf(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

namespace {

std::filesystem::file_type TypeOf(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found) {
    ThrowAt(path.empty() ? "''" : path.string(), "no such file, must exist");
  }
  // After another error, opening the file will fail with a message.
  return error ? std::filesystem::file_type::regular : type;
}

}  // namespace

std::string ShowPath(const std::filesystem::path& path) {
  return path == kStandardInput ? "standard input" : path.string();
}

FileReader::FileReader(const std::filesystem::path& path) : name_(ShowPath(path)) {
  if (path == kStandardInput) {
    descriptor_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    if (TypeOf(path) == std::filesystem::file_type::directory) {
      ThrowAt(name_, "is a directory, must be a file");
    }
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (descriptor_ < 0) ThrowAt(name_, fmt::format("cannot be opened: {}", SystemMessage()));
  try {
    beginning_.resize(kBeginning);
    beginning_.resize(ReadBytes(beginning_));
    if (!IsGzip(beginning_)) return;
    gzip_ = std::make_unique<GzipStream>(
        [this, first = std::exchange(beginning_, {}),
         used = std::size_t{0}](std::span<char> into) mutable {
          const std::size_t count = std::min(into.size(), first.size() - used);
          std::copy_n(first.begin() + static_cast<std::ptrdiff_t>(used), count, into.begin());
          used += count;
          return count + ReadBytes(into.subspan(count));
        },
        name_);
    std::string decompressed(kBeginning, '\0');
    decompressed.resize(gzip_->Read(decompressed));
    beginning_ = std::move(decompressed);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

FileReader::~FileReader() { close(descriptor_); }

std::size_t FileReader::ReadBytes(std::span<char> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t taken = read(descriptor_, into.data() + filled, into.size() - filled);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) ThrowAt(name_, fmt::format("cannot be read: {}", SystemMessage()));
    if (taken == 0) break;
    filled += static_cast<std::size_t>(taken);
  }
  return filled;
}

std::size_t FileReader::ReadOn(std::span<char> into) {
  return gzip_ ? gzip_->Read(into) : ReadBytes(into);
}

std::size_t FileReader::Read(std::span<char> into) {
  const std::size_t first = std::min(into.size(), beginning_.size() - taken_);
  std::copy_n(beginning_.begin() + static_cast<std::ptrdiff_t>(taken_), first, into.begin());
  taken_ += first;
  return first + (first < into.size() ? ReadOn(into.subspan(first)) : 0);
}

std::vector<std::byte> ReadFile(const std::filesystem::path& path) {
  CheckIsFile(path, TypeOf(path));
  FileReader file(path);
  if (file.IsCompressed()) {
    ThrowAt(path.string(), "is compressed by gzip, must not be; decompress it with gunzip");
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::vector<std::byte> bytes(error ? 0 : size);
  const std::size_t taken = file.Read({reinterpret_cast<char*>(bytes.data()), bytes.size()});
  if (taken != bytes.size() || error) ThrowAt(path.string(), "cannot be read to its end");
  return bytes;
}

void WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status)) CheckIsFile(path, status.type());
  TemporaryFile file(path);
  file.Write(bytes);
  file.RenameToPath();
  SyncFolderOf(path);
}

}  // namespace gpode::internal
