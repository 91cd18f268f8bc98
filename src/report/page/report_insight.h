// The sections of a report about what the model implies: its dynamics, readable equations, and
// where to measure next. They appear if they were asked for, since they take seconds to minutes.
//
// A section is the object of docs/report.md: a title, paragraphs, tables of text, texts to copy,
// and pictures, which are those of the commands analyse and design.
//
// Thread safety: any thread may call the function; it starts its own threads.
//
//   options.insight = InsightJson(trained, {.dynamics = true});
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>

#include "gpode/training.h"

namespace gpode::report {

struct InsightOptions {
  bool dynamics = false, equations = false, design = false;
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // Is called as AnalysisOptions::report is.
  std::function<bool(std::size_t done, std::size_t total)> report = {};

  bool Any() const { return dynamics || equations || design; }
};

// Returns the sections in an array. Throws an InputError if the model does not allow one of them.
nlohmann::ordered_json InsightJson(const TrainedModel& trained, const InsightOptions& options);

}  // namespace gpode::report
