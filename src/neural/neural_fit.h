// The three ways to learn a neural ODE. Each sets a model's draws and what is known of them.
#pragma once

#include "neural/neural_start.h"

namespace gpode {

void FitLeastSquares(const NeuralStart& start, const Dataset& validation, NeuralModel& model);
void FitMeanField(const NeuralStart& start, const Dataset& validation, NeuralModel& model);
void FitNuts(const NeuralStart& start, NeuralModel& model);

// log p(y, flat) of one thread: for the sampler's chains, and for where they start.
LogDensity JointDensity(const NeuralProblem& problem);

// First guess `index`, with weights that were fitted to the slopes of smoothed states (Adam): whole
// trajectories of a field that is far from the right one say little about how to change it.
std::vector<double> SlopeGuess(const NeuralStart& start, const NeuralOptions& options,
                               std::uint64_t index, std::size_t steps);

// From there the flat vector of highest density that Adam finds. The noise is held for the first
// half of the steps: if it could grow at once, it would explain what the network has not learnt
// yet.
std::vector<double> MostProbable(const NeuralStart& start, const NeuralOptions& options,
                                 std::uint64_t index);

}  // namespace gpode
