// Tables of results, as Markdown or as text for a terminal, and pages with tables in them.
//
//   comparison   ours beside the paper's figures, the difference in standard errors
//   scores       all scores, with the floor where the truth is known
//   validation   scores of the validation sequences, by which settings may be chosen
//   efficiency   how fast the bound settles
//   samplers     whether draws by a sampler are to be trusted
//   bands        of a task: GPODE's variational bands against its sampler's
//
// In a cell, "0.123 ± 0.004" is the mean over runs and its standard error; where runs failed or
// diverged it is "inf; 0.123 ± 0.004 in 4 of 5".
//
// Thread safety: plain functions and values.
//
//   for (const Table& table : TablesOf(SummariseRuns(runs))) print(MarkdownOf(table));
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/summary.h"

namespace gpode::experiments {

struct Cell {
  std::string text;
  bool best = false;  // of its column and task
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::string note = {};  // a line below; empty: none
};

// Summaries of other groups are passed over; without any of this group the table has no rows.
Table ComparisonTable(std::span<const MethodSummary> summaries, std::string_view group);
Table ScoresTable(std::span<const MethodSummary> summaries, std::string_view group);
Table ValidationTable(std::span<const MethodSummary> summaries, std::string_view group);
Table EfficiencyTable(std::span<const MethodSummary> summaries);
Table SamplersTable(std::span<const MethodSummary> summaries, std::string_view group);
// No rows unless both were run.
Table BandsTable(std::span<const MethodSummary> summaries, std::string_view task);

// For each group its main table: comparison where the paper has figures, else scores; then those
// of samplers and bands that have rows.
std::vector<Table> TablesOf(std::span<const MethodSummary> summaries);

std::string MarkdownOf(const Table& table);  // the best in bold
std::string TextOf(const Table& table);      // in columns; the best with a star

// The text with every line "<!-- table: KIND GROUP -->" replaced by that table in Markdown; for
// bands GROUP is a task. `source` stands for the file in messages.
std::string FillPage(std::string_view text, std::string_view source,
                     std::span<const MethodSummary> summaries);

}  // namespace gpode::experiments
