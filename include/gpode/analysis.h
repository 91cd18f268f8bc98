// The dynamics of a learnt model: fixed points, oscillations, attractors, basins and Lyapunov
// exponents, each as a distribution over posterior draws of the field.
//
// Every draw is analysed as an autonomous field at held inputs (fixed_points.h, limit_cycles.h,
// lyapunov.h). The fixed points of all draws are then gathered into groups, starting from those of
// the mean field, so that each group has a probability that it exists, a place and a type.
//
// A draw "oscillates" if its solution from the last state of a training trajectory completes at
// least six turns without leaving the box by more than the size of the box, and the sixth turn is
// at least half as large as the first. This includes attracting limit cycles, families of neutral
// cycles as in Lotka-Volterra systems, and chaotic oscillations. It excludes damped oscillations.
//
// Fields whose form has an energy (--form hamiltonian, divergence-free for two states, and known
// equations with one) are recognised by their derivatives: the field is dq/dt = dH/dp,
// dp/dt = -dH/dq - c p with the positions q and momenta p as first and second half of the states. For
// each draw, H is computed along the learnt path of the first trajectory. It is conserved if there is
// no loss c, up to the process noise.
//
// Groups far from all observations have a large `distance`: what is found there depends on the
// prior.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them. Any of these threads may call the report callback, but never two at the same
// time.
//
//   Analysis analysis = AnalysePosterior(posterior, trained.data, {.draws = 128});
//   analysis.points[0].probability, analysis.oscillation.period.median
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/fixed_points.h"
#include "gpode/limit_cycles.h"
#include "gpode/posterior.h"

namespace gpode {

struct AnalysisOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;            // 0: as many as the machine has
  std::optional<StateBox> box = {};   // by default 1.3 times the range of the observed states
  std::optional<Vector> inputs = {};  // (U): held inputs; by default Posterior::TypicalInputs
  double level = 0.9;                 // probability of the bands
  std::size_t basin_cells = 40;     // cells along each axis of the grid of basins; 0 for no basins
  std::size_t exponent_draws = 24;  // number of draws whose Lyapunov exponents are computed
  // The callback is called after each draw with the number of finished draws and the number of all
  // draws. If it returns false, the analysis ends with the draws that are finished.
  std::function<bool(std::size_t done, std::size_t total)> report = {};
};

// The median and a central interval of a quantity over draws. All are NaN if there is no draw.
struct QuantityBand {
  double median = 0, lower = 0, upper = 0;
};
// Returns the median of the finite values, and the central interval that holds the share `level` of
// them.
QuantityBand BandOf(std::vector<double> values, double level);

// A group of fixed points, at most one from each draw.
struct PointSummary {
  double probability = 0;                // the share of draws with a point of this group
  bool in_mean_field = false;            // true if the mean field has this fixed point
  Vector mean = {};                      // (D): mean of the points
  Matrix covariance = {};                // (D, D): their covariance; zero if there is only one
  std::vector<QuantityBand> place = {};  // (D): the band of each coordinate
  std::array<double, 4> types = {};      // the probability of each FixedPointType, given existence
  double stable = 0;                     // the probability of stability, given existence
  std::vector<QuantityBand> real, imaginary = {};  // (D): eigenvalues by decreasing real part
  // The distance from the mean to the nearest observed state, where each state is measured in
  // standard deviations of the data.
  double distance = 0;
  bool outside_data = false;
  Matrix states = {};                // (n, D): the points of the draws
  std::vector<bool> is_stable = {};  // (n)
};

struct OscillationSummary {
  double probability = 0;        // the probability that the system oscillates, as defined above
  double cycle_probability = 0;  // the probability that the solution from the data ends on a cycle
  QuantityBand period = {};      // the period, over the draws that oscillate
  std::vector<QuantityBand> amplitude = {};  // (D): half of the range of each state
  QuantityBand multiplier = {};              // the largest Floquet multiplier of the limit cycles
  std::vector<Matrix> cycles = {};           // the limit cycles of some draws, (n, D) each
};

struct ExponentSummary {
  std::vector<QuantityBand> exponents = {};  // (D); empty if none could be computed
  double time_error = 0;  // median standard error of the largest exponent, due to finite time
  double positive = 0;    // the share of draws whose largest exponent exceeds two standard errors
  std::size_t draws = 0;  // the number of draws that have exponents
  // The time in which the uncertainty of the last learnt state grows to the size of the attractor.
  // The band is over the draws with a positive exponent, and NaN if there is none.
  QuantityBand horizon = {};
};

// The energy H, up to a constant, along the learnt path of the first trajectory.
struct EnergySummary {
  std::size_t draws = 0;               // draws that have an energy; 0 if the field has none
  Vector zero = {};                    // (D): the state whose energy is zero, the mean of the data
  QuantityBand first = {}, last = {};  // at the first and the last time of the data
  QuantityBand drift = {};             // the difference of both
  QuantityBand loss = {};              // c; zero if the energy is conserved

  bool IsConserved() const { return loss.lower == 0 && loss.upper == 0; }
};

// The ends of solutions that start on a grid in the plane of two states.
struct BasinSummary {
  std::size_t cells = 0;  // cells along each axis of the grid; 0 if there are no basins
  std::vector<std::string> labels = {};  // "fixed point 1", "limit cycle", "leaves", "undecided"
  MatrixStack probabilities = {};  // (cells, cells) per label; the rows follow the first state
};

struct Analysis {
  std::vector<std::string> states = {};  // names (D)
  StateBox box = {};
  Vector inputs = {};  // (U): the held inputs
  double level = 0.9;
  std::size_t draws = 0, asked = 0;  // finished draws, and requested draws
  double checked = 0;                // the share of draws with FixedPointSearch::checked

  std::vector<PointSummary> points = {};     // by decreasing probability
  std::vector<double> counts = {};           // counts[k]: the probability of k fixed points
  FixedPointSearch mean_points = {};         // fixed points of the mean field
  std::vector<LimitCycle> mean_cycles = {};  // limit cycles of the mean field
  std::vector<Matrix> separatrices = {};     // stable manifolds of the mean field's saddles, (n, 2)
  std::array<double, 4> fates = {};  // probability of each Fate of the solution from the data
  OscillationSummary oscillation = {};
  ExponentSummary exponents = {};
  EnergySummary energy = {};
  BasinSummary basins = {};
};

// Returns the box that holds all observed states, enlarged as by default.
StateBox DefaultBox(const Posterior& posterior, const Dataset& data);

// Analyses all draws of a posterior. `data` are the training data; if they are empty, the learnt
// paths take their place. Throws an InputError if the box or the inputs do not fit the model.
Analysis AnalysePosterior(const Posterior& posterior, const Dataset& data,
                          const AnalysisOptions& options = {});

// Analyses the posterior at each row of inputs (n, U), without basins and exponents. Returns fewer
// than n results if the callback ends the work.
std::vector<Analysis> SweepInputs(const Posterior& posterior, const Dataset& data,
                                  const Matrix& inputs, const AnalysisOptions& options = {});

}  // namespace gpode
