// The results of analyses (gpode/analysis.h) and explanations (gpode/explain.h) as JSON.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   PrintJson(AnalysisJson(analysis).dump(2));
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpode/analysis.h"
#include "gpode/explain.h"

namespace gpode::report {

// Returns a number, or null if it is not finite.
nlohmann::ordered_json NumberJson(double value);
nlohmann::ordered_json BandJson(const QuantityBand& band);
nlohmann::ordered_json VectorJson(const Vector& values);
nlohmann::ordered_json MatrixJson(const Matrix& values);

nlohmann::ordered_json AnalysisJson(const Analysis& analysis);
// Returns the JSON of a sweep. `name` is the input that is varied, and `values` has one value for
// each analysis.
nlohmann::ordered_json SweepJson(const std::string& name, const std::vector<double>& values,
                                 const std::vector<Analysis>& sweep);

nlohmann::ordered_json ExplanationJson(const Explanation& explanation);

}  // namespace gpode::report
