// Forecasts in which states are pushed.
#include <algorithm>
#include <cmath>

#include "data/data_inputs.h"
#include "gpode/compare.h"
#include "gpode/error.h"
#include "gpode/ode.h"
#include "gpode/parallel.h"

namespace gpode {
namespace {

constexpr char kWhere[] = "forecast";

// Follows one draw from the first push on. `states` (T, D) holds the states at the times.
class PushedPath {
 public:
  PushedPath(const PosteriorField& field, const SolverOptions& solver, const InputSignal* inputs)
      : field_(field), solver_(solver), inputs_(inputs) {}

  // Returns false if the integration fails; the rows that were not reached are then NaN.
  bool Follow(Vector state, const std::vector<Push>& pushes, std::span<const double> times,
              Eigen::Ref<Matrix> states) {
    std::size_t next = 0;
    for (std::size_t p = 0; p < pushes.size(); ++p) {
      state += pushes[p].change;
      const bool last = p + 1 == pushes.size();
      std::vector<double> piece;
      const std::size_t first = next;
      while (next < times.size() && (last || times[next] < pushes[p + 1].time)) {
        piece.push_back(times[next++]);
      }
      if (!last) piece.push_back(pushes[p + 1].time);
      Matrix result(std::ssize(piece), state.size());
      const bool ok = Integrate(state, pushes[p].time, piece, &result);
      const auto rows = static_cast<Eigen::Index>(next - first);
      states.middleRows(static_cast<Eigen::Index>(first), rows) = result.topRows(rows);
      if (!ok) {
        states.bottomRows(states.rows() - static_cast<Eigen::Index>(next)).setConstant(NAN);
        return false;
      }
      if (!last) state = result.bottomRows(1).transpose();
    }
    return true;
  }

 private:
  bool Integrate(const Vector& state, double start, const std::vector<double>& times,
                 Matrix* states) {
    if (times.empty()) return true;
    return solver_
        .Solve(field_, {state.data(), static_cast<std::size_t>(state.size())}, start, times,
               {states->data(), static_cast<std::size_t>(states->size())}, 0, inputs_)
        .ok();
  }

  const PosteriorField& field_;
  Solver solver_;
  const InputSignal* inputs_;
};

void CheckPushes(const Posterior& posterior, std::size_t trajectory,
                 const std::vector<Push>& pushes) {
  const Model& model = posterior.model();
  CheckAtLeast(kWhere, "the number of pushes", std::ssize(pushes), 1);
  for (std::size_t p = 0; p < pushes.size(); ++p) {
    CheckSize(kWhere, "the change", static_cast<std::size_t>(pushes[p].change.size()),
              posterior.dim());
    CheckFinite(kWhere, "the time of a push", pushes[p].time);
    if (p > 0 && pushes[p].time < pushes[p - 1].time) {
      ThrowInput(kWhere, "the pushes", "must be in the order of time");
    }
  }
  if (trajectory < model.start_times.size() &&
      pushes.front().time < model.start_times[trajectory]) {
    ThrowInput(kWhere, "a push", "comes before the trajectory begins, must come later");
  }
  if (!model.noise_pieces.empty()) {
    ThrowInput(kWhere, "the model",
               "has process noise, must have none; fit it with "
               "--process-noise none");
  }
}

}  // namespace

Forecast ForecastPushed(const Posterior& posterior, std::size_t trajectory,
                        std::span<const double> times, const std::vector<Push>& pushes,
                        const ForecastOptions& options) {
  CheckPushes(posterior, trajectory, pushes);
  const Model& model = posterior.model();
  ForecastOptions own = options;
  own.states = true;
  // The forecast without pushes provides the states before the first push, the noise and the
  // widening.
  Forecast result = posterior.Trajectory(trajectory, times, own);
  const auto early = static_cast<std::size_t>(std::ranges::lower_bound(times, pushes.front().time) -
                                              times.begin());
  const std::span<const double> late = times.subspan(early);
  const double first[] = {pushes.front().time};
  const Forecast before = posterior.Trajectory(trajectory, first, own);
  std::optional<DataInputs> inputs;
  if (model.coordinates.inputs() > 0) {
    const auto units = Coordinates::Identity(posterior.dim(), model.coordinates.inputs());
    inputs.emplace(model.input_rule(), posterior.SamplesOf(trajectory, options.inputs), units, 0);
  }
  SolverOptions solver = model.options.solver;
  solver.max_steps = std::max<std::size_t>(solver.max_steps, 1'000'000);
  // The solver's tolerance is for states of unit size, and these are in the user's units.
  solver.atol *= model.coordinates.state_scale.minCoeff();
  const std::vector<Link> links = model.links();
  std::vector<char> reached(options.draws, 1);
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    const PosteriorField field = posterior.DrawField(options.seed, i);
    const Vector state = before.states[i].row(0).transpose();
    Matrix states(std::ssize(late), state.size());
    const bool ok =
        state.allFinite() &&
        PushedPath(field, solver, inputs ? &*inputs : nullptr).Follow(state, pushes, late, states);
    if (!state.allFinite()) states.setConstant(NAN);
    reached[i] = ok ? 1 : 0;
    result.states[i].bottomRows(states.rows()) = states;
    result.draws[i].bottomRows(states.rows()) =
        FromLinkScale(model.map.Apply(model.coordinates.ToModel(states)), links);
  });
  result.unfinished.clear();
  result.diverged = static_cast<std::size_t>(std::ranges::count(reached, 0));
  if (!options.states) result.states = {}, result.state_widening = {};
  return result;
}

}  // namespace gpode
