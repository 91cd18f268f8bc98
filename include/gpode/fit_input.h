// Prepares data and options for a fit, as `gpode fit` and the Python package do.
//
// Thread safety: all functions may be called from any thread.
//
//   SetStartTimes("gap", "fit: --initial", &data);
//   CompleteEquations(data, &options);
//   CompleteObservation(data.channels.size(), &options);
//   TrainedModel run = Train(data, ChooseOptions(data, options));
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "gpode/dataset.h"
#include "gpode/fit_options.h"

namespace gpode {

// The accepted values of `when` in SetStartTimes.
inline constexpr std::string_view kStartTimeWords = "first, gap or a time";

// Sets the times of the initial states. "first" is the time of the first observation, "gap" is
// earlier by the interval between the first two rows, and any other text must be a time that is not
// after any first observation. Throws an InputError that begins with `source` for other texts, and
// for "gap" if a trajectory has one row only: "fit: --initial is 'x', must be ...".
void SetStartTimes(std::string_view when, std::string_view source, Dataset* data);

// If the channels are states (Observation::kIdentity) and the options ask for more states than
// there are channels, sets an observation map that makes the channels the first states.
void CompleteObservation(std::size_t channels, FitOptions* options);

// Completes options that have equations or a form of equations: adds the names of channels and
// inputs to the text, the time to the inputs if the equations use it, and the states that are not
// observed, and sets the function to "equations". Does nothing to other options, or if called
// again. Throws an InputError that begins with `source`, the line and the column if the text cannot
// be read, and other InputErrors if it does not fit the data.
void CompleteEquations(const Dataset& data, FitOptions* options,
                       std::string_view source = "equations");

// A channel from which nothing can be learnt.
struct ConstantChannel {
  std::size_t channel = 0;
  std::optional<double> value = {};  // its only value; nothing if the channel has no value at all
};
// Returns the first channel that never changes, or nothing if there is none.
std::optional<ConstantChannel> FindConstantChannel(const Dataset& data);

}  // namespace gpode
