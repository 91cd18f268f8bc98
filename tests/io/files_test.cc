// Tests that files are replaced in one piece or not at all.
#include "io/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace gpode::internal {
namespace {

using testing_support::MessageOf;
using testing_support::TemporaryFolder;

std::vector<std::byte> Some(std::size_t size, int value) {
  return std::vector<std::byte>(size, static_cast<std::byte>(value));
}

// Limits the size of files to `bytes`, as on a full disk.
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

}  // namespace
}  // namespace gpode::internal
