#include "io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include "gpode/error.h"
#include "io/npy_text.h"

namespace gpode {
namespace internal {

std::span<const std::byte> ByteReader::TakeBytes(std::size_t size) {
  if (size > rest_.size()) ThrowAt(where_, fmt::format("ends inside {}, must be complete", what_));
  const auto taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::string_view ByteReader::TakeText(std::size_t size) {
  const auto taken = TakeBytes(size);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

void PutText(std::string_view text, std::vector<std::byte>* out) {
  const auto bytes = std::as_bytes(std::span(text));
  out->insert(out->end(), bytes.begin(), bytes.end());
}

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 32;
constexpr std::string_view kSupported =
    "must be bool, integer or float (b1, i1 to i8, u1 to u8, f2, f4, f8) or a list of strings";

// Element types of files: a truth value, true unless its byte is zero, and a half-precision float.
struct Bool {
  std::uint8_t byte;
};
struct Half {
  std::uint16_t bits;
};

double ToDouble(Bool value) { return value.byte != 0 ? 1.0 : 0.0; }

// Converts an IEEE 754 binary16 number: 1 sign bit, 5 exponent bits, 10 fraction bits.
double ToDouble(Half value) {
  const int exponent = (value.bits >> 10) & 0x1F;
  const int fraction = value.bits & 0x3FF;
  double magnitude;
  if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else if (exponent == 0x1F) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else {
    magnitude = std::ldexp(0x400 + fraction, exponent - 25);
  }
  return std::copysign(magnitude, (value.bits & 0x8000) != 0 ? -1.0 : 1.0);
}

template <typename T>
double ToDouble(T value) {
  return static_cast<double>(value);
}

template <typename T>
void Decode(std::span<const std::byte> bytes, bool swap, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::array<std::byte, sizeof(T)> raw;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * sizeof(T)), sizeof(T), raw.begin());
    if (swap) std::reverse(raw.begin(), raw.end());
    values[i] = ToDouble(std::bit_cast<T>(raw));
  }
}

struct Dtype {
  std::string_view code;
  std::size_t size;
  void (*decode)(std::span<const std::byte>, bool, std::span<double>);
};

constexpr std::array kDtypes = {
    Dtype{"b1", 1, Decode<Bool>},          Dtype{"i1", 1, Decode<std::int8_t>},
    Dtype{"i2", 2, Decode<std::int16_t>},  Dtype{"i4", 4, Decode<std::int32_t>},
    Dtype{"i8", 8, Decode<std::int64_t>},  Dtype{"u1", 1, Decode<std::uint8_t>},
    Dtype{"u2", 2, Decode<std::uint16_t>}, Dtype{"u4", 4, Decode<std::uint32_t>},
    Dtype{"u8", 8, Decode<std::uint64_t>}, Dtype{"f2", 2, Decode<Half>},
    Dtype{"f4", 4, Decode<float>},         Dtype{"f8", 8, Decode<double>},
};

const Dtype& FindDtype(std::string_view descr, std::string_view where) {
  for (const Dtype& dtype : kDtypes) {
    if (descr.size() == 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos &&
        descr.substr(1) == dtype.code) {
      return dtype;
    }
  }
  ThrowAt(where, fmt::format("dtype {} found, {}", Quote(descr), kSupported));
}

bool NeedsSwap(std::string_view descr) {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  return descr[0] == kForeign;
}

struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::size_t>> shape;
};

// Reads the header's Python dictionary:
// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Header Parse() {
    Header header;
    Expect('{');
    while (!TakeIf("}")) {
      ParseItem(&header);
      if (TakeIf(",")) continue;
      Expect('}');
      break;
    }
    SkipSpace();
    if (at_ != text_.size()) Fail("nothing after '}'");
    if (!header.descr || !header.fortran_order || !header.shape) {
      ThrowAt(where_, "header lacks a key, must have 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  [[noreturn]] void Fail(std::string_view right) const {
    ThrowAt(where_, fmt::format("header has {} at byte {}, must have {}",
                                Quote(text_.substr(at_, 16)), at_, right));
  }

  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool TakeIf(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void Expect(char c) {
    if (!TakeIf({&c, 1})) Fail(fmt::format("'{}'", c));
  }

  void ParseItem(Header* header) {
    const std::size_t start = at_;
    const std::string_view key = TakeString();
    Expect(':');
    if (key == "descr" && !header->descr) {
      header->descr = TakeDescr();
    } else if (key == "fortran_order" && !header->fortran_order) {
      header->fortran_order = TakeBool();
    } else if (key == "shape" && !header->shape) {
      header->shape = TakeShape();
    } else {
      at_ = start;
      Fail("each of the keys 'descr', 'fortran_order' and 'shape' once");
    }
  }

  std::string_view TakeString() {
    const std::string_view quote = TakeIf("\"") ? "\"" : "'";
    if (quote == "'") Expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) Fail("a closing quote");
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ = end + 1;
    return taken;
  }

  std::string_view TakeDescr() {
    if (TakeIf("[")) ThrowAt(where_, fmt::format("structured dtype found, {}", kSupported));
    return TakeString();
  }

  bool TakeBool() {
    if (TakeIf("True")) return true;
    if (TakeIf("False")) return false;
    Fail("True or False");
  }

  // Reads a Python tuple of integers. A tuple of one element must have a comma: (3,).
  std::vector<std::size_t> TakeShape() {
    std::vector<std::size_t> shape;
    Expect('(');
    while (!TakeIf(")")) {
      if (shape.size() == kMostDimensions) {
        ThrowAt(where_, fmt::format("shape has more dimensions than {0}, must have at most {0}",
                                    kMostDimensions));
      }
      shape.push_back(TakeDimension());
      if (TakeIf(",")) continue;
      if (shape.size() == 1) Fail("','");
      Expect(')');
      break;
    }
    return shape;
  }

  std::size_t TakeDimension() {
    SkipSpace();
    std::size_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) Fail("a dimension that is zero or more and fits 64 bits");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
};

std::string_view TakeHeaderText(ByteReader* reader, std::string_view where) {
  if (reader->TakeText(kMagic.size()) != kMagic) {
    ThrowAt(where, "does not begin with \\x93NUMPY, must be an array in NumPy's .npy format");
  }
  const int major = reader->Take<std::uint8_t>();
  const int minor = reader->Take<std::uint8_t>();
  if (major < 1 || major > 3 || minor != 0) {
    ThrowAt(where, fmt::format(".npy version {}.{} found, must be 1.0, 2.0 or 3.0", major, minor));
  }
  return reader->TakeText(major == 1 ? reader->Take<std::uint16_t>()
                                     : reader->Take<std::uint32_t>());
}

// Returns the number of elements of an array. Returns nullopt if the product of the dimensions that
// are not zero is larger than the number of doubles that memory can hold. Products of some of the
// dimensions, which are computed later, could then overflow even if the array is empty.
std::optional<std::size_t> CountElements(std::span<const std::size_t> shape) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  std::size_t product = 1;
  bool empty = false;
  for (std::size_t dimension : shape) {
    if (dimension == 0) {
      empty = true;
    } else if (dimension > kMost / product) {
      return std::nullopt;
    } else {
      product *= dimension;
    }
  }
  return empty ? 0 : product;
}

std::string FormatShape(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

void CheckByteCount(const Array& array, std::size_t item, std::size_t bytes,
                    std::string_view where) {
  const std::optional<std::size_t> count = CountElements(array.shape);
  // Divides because the product count * item might overflow.
  if (!count || bytes % item != 0 || bytes / item != *count) {
    ThrowAt(where, fmt::format("shape {} with {} bytes per element found, must match the {} bytes "
                               "of data",
                               FormatShape(array.shape), item, bytes));
  }
}

// Returns the elements in C order, the last index fastest. In Fortran order, element (i, j, ...) is
// at i + j * shape[0] + ...
std::vector<double> FortranToC(std::span<const std::size_t> shape, const std::vector<double>& in) {
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t d = 0; d < shape.size(); stride *= shape[d++]) strides[d] = stride;

  std::vector<double> out(in.size());
  std::vector<std::size_t> index(shape.size());
  std::size_t from = 0;
  for (double& value : out) {
    value = in[from];
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Array ParseNpy(std::span<const std::byte> bytes, std::string_view where) {
  ByteReader reader(bytes, where, "the .npy header");
  Header header = HeaderParser(TakeHeaderText(&reader, where), where).Parse();
  const std::optional<TextDtype> text = FindTextDtype(*header.descr);
  Array array{.shape = std::move(*header.shape), .values = {}};
  if (text && array.shape.size() <= 1) {
    CheckByteCount(array, text->size, reader.rest().size(), where);
    return DecodeText(reader.rest(), *text, where);
  }
  const Dtype& dtype = FindDtype(*header.descr, where);
  CheckByteCount(array, dtype.size, reader.rest().size(), where);
  array.values.resize(reader.rest().size() / dtype.size);
  dtype.decode(reader.rest(), NeedsSwap(*header.descr), array.values);
  if (*header.fortran_order) array.values = FortranToC(array.shape, array.values);
  return array;
}

namespace {

void AppendHeader(std::string_view descr, std::span<const std::size_t> shape,
                  std::vector<std::byte>* out) {
  constexpr std::size_t kPrefix = 10;  // magic, version and length
  constexpr std::size_t kAlignment = 64;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr, FormatShape(shape));
  const std::size_t unpadded = kPrefix + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  PutText(kMagic, out);
  PutText(std::string_view("\x01\x00", 2), out);
  PutLittleEndian(out, static_cast<std::uint16_t>(header.size()));
  PutText(header, out);
}

}  // namespace

void AppendNpy(std::span<const std::size_t> shape, std::span<const double> values,
               std::string_view where, std::vector<std::byte>* out) {
  if (shape.size() > kMostDimensions || CountElements(shape) != values.size()) {
    ThrowAt(where, fmt::format("shape {} found, must have at most {} dimensions and match the {} "
                               "values",
                               FormatShape(shape), kMostDimensions, values.size()));
  }
  AppendHeader("<f8", shape, out);
  if constexpr (std::endian::native == std::endian::little) {
    const auto bytes = std::as_bytes(values);
    out->insert(out->end(), bytes.begin(), bytes.end());
  } else {
    for (double value : values) PutLittleEndian(out, std::bit_cast<std::uint64_t>(value));
  }
}

void AppendNpy(std::string_view text, std::vector<std::byte>* out) {
  AppendHeader("|u1", std::vector{text.size()}, out);
  PutText(text, out);
}

}  // namespace internal
}  // namespace gpode
