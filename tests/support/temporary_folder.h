// A temporary folder for one test, which is removed at the end.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string_view>

namespace gpode::testing_support {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("gpode_test_{}_{}", getpid(), counter++);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  // Returns the number of files and folders in this folder.
  std::ptrdiff_t size() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace gpode::testing_support
