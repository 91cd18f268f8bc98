// Data sets in NumPy's files. See gpode/data_files.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "gpode/data_files.h"

namespace gpode::internal {

// Whether a file that begins so is an .npz or .npy file.
bool IsNumpyData(std::span<const std::byte> beginning);

// Without the checks of a whole data set, which may have more files.
Dataset ReadNumpyFile(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace gpode::internal
