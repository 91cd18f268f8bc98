#include "gpode/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "field/equation_system.h"
#include "gpode/holdout.h"
#include "gpode/options.h"
#include "model/model_draws.h"

namespace gpode {
namespace {

// Returns the count with its noun: "1 draw", "3 draws".
std::string Pluralise(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

}  // namespace

std::string TrajectoryName(const TrainedModel& trained, std::size_t trajectory) {
  const bool named = trajectory < trained.data.trajectories.size() &&
                     !trained.data.trajectories[trajectory].name.empty();
  return named ? trained.data.trajectories[trajectory].name : std::to_string(trajectory + 1);
}

std::vector<std::string> StateNames(const Model& model) {
  if (!model.options.equations.empty()) {
    const EquationSystem system = ParseEquations(model.options.equations, "equations");
    std::vector<std::string> names = system.states;
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (system.is_log[d]) names[d] = "log " + names[d];
    }
    return names;
  }
  const Matrix& map = model.map.matrix;
  const std::vector<Link> links = model.links();
  std::vector<std::string> names;
  for (Eigen::Index d = 0; d < map.cols(); ++d) {
    std::string name = fmt::format("state{}", d + 1);
    for (Eigen::Index c = 0; c < map.rows(); ++c) {
      const bool alone = map(c, d) != 0 && (map.row(c).array() != 0).count() == 1 &&
                         (map.col(d).array() != 0).count() == 1;
      if (!alone) continue;
      name = model.channels[static_cast<std::size_t>(c)];
      if (!links.empty() && links[static_cast<std::size_t>(c)] != Link::kIdentity) {
        name = fmt::format("{} {}", NameOf(links[static_cast<std::size_t>(c)]), name);
      }
    }
    names.push_back(name);
  }
  return names;
}

Vector ProcessNoise(const Model& model) {
  if (model.noise_pieces.empty()) return {};
  const std::span<const double> own = model.parameters["process_noise"];
  return model.coordinates.state_scale.cwiseProduct(
             Eigen::Map<const Vector>(own.data(), std::ssize(own))) /
         std::sqrt(model.coordinates.time_scale);
}

namespace {

// Returns "x 0.21, y 0.18 per square root of time".
std::string DescribeProcessNoise(const Model& model) {
  const Vector noise = ProcessNoise(model);
  const std::vector<std::string> names = StateNames(model);
  std::vector<std::string> texts;
  for (std::size_t d = 0; d < names.size(); ++d) {
    texts.push_back(fmt::format("{} {:.3g}", names[d], noise[static_cast<Eigen::Index>(d)]));
  }
  return fmt::format("{} per square root of time", fmt::join(texts, ", "));
}

}  // namespace

Matrix Lengthscales(const Model& model) {
  const Matrix own = model.parameters.AsMatrix("lengthscales");
  const auto dim = static_cast<Eigen::Index>(model.dim());
  return own.size() == 0 ? own : model.coordinates.LengthsToUser(own.leftCols(dim));
}

Matrix InputLengthscales(const Model& model) {
  const Matrix own = model.parameters.AsMatrix("lengthscales");
  const auto count = static_cast<Eigen::Index>(model.coordinates.inputs());
  if (own.size() == 0 || count == 0) return {};
  return own.rightCols(count) * model.coordinates.input_scale.asDiagonal();
}

std::string DescribeInputs(const Model& model) {
  const InputRule rule = model.input_rule();
  std::vector<std::string> parts;
  if (!rule.names.empty()) {
    parts.push_back(fmt::format("{} ({} between samples)", fmt::join(rule.names, ", "),
                                rule.hold == InputHold::kPrevious ? "held" : "linear"));
  }
  for (double period : rule.periods) parts.push_back(fmt::format("clock of period {:g}", period));
  if (rule.has_time) parts.emplace_back("time");
  return fmt::format("{}", fmt::join(parts, ", "));
}

Matrix InducingLocations(const Model& model) {
  const Matrix own = model.parameters.AsMatrix("inducing_locations");
  const auto dim = static_cast<Eigen::Index>(model.dim());
  return own.size() == 0 ? own : model.coordinates.ToUser(own.leftCols(dim));
}

std::string DescribeDraws(const Model& model) {
  const std::string draws =
      Pluralise(static_cast<std::size_t>(model.draws.rows()), "draw", "draws");
  if (GetPosteriorFamily(model.options.posterior).is_linearised()) {
    return fmt::format("{} from short chains", draws);
  }
  return fmt::format("{} from {}", draws,
                     Pluralise(model.options.sampler.chains, "chain", "chains"));
}

std::vector<std::pair<std::string, std::string>> FieldFacts(const Model& model) {
  std::vector<std::pair<std::string, std::string>> facts =
      ModelDraws(model).parts().function().Facts();
  for (const ParameterBand& own : ParameterBands(model)) {
    facts.emplace_back(fmt::format("parameter {}", own.name),
                       fmt::format("{:.4g} ({:.4g} to {:.4g})", own.median, own.q5, own.q95));
  }
  if (!model.IsSampled()) return facts;
  const SamplerSummary& s = model.sampler;
  facts.emplace_back("posterior", DescribeDraws(model));
  facts.emplace_back("largest R-hat", fmt::format("{:.3f}", s.worst_rhat));
  facts.emplace_back("least effective draws",
                     fmt::format("{:.0f} (tails {:.0f})", s.least_bulk_ess, s.least_tail_ess));
  facts.emplace_back("divergent transitions", std::to_string(s.divergent));
  facts.emplace_back("draws at the largest depth", std::to_string(s.at_max_depth));
  return facts;
}

std::string DescribeWidening(const Model& model) {
  const BandWidening& w = model.widening;
  if (!w.IsJudged()) return "";
  double values = 0, inside = 0, widened = 0;
  for (std::size_t c = 0; c < w.values.size(); ++c) {
    const double n = static_cast<double>(w.values[c]);
    values += n;
    inside += n * w.inside[c];
    widened += n * w.inside_widened[c];
  }
  if (*std::max_element(w.values.begin(), w.values.end()) < kFewestHeld) {
    return fmt::format("not judged: too few held-back values, {:.0f}", values);
  }
  const std::string found = fmt::format("{:.0f} % of {:.0f} held-back values inside 90 % bands",
                                        100 * inside / values, values);
  if (w.IsZero()) return "not widened: " + found;
  return fmt::format("widened by horizon: {}, {:.0f} % after widening", found,
                     100 * widened / values);
}

namespace {

// Returns the channels that cannot be negative, such as "hare (log), lynx (sqrt)".
std::string DescribePositive(const Model& model) {
  const std::vector<Link> links = model.links();
  std::string text;
  for (std::size_t c = 0; c < links.size(); ++c) {
    if (links[c] == Link::kIdentity) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", model.channels[c], NameOf(links[c]));
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ModelFacts(const TrainedModel& trained) {
  const Model& m = trained.model;
  std::vector<std::pair<std::string, std::string>> facts = FieldFacts(m);
  facts.insert(
      facts.begin(),
      {{"states", fmt::format("{}", fmt::join(StateNames(m), ", "))},
       {"learnt by", fmt::format("{}, seed {}", NameOf(m.options).title, m.options.seed)}});
  if (const std::string inputs = DescribeInputs(m); !inputs.empty()) {
    facts.insert(facts.begin() + 1, {"inputs", inputs});
  }
  if (const std::string positive = DescribePositive(m); !positive.empty()) {
    facts.insert(facts.begin() + 1, {"positive channels", positive});
  }
  if (!trained.history.empty()) {
    const Progress& last = trained.history.back();
    facts.emplace_back("training", fmt::format("{} after {} of {} steps, bound {:.2f}",
                                               trained.finished ? "finished" : "stopped",
                                               last.step + 1, last.steps, last.bound));
  }
  if (!m.noise_pieces.empty()) facts.emplace_back("process noise", DescribeProcessNoise(m));
  if (m.widening.IsJudged()) facts.emplace_back("bands", DescribeWidening(m));
  if (!m.warning.empty()) facts.emplace_back("warning", m.warning);
  return facts;
}

std::vector<std::string> AllRemarks(const TrainedModel& trained, const FitQuality& quality) {
  std::vector<std::string> remarks = DataRemarks(trained.data);
  if (!trained.model.noise_pieces.empty()) {
    remarks.push_back(
        fmt::format("the system is not an exact ODE of its states: process noise of {} is part of "
                    "the model and "
                    "of its forecasts",
                    DescribeProcessNoise(trained.model)));
  }
  remarks.insert(remarks.end(), quality.remarks.begin(), quality.remarks.end());
  if (trained.holdout && !trained.holdout->report.rows.empty()) {
    const auto held = trained.holdout->report.Remarks(trained.model.channels);
    remarks.insert(remarks.end(), held.begin(), held.end());
  }
  return remarks;
}

}  // namespace gpode
