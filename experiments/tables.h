// Tables of results, as Markdown or as text for a terminal, and pages with tables in them.
//
//   comparison   our scores beside the paper's, with differences in standard errors
//   scores       all scores, and the floor (the MNLL of the truth) if that is known
//   validation   scores of the validation sequences, for choosing settings
//   efficiency   how fast the bound settles
//   samplers     diagnostics of samplers
//   calibration  coverage and scores of bands, with the means of the group
//   horizon      the same for each third of the held-back time span
//   ranks        simulation-based calibration: ranks of truths drawn from the prior
//   bands        GPODE's variational bands against those of its sampler, for one task
//
// A cell has the mean over runs and its standard error, "0.123 ± 0.004", or
// "inf; 0.123 ± 0.004 in 4 of 5" if runs failed or diverged.
//
// Thread safety: any thread may call these functions; they share no state that changes.
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
  bool best = false;  // true for the best cell of its column among those of the same task
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::string note = {};  // a line below the table; may be empty
};

// Each of these functions returns the table of one group of tasks. The table has no rows if no
// summary is of that group.
Table ComparisonTable(std::span<const MethodSummary> summaries, std::string_view group);
Table ScoresTable(std::span<const MethodSummary> summaries, std::string_view group);
Table ValidationTable(std::span<const MethodSummary> summaries, std::string_view group);
Table CalibrationTable(std::span<const MethodSummary> summaries, std::string_view group);
Table HorizonTable(std::span<const MethodSummary> summaries, std::string_view group);
Table RanksTable(std::span<const MethodSummary> summaries, std::string_view group);
Table EfficiencyTable(std::span<const MethodSummary> summaries);
Table SamplersTable(std::span<const MethodSummary> summaries, std::string_view group);
// Returns the table of one task. It has no rows unless both GPODE and its sampler were run on the
// task.
Table BandsTable(std::span<const MethodSummary> summaries, std::string_view task);

// Returns the tables of every group that have rows. A group has a comparison if the paper has
// scores for it, otherwise our scores, and then the tables of samplers and bands. The task
// `efficiency` has its own table; calibration tasks have those of calibration, horizon, ranks and
// samplers.
std::vector<Table> TablesOf(std::span<const MethodSummary> summaries);

std::string MarkdownOf(const Table& table);  // the best cells are bold
std::string TextOf(const Table& table);      // in aligned columns; the best cells have a star

// Returns the text with every line "<!-- table: KIND GROUP -->" replaced by that table in Markdown;
// for bands, GROUP is a task. `source` is the file's name in messages.
std::string FillPage(std::string_view text, std::string_view source,
                     std::span<const MethodSummary> summaries);

}  // namespace gpode::experiments
