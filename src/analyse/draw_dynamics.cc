#include "analyse/draw_dynamics.h"

#include <cmath>

#include "analyse/basins.h"
#include "analyse/energy.h"
#include "analyse/turns.h"

namespace gpode {
namespace {

constexpr double kCycleTolerance = 1e-8, kLongestTime = 150;
constexpr std::size_t kStarts = 2, kTurns = 7;

// Returns the Lyapunov exponents of a fixed point or a cycle, which follow from its linearisation.
LyapunovSpectrum ExponentsOf(const DrawDynamics& draw) {
  LyapunovSpectrum spectrum;
  if (draw.end.fate == Fate::kFixedPoint) {
    spectrum.exponents = draw.search.points[draw.end.fixed_point].eigenvalues.real();
  } else {
    const Eigen::VectorXcd& multipliers = draw.end.cycle->multipliers;
    spectrum.exponents.resize(multipliers.size() + 1);
    spectrum.exponents << 0,
        multipliers.cwiseAbs().array().max(1e-300).log().matrix() / draw.end.cycle->period;
  }
  spectrum.standard_errors = Vector::Zero(spectrum.exponents.size());
  spectrum.spread = spectrum.standard_errors;
  return spectrum;
}

void FindOscillation(const Field& field, const StateBox& box, const Vector& start,
                     DrawDynamics* draw) {
  const Turns turns = CountTurns(field, box, start, kTurns, kLongestTime);
  const bool on_cycle = draw->end.cycle.has_value();
  draw->oscillates = on_cycle || turns.IsSustained();
  if (!draw->oscillates) return;
  draw->period = on_cycle ? draw->end.cycle->period : turns.Period();
  draw->amplitudes = on_cycle ? draw->end.cycle->Amplitudes() : turns.amplitudes;
}

void FindEnergy(const Field& field, const DynamicsOptions& options, DrawDynamics* draw) {
  if (options.first.size() == 0 || !options.first.allFinite()) return;
  draw->loss = HamiltonianLoss(field, options.energy_states);
  if (!draw->loss) return;
  draw->first_energy = EnergyDifference(field, *draw->loss, options.energy_zero, options.first);
  draw->last_energy = EnergyDifference(field, *draw->loss, options.energy_zero, options.start);
}

}  // namespace

DrawDynamics AnalyseField(const Field& field, const StateBox& box, const DynamicsOptions& options) {
  DrawDynamics draw;
  const auto stopped = [&] { return options.stop && options.stop(); };
  draw.search = FindFixedPoints(field, box, {.guesses = options.guesses});
  const CycleOptions cycles{.tolerance = kCycleTolerance,
                            .longest_time = kLongestTime,
                            .starts = kStarts,
                            .repelling = false};
  draw.end = FollowToAttractor(field, box, draw.search.points, options.start, cycles);
  if (stopped()) return draw;
  FindOscillation(field, box, options.start, &draw);
  FindEnergy(field, options, &draw);
  if (options.basin_cells > 0) {
    draw.cycles = FindLimitCycles(field, box, draw.search.points, cycles);
    if (stopped()) return draw;
    draw.basins = FindBasins(field, box, draw.search.points, draw.cycles, options.basin_cells);
  }
  const bool simple = draw.end.fate == Fate::kFixedPoint || draw.end.fate == Fate::kCycle;
  if (options.exponents && simple) {
    draw.exponents = ExponentsOf(draw);
  } else if (options.exponents && draw.end.fate == Fate::kKeepsMoving && field.dim() > 2) {
    draw.exponents =
        LyapunovExponents(field, box, options.start, {.tolerance = 1e-6, .stop = options.stop});
  }
  draw.finished = !stopped();
  return draw;
}

Matrix LearntStates(const Posterior& posterior, double time, const AnalysisOptions& options) {
  const double times[] = {time};
  const Forecast forecast = posterior.Trajectory(0, times,
                                                 {.draws = options.draws,
                                                  .seed = options.seed,
                                                  .threads = options.threads,
                                                  .from = Origin::kLatestState,
                                                  .states = true});
  Matrix states(static_cast<Eigen::Index>(options.draws), forecast.states.cols());
  for (std::size_t i = 0; i < options.draws; ++i) {
    states.row(static_cast<Eigen::Index>(i)) = forecast.states[i].row(0);
  }
  return states;
}

}  // namespace gpode
