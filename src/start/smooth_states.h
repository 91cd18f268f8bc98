// States and their slopes guessed from noisy, gappy data, through any observation map y = C x + b.
//
// The data determine a few signals s, about of unit size: the channels themselves, or, where there
// are more of them than they determine, combinations of them. Each is smoothed in time. States are
//
//   x = offset + observed s + hidden h
//
// where `hidden` spans what C cannot see. There, h starts as derivatives of the signals, scaled to
// unit size: the slopes of the signals one after the other, then their second derivatives, and so
// on (the state space of a smooth system can be rebuilt from derivatives of one observable; Takens,
// 1981).
#pragma once

#include <vector>

#include "data/moments.h"
#include "gpode/model.h"

namespace gpode {

struct SignalMap {
  ObservationMap channels;  // y = channels(s) + noise
  Vector noise_variance;    // (channels), a rough one: how far to trust a row with gaps
  Matrix observed;          // (D, signals)
  Matrix hidden;            // (D, D - rank of C)
  Vector offset;            // (D)
};

// Returns the signals for the map y = C x + b between the user's states and channels.
SignalMap SignalsOf(const Dataset& data, Observation kind, const ObservationMap& map,
                    const ChannelMoments& moments);

// Smoothed states and slopes in the user's time.
struct SmoothStates {
  std::vector<Matrix> states, slopes;  // per trajectory (T, D): x - offset and dx/dt
  Matrix x0;                           // (trajectories, D): x - offset at the start times
};

SmoothStates SmoothAll(const Dataset& data, const SignalMap& signals);

}  // namespace gpode
