// Prepares data and options for a fit, as `gpode fit` and the Python package do.
//
// Thread safety: all functions may be called from any thread.
//
//   SetStartTimes("gap", "fit: --initial", &data);
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

// Sets the times of the initial states: at the first observation ("first"), one gap between
// observations earlier ("gap"), or at a time, which must not be after any first observation. Other
// words are an InputError that begins with `source`: "fit: --initial is 'x', must be ...".
void SetStartTimes(std::string_view when, std::string_view source, Dataset* data);

// If the channels are states and there are more states than channels, makes the channels the first
// states.
void CompleteObservation(std::size_t channels, FitOptions* options);

// A channel from which nothing can be learnt.
struct ConstantChannel {
  std::size_t channel = 0;
  std::optional<double> value = {};  // its only value; nothing if the channel has no value at all
};
// Returns the first channel that never changes, or nothing if there is none.
std::optional<ConstantChannel> FindConstantChannel(const Dataset& data);

}  // namespace gpode
