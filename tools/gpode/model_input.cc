#include "model_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "gpode/error.h"
#include "io/files.h"
#include "io/reading.h"
#include "output.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostNames = 10;  // in a message

std::string KnownTrajectories(const TrainedModel& trained) {
  const std::size_t count = trained.model.start_times.size();
  std::vector<std::string> names;
  for (std::size_t n = 0; n < std::min(count, kMostNames); ++n) {
    names.push_back(TrajectoryName(trained, n));
  }
  if (names.front() == "1") return fmt::format("a number from 1 to {}", count);
  if (count == 1) return fmt::format("{} or 1", internal::Quote(names.front()));
  return fmt::format("{}{}, or a number from 1 to {}", fmt::join(names, ", "),
                     count > kMostNames ? ", ..." : "", count);
}

}  // namespace

std::string TrajectoryName(const TrainedModel& trained, std::size_t trajectory) {
  const bool named = trajectory < trained.data.trajectories.size() &&
                     !trained.data.trajectories[trajectory].name.empty();
  return named ? trained.data.trajectories[trajectory].name : std::to_string(trajectory + 1);
}

std::size_t FindTrajectory(const Place& place, std::string_view word, const TrainedModel& trained) {
  const std::size_t count = trained.model.start_times.size();
  for (std::size_t n = 0; n < count; ++n) {
    if (TrajectoryName(trained, n) == word) return n;
  }
  std::size_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || number == 0 || number > count) {
    Refuse(place, word, KnownTrajectories(trained));
  }
  return number - 1;
}

std::size_t MatchTrajectory(const Dataset& tests, std::size_t n, const TrainedModel& trained,
                            std::string_view file) {
  const std::size_t known = trained.model.start_times.size();
  for (std::size_t k = 0; k < known; ++k) {
    if (TrajectoryName(trained, k) == tests.trajectories[n].name) return k;
  }
  if (known == 1 && tests.trajectories.size() == 1) return 0;
  if (known == tests.trajectories.size()) return n;
  internal::ThrowAt(
      file, fmt::format("{} found where the model has {}, must have the same names or "
                        "number, or see --trajectory and --start first-row",
                        Several(tests.trajectories.size(), "trajectory", "trajectories"), known));
}

std::vector<std::pair<std::string, std::string>> FieldFacts(const Model& model) {
  const FitOptions& o = model.options;
  std::vector<std::pair<std::string, std::string>> facts;
  if (IsNetwork(o.model)) {
    facts.emplace_back("hidden layers", o.neural.hidden.empty()
                                            ? "none"
                                            : fmt::format("{}", fmt::join(o.neural.hidden, ", ")));
    facts.emplace_back("weights", std::to_string(model.network.mean.size()));
  } else {
    facts.emplace_back("kernel", o.kernel);
    facts.emplace_back("inducing points", std::to_string(o.inducing));
    if (o.model == ModelKind::kGpode) {
      facts.emplace_back("Fourier features", std::to_string(o.features));
    }
  }
  if (!IsSampled(o.model)) return facts;
  const SamplerSummary& s = model.sampler;
  facts.emplace_back("draws", fmt::format("{} from {}", model.draws.count(),
                                          Several(o.sampler.chains, "chain", "chains")));
  facts.emplace_back("largest R-hat", fmt::format("{:.3f}", s.worst_rhat));
  facts.emplace_back("least effective draws",
                     fmt::format("{:.0f} (tails {:.0f})", s.least_bulk_ess, s.least_tail_ess));
  facts.emplace_back("divergences", std::to_string(s.divergent));
  facts.emplace_back("draws at the largest depth", std::to_string(s.at_max_depth));
  return facts;
}

std::vector<std::string> StateNames(const Model& model) {
  const Matrix& map = model.map.matrix;
  std::vector<std::string> names;
  for (Eigen::Index d = 0; d < map.cols(); ++d) {
    std::string name = fmt::format("state{}", d + 1);
    for (Eigen::Index c = 0; c < map.rows(); ++c) {
      const bool alone = map(c, d) != 0 && (map.row(c).array() != 0).count() == 1 &&
                         (map.col(d).array() != 0).count() == 1;
      if (alone) name = model.channels[static_cast<std::size_t>(c)];
    }
    names.push_back(name);
  }
  return names;
}

namespace {

constexpr std::size_t kLongestUnit = 16;

Quantity Split(const std::string& name) {
  const char last = name.empty() ? ' ' : name.back();
  if (last != ']' && last != ')') return {name, ""};
  const std::size_t open = name.rfind(last == ']' ? " [" : " (");
  if (open == std::string::npos || open == 0) return {name, ""};
  const std::string unit = name.substr(open + 2, name.size() - open - 3);
  const bool number = unit.find_first_not_of("0123456789., ") == std::string::npos;
  if (number || unit.size() > kLongestUnit) return {name, ""};
  return {name.substr(0, name.find_last_not_of(' ', open) + 1), unit};
}

}  // namespace

std::string Quantity::Label() const {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::vector<Quantity> QuantitiesOf(const std::vector<std::string>& names) {
  std::vector<Quantity> all, whole;
  std::set<std::string> different;
  for (const std::string& name : names) {
    all.push_back(Split(name));
    whole.push_back({name, ""});
    different.insert(all.back().name);
  }
  return different.size() == names.size() ? all : whole;
}

Quantity TimeOf(const Dataset& data) {
  const std::string& name = data.time_name;
  return name.empty() ? Quantity{"time", ""} : Split(name);
}

std::string CommonUnit(const std::vector<Quantity>& quantities) {
  for (const Quantity& q : quantities) {
    if (q.unit != quantities.front().unit) return "";
  }
  return quantities.empty() ? "" : quantities.front().unit;
}

std::size_t FindState(const Place& place, std::string_view word, const std::string& name,
                      const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    Refuse(place, word, fmt::format("about the model's states: {}", internal::ListOf(names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

Matrix InUserUnits(const Model& model, const Matrix& states) {
  return (states.array().rowwise() * model.state_scale.transpose().array()).rowwise() +
         model.state_offset.transpose().array();
}

Trajectory RowsBetween(const Trajectory& all, const std::optional<double>& after,
                       const std::optional<double>& until) {
  Trajectory some{all.name, {}, {}, all.start_time};
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < all.times.size(); ++i) {
    if (all.times[i] <= after.value_or(-HUGE_VAL) || all.times[i] > until.value_or(HUGE_VAL)) {
      continue;
    }
    some.times.push_back(all.times[i]);
    rows.push_back(static_cast<Eigen::Index>(i));
  }
  some.values = all.values(rows, Eigen::all);
  return some;
}

std::vector<double> ChannelValues(const Place& place, std::string_view word, const Model& model) {
  std::vector<double> values(model.channels.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [name, text] : ParseAssignments(place, word)) {
    const auto found = std::find(model.channels.begin(), model.channels.end(), name);
    if (found == model.channels.end()) {
      Refuse(place, word, fmt::format("values of channels: {}", internal::ListOf(model.channels)));
    }
    values[static_cast<std::size_t>(found - model.channels.begin())] =
        ParseNumber({place.command, fmt::format("{} {}", place.option, name)}, text, kSaneNumber);
  }
  return values;
}

StartState StateBehind(const Posterior& posterior, std::span<const double> values,
                       const std::string& complaint) {
  try {
    return posterior.StateOf(values);
  } catch (const InputError&) {
    throw InputError(complaint);
  }
}

Origin OriginOf(std::string_view word) {
  return word == "latest" ? Origin::kLatestState : Origin::kInitialState;
}

}  // namespace gpode::tool
