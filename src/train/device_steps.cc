#include "train/device_steps.h"

#include <fmt/format.h>

#include <cmath>

#include "gpode/error.h"
#include "ode/tableau.h"

namespace gpode {
namespace {

device::Coefficients CoefficientsOf(std::string_view method) {
  device::Coefficients c{};
  for (const Tableau& tableau : RungeKuttaTableaus()) {
    if (tableau.name != method) continue;
    for (std::size_t i = 1; i < tableau.stages; ++i) {
      std::copy_n(tableau.Row(i), i, c.a[i]);
    }
    std::ranges::copy(tableau.error, c.error);
    for (std::size_t i = 0; i < tableau.stages; ++i) {
      std::copy_n(tableau.dense.data() + i * tableau.degree, tableau.degree, c.dense[i]);
    }
  }
  return c;
}

// Marks the parameters whose values are exponentials: positive ones, and diagonals.
std::vector<std::uint8_t> KindsOf(const ParameterLayout& layout) {
  std::vector<std::uint8_t> kind(layout.flat_size(), 0);
  for (const ParameterBlock& block : layout.blocks()) {
    const std::size_t end = block.flat_offset + block.flat_size;
    if (block.transform == Transform::kPositive) {
      for (std::size_t i = block.flat_offset; i < end; ++i) kind[i] = 1;
    } else if (block.transform == Transform::kLowerTriangular) {
      const std::size_t rows = block.shape.back();
      for (std::size_t i = block.flat_offset; i < end;) {
        for (std::size_t row = 0; row < rows; i += ++row) kind[i + row] = 1;
      }
    }
  }
  return kind;
}

int PlaceOf(const ParameterLayout& layout, std::string_view name, std::string_view other = "") {
  const std::string_view own = layout.Has(name) ? name : other;
  return static_cast<int>(layout.Find(own).flat_offset);
}

void AddTrajectories(const Bound& bound, device::Problem& problem) {
  for (const TimedValues& t : bound.trajectories()) {
    problem.times.insert(problem.times.end(), t.times.begin(), t.times.end());
    problem.y.insert(problem.y.end(), t.values.data(), t.values.data() + t.values.size());
  }
}

void AddSegments(const Bound& bound, device::Problem& problem) {
  std::vector<std::size_t> first_time = {0};
  for (const TimedValues& t : bound.trajectories()) {
    first_time.push_back(first_time.back() + t.times.size());
  }
  const std::size_t trajectories = bound.trajectories().size();
  const auto place = [&](std::size_t state) { return static_cast<int>(trajectories + state); };
  for (const Segment& s : bound.segmentation().segments) {
    problem.segment_start.push_back(s.start);
    problem.segment_first.push_back(static_cast<int>(first_time[s.trajectory] + s.first));
    problem.segment_count.push_back(static_cast<int>(s.count));
    problem.segment_state.push_back(s.state == Segment::kNone ? static_cast<int>(s.trajectory)
                                                              : place(s.state));
    problem.segment_next.push_back(s.next == Segment::kNone ? -1 : place(s.next));
  }
}

device::Sizes SizesOf(const DevicePhase& phase) {
  const FitOptions& o = phase.options;
  const ParameterLayout& layout = phase.parts.layout();
  const ModelShape& shape = phase.parts.shape();
  const auto n = [](std::size_t size) { return static_cast<int>(size); };
  device::Sizes sizes{};
  sizes.draws = n(phase.bound.draws());
  sizes.dim = n(shape.dim);
  sizes.rows = o.shared_hyperparameters ? 1 : n(shape.dim);
  sizes.inducing = n(o.inducing);
  sizes.features = n(o.features);
  sizes.segments = n(phase.bound.segments());
  sizes.states = n(shape.trajectories + shape.shooting_states);
  sizes.trajectories = n(shape.trajectories);
  sizes.channels = n(shape.channels);
  sizes.is_learnt = o.tolerance == ToleranceRule::kLearnt;
  sizes.is_laplace = o.tolerance_prior == TolerancePrior::kLaplace;
  sizes.flat_size = n(layout.flat_size());
  sizes.locations = PlaceOf(layout, "inducing_locations");
  sizes.lengthscales = PlaceOf(layout, "lengthscales");
  sizes.variances = PlaceOf(layout, "variances");
  sizes.mean = PlaceOf(layout, "inducing_mean");
  sizes.chol = PlaceOf(layout, "inducing_chol", "inducing_deviation");
  sizes.x0_mean = PlaceOf(layout, "x0_mean");
  sizes.x0_chol = PlaceOf(layout, "x0_chol", "x0_deviation");
  sizes.state_mean = PlaceOf(layout, "state_mean");
  sizes.state_chol = PlaceOf(layout, "state_chol", "state_deviation");
  sizes.noise = n(layout.blocks()[phase.parts.likelihood_block()].flat_offset);
  const SolverOptions& solver = phase.bound.solver_options();
  sizes.most_steps = n(std::min<std::size_t>(solver.max_steps, 1000000));
  sizes.rtol = solver.rtol;
  sizes.atol = solver.atol;
  sizes.max_step = std::min(solver.max_step, 1e300);
  sizes.jitter = o.jitter;
  sizes.seed = o.seed;
  return sizes;
}

// The places of the blocks must be in this order (ParameterGradient in device/kernels/gradient.h).
bool IsInOrder(const device::Sizes& s) {
  const int places[] = {s.locations, s.lengthscales, s.variances,  s.mean,       s.chol,
                        s.x0_mean,   s.x0_chol,      s.state_mean, s.state_chol, s.noise};
  return s.locations == 0 && std::ranges::is_sorted(places);
}

}  // namespace

std::string WhyNotOnDevice(const FitOptions& o, const ModelParts& parts, const Bound& bound,
                           bool is_whole) {
  if (o.function != "process" || !o.equations.empty()) {
    return fmt::format("the function is '{}', must be 'process'",
                       o.equations.empty() ? o.function : "equations");
  }
  if (o.posterior != "blocks") {
    return fmt::format("the posterior is '{}', must be 'blocks'", o.posterior);
  }
  if (parts.likelihood().name() != "gaussian") {
    return fmt::format("the likelihood is '{}', must be 'gaussian'", o.likelihood);
  }
  if (o.kernel != "squared-exponential") {
    return fmt::format("the kernel is '{}', must be 'squared-exponential'", o.kernel);
  }
  if (parts.shape().inputs > 0) return "the system has inputs";
  if (parts.HasProcessNoise()) return "the system has process noise";
  if (parts.shape().dim > device::kMostStates) {
    return fmt::format("there are {} states, must be at most {}", parts.shape().dim,
                       device::kMostStates);
  }
  if (bound.solver_options().method != Method::kDormandPrince54 ||
      bound.solver_options().fixed_step > 0) {
    return "the solver is not dopri5 with adaptive steps";
  }
  if (!is_whole) return "steps use minibatches; --batch 0 turns them off";
  return "";
}

std::string WhyCpuIsFaster(const DevicePhase& phase, std::size_t threads) {
  const Bound& bound = phase.bound;
  // Seconds, measured by train_bench and device_bench. A core takes kCpu for one feature or
  // inducing point of one evaluation. A GPU takes kGpuStep for a step, plus kGpuEvaluation for each
  // evaluation of the longest integration, whose evaluations can only be made one after the other.
  constexpr double kCpu = 1.5e-9, kGpuStep = 90e-6, kGpuEvaluation = 1.5e-6;
  double evaluations = 0, longest = 0;
  for (const Segment& segment : bound.segmentation().segments) {
    const double own = 4 + 3 * static_cast<double>(segment.count);
    evaluations += own;
    longest = std::max(longest, own);
  }
  const auto each = static_cast<double>(phase.parts.shape().dim *
                                        (phase.options.features + phase.options.inducing));
  const auto draws = static_cast<double>(bound.draws());
  const double cpu = kCpu * each * evaluations * draws /
                     std::min(static_cast<double>(std::max<std::size_t>(threads, 1)),
                              std::max(1.0, draws * static_cast<double>(bound.segments()) / 16));
  if (cpu > kGpuStep + kGpuEvaluation * longest) return "";
  return "it has too little work in each step for a GPU";
}

device::Problem DeviceProblem(const DevicePhase& phase) {
  device::Problem problem;
  problem.sizes = SizesOf(phase);
  GPODE_CHECK(IsInOrder(problem.sizes));
  problem.is_single = phase.options.precision == FeaturePrecision::kFloat;
  problem.method = CoefficientsOf("dopri5");
  problem.kind = KindsOf(phase.parts.layout());
  AddTrajectories(phase.bound, problem);
  AddSegments(phase.bound, problem);
  problem.sizes.times = static_cast<int>(problem.times.size());
  const ObservationMap& map = phase.bound.map();
  problem.map.assign(map.matrix.data(), map.matrix.data() + map.matrix.size());
  problem.map_offset.assign(map.offset.begin(), map.offset.end());
  problem.channel_weight = phase.bound.channel_weights;
  problem.channel_weight.resize(map.channels(), 1.0);
  problem.count.assign(phase.counts.begin(), phase.counts.end());
  for (double start : phase.start_noise) problem.noise_floor.push_back(std::log(1e-9 * start));
  return problem;
}

DeviceSteps::DeviceSteps(const DevicePhase& phase, Device device) {
  const device::Problem problem = DeviceProblem(phase);
  engine_ = device == Device::kEmulated ? device::MakeHostEngine(problem)
                                        : device::MakeCudaEngine(problem);
}

std::vector<device::KernelTime> DeviceSteps::Time(std::span<const device::StepPlan> plans,
                                                  const TrainerState& state, const Bound& bound) {
  engine_->SetState({.flat = state.flat,
                     .first = state.adam.first_moment,
                     .second = state.adam.second_moment,
                     .adam_steps = static_cast<int>(state.adam.steps),
                     .log_tolerance = state.log_tolerance,
                     .step_sizes = bound.Checkpoint()});
  return engine_->Time(plans);
}

std::vector<device::StepResult> DeviceSteps::Take(std::span<const device::StepPlan> plans,
                                                  TrainerState& state, Bound& bound) {
  engine_->SetState({.flat = std::move(state.flat),
                     .first = std::move(state.adam.first_moment),
                     .second = std::move(state.adam.second_moment),
                     .adam_steps = static_cast<int>(state.adam.steps),
                     .log_tolerance = state.log_tolerance,
                     .step_sizes = bound.Checkpoint()});
  std::vector<device::StepResult> results = engine_->Advance(plans);
  device::EngineState after = engine_->GetState();
  state.flat = std::move(after.flat);
  state.adam.first_moment = std::move(after.first);
  state.adam.second_moment = std::move(after.second);
  const auto steps = static_cast<std::size_t>(after.adam_steps);
  for (double& updates : state.state_updates)
    updates += static_cast<double>(steps - state.adam.steps);
  state.adam.steps = steps;
  state.log_tolerance = after.log_tolerance;
  bound.Restore(after.step_sizes);
  return results;
}

}  // namespace gpode
