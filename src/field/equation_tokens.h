// The tokens of equations as text (equation_system.h), and a position among them.
//
// Thread safety: a TokenStream belongs to one thread.
//
//   TokenStream tokens("dx = -k * x", "decay.ode");
//   while (!tokens.AtEnd()) tokens.Skip();
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpode {

struct Token {
  enum class Kind { kEnd, kLineEnd, kNumber, kWord, kQuoted, kSymbol };

  Kind kind = Kind::kEnd;
  std::string_view text = {};  // without quotes
  double number = 0;
  std::size_t line = 1, column = 1;

  bool Is(char symbol) const { return kind == Kind::kSymbol && text.front() == symbol; }
  bool IsWordOf(std::string_view word) const { return kind == Kind::kWord && text == word; }
  bool IsName() const { return kind == Kind::kWord || kind == Kind::kQuoted; }
};

// Throws an InputError "SOURCE:LINE:COLUMN: MESSAGE".
[[noreturn]] void FailAt(std::string_view source, const Token& at, std::string_view message);

// Returns true if the name needs no quotes in equations.
bool IsWord(std::string_view name);

// The functions that begin with Take advance past the token that they return.
class TokenStream {
 public:
  // Throws an InputError if the text has a character or a number that cannot be a token. The text
  // must outlive the stream.
  TokenStream(std::string_view text, std::string_view source);

  const Token& Now() const { return tokens_[at_]; }
  const Token& Peek() const;
  const Token& At(std::size_t place) const { return tokens_[place]; }
  std::size_t place() const { return at_; }
  void GoTo(std::size_t place) { at_ = place; }
  void Skip() { ++at_; }
  bool AtEnd() const { return Now().kind == Token::Kind::kEnd; }
  bool AtStatementEnd() const { return AtEnd() || Now().kind == Token::Kind::kLineEnd; }
  void SkipStatement();

  bool TakeIf(char symbol);
  std::string TakeName();
  double TakeNumber();
  void Expect(char symbol);
  void ExpectStatementEnd() const;

  [[noreturn]] void Fail(const Token& at, std::string_view message) const;
  // Fails with "X found, must be RIGHT", where X is the present token.
  [[noreturn]] void FailHere(std::string_view right) const;
  const std::string& source() const { return source_; }

 private:
  std::string source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace gpode
