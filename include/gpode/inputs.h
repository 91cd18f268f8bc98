// The inputs of a system as data: measured series that drive it, and the clock.
//
//   dx/dt = f(x, u(t)),   u = (measured inputs, cos and sin of 2 pi t / P for each period P, t)
//
// Measured inputs are known at sample times of their own, which need not be those of the
// observations. Between samples they hold the value of the sample before, or are linear. They are
// never guessed: a sample without a value, or a span of time without samples, is an InputError.
// The phases of the clock and the time are known at all times.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   InputRule rule{.names = {"u"}, .hold = InputHold::kLinear, .periods = {24}};
//   rule.size();   // 3: u, cos(2 pi t / 24), sin(2 pi t / 24)
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpode/matrix.h"

namespace gpode {

// The value of a measured input between two samples: the value of the previous sample, or linear
// interpolation.
enum class InputHold { kPrevious, kLinear };

// The measured inputs of one trajectory, in the user's units.
struct InputSamples {
  std::vector<double> times = {};  // (K), increasing
  Matrix values = {};              // (K, measured inputs), all finite

  bool empty() const { return times.empty(); }
};

// The inputs of a system: which there are, and how they are interpolated.
struct InputRule {
  std::vector<std::string> names = {};  // names of the measured inputs
  InputHold hold = InputHold::kPrevious;
  // The periods, in the user's unit of time. Each adds two clock inputs, a cosine and a sine.
  std::vector<double> periods = {};
  bool has_time = false;  // true if the time itself is an input

  // The number U of inputs: measured ones, two for each period, and the time.
  std::size_t size() const { return names.size() + 2 * periods.size() + (has_time ? 1 : 0); }
  // Returns a name for each of the U inputs: "u", "cos(24)", "sin(24)", "time".
  std::vector<std::string> AllNames() const;
};

// Returns the inputs (n, U) at these times, in the user's units. Before the first and after the
// last sample, measured inputs have the value of that sample.
Matrix InputsAt(const InputRule& rule, const InputSamples& samples,
                const std::vector<double>& times);

// Returns the earlier samples before the first of the later ones, then the later ones.
InputSamples Joined(const InputSamples& earlier, const InputSamples& later);

}  // namespace gpode
