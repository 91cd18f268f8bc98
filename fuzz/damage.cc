// A main function for a fuzz target without libFuzzer. It runs the target on the files of the
// corpus and on damaged copies of them, which are the same every time, and is fast enough for every
// test run.
//
// usage: damage_NAME COPIES CORPUS [SEED]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "io/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;
using Generator = std::mt19937_64;

std::size_t Below(std::size_t count, Generator& generator) { return generator() % count; }

// Makes one change: another byte, bytes removed, bytes repeated elsewhere, or the end cut off.
void Damage(Bytes& bytes, Generator& generator) {
  if (bytes.empty()) return bytes.push_back(static_cast<std::uint8_t>(generator()));
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(Below(bytes.size(), generator));
  const auto end = at + static_cast<std::ptrdiff_t>(
                            Below(std::min<std::size_t>(bytes.end() - at, 64), generator));
  switch (Below(8, generator)) {
    case 0:
      bytes.erase(at, end);
      break;
    case 1: {
      const Bytes some(at, end);
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(Below(bytes.size(), generator)),
                   some.begin(), some.end());
      break;
    }
    case 2:
      bytes.erase(at, bytes.end());
      break;
    case 3:
      *at ^= static_cast<std::uint8_t>(1u << Below(8, generator));
      break;
    default:
      *at = static_cast<std::uint8_t>(generator());
  }
}

// Runs the target. As in libFuzzer, the pointer is not null even if there are no bytes.
void Try(Bytes bytes) {
  bytes.reserve(1);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    return std::cerr << "usage: damage_NAME COPIES CORPUS [SEED]\n", 2;
  }
  gpode::internal::verify_checksums = false;
  Generator generator(argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 1);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry);
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const Bytes whole{std::istreambuf_iterator<char>(file), {}};
    Try(whole);
    for (int copy = 0; copy < std::atoi(argv[1]); ++copy) {
      Bytes damaged = whole;
      for (std::size_t change = Below(6, generator) + 1; change > 0; --change) {
        Damage(damaged, generator);
      }
      Try(std::move(damaged));
    }
  }
  std::cout << files.size() << " files and " << argv[1] << " damaged copies of each\n";
  return files.empty() ? 1 : 0;
}
