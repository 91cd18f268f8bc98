// Words that spreadsheets would take for formulas: those that begin with = + - or @, and are not
// numbers. In CSV files such a word is quoted and begins with an apostrophe, with which
// spreadsheets mark text. The reader takes the apostrophe away again, so that names stay the same.
#pragma once

#include <string_view>

#include "io/number_text.h"

namespace gpode::internal {

// Returns true if the word, without apostrophes at its beginning, begins with one of = + - @.
inline bool LooksLikeFormula(std::string_view word) {
  const std::size_t first = word.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@").find(word[first]) != std::string_view::npos;
}

// Returns true if a writer has to put an apostrophe before the word. A formula that already begins
// with apostrophes gets another one, so that the reader can always take one away.
inline bool NeedsFormulaGuard(std::string_view word) {
  return LooksLikeFormula(word) && !ToNumber(word);
}

// Returns the word of a quoted cell without the writer's apostrophe.
inline std::string_view WithoutFormulaGuard(std::string_view word) {
  return word.starts_with('\'') && LooksLikeFormula(word) ? word.substr(1) : word;
}

}  // namespace gpode::internal
