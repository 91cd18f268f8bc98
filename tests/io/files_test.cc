// Tests that files are replaced in one piece or not at all.
#include "io/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode::internal {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

std::vector<std::byte> Some(std::size_t size, int value) {
  return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

// While it exists, limits the size of files to `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST(Files, AreReplaced) {
  const TemporaryFolder folder;
  WriteFile(folder / "f", Some(10, 1));
  WriteFile(folder / "f", Some(5, 2));
  EXPECT_EQ(ReadFile(folder / "f"), Some(5, 2));
  WriteFile(folder / "f", {});
  EXPECT_TRUE(ReadFile(folder / "f").empty());
  EXPECT_EQ(folder.size(), 1);
}

TEST(Files, MayStandInTheCurrentFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  WriteFile("f", Some(3, 1));
  EXPECT_EQ(ReadFile("f"), Some(3, 1));
  std::filesystem::current_path(before);
}

TEST(Files, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  WriteFile(folder / "f", Some(10, 1));
  {
    const FileSizeLimit limit(1000);
    EXPECT_EQ(MessageOf([&] { WriteFile(folder / "f", Some(5000, 2)); }),
              (folder / "f").string() + ": cannot be written: File too large");
  }
  EXPECT_EQ(ReadFile(folder / "f"), Some(10, 1));
  EXPECT_EQ(folder.size(), 1);
}

TEST(Files, AReadOnlyFolderLeavesTheOldFile) {
  const TemporaryFolder folder;
  WriteFile(folder / "f", Some(10, 1));
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const bool writable = std::ofstream(folder / "probe").good();
  const std::string message = MessageOf([&] { WriteFile(folder / "f", Some(5, 2)); });
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  if (writable) GTEST_SKIP() << "this user may write everywhere";
  EXPECT_EQ(message, (folder / "f").string() + ": cannot be written: Permission denied");
  EXPECT_EQ(ReadFile(folder / "f"), Some(10, 1));
}

TEST(Files, DevicesPipesAndFoldersAreNotReplaced) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0) << std::strerror(errno);
  EXPECT_EQ(MessageOf([&] { WriteFile(pipe, Some(1, 1)); }),
            pipe.string() + ": is a device or pipe, must be a file");
  EXPECT_EQ(MessageOf([&] { WriteFile(folder.path(), Some(1, 1)); }),
            folder.path().string() + ": is a directory, must be a file");
  EXPECT_EQ(folder.size(), 1);
}

// ReadFile once took the size by name before it opened the file. In between, another file could get
// the name.
TEST(Files, AReaderDuringReplacementsFailed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  const std::vector<std::byte> small = Some(10, 1), large = Some(200'000, 2);
  WriteFile(path, small);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    // Renaming alone replaces the file much more often than WriteFile, which flushes it to the
    // disk.
    std::filesystem::create_directory(folder / "new");
    for (int i = 0; !done; ++i) {
      std::ofstream(folder / "new/f", std::ios::binary)
          .write(reinterpret_cast<const char*>(i % 2 == 0 ? large.data() : small.data()),
                 i % 2 == 0 ? std::ssize(large) : std::ssize(small));
      std::filesystem::rename(folder / "new/f", path);
    }
  });
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    try {
      const std::vector<std::byte> found = ReadFile(path);
      if (found != small && found != large) ++wrong;
    } catch (const InputError&) {
      ++wrong;
    }
  }
  done = true;
  writer.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Files, LinksStayLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "there");
  std::filesystem::create_symlink("there/f", folder / "link");
  std::filesystem::create_symlink("link", folder / "link2");
  WriteFile(folder / "link2", Some(10, 1));
  WriteFile(folder / "link2", Some(20, 2));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link2"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "there/f"));
  EXPECT_EQ(ReadFile(folder / "there/f"), Some(20, 2));
}

TEST(Files, LinksWithoutEndAndToDescriptorsAreRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(MessageOf([&] { WriteFile(folder / "circle", Some(10, 1)); }),
            (folder / "circle").string() + ": is a circle of links, must be a file");
  std::filesystem::create_symlink("/proc/self/fd/1", folder / "out");
  EXPECT_EQ(MessageOf([&] { WriteFile(folder / "out", Some(10, 1)); }),
            (folder / "out").string() +
                ": is an open descriptor, must be a file, or - for standard output");
}

TEST(Files, KeepTheirMode) {
  const TemporaryFolder folder;
  const auto mode = [&](const char* name) {
    return static_cast<unsigned>(std::filesystem::status(folder / name).permissions());
  };
  WriteFile(folder / "f", Some(10, 1));
  chmod((folder / "f").c_str(), 0600);
  WriteFile(folder / "f", Some(20, 2));
  EXPECT_EQ(mode("f"), 0600u);
  WriteFile(folder / "copy", Some(20, 2), folder / "f");
  EXPECT_EQ(mode("copy"), 0600u);
  chmod((folder / "f").c_str(), 0751);
  WriteFile(folder / "f", Some(20, 2));
  EXPECT_EQ(mode("f"), 0751u);
}

TEST(Files, TemporaryFilesOfDeadProcessesAreRemoved) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);  // no process has its number now
  const std::string dead = std::to_string(child), alive = std::to_string(getpid());
  for (const std::string& name :
       {"f." + dead + ".0.tmp", "f." + dead + ".7.tmp", "f." + alive + ".999.tmp",
        "f." + dead + ".tmp", "g." + dead + ".0.tmp", "f." + dead + ".0.tmp.csv"}) {
    std::ofstream(folder / name) << "part";
  }
  WriteFile(folder / "f", Some(10, 1));
  EXPECT_EQ(folder.size(), 5);
  EXPECT_FALSE(std::filesystem::exists(folder / ("f." + dead + ".0.tmp")));
  EXPECT_FALSE(std::filesystem::exists(folder / ("f." + dead + ".7.tmp")));
}

}  // namespace
}  // namespace gpode::internal
