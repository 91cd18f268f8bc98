#include "gpode/analysis.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "analyse/basins.h"
#include "analyse/draw_dynamics.h"
#include "analyse/energy.h"
#include "analyse/newton.h"
#include "analyse/point_groups.h"
#include "analyse/support.h"
#include "core/quantile.h"
#include "gpode/error.h"
#include "gpode/held_field.h"
#include "gpode/parallel.h"
#include "gpode/summary.h"

namespace gpode {
namespace {

constexpr double kBoxFactor = 1.3;
constexpr double kLeastProbability = 0.05;  // groups with a lower probability are not reported
constexpr std::size_t kShownCycles = 32;
constexpr Eigen::Index kEnergyStates = 16;  // states at which the field must have an energy

// Does the work of AnalysePosterior: analyses every draw alone, then summarises the finished draws.
class Analyser {
 public:
  Analyser(const Posterior& posterior, const Dataset& data, const AnalysisOptions& options)
      : posterior_(posterior), options_(options), support_(posterior, data) {
    CheckAtLeast("AnalysePosterior", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
    result_.states = StateNames(posterior.model());
    result_.box = options.box.value_or(support_.BoxOf(kBoxFactor));
    CheckBox("AnalysePosterior", result_.box, posterior.dim());
    const bool driven = posterior.model().coordinates.inputs() > 0;
    result_.inputs = options.inputs.value_or(driven ? posterior.TypicalInputs() : Vector());
    CheckSize("AnalysePosterior", "inputs", static_cast<std::size_t>(result_.inputs.size()),
              posterior.model().coordinates.inputs());
    result_.level = options.level;
    result_.asked = options.draws;
  }

  Analysis Run() {
    AnalyseMean();
    starts_ = LearntStates(posterior_, posterior_.model().end_times.front(), options_);
    FindEnergyOfMean();
    std::vector<DrawDynamics> draws = AnalyseDraws();
    std::erase_if(draws, [](const DrawDynamics& draw) { return !draw.finished; });
    result_.draws = draws.size();
    if (draws.empty()) return std::move(result_);
    SummarisePoints(draws);
    SummariseOscillation(draws);
    SummariseExponents(draws);
    SummariseEnergy(draws);
    SummariseBasins(draws);
    return std::move(result_);
  }

 private:
  DynamicsOptions OptionsOf(std::size_t draw) const {
    DynamicsOptions own;
    own.start = starts_.row(static_cast<Eigen::Index>(draw)).transpose();
    if (!own.start.allFinite()) own.start = support_.states().bottomRows(1).transpose();
    own.guesses.resize(std::ssize(result_.mean_points.points),
                       static_cast<Eigen::Index>(posterior_.dim()));
    for (Eigen::Index i = 0; i < own.guesses.rows(); ++i) {
      own.guesses.row(i) =
          result_.mean_points.points[static_cast<std::size_t>(i)].state.transpose();
    }
    own.basin_cells = posterior_.dim() == 2 ? options_.basin_cells : 0;
    own.exponents = draw < options_.exponent_draws;
    if (first_.size() > 0) {
      own.first = first_.row(static_cast<Eigen::Index>(draw)).transpose();
      own.energy_states = energy_states_;
      own.energy_zero = result_.energy.zero;
    }
    return own;
  }

  // Prepares the energies of the draws, unless the mean field shows that there is none.
  void FindEnergyOfMean() {
    const Matrix& states = support_.states();
    const Eigen::Index step = 1 + states.rows() / kEnergyStates;
    energy_states_.resize((states.rows() + step - 1) / step, states.cols());
    for (Eigen::Index i = 0; i < energy_states_.rows(); ++i) {
      energy_states_.row(i) = states.row(i * step);
    }
    const PosteriorField mean = posterior_.MeanField();
    if (!HamiltonianLoss(HeldField(mean, result_.inputs), energy_states_)) return;
    first_ = LearntStates(posterior_, posterior_.model().start_times.front(), options_);
    result_.energy.zero = states.colwise().mean().transpose();
  }

  void AnalyseMean() {
    const PosteriorField mean = posterior_.MeanField();
    const HeldField field(mean, result_.inputs);
    result_.mean_points = FindFixedPoints(field, result_.box);
    CycleOptions options{.tolerance = 1e-9};
    options.more_starts = support_.states().bottomRows(1);
    result_.mean_cycles = FindLimitCycles(field, result_.box, result_.mean_points.points, options);
    if (posterior_.dim() == 2) {
      result_.separatrices = FindSeparatrices(field, result_.box, result_.mean_points.points);
    }
  }

  std::vector<DrawDynamics> AnalyseDraws() {
    std::vector<DrawDynamics> draws(options_.draws);
    std::atomic<bool> stopped = false;
    std::mutex mutex;
    std::size_t done = 0;
    ThreadPool pool(options_.threads);
    pool.For(draws.size(), [&](std::size_t i) {
      if (stopped) return;
      const PosteriorField draw = posterior_.DrawField(options_.seed, i);
      const HeldField field(draw, result_.inputs);
      DynamicsOptions own = OptionsOf(i);
      own.stop = [&] { return stopped.load(); };
      draws[i] = AnalyseField(field, result_.box, own);
      const std::scoped_lock lock(mutex);
      if (draws[i].finished) ++done;
      if (options_.report && !options_.report(done, draws.size())) stopped = true;
    });
    return draws;
  }

  QuantityBand Band(std::vector<double> values) const {
    return BandOf(std::move(values), options_.level);
  }

  void SummarisePoints(const std::vector<DrawDynamics>& draws) {
    const auto n = static_cast<double>(draws.size());
    std::vector<std::vector<FixedPoint>> found;
    for (const DrawDynamics& draw : draws) {
      found.push_back(draw.search.points);
      result_.checked += draw.search.checked ? 1 / n : 0;
      const std::size_t count = draw.search.points.size();
      if (result_.counts.size() <= count) result_.counts.resize(count + 1);
      result_.counts[count] += 1 / n;
    }
    groups_ = GroupPoints(result_.box, result_.mean_points.points, found);
    std::erase_if(groups_, [n](const PointGroup& group) {
      return static_cast<double>(group.members.size()) < kLeastProbability * n;
    });
    for (const PointGroup& group : groups_) result_.points.push_back(Summary(group, found));
  }

  PointSummary Summary(const PointGroup& group,
                       const std::vector<std::vector<FixedPoint>>& found) const {
    const auto n = std::ssize(group.members);
    const auto dim = static_cast<Eigen::Index>(posterior_.dim());
    PointSummary summary;
    summary.probability = static_cast<double>(n) / static_cast<double>(found.size());
    summary.states.resize(n, dim);
    Matrix real(n, dim), imaginary(n, dim);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& [draw, p] = group.members[static_cast<std::size_t>(i)];
      const FixedPoint& point = found[draw][p];
      summary.states.row(i) = point.state.transpose();
      summary.types[static_cast<std::size_t>(point.type)] += 1 / static_cast<double>(n);
      summary.stable += point.stable ? 1 / static_cast<double>(n) : 0;
      summary.is_stable.push_back(point.stable);
      real.row(i) = point.eigenvalues.real().transpose();
      imaginary.row(i) = point.eigenvalues.imag().cwiseAbs().transpose();
    }
    const auto bands = [&](const Matrix& values) {
      std::vector<QuantityBand> all;
      for (const auto& column : values.colwise())
        all.push_back(Band({column.begin(), column.end()}));
      return all;
    };
    summary.place = bands(summary.states);
    summary.real = bands(real);
    summary.imaginary = bands(imaginary);
    summary.mean = summary.states.colwise().mean().transpose();
    const Matrix away = summary.states.rowwise() - summary.mean.transpose();
    summary.covariance = away.transpose() * away / std::max(1.0, static_cast<double>(n - 1));
    summary.distance = support_.Distance(summary.mean);
    summary.outside_data = summary.distance > Support::kFar;
    summary.in_mean_field = group.is_reference;
    return summary;
  }

  void SummariseOscillation(const std::vector<DrawDynamics>& draws) {
    OscillationSummary& all = result_.oscillation;
    const auto n = static_cast<double>(draws.size());
    std::vector<double> periods, multipliers;
    std::vector<std::vector<double>> amplitudes(posterior_.dim());
    for (const DrawDynamics& draw : draws) {
      result_.fates[static_cast<std::size_t>(draw.end.fate)] += 1 / n;
      if (draw.end.cycle) {
        all.cycle_probability += 1 / n;
        if (draw.end.cycle->multipliers.size() > 0) {
          multipliers.push_back(std::abs(draw.end.cycle->multipliers[0]));
        }
        if (all.cycles.size() < kShownCycles) all.cycles.push_back(draw.end.cycle->states);
      }
      if (!draw.oscillates) continue;
      all.probability += 1 / n;
      periods.push_back(draw.period);
      for (std::size_t d = 0; d < amplitudes.size(); ++d) {
        amplitudes[d].push_back(draw.amplitudes[static_cast<Eigen::Index>(d)]);
      }
    }
    all.period = Band(periods);
    all.multiplier = Band(multipliers);
    for (std::vector<double>& values : amplitudes) all.amplitude.push_back(Band(std::move(values)));
  }

  void SummariseExponents(const std::vector<DrawDynamics>& draws) {
    ExponentSummary& all = result_.exponents;
    std::vector<std::vector<double>> exponents(posterior_.dim());
    std::vector<double> errors, horizons;
    const Vector certainty = Deviations(starts_);
    for (const DrawDynamics& draw : draws) {
      const LyapunovSpectrum& one = draw.exponents;
      if (!one.ok()) continue;
      ++all.draws;
      for (std::size_t d = 0; d < exponents.size(); ++d) {
        exponents[d].push_back(one.exponents[static_cast<Eigen::Index>(d)]);
      }
      errors.push_back(one.standard_errors[0]);
      if (!(one.exponents[0] > 2 * one.standard_errors[0] && one.exponents[0] > 0)) continue;
      if (draw.end.fate != Fate::kKeepsMoving) continue;
      all.positive += 1;
      const double growth = one.spread.norm() / certainty.norm();
      horizons.push_back(std::log(std::max(growth, 1.0)) / one.exponents[0]);
    }
    if (all.draws == 0) return;
    all.positive /= static_cast<double>(all.draws);
    for (std::vector<double>& values : exponents) all.exponents.push_back(Band(std::move(values)));
    all.time_error = Band(errors).median;
    all.horizon = Band(horizons);
  }

  void SummariseEnergy(const std::vector<DrawDynamics>& draws) {
    EnergySummary& all = result_.energy;
    std::vector<double> first, last, drift, loss;
    for (const DrawDynamics& draw : draws) {
      if (!draw.loss) continue;
      first.push_back(draw.first_energy);
      last.push_back(draw.last_energy);
      drift.push_back(draw.last_energy - draw.first_energy);
      loss.push_back(*draw.loss);
    }
    all.draws = loss.size();
    all.first = Band(first);
    all.last = Band(last);
    all.drift = Band(drift);
    all.loss = Band(loss);
  }

  static Vector Deviations(const Matrix& states) {
    const Matrix away = states.rowwise() - states.colwise().mean();
    return (away.colwise().squaredNorm() / static_cast<double>(states.rows()))
        .cwiseSqrt()
        .transpose();
  }

  // Counts, for each cell, the draws whose solutions end at each attractor.
  void SummariseBasins(const std::vector<DrawDynamics>& draws) {
    if (draws.front().basins.empty()) return;
    BasinSummary& all = result_.basins;
    all.cells = options_.basin_cells;
    // The label of a group; 0 if its points are never stable.
    std::vector<std::size_t> label_of(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (result_.points[g].stable == 0) continue;
      label_of[g] = all.labels.size() + 1;
      all.labels.push_back("fixed point " + std::to_string(g + 1));
    }
    const std::size_t cycle = all.labels.size();
    for (const char* label : {"limit cycle", "leaves", "undecided"}) all.labels.emplace_back(label);
    const auto side = static_cast<Eigen::Index>(all.cells);
    all.probabilities = MatrixStack(all.labels.size(), side, side);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const std::vector<std::size_t> labels = LabelsOf(draws[i], i, label_of, cycle);
      for (std::size_t c = 0; c < draws[i].basins.size(); ++c) {
        const std::uint8_t end = draws[i].basins[c];
        const std::size_t label = end == kLeavesBox   ? cycle + 1
                                  : end == kUndecided ? cycle + 2
                                                      : labels[end];
        all.probabilities[label](static_cast<Eigen::Index>(c / all.cells),
                                 static_cast<Eigen::Index>(c % all.cells)) +=
            1 / static_cast<double>(draws.size());
      }
    }
  }

  // Returns the label of each attractor of a draw: its fixed points, then its cycles.
  std::vector<std::size_t> LabelsOf(const DrawDynamics& draw, std::size_t index,
                                    const std::vector<std::size_t>& label_of,
                                    std::size_t cycle) const {
    std::vector<std::size_t> labels(draw.search.points.size(), cycle + 2);
    labels.resize(labels.size() + draw.cycles.size(), cycle);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const auto& [member, p] : groups_[g].members) {
        if (member == index && label_of[g] > 0) labels[p] = label_of[g] - 1;
      }
    }
    return labels;
  }

  const Posterior& posterior_;
  const AnalysisOptions& options_;
  Support support_;
  Analysis result_;
  Matrix starts_;         // (draws, D): the last learnt state of the first trajectory in each draw
  Matrix first_;          // (draws, D): the first learnt state; empty if the field has no energy
  Matrix energy_states_;  // (n, D): some of the data's states
  std::vector<PointGroup> groups_;
};

}  // namespace

QuantityBand BandOf(std::vector<double> values, double level) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return {NAN, NAN, NAN};
  std::ranges::sort(values);
  return {SortedQuantile(values, 0.5), SortedQuantile(values, 0.5 - level / 2),
          SortedQuantile(values, 0.5 + level / 2)};
}

StateBox DefaultBox(const Posterior& posterior, const Dataset& data) {
  return Support(posterior, data).BoxOf(kBoxFactor);
}

Analysis AnalysePosterior(const Posterior& posterior, const Dataset& data,
                          const AnalysisOptions& options) {
  return Analyser(posterior, data, options).Run();
}

std::vector<Analysis> SweepInputs(const Posterior& posterior, const Dataset& data,
                                  const Matrix& inputs, const AnalysisOptions& options) {
  std::vector<Analysis> all;
  bool stopped = false;
  for (const auto& row : inputs.rowwise()) {
    AnalysisOptions own = options;
    own.inputs = row.transpose();
    own.basin_cells = own.exponent_draws = 0;
    const std::size_t before = all.size() * options.draws,
                      total = static_cast<std::size_t>(inputs.rows()) * options.draws;
    own.report = [&](std::size_t done, std::size_t) {
      if (options.report && !options.report(before + done, total)) stopped = true;
      return !stopped;
    };
    Analysis one = AnalysePosterior(posterior, data, own);
    if (stopped && one.draws < one.asked) break;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace gpode
