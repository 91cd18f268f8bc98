// The engine of engine.h for one number of states and one precision, as a template over the backend
// that runs the kernels: on a GPU (cuda_engine.cu) or on the CPU (host_engine.cc).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/arena.h"
#include "device/engine.h"
#include "device/kernels/draws.h"
#include "device/kernels/gradient.h"
#include "device/kernels/integrate.h"
#include "device/kernels/reverse.h"

namespace gpode::device {

// Defines a type for each kernel. A backend takes the type as a template argument and compiles a
// separate function from it.
#define GPODE_KERNEL(Name, threads, ...)                                 \
  struct Name##Kernel {                                                  \
    static constexpr int kMostThreads = threads;                         \
    static constexpr const char* kName = #Name;                          \
    template <typename Block>                                            \
    GPODE_HD_INLINE static void Run(const Block& block, const Work& w) { \
      __VA_ARGS__;                                                       \
    }                                                                    \
  };

inline constexpr int kNormalsThreads = 128, kDrawsThreads = 128, kFactorThreads = 1024,
                     kFinishThreads = 512, kPullThreads = 512;

GPODE_KERNEL(MakeNormals, kNormalsThreads, MakeNormals(block, w))
GPODE_KERNEL(SetValues, 256, SetValues(block, w))
template <bool kShared>
GPODE_KERNEL(FactorRow, kFactorThreads, FactorRow<kShared>(block, w))
GPODE_KERNEL(FinishDraws, kFinishThreads, FinishDraws(block, w))
    GPODE_KERNEL(TurnPhi, kMatrixThreads, TurnPhi(block, w)) template <typename Real>
    GPODE_KERNEL(SetDraws, kDrawsThreads, SetDraws<Real>(block, w))
    template <int D, typename Real>
    GPODE_KERNEL(PriorAtPoints, 32 * kPriorSlices, PriorAtPoints<D, Real>(block, w))
    template <int D, typename Real, bool kShared>
    GPODE_KERNEL(Integrate, 672, Integrate<D, Real, kShared>(block, w))
    template <int D>
    GPODE_KERNEL(Observe, 32 * kChannelGroups, Observe<D>(block, w))
    template <int D>
    GPODE_KERNEL(Reverse, kMostReverseThreads, Reverse<D>(block, w))
    template <int D>
    GPODE_KERNEL(PairSums, kPairThreads, PairSums<D>(block, w))
    template <int D>
    GPODE_KERNEL(NoiseSums, kNoiseThreads, NoiseSums<D>(block, w))
    template <int D, typename Real>
    GPODE_KERNEL(Sums, 512, Sums<D, sizeof(Real) == 8>(block, w))
    template <int D>
    GPODE_KERNEL(PullDraws, kPullThreads, PullDraws<D>(block, w))
    template <int D>
    GPODE_KERNEL(KernelPull, kMatrixThreads, KernelPull<D>(block, w))
    template <int D>
    GPODE_KERNEL(Gradient, kGradientThreads, Gradient<D>(block, w))
    template <int D>
    GPODE_KERNEL(Update, kUpdateThreads, Update<D>(block, w))
#undef GPODE_KERNEL

    struct Grid {
  int x, y, threads;
  std::size_t shared;
};

// Runs a kernel on the CPU.
template <typename Kernel>
void RunOnHost(const Grid& grid, const Work& w) {
  std::vector<double> shared(grid.shared / sizeof(double) + 64);
  for (int y = 0; y < grid.y; ++y) {
    for (int x = 0; x < grid.x; ++x) {
      // Results must not depend on what another block left in shared memory.
      std::ranges::fill(shared, std::numeric_limits<double>::quiet_NaN());
      Kernel::Run(HostBlock(x, y, grid.threads, reinterpret_cast<std::byte*>(shared.data())), w);
    }
  }
}

// Chooses the sizes of the kernels' grids, and of the arrays that depend on them, for a device with
// this many multiprocessors, whose blocks can have up to `most_shared` bytes of shared memory.
inline void ChooseShapes(int processors, std::size_t most_shared, std::size_t real_size, Work& w) {
  const auto up = [](int a, int b) { return (a + b - 1) / b; };
  w.pairs = w.draws * w.segments;
  w.feature_row = FeatureRowOf(w.dim);
  w.point_row = PointRowOf(w.dim);
  w.record_row = 3 * w.dim + w.dim * w.dim;
  w.reverse_threads = kMostReverseThreads;
  while (w.reverse_threads > 32 && w.draws * up(w.segments, w.reverse_threads) < processors) {
    w.reverse_threads /= 2;
  }
  w.reverse_blocks = up(w.segments, w.reverse_threads);
  w.gradient_blocks = up(w.flat_size, kGradientThreads);
  w.pull_groups = up(w.inducing, kGroup);
  w.noise_chunks = std::clamp(w.times / 32, 1, 128);
  w.pair_blocks = std::clamp(w.segments * kStages / kPairThreads, 1, 2 * processors / w.draws + 1);
  const int sums_blocks = w.draws * SumsTiles(w);
  const int per_processor = std::clamp(1024 / SumsThreads(w), 2, 16);
  w.chunks = std::clamp(processors * per_processor / sums_blocks, 1, w.segments);
  // If their memory fits, two blocks of Integrate share a multiprocessor, so that one evaluates
  // fields while the other makes its decisions about steps. The number of points per block is the
  // largest that still gives every multiprocessor work.
  constexpr int kSlices[] = {0, 16, 8, 6, 5, 4, 3}, kSlicesOfTwo[] = {0, 8, 5, 3, 2, 2, 1};
  for (int resident = 2; resident > 0; --resident) {
    w.shape.is_shared = 1;
    w.shape.slices = resident == 2 ? kSlicesOfTwo[w.dim] : kSlices[w.dim];
    w.shape.points = resident == 2 ? 16 : 32;
    while (w.shape.points > 2 && w.draws * up(w.segments, w.shape.points) < resident * processors) {
      w.shape.points /= 2;
    }
    const std::size_t memory = IntegrateMemory(w, w.shape, real_size) + 1024;
    w.shape.blocks = std::clamp(resident * processors / w.draws, 1, up(w.segments, w.shape.points));
    if (static_cast<std::size_t>(resident) * memory <= most_shared) return;
  }
  if (IntegrateMemory(w, w.shape, real_size) > most_shared) w.shape.is_shared = 0;
}

template <int D, typename Real, typename Backend>
class EngineFor final : public Engine {
 public:
  explicit EngineFor(const Problem& problem) : problem_(problem) {
    static_cast<Sizes&>(w_) = problem.sizes;
    w_.method = problem.method;
    w_.slots = 6;
    ChooseShapes(backend_.processors(), backend_.most_shared(), sizeof(Real), w_);
    Allocate();
  }

  void SetState(const EngineState& state) override {
    Put(w_.flat, state.flat);
    Put(w_.first, state.first);
    Put(w_.second, state.second);
    // The device computes the values, as it does after each step, so that a run has the same bits
    // wherever it is interrupted.
    backend_.template Run<SetValuesKernel>({(w_.flat_size + 255) / 256, 1, 256, 0}, w_, false);
    Put(w_.hint, std::vector<double>(state.step_sizes.begin(), state.step_sizes.end() - 1));
    control_ = {.step = 0,
                .is_halted = 0,
                .adam_steps = state.adam_steps,
                .log_tolerance = state.log_tolerance,
                .typical_step = state.step_sizes.back()};
  }

  EngineState GetState() override {
    EngineState state;
    const auto size = static_cast<std::size_t>(w_.flat_size);
    state.flat = Get(w_.flat, size);
    state.first = Get(w_.first, size);
    state.second = Get(w_.second, size);
    state.adam_steps = control_.adam_steps;
    state.log_tolerance = control_.log_tolerance;
    state.step_sizes = Get(w_.hint, static_cast<std::size_t>(w_.pairs));
    state.step_sizes.push_back(control_.typical_step);
    return state;
  }

  std::vector<StepResult> Advance(std::span<const StepPlan> plans) override {
    std::vector<StepResult> results;
    while (results.size() < plans.size()) {
      const auto rest = plans.subspan(results.size());
      const auto count = std::min(rest.size(), kMostSteps);
      Begin(rest.first(count));
      backend_.Repeat(count, [this] { TakeStep(); });
      End(results);
    }
    return results;
  }

  Evaluation Evaluate(const StepPlan& plan, const GivenNormals* normals) override {
    const EngineState before = GetState();
    StepPlan still = plan;
    still.rate = 0;
    still.is_noise_held = 1;
    std::vector<StepResult> results;
    while (results.empty()) {
      Begin({&still, 1});
      if (normals != nullptr) {
        Put(w_.eps_omega, normals->omega);
        Put(w_.eps_weight, normals->weight);
        Put(w_.eps_u, normals->u);
        Put(w_.eps_x, normals->x);
        Put(w_.queue, std::vector<int>(static_cast<std::size_t>(w_.draws)));
        backend_.Upload(w_.control, &control_, sizeof(Control));
      }
      RunKernels(normals != nullptr);
      End(results);
    }
    Evaluation evaluation{results[0], Get(w_.gradient, static_cast<std::size_t>(w_.flat_size))};
    SetState(before);
    return evaluation;
  }

  std::vector<KernelDifference> Compare(const StepPlan& plan) override {
    std::vector<StepResult> results;
    Begin({&plan, 1});
    differences_.clear();
    mode_ = Mode::kCompare;
    RunKernels(false);
    mode_ = Mode::kRun;
    End(results);
    return differences_;
  }

  std::vector<KernelTime> Time(std::span<const StepPlan> plans) override {
    times_.clear();
    Advance(plans.first(1));  // This step makes the memory for steps large enough.
    mode_ = Mode::kTime;
    for (const StepPlan& plan : plans) {
      std::vector<StepResult> results;
      Begin({&plan, 1});
      place_ = 0;
      RunKernels(false);
      End(results);
    }
    mode_ = Mode::kRun;
    return times_;
  }

 private:
  static constexpr std::size_t kMostSteps = 256;  // the most steps that are planned at a time
  enum class Mode { kRun, kCompare, kTime };

  void Allocate() {
    Work sizes = w_;
    bytes_ = PlaceArrays(sizes, kMostSteps, sizeof(Real), nullptr);
    std::byte* const base = backend_.Allocate(bytes_);
    PlaceArrays(w_, kMostSteps, sizeof(Real), base);
    const Problem& p = problem_;
    Put(w_.kind, p.kind);
    Put(w_.segment_start, p.segment_start);
    Put(w_.segment_first, p.segment_first);
    Put(w_.segment_count, p.segment_count);
    Put(w_.segment_state, p.segment_state);
    Put(w_.segment_next, p.segment_next);
    std::vector<int> starts(static_cast<std::size_t>(w_.states), -1), ends = starts;
    for (std::size_t i = 0; i < p.segment_state.size(); ++i) {
      starts[static_cast<std::size_t>(p.segment_state[i])] = static_cast<int>(i);
      if (p.segment_next[i] >= 0) {
        ends[static_cast<std::size_t>(p.segment_next[i])] = static_cast<int>(i);
      }
    }
    Put(w_.state_starts, starts);
    Put(w_.state_ends, ends);
    Put(w_.times_of, p.times);
    Put(w_.y, p.y);
    std::vector<double> transposed(p.y.size());
    const std::size_t channels = p.map_offset.size(), times = p.times.size();
    for (std::size_t o = 0; o < times; ++o) {
      for (std::size_t c = 0; c < channels; ++c) transposed[c * times + o] = p.y[o * channels + c];
    }
    Put(w_.y_by_channel, transposed);
    Put(w_.map, p.map);
    Put(w_.map_offset, p.map_offset);
    Put(w_.channel_weight, p.channel_weight);
    Put(w_.count, p.count);
    Put(w_.noise_floor, p.noise_floor);
  }

  template <typename T>
  void Put(T* to, const std::vector<T>& from) {
    if (!from.empty()) backend_.Upload(to, from.data(), from.size() * sizeof(T));
  }
  std::vector<double> Get(const double* from, std::size_t count) {
    std::vector<double> to(count);
    if (count > 0) backend_.Download(to.data(), from, count * sizeof(double));
    return to;
  }

  void Begin(std::span<const StepPlan> plans) {
    control_.step = control_.is_halted = 0;
    backend_.Upload(w_.plan, plans.data(), plans.size_bytes());
    backend_.Upload(w_.next_control, &control_, sizeof(Control));
  }

  // Appends the results of the steps since Begin. If a trajectory had too many steps for its
  // memory, makes the memory larger; that step and those after it were not taken.
  void End(std::vector<StepResult>& results) {
    backend_.Download(&control_, w_.next_control, sizeof(Control));
    const std::size_t old = results.size();
    results.resize(old + static_cast<std::size_t>(control_.step));
    if (control_.step > 0) {
      backend_.Download(results.data() + old, w_.results,
                        static_cast<std::size_t>(control_.step) * sizeof(StepResult));
    }
    if (control_.is_halted) Grow();
  }

  void Grow() {
    const EngineState state = GetState();
    w_.slots = w_.slots < w_.most_steps ? std::min(2 * w_.slots, w_.most_steps) : w_.slots;
    Allocate();
    SetState(state);
  }

  void TakeStep() { RunKernels(false); }

  // Runs the kernels of one training step. FactorRow, which needs nothing but the parameters, runs
  // at the same time as the kernels that make random numbers and features.
  void RunKernels(bool has_normals) {
    const auto up = [](int a, int b) { return (a + b - 1) / b; };
    const int s = w_.draws, m = w_.inducing;
    backend_.Fork();
    const Grid factor{w_.rows, 1, FactorThreads(), FactorMemory(w_)};
    if (IsFactorShared(w_)) {
      Run<FactorRowKernel<true>>(factor, true);
    } else {
      Run<FactorRowKernel<false>>(factor, true);
    }
    if (!has_normals) {
      Run<MakeNormalsKernel>({up(NormalPairs(w_), kNormalsThreads), s, kNormalsThreads, 0});
    }
    Run<SetDrawsKernel<Real>>({up(DrawThreads(w_), kDrawsThreads), s, kDrawsThreads, 0});
    Run<PriorAtPointsKernel<D, Real>>(
        {up(m, 32), s * D, 32 * kPriorSlices, kPriorSlices * (1 + D) * 32 * sizeof(double) + 64});
    backend_.Join();
    Run<FinishDrawsKernel>({s * D, 1, kFinishThreads, FinishDrawsMemory(w_, kFinishThreads)});
    const Grid lanes{w_.shape.blocks, s, IntegrateThreads(w_, w_.shape),
                     IntegrateMemory(w_, w_.shape, sizeof(Real))};
    if (w_.shape.is_shared) {
      Run<IntegrateKernel<D, Real, true>>(lanes);
    } else {
      Run<IntegrateKernel<D, Real, false>>(lanes);
    }
    backend_.Fork();
    Run<NoiseSumsKernel<D>>({w_.noise_chunks, 1, kNoiseThreads, NoiseMemory(w_)}, true);
    Run<ObserveKernel<D>>({up(w_.times, 32), s, 32 * kChannelGroups, ObserveMemory(w_)});
    Run<ReverseKernel<D>>({w_.reverse_blocks, s, w_.reverse_threads, ReverseMemory(w_)});
    backend_.ForkAgain();
    Run<PairSumsKernel<D>>({w_.pair_blocks, s, kPairThreads, PairMemory(w_)}, true);
    Run<SumsKernel<D, Real>>({w_.chunks, s * SumsTiles(w_), SumsThreads(w_), SumsMemory(w_)});
    backend_.Join();
    Run<PullDrawsKernel<D>>({s * D, 1, kPullThreads, PullDrawsMemory(w_, kPullThreads)});
    Run<TurnPhiKernel>({w_.pull_groups, w_.rows, kMatrixThreads, TurnMemory(w_)});
    Run<KernelPullKernel<D>>({w_.pull_groups, w_.rows, kMatrixThreads, KernelPullMemory(w_)});
    Run<GradientKernel<D>>({w_.gradient_blocks, 1, kGradientThreads, GradientMemory()});
    Run<UpdateKernel<D>>({w_.gradient_blocks, 1, kUpdateThreads, UpdateMemory()});
  }

  int FactorThreads() const {
    return std::clamp((w_.inducing * 16 + 31) / 32 * 32, 64, kFactorThreads);
  }

  template <typename Kernel>
  void Run(const Grid& grid, bool beside = false) {
    if (mode_ == Mode::kCompare) return RunAndCompare<Kernel>(grid);
    if (mode_ == Mode::kTime) return RunAndTime<Kernel>(grid);
    backend_.template Run<Kernel>(grid, w_, beside);
  }

  template <typename Kernel>
  void RunAndTime(const Grid& grid) {
    backend_.Wait();
    const double seconds =
        backend_.Seconds([&] { backend_.template Run<Kernel>(grid, w_, false); });
    if (place_ == times_.size()) times_.push_back({Kernel::kName, seconds});
    times_[place_].seconds = std::min(times_[place_].seconds, seconds);
    ++place_;
  }

  template <typename Kernel>
  void RunAndCompare(const Grid& grid) {
    std::vector<std::byte> expected(bytes_ + 256), actual(bytes_ + 256);
    std::byte* const base = Aligned(expected);
    backend_.Download(base, w_.flat, bytes_);
    Work on_host = w_;
    PlaceArrays(on_host, kMostSteps, sizeof(Real), base);
    const std::vector<std::byte> before(base, base + bytes_);
    RunOnHost<Kernel>(grid, on_host);
    backend_.template Run<Kernel>(grid, w_, false);
    std::byte* const other = Aligned(actual);
    backend_.Download(other, w_.flat, bytes_);
    Work on_device = w_;
    std::size_t used = 0;
    ForArrays(
        on_device, kMostSteps, sizeof(Real),
        [&]<typename T>(const char* name, T*&, std::size_t count) {
          if constexpr (std::is_floating_point_v<T>) {
            if (std::memcmp(base + used, before.data() + used, count * sizeof(T)) != 0) {
              differences_.push_back({Kernel::kName, name,
                                      Difference(reinterpret_cast<const T*>(base + used),
                                                 reinterpret_cast<const T*>(other + used), count)});
            }
          }
          used += (count * sizeof(T) + 255) / 256 * 256;
        });
  }
  static std::byte* Aligned(std::vector<std::byte>& memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (256 - address % 256) % 256;
  }

  // Returns the largest difference relative to the largest entry. It is infinite if an entry is NaN
  // in only one of the arrays.
  template <typename T>
  static double Difference(const T* a, const T* b, std::size_t count) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(a[i]) && std::isnan(b[i])) continue;
      largest = std::max(largest, std::fabs(static_cast<double>(a[i])));
      const double own = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      difference =
          std::isnan(own) ? std::numeric_limits<double>::infinity() : std::max(difference, own);
    }
    return largest > 0 ? difference / largest : difference;
  }

  Problem problem_;
  Work w_{};
  Control control_{};
  Backend backend_;
  std::size_t bytes_ = 0;
  Mode mode_ = Mode::kRun;
  std::vector<KernelDifference> differences_;
  std::vector<KernelTime> times_;
  std::size_t place_ = 0;
};

}  // namespace gpode::device
