// Links of positive channels: the scale on which a channel is learnt.
//
//   link      y in the user's units      value on the link's scale
//   identity  y                          y
//   log       y > 0                      log y
//   sqrt      y >= 0                     sqrt y
//
// The observations of a channel with a link are transformed, and the model is learnt for the
// transformed channels: its states, the slopes of its field and its noise are those of log y or
// sqrt y. Forecasts, bands, draws and scores are transformed back to the user's units, so that they
// cannot be negative. With a link, the deviation of the noise is relative (log) or grows with the
// square root of the channel (sqrt). FromLink maps values below zero on the scale of a square root
// to zero, so that a new observation is zero with a positive probability.
//
// Thread safety: any thread may call these functions.
//
//   Model model = Fit(data, {.positive = "hare,lynx=sqrt"});
//   Dataset transformed = ToLinkScale(data, model.links());
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/matrix.h"

namespace gpode {

enum class Link { kIdentity, kLog, kSqrt };

// Returns "identity", "log" or "sqrt".
std::string_view NameOf(Link link);

// ToLink maps a value y that the link accepts (IsAccepted) to the link's scale, and FromLink maps
// it back. FromLink of a finite value is finite and accepted by the link. NaN stays NaN.
double ToLink(Link link, double y);
double FromLink(Link link, double value);
// Returns the derivative of ToLink at y.
double LinkSlope(Link link, double y);
// Tells whether the link accepts y: positive for log, not negative for sqrt.
bool IsAccepted(Link link, double y);
// Returns what a value must be, such as "more than zero"; empty for the identity.
std::string_view LinkDemand(Link link);

// Returns the links of the channels for a value of the option `positive`; empty if it is "none".
// The text is "none", "all" (log for all channels), the name of a link for all channels, a list of
// channels, each alone (log) or as CHANNEL=LINK, or a list with log, sqrt or none for each channel.
// Throws an InputError if the text does not fit the channels.
std::vector<Link> LinksOf(std::string_view positive, const std::vector<std::string>& channels);
// Returns the text that stands for the same links without naming channels: "none", or a list with
// log, sqrt or none for each channel.
std::string ResolvePositive(std::string_view positive, const std::vector<std::string>& channels);

// These functions leave data unchanged if `links` is empty. ToLinkScale transforms the channels of
// data; it throws an InputError that names the channel and time of a value that is not accepted.
// FromLinkScale transforms rows of channels (n, channels) back.
Dataset ToLinkScale(const Dataset& data, const std::vector<Link>& links);
Matrix FromLinkScale(Matrix channels, const std::vector<Link>& links);

}  // namespace gpode
