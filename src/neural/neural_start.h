// From data and options to a problem, and where to start on it.
#pragma once

#include "gpode/neural.h"
#include "neural/neural_problem.h"
#include "train/initialise.h"

namespace gpode {

struct NeuralStart {
  Start data;             // scales, observation map, smoothed states
  NeuralProblem problem;  // of all data
  Matrix states, slopes;  // (all observation times, D): smoothed
};

// Throws an InputError for data or options that cannot be used.
NeuralStart StartNeural(const Dataset& data, const NeuralOptions& options);

// A flat vector: random weights of a network (Xavier), smoothed initial states, noise at its
// centre. `index` tells apart several starts of one seed.
std::vector<double> FirstGuess(const NeuralStart& start, std::uint64_t seed, std::uint64_t index);

// All that a model holds beside its draws.
NeuralModel WithoutDraws(const Dataset& data, const NeuralOptions& options, const Start& start);

// The draws that the rows of flats (S, flat_size) are.
void SetDraws(const NeuralProblem& problem, const Matrix& flats, NeuralModel& model);

}  // namespace gpode
