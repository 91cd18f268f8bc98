// Tables as text, and pages with tables in them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/tables.h"
#include "io/files.h"

namespace gpode::experiments {
namespace {

constexpr std::string_view kMark = "<!-- table: ", kMarkEnd = " -->";
constexpr std::string_view kKinds =
    "'comparison GROUP', 'scores GROUP', 'validation GROUP', 'samplers GROUP', "
    "'calibration GROUP', 'horizon GROUP', 'ranks GROUP', 'bands TASK' or 'efficiency'";

// Returns the number of characters of UTF-8 text.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, Width(text)), ' ');
}

std::string Starred(const Cell& cell) { return cell.best ? cell.text + " *" : cell.text; }

Table TableFor(std::string_view kind, std::string_view group,
               std::span<const MethodSummary> summaries, std::string_view where) {
  if (kind == "efficiency" && group.empty()) return EfficiencyTable(summaries);
  const auto& tasks = AllTasks();
  const bool known = std::any_of(tasks.begin(), tasks.end(),
                                 [&](const TaskInfo& task) { return task.group == group; });
  if (known && kind == "comparison") return ComparisonTable(summaries, group);
  if (known && kind == "scores") return ScoresTable(summaries, group);
  if (known && kind == "validation") return ValidationTable(summaries, group);
  if (known && kind == "samplers") return SamplersTable(summaries, group);
  if (known && kind == "calibration") return CalibrationTable(summaries, group);
  if (known && kind == "horizon") return HorizonTable(summaries, group);
  if (known && kind == "ranks") return RanksTable(summaries, group);
  const bool task = std::any_of(tasks.begin(), tasks.end(),
                                [&](const TaskInfo& info) { return info.name == group; });
  if (task && kind == "bands") return BandsTable(summaries, group);
  internal::ThrowAt(where, fmt::format("table {} found, must be {}",
                                       internal::Quote(fmt::format("{} {}", kind, group)), kKinds));
}

}  // namespace

std::string MarkdownOf(const Table& table) {
  std::string text = fmt::format("| {} |\n|", fmt::join(table.columns, " | "));
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += " --- |";
  text += "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) {
      text += cell.best ? fmt::format(" **{}** |", cell.text) : fmt::format(" {} |", cell.text);
    }
    text += "\n";
  }
  return table.note.empty() ? text : fmt::format("{}\n{}\n", text, table.note);
}

std::string TextOf(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = Width(table.columns[c]);
    for (const std::vector<Cell>& row : table.rows) {
      width = std::max(width, Width(Starred(row[c])));
    }
    widths.push_back(width);
  }
  const auto line = [&](auto cell_of) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) text += Padded(cell_of(c), widths[c]) + "  ";
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line([&](std::size_t c) { return table.columns[c]; });
  for (const std::vector<Cell>& row : table.rows) {
    text += line([&](std::size_t c) { return Starred(row[c]); });
  }
  return table.note.empty() ? text : text + table.note + "\n";
}

std::string FillPage(std::string_view text, std::string_view source,
                     std::span<const MethodSummary> summaries) {
  std::string page;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const std::string_view bare = line.substr(0, line.find_last_not_of("\r\n") + 1);
    if (!bare.starts_with(kMark) || !bare.ends_with(kMarkEnd) ||
        bare.size() < kMark.size() + kMarkEnd.size()) {
      page += line;
      continue;
    }
    const std::string_view wanted =
        bare.substr(kMark.size(), bare.size() - kMark.size() - kMarkEnd.size());
    const std::size_t space = std::min(wanted.find(' '), wanted.size());
    const Table table =
        TableFor(wanted.substr(0, space), wanted.substr(std::min(space + 1, wanted.size())),
                 summaries, fmt::format("{}:{}", source, number));
    page += table.rows.empty() ? "No runs yet.\n" : MarkdownOf(table);
  }
  return page;
}

}  // namespace gpode::experiments
