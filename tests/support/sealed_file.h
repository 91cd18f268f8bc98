// Model files with any contents and a right checksum, for tests of what a crafted file can do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpode/npz.h"
#include "io/npz_writer.h"
#include "store/model_file.h"

namespace gpode::testing_support {

// Returns the bytes of an archive with a right checksum, whatever is in it.
inline std::vector<std::byte> Sealed(const Archive& archive,
                                     const std::string& title = internal::SealWithoutDigits()) {
  internal::NpzWriter out("test");
  for (const auto& [name, array] : archive) out.Add(name, array.shape, array.values);
  std::vector<std::byte> bytes = std::move(out).Finish(title + "00000000");
  const std::string digits = internal::SealDigits(std::span(bytes).first(bytes.size() - 8));
  std::copy_n(std::as_bytes(std::span(digits)).begin(), 8, bytes.end() - 8);
  return bytes;
}

}  // namespace gpode::testing_support
