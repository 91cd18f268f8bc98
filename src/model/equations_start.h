// Start values of equations with unknown parts (field/equation_system.h), from smoothed states and
// slopes.
//
//   - Hidden states follow from the slopes of the observed ones. At each point, the equations of the
//     observed states are solved for the hidden states, with the smoothed slopes on the left-hand
//     side, parameters at their start values and unknown functions of zero.
//   - Parameters minimise the sum of the squared errors of the slopes and -2 times the log prior,
//     again with unknown functions of zero.
//   - The values of unknown functions are fitted to the remaining errors of the slopes by least
//     squares at each point.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <vector>

#include "field/equation_field.h"
#include "gpode/unknown_function.h"

namespace gpode {

// Points in the user's units.
struct EquationData {
  Matrix states;  // (n, D)
  Matrix inputs;  // (n, U)
  Matrix slopes;  // (n, D)
};

// Returns guesses of the states, and offsets and scales that the equations ask for: those of the
// priors of hidden states, and an offset of zero for a state that stays zero once it is zero.
StateFrame FrameOfStates(const std::shared_ptr<const EquationSystem>& system,
                         const EquationData& data, std::size_t seen);

// Returns the latent variables of the learnt parameters.
std::vector<double> StartParameters(const std::shared_ptr<const EquationSystem>& system,
                                    const EquationData& data);

// Returns true if the equations have a finite value at some point, with unknown functions of zero
// and these latent variables of the learnt parameters.
bool HaveFiniteValue(const std::shared_ptr<const EquationSystem>& system, const EquationData& data,
                     std::span<const double> latent);

// The arguments and the values of one unknown function, in the user's units, and the size that its
// values would have if they explained the slopes alone.
struct UnknownValues {
  Matrix arguments;  // (n, arguments)
  Vector values;     // (n)
  // (n, arguments): derivatives, if the equations use those instead of values
  Matrix gradients;
  double usual_size = 1;
};
// Returns the values of all unknown functions, where `latent` are those of the learnt parameters.
std::vector<UnknownValues> StartUnknown(const std::shared_ptr<const EquationSystem>& system,
                                        const EquationData& data, std::span<const double> latent);

// Returns the values of all parameters of the system, for the latent variables of the learnt ones.
std::vector<double> ParametersAt(const EquationSystem& system, std::span<const double> latent);

}  // namespace gpode
