// Estimates of states and their slopes from noisy data with gaps, for any observation map
// y = C x + b. (The paper, section S2.2, has y = x and takes differences of observations as
// slopes.)
//
// The data determine a few signals s of about unit size: the scaled channels themselves or, if
// there are more channels than the rank of C, as many combinations of channels as this rank. Each
// signal is smoothed in time. The states are
//
//   x = offset + observed s + hidden h
//
// where `hidden` spans the directions of x that do not change y. Their components h are initialised
// with derivatives of the signals, scaled to unit size: the slopes of the signals one after the
// other, then their second derivatives, and so on. (The state space of a smooth system can be
// rebuilt from derivatives of one observable; Takens, 1981.)
#pragma once

#include <vector>

#include "data/moments.h"
#include "gpode/model.h"

namespace gpode {

struct SignalMap {
  ObservationMap channels;  // y = channels(s) + noise
  Vector noise_variance;    // (channels), a rough guess, to estimate signals from channels
  Matrix observed;          // (D, signals)
  Matrix hidden;            // (D, D - rank of C)
  Vector offset;            // (D)
};

// Returns the signals for the map y = C x + b from states in the user's units to channels.
SignalMap SignalsOf(const Dataset& data, Observation kind, const ObservationMap& map,
                    const ChannelMoments& moments);

// Smoothed states and slopes, in the user's units of states and time.
struct SmoothStates {
  std::vector<Matrix> states, slopes;  // per trajectory (T, D): x - offset and dx/dt
  Matrix x0;                           // (trajectories, D): x - offset at the start times
};

SmoothStates SmoothAll(const Dataset& data, const SignalMap& signals);

}  // namespace gpode
