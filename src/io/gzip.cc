#include "io/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "io/files.h"

namespace gpode::internal {
namespace {

constexpr std::size_t kInputBlock = std::size_t{64} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;
// zlib counts bytes in 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

}  // namespace

struct GzipStream::State {
  z_stream stream = {};
  std::vector<char> input = std::vector<char>(kInputBlock);
  bool inside = false;  // true within a part that has begun and not ended
};

bool IsGzip(std::string_view beginning) { return beginning.starts_with("\x1f\x8b"); }

GzipStream::GzipStream(Source source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipStream::~GzipStream() { inflateEnd(&state_->stream); }

void GzipStream::Fail(std::string_view message) const { ThrowAt(name_, message); }

bool GzipStream::MoreInput() {
  z_stream& stream = state_->stream;
  if (stream.avail_in > 0) return true;
  const std::size_t count = source_(state_->input);
  stream.next_in = reinterpret_cast<Bytef*>(state_->input.data());
  stream.avail_in = static_cast<uInt>(count);
  return count > 0;
}

std::size_t GzipStream::Read(std::span<char> into) {
  z_stream& stream = state_->stream;
  std::size_t filled = 0;
  while (filled < into.size() && !at_end_) {
    if (!MoreInput()) {
      if (state_->inside) Fail("ends within its gzip data, must be complete");
      at_end_ = true;
      break;
    }
    const std::size_t room = std::min(into.size() - filled, kMostAtOnce);
    stream.next_out = reinterpret_cast<Bytef*>(into.data() + filled);
    stream.avail_out = static_cast<uInt>(room);
    state_->inside = true;
    const int status = inflate(&stream, Z_NO_FLUSH);
    filled += room - stream.avail_out;
    if (status == Z_STREAM_END) {
      state_->inside = false;
      inflateReset(&stream);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      Fail(fmt::format("has damaged gzip data: {}",
                       stream.msg != nullptr ? stream.msg : "unknown error"));
    }
  }
  return filled;
}

}  // namespace gpode::internal
