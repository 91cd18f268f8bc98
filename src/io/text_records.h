// A reader of text files, record by record. A record is a line, or several lines if the line breaks
// are quoted.
//
// The file is read in blocks, of which one is in memory at a time. A block grows if a record is
// longer; a record longer than kLongestRecord is an error. A byte order mark is skipped, lines end
// in LF or CRLF, and the last line may have no line end. NUL bytes and UTF-16 are errors.
//
// Thread safety: a reader belongs to one thread.
//
//   TextRecords records("data.csv", Quoting::kDoubled);
//   while (records.Next()) Use(records.text(), records.line());
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files.h"

namespace gpode::internal {

enum class Quoting {
  kNone,
  kDoubled,  // line breaks between "..." belong to the record, unless it begins with #
};

inline constexpr std::size_t kTextBlock = std::size_t{256} << 10;
inline constexpr std::size_t kLongestRecord = std::size_t{4} << 20;

class TextRecords {
 public:
  TextRecords(const std::filesystem::path& path, Quoting quoting, std::size_t block = kTextBlock);
  // Reads from a file that is open already; messages begin with `name`.
  TextRecords(std::unique_ptr<FileReader> file, std::string_view name, Quoting quoting,
              std::size_t block = kTextBlock);
  // Reads from memory. The text must outlive this object; messages begin with `name`.
  TextRecords(std::string_view text, std::string_view name, Quoting quoting);

  // Moves to the next record. Returns false if there is none left.
  bool Next();
  // Passes over the next line, whatever quotes are in it. Returns false if there is no line left.
  bool SkipLine();

  // Returns what follows the current record: `bytes` bytes, or fewer at the end of the file. The
  // result is valid until the next record or line is read. text() is no longer valid after this
  // call.
  std::string_view LookAhead(std::size_t bytes);

  // text() returns the record without its line end and is valid until Next(); line() returns the
  // number of the line on which the record begins.
  std::string_view text() const { return text_; }
  std::size_t line() const { return line_; }
  const std::string& name() const { return name_; }

  // Throws an InputError "NAME:LINE:COLUMN: MESSAGE" for the place `at` in text().
  [[noreturn]] void Fail(const char* at, std::string_view message) const;
  // Throws an InputError "NAME: MESSAGE".
  [[noreturn]] void FailFile(std::string_view message) const { ThrowAt(name_, message); }

 private:
  // Returns the place of the first line break at or after `from` that ends the record, or nullopt
  // if the block has none. Sets `from` to the end of what was searched. `quoted` says whether
  // `from` is inside quotes, on entry and on return.
  std::optional<std::size_t> FindEnd(std::size_t* from, bool* quoted) const;
  // Reads more of the file. The block then begins with the record that starts at begin_.
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
  std::unique_ptr<FileReader> file_;  // nullptr if the text is in memory
  std::vector<char> buffer_;
  std::string_view block_;  // the part of the file that is in memory, or the whole text
  std::size_t begin_ = 0;   // where the next record begins in the block
  bool at_end_ = false;     // true if the block reaches the end of the file
  bool block_has_quotes_ = false;
  std::string_view text_;
  std::size_t line_ = 0, next_line_ = 1;
};

}  // namespace gpode::internal
