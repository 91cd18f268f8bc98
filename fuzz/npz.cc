// The fuzz target of NumPy's archives and of data sets in NumPy's files. Checksums are not
// verified.
#include "gpode/npz.h"

#include <span>

#include "fuzz.h"
#include "gpode/data_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  gpode::fuzz::ReadsOrRefuses([&] { gpode::ReadNumpyDataset(bytes, "f"); });
  gpode::fuzz::ReadsOrRefuses([&] {
    const gpode::Archive archive = gpode::ReadNpz(bytes, "f");
    GPODE_CHECK(gpode::ReadNpz(gpode::NpzBytes(archive), "f").size() == archive.size());
  });
  return 0;
}
