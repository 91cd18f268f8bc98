// Files of other programs that cannot be read, and how to convert them.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <filesystem>
#include <string_view>

namespace gpode::internal {

// Throws an InputError that says how to convert the file if its first bytes are those of a format
// that is known but cannot be read: Excel, OpenDocument, MATLAB, HDF5, Parquet, Feather, or another
// compression than gzip.
void RefuseForeignFormat(std::string_view beginning, const std::filesystem::path& path);

}  // namespace gpode::internal
