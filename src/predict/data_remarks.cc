// Remarks on unusual data, made before training. See gpode/fit_quality.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/moments.h"
#include "gpode/fit_quality.h"
#include "io/files.h"
#include "io/reading.h"

namespace gpode {
namespace {

// There is a remark on a channel or a trajectory beyond these limits. With fewer than kFewest
// values there is none on outliers or on few distinct values.
constexpr double kMostMissing = 0.5;  // share of rows without a value
constexpr double kLongGap = 10;       // distance of two times relative to the median distance
constexpr double kFarOff = 8;         // distance from the neighbours' mean, over the typical one
constexpr std::size_t kFewest = 20;
constexpr double kFewValues = 0.1;   // share of distinct values; few mean a coarse instrument
constexpr double kMostSpread = 1e4;  // ratio of the standard deviations of two channels
constexpr std::size_t kFewTimes = 10;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string Name(const Dataset& data, std::size_t trajectory) {
  const std::string& name = data.trajectories[trajectory].name;
  return fmt::format("trajectory {}",
                     name.empty() ? std::to_string(trajectory + 1) : internal::Quote(name));
}

// Returns the observed values of a channel in one trajectory, in the order of their times.
std::vector<double> Seen(const Trajectory& t, Eigen::Index channel) {
  std::vector<double> values;
  for (double v : t.values.col(channel)) {
    if (!std::isnan(v)) values.push_back(v);
  }
  return values;
}

// Returns the number of values that are far from the mean of their two neighbours; 0 if there are
// fewer than kFewest values. `typical` is a robust estimate of the standard deviation of the
// distances, from their median.
std::size_t CountFarValues(const std::vector<double>& values) {
  if (values.size() < kFewest) return 0;
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    off.push_back(std::abs(values[i] - 0.5 * (values[i - 1] + values[i + 1])));
  }
  const double typical = 1.4826 * Median(off);
  return static_cast<std::size_t>(
      std::count_if(off.begin(), off.end(), [&](double o) { return o > kFarOff * typical; }));
}

struct ChannelLook {
  std::size_t rows = 0, seen = 0, far_off = 0;
  std::set<double> distinct;
  double deviation = 0;
  bool many = false;  // true if counting stopped because there are very many distinct values
};

ChannelLook LookAt(const Dataset& data, Eigen::Index channel) {
  constexpr std::size_t kCounted = 10'000;
  ChannelLook look;
  for (const Trajectory& t : data.trajectories) {
    const std::vector<double> values = Seen(t, channel);
    look.rows += t.times.size();
    look.seen += values.size();
    look.far_off += CountFarValues(values);
    for (double v : values) {
      if (!look.many) look.distinct.insert(v);
      look.many = look.distinct.size() > kCounted;
    }
  }
  return look;
}

void RemarkOnChannel(const std::string& name, const ChannelLook& look,
                     std::vector<std::string>* remarks) {
  const auto say = [&](const std::string& what) {
    remarks->push_back(fmt::format("channel {} {}", internal::Quote(name), what));
  };
  if (look.seen == 0) return say("has no value at all");
  if (look.distinct.size() == 1) {
    return say(fmt::format("is constant ({:g}): it says nothing about the field; leave it out",
                           *look.distinct.begin()));
  }
  const double missing = 1 - static_cast<double>(look.seen) / static_cast<double>(look.rows);
  if (missing > kMostMissing) say(fmt::format("is missing in {:.0f} % of the rows", 100 * missing));
  if (!look.many && look.seen >= kFewest &&
      static_cast<double>(look.distinct.size()) < kFewValues * static_cast<double>(look.seen)) {
    say(fmt::format("has only {} different values: rounded, or not continuous?",
                    look.distinct.size()));
  }
  if (look.far_off > 0) {
    say(fmt::format("has {} far off {}: outliers?",
                    look.far_off == 1 ? "1 value" : fmt::format("{} values", look.far_off),
                    look.far_off == 1 ? "its neighbours" : "their neighbours"));
  }
}

void RemarkOnUnits(const Dataset& data, const std::vector<ChannelLook>& looks,
                   std::vector<std::string>* remarks) {
  std::size_t least = looks.size(), most = looks.size();
  for (std::size_t c = 0; c < looks.size(); ++c) {
    if (looks[c].distinct.size() < 2) continue;
    if (least == looks.size() || looks[c].deviation < looks[least].deviation) least = c;
    if (most == looks.size() || looks[c].deviation > looks[most].deviation) most = c;
  }
  if (least == looks.size() || !(looks[least].deviation > 0)) return;
  if (looks[most].deviation < kMostSpread * looks[least].deviation) return;
  remarks->push_back(fmt::format(
      "channel {} varies {:.1g} times as much as {}: are the units right?",
      internal::Quote(data.channels[most]), looks[most].deviation / looks[least].deviation,
      internal::Quote(data.channels[least])));
}

void RemarkOnTimes(const Dataset& data, std::vector<std::string>* remarks) {
  std::size_t short_ones = 0, gaps = 0, with_gaps = 0;
  double longest = 0, longest_at = 0, ordinary = 0;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const std::vector<double>& times = data.trajectories[n].times;
    if (times.size() < kFewTimes) {
      ++short_ones;
      continue;
    }
    std::vector<double> all;
    for (std::size_t i = 1; i < times.size(); ++i) all.push_back(times[i] - times[i - 1]);
    const double median = Median(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!(all[i] > kLongGap * median)) continue;
      ++gaps;
      if (all[i] <= longest) continue;
      longest = all[i], longest_at = times[i], ordinary = median, with_gaps = n;
    }
  }
  if (short_ones > 0) {
    remarks->push_back(
        data.trajectories.size() == 1
            ? fmt::format("there are only {} times", data.trajectories[0].times.size())
            : fmt::format("{} of {} trajectories have fewer than {} times", short_ones,
                          data.trajectories.size(), kFewTimes));
  }
  if (gaps > 0) {
    remarks->push_back(
        fmt::format("{} has a gap of {:g} after time {:g}, {:.0f} times the usual one{}",
                    Name(data, with_gaps), longest, longest_at, longest / ordinary,
                    gaps > 1 ? fmt::format(" ({} such gaps in all)", gaps) : ""));
  }
}

}  // namespace

std::vector<std::string> DataRemarks(const Dataset& data) {
  CheckDataset(data);
  std::vector<std::string> remarks;
  RemarkOnTimes(data, &remarks);
  const ChannelMoments moments = MomentsOf(data);
  std::vector<ChannelLook> looks;
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    looks.push_back(LookAt(data, static_cast<Eigen::Index>(c)));
    looks.back().deviation = std::sqrt(moments.variance[static_cast<Eigen::Index>(c)]);
    RemarkOnChannel(data.channels[c], looks.back(), &remarks);
  }
  RemarkOnUnits(data, looks, &remarks);
  return remarks;
}

}  // namespace gpode
