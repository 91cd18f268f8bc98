// A library for LD_PRELOAD that makes one call of a program fail: the GPODE_FAULT_AT-th call, from
// 1, of GPODE_FAULT_CALL, which is open, write, fsync, close, rename, thread, allocation, malloc or
// mmap. If GPODE_FAULT_LASTS is set, all later calls fail, too. The first five count only if they
// concern the writing of a file. `thread` is the start of a thread, `allocation` an operator new
// and `malloc` any function of the C library that allocates, both after main has begun (which it
// shows by its first call of signal). When the program ends, the number of calls is written to the
// file GPODE_FAULT_COUNT, if that is set.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> calls = 0;
std::atomic<bool> main_has_begun = false;

// The settings from the environment. They are read only once, because there are very many
// allocations.
struct Choice {
  const char* call = std::getenv("GPODE_FAULT_CALL");
  const char* at_text = std::getenv("GPODE_FAULT_AT");
  long at = at_text == nullptr ? 0 : std::atol(at_text);
  bool is_allocation = call != nullptr && std::strcmp(call, "allocation") == 0;
  bool is_malloc = call != nullptr && std::strcmp(call, "malloc") == 0;
  bool lasts = std::getenv("GPODE_FAULT_LASTS") != nullptr;
};
const Choice& TheChoice() {
  static const Choice choice;
  return choice;
}

// Counts a call of the chosen function. Returns true if this call has to fail.
bool MustFail() {
  const Choice& choice = TheChoice();
  const long number = ++calls;
  return number == choice.at || (choice.lasts && choice.at > 0 && number > choice.at);
}

// Does the same if `name` is the chosen function; other functions are not counted.
bool MustFail(const char* name) {
  const Choice& choice = TheChoice();
  return choice.call != nullptr && std::strcmp(choice.call, name) == 0 && MustFail();
}

// Returns true if a function of the C library that allocates has to fail.
bool MallocMustFail() { return main_has_begun && TheChoice().is_malloc && MustFail(); }

void* Allocate(std::size_t size, std::size_t alignment) {
  if (main_has_begun && TheChoice().is_allocation && MustFail()) throw std::bad_alloc();
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(size == 0 ? 1 : size);
  } else if (posix_memalign(&memory, alignment, size) != 0) {
    memory = nullptr;
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
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

void* OutOfMemory() {
  errno = ENOMEM;
  return nullptr;
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

// The functions behind malloc and the like in the GNU C library.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return MallocMustFail() ? OutOfMemory() : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) {
  return MallocMustFail() ? OutOfMemory() : __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) {
  return MallocMustFail() ? OutOfMemory() : __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return MallocMustFail() ? OutOfMemory() : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (MallocMustFail()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void* mmap(void* at, std::size_t size, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  static auto* const next = Next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (!main_has_begun || !MustFail("mmap")) {
    return next(at, size, protection, flags, descriptor, offset);
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

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

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  static auto* const next =
      Next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return MustFail("thread") ? EAGAIN : next(thread, attributes, run, argument);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  static auto* const next = Next<sighandler_t(int, sighandler_t)>("signal");
  main_has_begun = true;
  return next(number, handler);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next<int(const char*, const char*)>("rename");
  return MustFail("rename") ? FailWith(EXDEV) : next(from, to);
}

}  // extern "C"

void* operator new(std::size_t size) { return Allocate(size, 1); }
void* operator new[](std::size_t size) { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
