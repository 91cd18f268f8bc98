// A text file, record by record: a record is a line, or several where line breaks are quoted.
//
// The file is read in blocks; only the block at hand is in memory, and it grows only for a record
// that is longer, up to kLongestRecord. A byte order mark is passed over, LF and CRLF end lines,
// the last line may lack its end. NUL bytes and UTF-16 are refused.
//
// Thread safety: belongs to one thread.
//
//   TextRecords records("data.csv", Quoting::kDoubled);
//   while (records.Next()) Use(records.text(), records.line());
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.h"

namespace gpode::internal {

enum class Quoting {
  kNone,
  kDoubled,  // line breaks between "..." belong to the record, except in lines that begin with #
};

inline constexpr std::size_t kTextBlock = std::size_t{256} << 10;
inline constexpr std::size_t kLongestRecord = std::size_t{4} << 20;

class TextRecords {
 public:
  TextRecords(const std::filesystem::path& path, Quoting quoting, std::size_t block = kTextBlock);
  // The text must outlive this; `name` stands for the file in messages.
  TextRecords(std::string_view text, std::string_view name, Quoting quoting);

  // Goes to the next record; false after the last.
  bool Next();

  // The record without its line end, valid until Next(); the line that it begins on.
  std::string_view text() const { return text_; }
  std::size_t line() const { return line_; }
  // Whether it may have quotes: there are some in the block.
  bool may_have_quotes() const { return block_has_quotes_; }
  const std::string& name() const { return name_; }

  // Throws InputError("NAME:LINE:COLUMN: message") for a place in text().
  [[noreturn]] void Fail(const char* at, std::string_view message) const;
  // Throws InputError("NAME: message").
  [[noreturn]] void FailFile(std::string_view message) const { ThrowAt(name_, message); }

 private:
  // The first line break at or after `from` that ends the record, if the block has it.
  std::optional<std::size_t> FindEnd(std::size_t* from, bool* quoted) const;
  // Reads on, so that the block holds more of the record that starts at begin_.
  void Fill();
  void MakeRoom();
  void CheckBlock(std::string_view fresh);
  void SkipByteOrderMark();
  void Take(std::size_t end);
  [[noreturn]] void FailAt(std::size_t line, std::string_view before,
                           std::string_view message) const;
  [[noreturn]] void FailTooLong(bool quoted) const;

  std::string name_;
  Quoting quoting_;
  std::optional<FileReader> file_;
  std::vector<char> buffer_;
  std::string_view block_;  // what is in memory, of the file or all of a given text
  std::size_t begin_ = 0;   // of what is not taken yet
  bool at_end_ = false;     // nothing more to read
  bool block_has_quotes_ = false;
  std::string_view text_;
  std::size_t line_ = 0, next_line_ = 1;
};

}  // namespace gpode::internal
