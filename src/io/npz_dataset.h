// The reader of data sets in NumPy's files. See gpode/data_files.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "gpode/data_files.h"

namespace gpode::internal {

// Returns true if a file with this beginning is an .npz or .npy file.
bool IsNumpyData(std::span<const std::byte> beginning);

// Reads one file. The caller checks the whole data set, which may consist of several files.
Dataset ReadNumpyFile(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace gpode::internal
