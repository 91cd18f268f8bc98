// NumPy's array files: .npy holds one array, .npz is a zip archive of them.
//
// Read: .npy versions 1.0 to 3.0; booleans, integers and floats of any size up to 8 bytes and of
// either byte order (b1, i1 to i8, u1 to u8, f2, f4, f8); C and Fortran order; .npz entries stored
// or deflated, with or without zip64. Every value becomes a double: 64-bit integers beyond 2^53 are
// rounded to the nearest. A string or list of strings (U, S) becomes its UTF-8 bytes, one line per
// string, with \\ for a backslash and \n for a newline within one. Written: float64 in C order,
// stored, with a fixed time stamp, so that equal arrays give equal bytes; at most 4 GiB and 65534
// entries per archive.
//
// Formats: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html and
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (zip).
//
// Whatever the bytes are, reading returns or throws an InputError "FILE: entry 'x': what was found,
// what would be right". Memory is asked for only once the bytes present account for it; deflate
// can make those up to 1032 times as many.
//
// Thread safety: all functions may be called from any thread.
//
//   Archive archive = ReadNpz("data.npz");
//   double noise = archive.at("noise").Scalar("noise");
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpode {

// values are in C order: the last index runs fastest. A scalar has the shape () and one value.
struct Array {
  std::vector<std::size_t> shape;  // at most 32 dimensions
  std::vector<double> values;      // (product of shape)

  std::size_t size() const { return values.size(); }

  // The only value, whatever the shape; `name` is for the InputError thrown if there are more or
  // none.
  double Scalar(std::string_view name) const;

  bool operator==(const Array&) const = default;
};

// Arrays by name, without the ".npy" that their names end with inside the file.
using Archive = std::map<std::string, Array, std::less<>>;

// Directories inside the archive are passed over; any other entry that is not a readable array is
// an InputError. Names must be printable ASCII.
Archive ReadNpz(const std::filesystem::path& path);
Array ReadNpy(const std::filesystem::path& path);

// The same for bytes in memory; `name` stands for the file in messages.
Archive ReadNpz(std::span<const std::byte> bytes, std::string_view name);
Array ReadNpy(std::span<const std::byte> bytes, std::string_view name);

// The file appears complete or not at all: it is written beside `path` and then renamed.
void WriteNpz(const std::filesystem::path& path, const Archive& archive);
void WriteNpy(const std::filesystem::path& path, const Array& array);

// What those write.
std::vector<std::byte> NpzBytes(const Archive& archive);
std::vector<std::byte> NpyBytes(const Array& array);

}  // namespace gpode
