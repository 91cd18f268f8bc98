#include "io/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/formula_guard.h"
#include "io/number_text.h"

namespace gpode::internal {
namespace {

const char* SkipBlanks(const char* at, const char* end, char separator) {
  while (at != end && (*at == ' ' || (*at == '\t' && separator != '\t'))) ++at;
  return at;
}

}  // namespace

const char* LastBlank(const char* at, const char* end) {
  const char* const next = SkipBlanks(at, end, ' ');
  return next == end ? end : next - 1;
}

namespace {

CsvCell TakeQuoted(const TextRecords& record, const char* at, char separator,
                   std::string* scratch) {
  const char* const end = record.text().data() + record.text().size();
  const char* from = at + 1;
  scratch->clear();
  for (;;) {
    const char* const quote = std::find(from, end, '"');
    if (quote == end) record.Fail(at, "a quote is never closed, must end with \"");
    scratch->append(from, quote);
    from = quote + 1;
    if (from == end || *from != '"') break;
    *scratch += '"';
    ++from;
  }
  const char* const next = SkipBlanks(from, end, separator);
  if (next != end && *next != separator && !(separator == ' ' && next != from)) {
    record.Fail(next, fmt::format("{} found after a closing quote, must be a separator",
                                  Quote({next, std::find(next, end, separator)}, 40)));
  }
  return {WithoutFormulaGuard(*scratch), at, separator == ' ' ? LastBlank(from, end) : next};
}

}  // namespace

CsvCell TakeCell(const TextRecords& record, const char* at, char separator, std::string* scratch) {
  const char* const end = record.text().data() + record.text().size();
  const char* const first = SkipBlanks(at, end, separator);
  if (first != end && *first == '"') return TakeQuoted(record, first, separator, scratch);
  if (separator == ' ') {
    const char* const stop = std::find_if(first, end, [](char c) { return c == ' ' || c == '\t'; });
    return {{first, stop}, first, LastBlank(stop, end)};
  }
  const char* const stop = std::find(first, end, separator);
  return {Trimmed({first, stop}), first, stop};
}

}  // namespace gpode::internal
