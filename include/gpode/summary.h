// Descriptions of a model for people to read: its name, and facts about it.
//
// Thread safety: all functions may be called from any thread.
//
//   for (const auto& [name, value] : ModelFacts(trained)) {
//     std::cout << name << ": " << value << '\n';
//   }
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpode/fit_quality.h"
#include "gpode/training.h"

namespace gpode {

// Returns the trajectory's name, or its number counted from 1 if it has none.
std::string TrajectoryName(const TrainedModel& trained, std::size_t trajectory);

// Returns one name per state. If a channel depends on one state only, and no other channel depends
// on that state, the state has the channel's name, after "log" or "sqrt" if the channel has a link
// (link.h); the others are state1, state2, ...
std::vector<std::string> StateNames(const Model& model);

// These return the lengthscales (outputs or 1, D) and the inducing locations (M, D) of a process in
// the user's units, and empty matrices for other functions.
Matrix Lengthscales(const Model& model);
// Returns the standard deviation of the process noise of each state (D) per square root of time, in
// the user's units, as a mean over the draws. Returns an empty vector if the model has none.
Vector ProcessNoise(const Model& model);
Matrix InducingLocations(const Model& model);
// Returns the lengthscales (outputs or 1, U) of a process along the inputs in the user's units, or
// an empty matrix.
Matrix InputLengthscales(const Model& model);

// The posterior of one parameter of known equations, in the user's units.
struct ParameterBand {
  std::string name;
  double mean = 0, deviation = 0;
  double q5 = 0, median = 0, q95 = 0;  // quantiles
};
// Returns the learnt parameters of a model with known equations. Returns none for other models, and
// none before a sampler has draws.
std::vector<ParameterBand> ParameterBands(const Model& model);

// Returns the inputs of a model for people, such as "u (held between samples), clock of period 24";
// empty if the model has none.
std::string DescribeInputs(const Model& model);

// Returns the number of draws of a sampled posterior and their source: "1200 draws from 4 chains".
std::string DescribeDraws(const Model& model);

// Returns what held-back data say about the bands of a model; empty if no data were held back.
std::string DescribeWidening(const Model& model);

// Returns names and values that describe the vector field: kernel and inducing points, or layers of
// the network; for a sampled posterior also the number of draws and the sampler's diagnostics.
std::vector<std::pair<std::string, std::string>> FieldFacts(const Model& model);

// Returns names and values that describe a model: its states, its name and seed, its field, how
// training ended, what held-back data say about its bands, and a warning if there is one.
std::vector<std::pair<std::string, std::string>> ModelFacts(const TrainedModel& trained);

// Returns all remarks: about the data, about the fit, and about forecasts of held-back data.
std::vector<std::string> AllRemarks(const TrainedModel& trained, const FitQuality& quality);

}  // namespace gpode
