// A library for LD_PRELOAD that makes one system call of a program fail: the GPODE_FAULT_AT-th
// call, from 1, of GPODE_FAULT_CALL, which is open, write, fsync, close or rename. Calls count only
// if they concern the writing of a file. When the program ends, the number of calls is written to
// the file GPODE_FAULT_COUNT, if that is set.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls = 0;

// Counts a call if `name` is the chosen function. Returns true if this call has to fail.
bool MustFail(const char* name) {
  const char* const chosen = std::getenv("GPODE_FAULT_CALL");
  const char* const at = std::getenv("GPODE_FAULT_AT");
  if (chosen == nullptr || std::strcmp(chosen, name) != 0) return false;
  return ++calls == (at == nullptr ? 0 : std::atol(at));
}

int FailWith(int error) {
  errno = error;
  return -1;
}

bool Writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

// Returns true for a descriptor, other than 0, 1 and 2, by which a regular file is written.
bool IsWrittenFile(int descriptor) {
  const int error = errno;
  struct stat found {};
  const int flags = fcntl(descriptor, F_GETFL);
  const bool is_one = flags >= 0 && Writes(flags) && descriptor > STDERR_FILENO &&
                      fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  errno = error;
  return is_one;
}

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Report {
  ~Report() {
    const char* const file = std::getenv("GPODE_FAULT_COUNT");
    std::FILE* const out = file == nullptr ? nullptr : std::fopen(file, "w");
    if (out == nullptr) return;
    std::fprintf(out, "%ld\n", calls.load());
    std::fclose(out);
  }
} report;

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  static auto* const next = Next<int(const char*, int, ...)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Writes(flags) && MustFail("open")) return FailWith(EACCES);
  return next(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t count) {
  static auto* const next = Next<ssize_t(int, const void*, std::size_t)>("write");
  if (IsWrittenFile(descriptor) && MustFail("write")) {
    // A part is written before the disk is full.
    if (count > 1) next(descriptor, bytes, count / 2);
    return FailWith(ENOSPC);
  }
  return next(descriptor, bytes, count);
}

int fsync(int descriptor) {
  static auto* const next = Next<int(int)>("fsync");
  return MustFail("fsync") ? FailWith(EIO) : next(descriptor);
}

int close(int descriptor) {
  static auto* const next = Next<int(int)>("close");
  const bool fails = IsWrittenFile(descriptor) && MustFail("close");
  const int result = next(descriptor);
  return fails ? FailWith(EIO) : result;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next<int(const char*, const char*)>("rename");
  return MustFail("rename") ? FailWith(EXDEV) : next(from, to);
}

}  // extern "C"
