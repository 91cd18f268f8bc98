// Runs as files: one JSON object per run, or many in one file.
//
//   OUT/TASK/METHOD-SEED.json     a run
//   OUT/TASK/METHOD-SEED.gpode    its model (gpode/model_file.h), unless the run failed
//   results.json                  many runs, one line each, without options and history; bands of
//                                 GPODE and its sampler only
//
// docs/formats.md describes the contents. Numbers that are not finite are the strings "inf", "-inf"
// and "nan". Files are written as a whole or not at all. The JSON of a run is written after its
// model, so that a run with JSON is complete. Functions that read throw an InputError of one line
// that begins with the file's name.
//
// Thread safety: all functions may be called from any thread.
//
//   SaveRun("reproduce", result);
//   std::vector<RunRecord> runs = ReadRuns("reproduce");
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/summary.h"

namespace gpode::experiments {

// Returns OUT/TASK/METHOD-SEED.json.
std::filesystem::path RunPath(const std::filesystem::path& out, std::string_view task,
                              std::string_view method, std::uint64_t seed);

// Writes a run and its model. If the run has no model, removes that of an earlier run.
void SaveRun(const std::filesystem::path& out, const RunResult& result);
// Returns the run in a file, or nothing if there is no such file.
std::optional<RunRecord> LoadRun(const std::filesystem::path& path);

// Returns all runs of a folder or of a results file, in the order of tasks, methods and seeds;
// unknown tasks and methods are ignored.
std::vector<RunRecord> ReadRuns(const std::filesystem::path& path);
// Returns the runs of one task in the folder `out`.
std::vector<RunRecord> ReadTaskRuns(const std::filesystem::path& out, std::string_view task);
// Writes a results file.
void WriteRuns(const std::filesystem::path& path, std::span<const RunRecord> runs);

// These functions do the same with text instead of files; error messages begin with `source`.
std::string RunText(const RunRecord& record);
RunRecord ParseRun(std::string_view text, std::string_view source);
std::string RunsText(std::span<const RunRecord> runs);
std::vector<RunRecord> ParseRuns(std::string_view text, std::string_view source);

// Returns the contents of the tables as JSON.
std::string SummariesText(std::span<const MethodSummary> summaries);

}  // namespace gpode::experiments
