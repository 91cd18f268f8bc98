// NumPy's array files: an .npy file holds one array, an .npz file is a zip archive of them.
//
// The readers accept .npy versions 1.0 to 3.0; booleans, integers and floats of up to 8 bytes in
// either byte order (b1, i1 to i8, u1 to u8, f2, f4, f8); C and Fortran order; .npz entries that
// are stored or deflated, with or without zip64. Every value becomes a double; 64-bit integers
// beyond 2^53 are rounded to the nearest. A string or list of strings (U, S) becomes its UTF-8
// bytes, one line per string, with \\ for a backslash and \n for a newline within a string.
//
// The writers store float64 in C order with a fixed time stamp, so that equal arrays give equal
// bytes. An archive has at most 4 GiB and 65534 entries.
//
// Formats: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html and
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (zip).
//
// Whatever the bytes are, reading either succeeds or throws an InputError "FILE: entry 'x': what
// was found, what is accepted". The readers allocate memory in proportion to the unpacked sizes of
// the arrays that they return, whatever sizes the headers declare. Archives whose arrays unpack to
// more than 32 MiB and to more than 100 times the size of the archive are refused: data do not
// compress so well.
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

// An array in C order: the last index runs fastest. A scalar has the shape () and one value.
struct Array {
  std::vector<std::size_t> shape;  // at most 32 dimensions
  std::vector<double> values;      // (product of shape)

  std::size_t size() const { return values.size(); }

  // Returns the only value of an array of any shape. Throws an InputError that mentions `name` if
  // the array does not have exactly one value.
  double Scalar(std::string_view name) const;

  bool operator==(const Array&) const = default;
};

// Arrays by name. The suffix ".npy" that names have inside the file is left out.
using Archive = std::map<std::string, Array, std::less<>>;

// Reads a file. Directories inside an archive are skipped; any other entry that is not a readable
// array is an InputError. Names must be printable ASCII.
Archive ReadNpz(const std::filesystem::path& path);
Array ReadNpy(const std::filesystem::path& path);

// Reads from memory; messages begin with `name` instead of a path.
Archive ReadNpz(std::span<const std::byte> bytes, std::string_view name);
// Reads only the arrays for which wanted(name) is true; the others are not unpacked.
Archive ReadNpz(std::span<const std::byte> bytes, std::string_view name,
                const std::function<bool(std::string_view)>& wanted);
// Returns the names of all arrays, in the order of the archive, and unpacks none.
std::vector<std::string> NpzNames(std::span<const std::byte> bytes, std::string_view name);
std::vector<std::string> NpzNames(const std::filesystem::path& path);
Array ReadNpy(std::span<const std::byte> bytes, std::string_view name);

// Writes a file, completely or not at all: the bytes go to a temporary file, which is then renamed.
void WriteNpz(const std::filesystem::path& path, const Archive& archive);
void WriteNpy(const std::filesystem::path& path, const Array& array);

// Returns the bytes that WriteNpz and WriteNpy write.
std::vector<std::byte> NpzBytes(const Archive& archive);
std::vector<std::byte> NpyBytes(const Array& array);

}  // namespace gpode
