#include "io/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "io/files.h"

namespace gpode::internal {
namespace {

constexpr int kMaxNesting = 8;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

class Parser {
 public:
  Parser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::vector<TomlItem> Items() {
    std::vector<TomlItem> items;
    std::string table;
    for (SkipLines(); !AtEnd(); SkipLines()) {
      if (TakeIf('[')) {
        table = TakeKey() + ".";
        Expect(']');
      } else {
        items.push_back(TakeItem(table));
      }
      ExpectLineEnd();
    }
    CheckKeysDiffer(items);
    return items;
  }

  TomlValue OnlyValue() {
    one_value_ = true;
    SkipLines();
    TomlValue value = TakeValue(0);
    SkipLines();
    if (!AtEnd()) Fail("nothing after the value");
    return value;
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }

  [[noreturn]] void Fail(std::string_view right) const {
    const std::string_view rest = text_.substr(at_, text_.substr(at_).find('\n'));
    ThrowAt(one_value_ ? source_ : fmt::format("{}:{}", source_, line_),
            fmt::format("{} found, must be {}",
                        rest.empty() ? "nothing" : Quote(rest.substr(0, 20)), right));
  }

  void SkipSpace() {
    while (!AtEnd() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    if (!AtEnd() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void SkipLines() {
    for (SkipSpace(); !AtEnd() && text_[at_] == '\n'; SkipSpace()) {
      ++at_;
      ++line_;
    }
  }

  bool TakeIf(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void Expect(char c) {
    SkipSpace();
    if (!TakeIf(c)) Fail(fmt::format("'{}'", c));
  }

  void ExpectLineEnd() {
    SkipSpace();
    if (!AtEnd() && text_[at_] != '\n') Fail("the end of the line");
  }

  std::string TakeKey() {
    SkipSpace();
    const std::size_t start = at_;
    while (!AtEnd() && (IsWord(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ == start) Fail("a name");
    return std::string(text_.substr(start, at_ - start));
  }

  TomlItem TakeItem(const std::string& table) {
    TomlItem item{.key = table + TakeKey(), .value = {}, .line = line_};
    Expect('=');
    SkipSpace();
    item.value = TakeValue(0);
    return item;
  }

  TomlValue TakeValue(int depth) {
    if (TakeIf('"')) return TakeString();
    if (TakeIf('[')) return TakeArray(depth);
    const std::size_t start = at_;
    while (!AtEnd() && (IsWord(text_[at_]) || text_[at_] == '.' || text_[at_] == '+')) ++at_;
    std::string word(text_.substr(start, at_ - start));
    if (word == "true" || word == "false") return {TomlValue::Kind::kBool, word, {}};
    const char first = word.empty() ? ' ' : word[word.find_first_not_of("+-") == 1 ? 1 : 0];
    if (!std::isdigit(static_cast<unsigned char>(first)) && first != 'i' && first != 'n') {
      at_ = start;
      Fail("a number, true, false, a \"string\" or an [array]");
    }
    std::erase(word, '_');
    return {TomlValue::Kind::kNumber, word, {}};
  }

  TomlValue TakeString() {
    TomlValue value;
    while (!TakeIf('"')) {
      if (AtEnd() || text_[at_] == '\n') Fail("a closing quote");
      value.text += TakeIf('\\') ? TakeEscaped() : text_[at_++];
    }
    return value;
  }

  char TakeEscaped() {
    constexpr std::string_view kNames = "\"\\nt", kMeanings = "\"\\\n\t";
    const std::size_t which = AtEnd() ? std::string_view::npos : kNames.find(text_[at_]);
    if (which == std::string_view::npos) Fail("one of \\\" \\\\ \\n \\t");
    ++at_;
    return kMeanings[which];
  }

  TomlValue TakeArray(int depth) {
    if (depth == kMaxNesting) Fail("fewer arrays within arrays");
    TomlValue value{TomlValue::Kind::kArray, {}, {}};
    for (SkipLines(); !TakeIf(']'); SkipLines()) {
      value.items.push_back(TakeValue(depth + 1));
      SkipLines();
      if (TakeIf(',')) continue;
      if (AtEnd() || text_[at_] != ']') Fail("',' or ']'");
    }
    return value;
  }

  void CheckKeysDiffer(const std::vector<TomlItem>& items) const {
    std::unordered_map<std::string_view, std::size_t> lines;
    for (const TomlItem& item : items) {
      const auto [first, is_new] = lines.emplace(item.key, item.line);
      if (is_new) continue;
      ThrowAt(fmt::format("{}:{}", source_, item.line),
              fmt::format("{} is given twice, first on line {}", item.key, first->second));
    }
  }

  std::string_view text_;
  std::string source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool one_value_ = false;  // if true, messages do not name a line
};

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::vector<TomlItem> ParseToml(std::string_view text, std::string_view source) {
  return Parser(text, source).Items();
}

TomlValue ParseTomlValue(std::string_view text, std::string_view source) {
  return Parser(text, source).OnlyValue();
}

std::string ShowToml(const TomlValue& value) {
  if (value.kind == TomlValue::Kind::kString) return fmt::format("\"{}\"", Escaped(value.text));
  if (value.kind != TomlValue::Kind::kArray) return value.text;
  std::string out = "[";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ", ";
    out += ShowToml(value.items[i]);
  }
  return out + "]";
}

}  // namespace gpode::internal
