#include "gpode/link.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/split.h"
#include "gpode/error.h"

namespace gpode {
namespace {

constexpr std::array kNames = {std::pair(Link::kIdentity, std::string_view("identity")),
                               std::pair(Link::kLog, std::string_view("log")),
                               std::pair(Link::kSqrt, std::string_view("sqrt"))};
// The largest absolute value of a logarithm whose exponential is neither zero nor infinite.
constexpr double kLargestLog = 690;

// Returns the link of a word in a resolved text, or nothing if it is none.
std::optional<Link> FindLink(std::string_view word) {
  if (word == "none") return Link::kIdentity;
  for (const auto& [link, name] : kNames) {
    if (link != Link::kIdentity && name == word) return link;
  }
  return std::nullopt;
}

[[noreturn]] void RefuseChannel(std::string_view word, const std::vector<std::string>& channels) {
  ThrowInput("Fit", "positive",
             fmt::format("names '{}', must name channels of the data ({}), each alone or as "
                         "CHANNEL=log or CHANNEL=sqrt, or be all, log, sqrt or none",
                         word, fmt::join(channels, ", ")));
}

}  // namespace

std::string_view NameOf(Link link) { return kNames[static_cast<std::size_t>(link)].second; }

double ToLink(Link link, double y) {
  switch (link) {
    case Link::kLog:
      return std::log(y);
    case Link::kSqrt:
      return std::sqrt(y);
    case Link::kIdentity:
      break;
  }
  return y;
}

double FromLink(Link link, double value) {
  switch (link) {
    case Link::kLog:
      return std::exp(std::clamp(value, -kLargestLog, kLargestLog));
    case Link::kSqrt:
      return value <= 0 ? 0 : value * value;
    case Link::kIdentity:
      break;
  }
  return value;
}

double LinkSlope(Link link, double y) {
  switch (link) {
    case Link::kLog:
      return 1 / y;
    case Link::kSqrt:
      return 0.5 / std::sqrt(y);
    case Link::kIdentity:
      break;
  }
  return 1;
}

bool IsAccepted(Link link, double y) {
  return link == Link::kIdentity || (link == Link::kLog ? y > 0 : y >= 0);
}

std::string_view LinkDemand(Link link) {
  switch (link) {
    case Link::kLog:
      return "more than zero";
    case Link::kSqrt:
      return "zero or more";
    case Link::kIdentity:
      break;
  }
  return "";
}

std::vector<Link> LinksOf(std::string_view positive, const std::vector<std::string>& channels) {
  if (positive == "none") return {};
  const auto find = [&](std::string_view name) { return std::ranges::find(channels, name); };
  std::vector<std::string> words = SplitAtCommas(positive);
  // A name with a comma is one channel.
  if (find(positive) != channels.end()) words = {std::string(positive)};
  // A channel takes precedence over the word of a link.
  if (words.size() == 1 && find(positive) == channels.end()) {
    const std::optional<Link> link = positive == "all" ? Link::kLog : FindLink(positive);
    if (link) return std::vector<Link>(channels.size(), *link);
  }
  std::vector<Link> links;
  for (std::string_view word : words) {
    const std::optional<Link> link = FindLink(word);
    if (link && find(word) == channels.end()) links.push_back(*link);
  }
  if (links.size() == words.size() && links.size() == channels.size()) return links;
  links.assign(channels.size(), Link::kIdentity);
  for (std::string_view word : words) {
    auto channel = find(word);
    Link link = Link::kLog;
    if (const std::size_t at = word.rfind('='); channel == channels.end() && at != word.npos) {
      channel = find(word.substr(0, at));
      const std::optional<Link> own = FindLink(word.substr(at + 1));
      if (!own) RefuseChannel(word, channels);
      link = *own;
    }
    if (channel == channels.end()) RefuseChannel(word, channels);
    links[static_cast<std::size_t>(channel - channels.begin())] = link;
  }
  return links;
}

std::string ResolvePositive(std::string_view positive, const std::vector<std::string>& channels) {
  const std::vector<Link> links = LinksOf(positive, channels);
  if (std::ranges::count(links, Link::kIdentity) == std::ssize(links)) return "none";
  std::vector<std::string_view> words;
  for (Link link : links) words.push_back(link == Link::kIdentity ? "none" : NameOf(link));
  return fmt::format("{}", fmt::join(words, ","));
}

Dataset ToLinkScale(const Dataset& data, const std::vector<Link>& links) {
  if (links.empty()) return data;
  CheckSize("Fit", "positive", links.size(), data.channels.size());
  Dataset result = data;
  for (Trajectory& t : result.trajectories) {
    for (std::size_t c = 0; c < links.size(); ++c) {
      for (std::size_t i = 0; i < t.times.size(); ++i) {
        double& y = t.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c));
        if (!std::isnan(y) && !IsAccepted(links[c], y)) {
          ThrowInput(
              "Fit", fmt::format("channel '{}'", data.channels[c]),
              fmt::format("is {:g} at time {}, must be {} for --positive with the link {}{}", y,
                          ShowTime(t.times[i], data.calendar), LinkDemand(links[c]),
                          NameOf(links[c]),
                          y == 0 ? fmt::format("; {}=sqrt takes zeros", data.channels[c]) : ""));
        }
        y = ToLink(links[c], y);
      }
    }
  }
  return result;
}

Matrix FromLinkScale(Matrix channels, const std::vector<Link>& links) {
  for (std::size_t c = 0; c < links.size(); ++c) {
    if (links[c] == Link::kIdentity) continue;
    for (double& value : channels.col(static_cast<Eigen::Index>(c))) {
      value = FromLink(links[c], value);
    }
  }
  return channels;
}

}  // namespace gpode
