#include "io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <optional>
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
    // Only the first byte of an unprintable character was shown: continue with its next byte.
    text.remove_prefix(IsPrintableUtf8(character) ? length : 1);
  }
  return quoted + (text.empty() ? "'" : "...'");
}

namespace {

std::string SystemMessage() { return std::generic_category().message(errno); }

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

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

// The attributes of a file that its replacement keeps.
struct Attributes {
  mode_t mode;
  uid_t user;
  gid_t group;
};

std::optional<Attributes> AttributesOf(const std::filesystem::path& path) {
  struct stat found {};
  if (path.empty() || stat(path.c_str(), &found) != 0) return std::nullopt;
  return Attributes{.mode = found.st_mode & 0777, .user = found.st_uid, .group = found.st_gid};
}

// Returns true if no process is writing the temporary file with this name and process number. A
// writer holds a lock on its file (TemporaryFile). The number alone says too little, since it may
// be one of another machine, or have been given to another process by now; the lock alone says too
// little in the moment between creating and locking the file.
bool IsAbandoned(const std::filesystem::path& temporary, pid_t process) {
  constexpr std::time_t kLongAgo = 600;  // seconds
  const int descriptor = open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat found {};
  const bool is_old = fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
                      found.st_mtime < std::time(nullptr) - kLongAgo;
  const bool is_dead = kill(process, 0) != 0 && errno == ESRCH;
  const bool is_free = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  close(descriptor);
  return is_free && (is_dead || is_old);
}

// Temporary files for the file NAME are called NAME.PROCESS.COUNT.tmp. Returns the process number
// in such a name, or 0 if `temporary` is not of this form.
pid_t ProcessOfTemporary(std::string_view temporary, std::string_view name) {
  constexpr std::string_view kEnd = ".tmp";
  if (!temporary.starts_with(name) || !temporary.ends_with(kEnd)) return 0;
  if (temporary.size() < name.size() + kEnd.size()) return 0;
  std::string_view numbers = temporary.substr(name.size());
  numbers.remove_suffix(kEnd.size());
  pid_t process = 0;
  unsigned count = 0;
  for (const bool first : {true, false}) {
    if (!numbers.starts_with('.')) return 0;
    numbers.remove_prefix(1);
    const char* const begin = numbers.data();
    const char* const end = begin + numbers.size();
    const auto [stop, error] =
        first ? std::from_chars(begin, end, process) : std::from_chars(begin, end, count);
    if (error != std::errc()) return 0;
    numbers.remove_prefix(static_cast<std::size_t>(stop - begin));
  }
  return numbers.empty() && process > 0 ? process : 0;
}

// Removes the temporary files that killed processes have left for this file. Errors are ignored:
// such files are not in the way.
void RemoveAbandoned(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::error_code error;
  std::filesystem::directory_iterator entry(FolderOf(path), error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::filesystem::path temporary = entry->path();
    const pid_t process = ProcessOfTemporary(temporary.filename().string(), name);
    if (process > 0 && IsAbandoned(temporary, process)) unlink(temporary.c_str());
    entry.increment(error);
  }
}

// A temporary file in the folder of `path`. The destructor removes it unless RenameToPath has made
// it the file `path`. While the file is open it is locked, which shows others that its process is
// alive.
class TemporaryFile {
 public:
  // `name` is the name of the file in messages.
  TemporaryFile(const std::filesystem::path& path, std::string name,
                const std::optional<Attributes>& attributes)
      : path_(path), temporary_(path), name_(std::move(name)) {
    // The name has to be unique, since other threads and processes may write the same file.
    static std::atomic<unsigned> counter = 0;
    temporary_ += fmt::format(".{}.{}.tmp", getpid(), counter++);
    // If the file gets the mode of an old one, only its owner may open it until the mode is set.
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                       attributes ? S_IRUSR | S_IWUSR : 0666);
    if (descriptor_ < 0) Fail();
    flock(descriptor_, LOCK_EX | LOCK_NB);
    if (attributes) Set(*attributes);
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
  // Sets the owner, as far as the system permits, and the mode. If the group cannot be set, the
  // mode gives no rights to the group, since these would be rights of another group.
  void Set(const Attributes& attributes) {
    const auto keep = static_cast<uid_t>(-1);
    bool has_group = fchown(descriptor_, attributes.user, attributes.group) == 0;
    has_group = has_group || fchown(descriptor_, keep, attributes.group) == 0;
    const mode_t mode = has_group ? attributes.mode : attributes.mode & ~mode_t{S_IRWXG};
    if (fchmod(descriptor_, mode) != 0) Fail();
  }

  [[noreturn]] void Fail() const {
    ThrowAt(name_, fmt::format("cannot be written: {}", SystemMessage()));
  }

  std::filesystem::path path_, temporary_;
  std::string name_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

// Flushes the renaming to the disk, so that it survives a power failure. Errors are ignored: some
// file systems cannot do that, and the file itself is complete.
void SyncFolderOf(const std::filesystem::path& path) {
  const int descriptor = open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

std::size_t FileReader::FileSize() const {
  struct stat found {};
  if (fstat(descriptor_, &found) != 0) {
    ThrowAt(name_, fmt::format("cannot be read: {}", SystemMessage()));
  }
  CheckIsFile(name_, S_ISREG(found.st_mode) ? std::filesystem::file_type::regular
                                            : std::filesystem::file_type::unknown);
  return static_cast<std::size_t>(found.st_size);
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
  CheckIsFile(path, TypeOf(path));  // before opening, which would wait for the writer of a pipe
  FileReader file(path);
  if (file.IsCompressed()) {
    ThrowAt(path.string(), "is compressed by gzip, must not be; decompress it with gunzip");
  }
  // The size is that of the file that was opened: by now, another one may have taken its name.
  std::vector<std::byte> bytes(file.FileSize());
  const std::size_t taken = file.Read({reinterpret_cast<char*>(bytes.data()), bytes.size()});
  if (taken != bytes.size()) ThrowAt(path.string(), "cannot be read to its end");
  return bytes;
}

std::filesystem::path ResolveTarget(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(target, error); ++links) {
    if (links == kMostLinks) ThrowAt(path.string(), "is a circle of links, must be a file");
    const std::filesystem::path folder = std::filesystem::canonical(FolderOf(target), error);
    if (folder.native().starts_with("/proc/")) {
      ThrowAt(path.string(), "is an open descriptor, must be a file, or - for standard output");
    }
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) ThrowAt(path.string(), fmt::format("cannot be written: {}", error.message()));
    target = next.is_absolute() ? next : FolderOf(target) / next;
  }
  return target;
}

void WriteFile(const std::filesystem::path& path, std::span<const std::byte> bytes,
               const std::filesystem::path& like) {
  const std::filesystem::path target = ResolveTarget(path);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(target, error);
  if (std::filesystem::exists(status)) CheckIsFile(path, status.type());
  RemoveAbandoned(target);
  const std::optional<Attributes> own = AttributesOf(target);
  TemporaryFile file(target, path.string(), own ? own : AttributesOf(like));
  file.Write(bytes);
  file.RenameToPath();
  SyncFolderOf(target);
}

}  // namespace gpode::internal
