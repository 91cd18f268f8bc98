#include "field/equation_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

bool IsLetter(char c) {
  // Bytes of UTF-8 sequences count as letters.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Splits a text into tokens.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::vector<Token> Tokens() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(Next());
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  Token Next() {
    using Kind = Token::Kind;
    SkipSpace();
    Token token{.line = line_, .column = at_ - line_start_ + 1};
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '\n' || c == ';') {
      token.kind = Kind::kLineEnd;
      token.text = Take(1);
      if (c == '\n') {
        ++line_;
        line_start_ = at_;
      }
    } else if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]))) {
      TakeNumber(token);
    } else if (IsLetter(c)) {
      std::size_t size = 1;
      while (at_ + size < text_.size() &&
             (IsLetter(text_[at_ + size]) || IsDigit(text_[at_ + size]))) {
        ++size;
      }
      token.kind = Kind::kWord;
      token.text = Take(size);
    } else if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
      if (end == std::string_view::npos || text_[end] != '"' || end == at_ + 1) {
        FailAt(source_, token, "a quote that does not end or is empty, must be as in \"x 1\"");
      }
      const std::size_t size = end + 1 - at_;
      token.kind = Kind::kQuoted;
      token.text = Take(size).substr(1, size - 2);
    } else if (std::string_view("+-*/^(),=~[]").find(c) != std::string_view::npos) {
      token.kind = Kind::kSymbol;
      token.text = Take(1);
    } else {
      const bool shows = c > ' ' && c < 127;
      FailAt(source_, token,
             fmt::format("{} found, must be a name, a number or one of + - * / ^ ( ) , = ~ [ ]",
                         shows ? fmt::format("'{}'", c) : "an unknown character"));
    }
    return token;
  }

  void TakeNumber(Token& token) {
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), token.number);
    token.kind = Token::Kind::kNumber;
    if (error != std::errc() || !std::isfinite(token.number)) {
      FailAt(source_, token, "a number that is too large or too small");
    }
    token.text = Take(static_cast<std::size_t>(end - first));
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '#')) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        ++at_;
      }
    }
  }

  std::string_view Take(std::size_t size) {
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view text_, source_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;
};

}  // namespace

void FailAt(std::string_view source, const Token& at, std::string_view message) {
  throw InputError(fmt::format("{}:{}:{}: {}", source, at.line, at.column, message));
}

bool IsWord(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return IsLetter(c) || IsDigit(c); });
}

TokenStream::TokenStream(std::string_view text, std::string_view source)
    : source_(source), tokens_(Lexer(text, source).Tokens()) {}

const Token& TokenStream::Peek() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }

void TokenStream::SkipStatement() {
  while (!AtStatementEnd()) ++at_;
}

bool TokenStream::TakeIf(char symbol) {
  if (!Now().Is(symbol)) return false;
  ++at_;
  return true;
}

std::string TokenStream::TakeName() {
  if (!Now().IsName()) FailHere("a name");
  return std::string(tokens_[at_++].text);
}

double TokenStream::TakeNumber() {
  const double sign = TakeIf('-') ? -1 : 1;
  if (Now().kind != Token::Kind::kNumber) FailHere("a number");
  return sign * tokens_[at_++].number;
}

void TokenStream::Expect(char symbol) {
  if (!TakeIf(symbol)) FailHere(fmt::format("'{}'", symbol));
}

void TokenStream::ExpectStatementEnd() const {
  if (!AtStatementEnd()) FailHere("an operator or the end of the statement");
}

void TokenStream::Fail(const Token& at, std::string_view message) const {
  FailAt(source_, at, message);
}

void TokenStream::FailHere(std::string_view right) const {
  std::string found = "the end of the line";
  if (!AtStatementEnd()) found = fmt::format("'{}'", Now().text.substr(0, 40));
  Fail(Now(), fmt::format("{} found, must be {}", found, right));
}

}  // namespace gpode
