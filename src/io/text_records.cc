#include "io/text_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/utf8.h"

namespace gpode::internal {
namespace {

// The first block must hold a whole byte order mark.
constexpr std::size_t kSmallestBlock = 4;

std::size_t CountLines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TextRecords::TextRecords(const std::filesystem::path& path, Quoting quoting, std::size_t block)
    : TextRecords(std::make_unique<FileReader>(path), ShowPath(path), quoting, block) {}

TextRecords::TextRecords(std::unique_ptr<FileReader> file, std::string_view name, Quoting quoting,
                         std::size_t block)
    : name_(name),
      quoting_(quoting),
      file_(std::move(file)),
      buffer_(std::max(block, kSmallestBlock)) {
  Fill();
  SkipByteOrderMark();
}

TextRecords::TextRecords(std::string_view text, std::string_view name, Quoting quoting)
    : name_(name), quoting_(quoting), block_(text), at_end_(true) {
  CheckBlock(text);
  SkipByteOrderMark();
}

void TextRecords::SkipByteOrderMark() {
  if (block_.starts_with("\xEF\xBB\xBF")) begin_ = 3;
}

void TextRecords::CheckBlock(std::string_view fresh) {
  if (next_line_ == 1 && (block_.starts_with("\xFF\xFE") || block_.starts_with("\xFE\xFF"))) {
    FailFile("is UTF-16, must be UTF-8");
  }
  const std::size_t nul = fresh.find('\0');
  if (nul != std::string_view::npos) {
    const char* const at = fresh.data() + nul;
    const std::string_view before(block_.data() + begin_,
                                  static_cast<std::size_t>(at - block_.data()) - begin_);
    FailAt(next_line_ + CountLines(before), before.substr(before.rfind('\n') + 1),
           "a NUL byte found, must be text");
  }
  const std::string_view all = block_.substr(begin_);
  block_has_quotes_ = std::memchr(all.data(), '"', all.size()) != nullptr;
}

void TextRecords::MakeRoom() {
  std::copy(block_.begin() + static_cast<std::ptrdiff_t>(begin_), block_.end(), buffer_.begin());
  block_ = {buffer_.data(), block_.size() - begin_};
  begin_ = 0;
  if (2 * block_.size() <= buffer_.size()) return;
  const std::size_t kept = block_.size();
  buffer_.resize(2 * buffer_.size());
  block_ = {buffer_.data(), kept};
}

void TextRecords::Fill() {
  MakeRoom();
  const std::size_t kept = block_.size();
  const std::size_t taken = file_->Read({buffer_.data() + kept, buffer_.size() - kept});
  at_end_ = taken < buffer_.size() - kept;
  block_ = {buffer_.data(), kept + taken};
  CheckBlock(block_.substr(kept));
}

std::optional<std::size_t> TextRecords::FindEnd(std::size_t* from, bool* quoted) const {
  const bool can_quote =
      quoting_ == Quoting::kDoubled && block_has_quotes_ && block_[begin_] != '#';
  for (;;) {
    const std::size_t end = block_.find('\n', *from);
    const std::size_t stop = std::min(end, block_.size());
    if (can_quote) {
      const auto* const data = block_.data();
      *quoted ^= std::count(data + *from, data + stop, '"') % 2 != 0;
    }
    *from = stop;
    if (end == std::string_view::npos) return std::nullopt;
    if (!*quoted) return end;
    ++*from;
  }
}

bool TextRecords::Next() {
  line_ = next_line_;
  std::size_t scanned = 0;  // number of bytes after begin_ that were searched
  bool quoted = false;
  for (;;) {
    if (begin_ == block_.size() && at_end_) return false;
    std::size_t from = begin_ + scanned;
    const std::optional<std::size_t> end =
        begin_ == block_.size() ? std::nullopt : FindEnd(&from, &quoted);
    scanned = from - begin_;
    if (scanned > kLongestRecord) FailTooLong(quoted);
    if (end || at_end_) {
      if (quoted) FailTooLong(quoted);
      Take(end.value_or(block_.size()));
      return true;
    }
    Fill();
  }
}

bool TextRecords::SkipLine() {
  for (std::size_t from = begin_;;) {
    if (begin_ == block_.size() && at_end_) return false;
    const std::size_t end = block_.find('\n', from);
    if (end != std::string_view::npos || at_end_) {
      begin_ = std::min(end, block_.size() - 1) + 1;
      ++next_line_;
      return true;
    }
    if (block_.size() - begin_ > kLongestRecord) FailTooLong(false);
    from = block_.size() - begin_;  // the block will begin with this line
    Fill();
  }
}

std::string_view TextRecords::LookAhead(std::size_t bytes) {
  while (!at_end_ && block_.size() - begin_ < bytes) Fill();
  return block_.substr(begin_, bytes);
}

void TextRecords::Take(std::size_t end) {
  text_ = block_.substr(begin_, end - begin_);
  next_line_ += 1 + (block_has_quotes_ ? CountLines(text_) : 0);
  if (text_.ends_with('\r')) text_.remove_suffix(1);
  begin_ = std::min(end + 1, block_.size());
}

void TextRecords::FailTooLong(bool quoted) const {
  const std::string_view record = block_.substr(begin_);
  if (quoted) {
    // Most likely, a quote in the first line of the record is not closed: the message names the
    // last quote of that line.
    const std::string_view line = record.substr(0, record.find('\n'));
    FailAt(line_, line.substr(0, line.rfind('"')), "a quote is never closed, must end with \"");
  }
  FailAt(line_, "",
         fmt::format("the line is longer than {} bytes, must be shorter", kLongestRecord));
}

void TextRecords::FailAt(std::size_t line, std::string_view before,
                         std::string_view message) const {
  ThrowAt(fmt::format("{}:{}:{}", name_, line, CountCharacters(before) + 1), message);
}

void TextRecords::Fail(const char* at, std::string_view message) const {
  const std::string_view before = text_.substr(0, static_cast<std::size_t>(at - text_.data()));
  FailAt(line_ + CountLines(before), before.substr(before.rfind('\n') + 1), message);
}

}  // namespace gpode::internal
