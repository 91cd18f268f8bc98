// The kernel that integrates the segments of all draws with dopri5 and adaptive steps. Its twin on
// the CPU is ode/solver.cc.
//
// A block works on one draw and keeps its tables in shared memory. It has up to 32 lanes; each lane
// integrates one segment after the other, at its own pace. A round has three phases: all threads
// together evaluate the field at the present point of every lane (warps share outputs and
// features), then sum the parts, then each lane decides what its next point is. A lane that has
// finished a segment takes another one in the same round, which one more warp has read from memory
// during the evaluation. Results of a segment do not depend on the lane that integrates it.
//
// The record of every accepted step (points, slopes, Jacobians) goes to memory, for Reverse.
#pragma once

#include "device/features.h"
#include "device/work.h"

namespace gpode::device {

// The stage of a lane (Lane::stage) says which evaluation it needs next: 0 to 6 are the evaluations
// of a step, and kProbe is the one from which the first step size is chosen.
inline constexpr int kProbe = 7;

struct Lane {
  int pair, segment;  // `pair` is -1 if the lane has no segment.
  int stage;
  int slot;  // the number of accepted steps, which is the index of the present step
  int rejected, evaluations;
  int first, count, next_output;
  int is_last, was_rejected;
  double t, end, next_time, smallest, size, signed_size, hint, last_error, known;
};

// The segment that a lane will integrate next. `segment` is kNone until that segment has been read,
// and kOver if no segments are left.
struct Waiting {
  static constexpr int kNone = -1, kOver = -2;
  int segment, first, count;
  double t, end, next_time, known;
};

// Returns x^power in single precision, which is enough for step sizes.
GPODE_HD_INLINE double Power(double x, float power) {
  return static_cast<double>(powf(static_cast<float>(x), power));
}

enum class Ending { kOk, kFailed };

// The memory of a block, its evaluations of the field, and the work of its lanes between them.
template <int D, typename Real, bool kShared>
struct Lanes {
  static constexpr int kValues = D * (1 + D);          // entries of the field and its Jacobian
  static constexpr int kPadded = kValues / 2 * 2 + 1;  // odd, so that threads use different banks

  const Work& w;
  int draw, points;
  Real* features;
  double* inducing;
  double* scale;      // (outputs, D): kPointScale / lengthscale
  double* partial;    // (slices, points, kPadded): partial sums of the entries
  double *x, *point;  // (D, points): start of the present step, point of the evaluation
  double* slopes;     // (8, D, points): slopes of the stages, then that of kProbe
  // (D, points): after the last stage the squares of the step's errors, before it the point of the
  // next stage.
  double* errors;
  double* starts;  // (D, points): start states of the waiting segments
  Lane* lanes;
  Waiting* waiting;
  int* is_busy;

  GPODE_HD Lanes(const Work& work, std::byte* shared, int s)
      : w(work), draw(s), points(work.shape.points) {
    SharedMemory memory(shared);
    const auto p = static_cast<std::size_t>(points);
    scale = memory.Take<double>(D * D);
    partial = memory.Take<double>(static_cast<std::size_t>(w.shape.slices) * 32 * kPadded);
    x = memory.Take<double>(D * p);
    point = memory.Take<double>(D * p);
    slopes = memory.Take<double>(8 * D * p);
    errors = memory.Take<double>(D * p);
    starts = memory.Take<double>(D * p);
    lanes = memory.Take<Lane>(p);
    waiting = memory.Take<Waiting>(p);
    is_busy = memory.Take<int>(1);
    const std::size_t f = static_cast<std::size_t>(D) * w.features * FeatureRow<D>();
    const std::size_t m = static_cast<std::size_t>(D) * w.inducing * PointRow<D>();
    [[maybe_unused]] Real* const all_features =
        static_cast<Real*>(w.feature_table) + static_cast<std::size_t>(s) * f;
    [[maybe_unused]] double* const all_points = w.point_table + static_cast<std::size_t>(s) * m;
    if constexpr (kShared) {
      features = memory.Take<Real>(f);
      inducing = memory.Take<double>(m);
    } else {
      features = all_features;
      inducing = all_points;
    }
  }

  GPODE_HD double& X(int k, int p) const { return x[k * points + p]; }
  GPODE_HD double& Point(int k, int p) const { return point[k * points + p]; }
  GPODE_HD double& Slope(int stage, int k, int p) const {
    return slopes[(stage * D + k) * points + p];
  }
  GPODE_HD bool IsFiniteAt(const double* values, int p) const {
    bool finite = true;
    for (int k = 0; k < D; ++k) finite = finite && IsFinite(values[k * points + p]);
    return finite;
  }
  GPODE_HD double Scale(int k, int p) const { return w.atol + w.rtol * fabs(X(k, p)); }

  // Copies the tables of the draw, and empties the lanes.
  GPODE_HD void Begin(int t, int threads) const {
    if constexpr (kShared) {
      const int f = D * w.features * FeatureRow<D>(), m = D * w.inducing * PointRow<D>();
      const Real* const all_features =
          static_cast<const Real*>(w.feature_table) + static_cast<std::size_t>(draw) * f;
      const double* const all_points = w.point_table + static_cast<std::size_t>(draw) * m;
      for (int i = t; i < f; i += threads) features[i] = all_features[i];
      for (int i = t; i < m; i += threads) inducing[i] = all_points[i];
    }
    if (t < D * D) {
      const int row = w.rows == 1 ? 0 : t / D;
      scale[t] = kPointScale / w.values[w.lengthscales + row * D + t % D];
    }
    if (t < points) {
      lanes[t].pair = -1;
      waiting[t].segment = Waiting::kNone;
    }
  }

  // Reads the next segment of a lane.
  GPODE_HD void Fetch(int p) const {
    Waiting& next = waiting[p];
    if (next.segment != Waiting::kNone) return;
    const int segment = FetchAdd(w.queue + draw);
    if (segment >= w.segments) {
      next.segment = Waiting::kOver;
      return;
    }
    next.first = w.segment_first[segment];
    next.count = w.segment_count[segment];
    next.t = w.segment_start[segment];
    const double* const start =
        w.start_states + (static_cast<std::size_t>(draw) * w.states + w.segment_state[segment]) * D;
    const double hint = w.hint[draw * w.segments + segment];
    next.known = hint > 0 ? hint : w.control->typical_step;
    next.next_time = w.times_of[next.first];
    next.end = w.times_of[next.first + next.count - 1];
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) starts[k * points + p] = start[k];
    next.segment = segment;
  }

  // Gives a lane the segment that waits for it, if there is one.
  GPODE_HD void Take(Lane& lane, int p) const {
    Waiting& next = waiting[p];
    lane.pair = -1;
    if (next.segment < 0) return;
    lane.segment = next.segment;
    lane.pair = draw * w.segments + next.segment;
    lane.stage = lane.slot = lane.rejected = lane.evaluations = lane.next_output = 0;
    lane.was_rejected = lane.is_last = 0;
    lane.hint = 0;
    lane.last_error = 1e-4;
    lane.first = next.first;
    lane.count = next.count;
    lane.t = next.t;
    lane.end = next.end;
    lane.next_time = next.next_time;
    lane.known = next.known;
    lane.smallest =
        16 * 2.220446049250313e-16 * Largest(Largest(fabs(lane.t), fabs(lane.end)), 1e-300);
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) X(k, p) = Point(k, p) = starts[k * points + p];
    next.segment = Waiting::kNone;
    while (lane.next_output < lane.count && lane.next_time == lane.t) Emit(lane, p, -1, 0);
    if (lane.next_output == lane.count) Finish(lane, true);
  }

  // Writes the next output, which lies at `theta` of step `slot`, or at the start if that is -1.
  GPODE_HD void Emit(Lane& lane, int p, int slot, double theta) const {
    const int o = lane.first + lane.next_output;
    for (int k = 0; k < D; ++k) {
      double value = slot < 0 ? X(k, p) : theta == 1 ? Point(k, p) : X(k, p);
      if (slot >= 0 && theta != 1) {
        for (int i = 0; i < kStages; ++i) {
          value += lane.signed_size * DenseWeight(i, theta) * Slope(i, k, p);
        }
      }
      w.out_state[(static_cast<std::size_t>(draw) * D + k) * w.times + o] = value;
    }
    w.out_slot[static_cast<std::size_t>(draw) * w.times + o] = slot;
    w.out_theta[static_cast<std::size_t>(draw) * w.times + o] = theta;
    if (++lane.next_output < lane.count) lane.next_time = w.times_of[lane.first + lane.next_output];
  }
  GPODE_HD double DenseWeight(int stage, double theta) const {
    double sum = 0;
    for (int p = 4; p-- > 0;) sum = (sum + w.method.dense[stage][p]) * theta;
    return sum;
  }

  // Ends the lane's segment, so that the lane is free.
  GPODE_HD void Finish(Lane& lane, bool is_ok) const {
    w.steps[lane.pair] = lane.slot;
    w.filled[lane.pair] = lane.next_output;
    w.is_ok[lane.pair] = is_ok;
    w.evaluations[lane.pair] = lane.evaluations;
    w.new_hint[lane.pair] = lane.hint;
    for (int i = lane.next_output; i < lane.count; ++i) {
      w.out_slot[static_cast<std::size_t>(draw) * w.times + lane.first + i] = -2;
    }
    lane.pair = -1;
  }

  // Begins a step of at most lane.size. The slope at its start must be known.
  GPODE_HD void OpenStep(Lane& lane, int p) const {
    if (lane.slot + lane.rejected == w.most_steps) return Finish(lane, false);
    if (lane.slot == w.slots) {
      w.control->is_halted = 1;
      return Finish(lane, false);
    }
    lane.size = Smallest(lane.size, w.max_step);
    const double left = fabs(lane.end - lane.t);
    lane.is_last = lane.size * (1 + 1e-9) >= left;
    lane.signed_size = lane.is_last ? lane.end - lane.t : lane.size;
    lane.stage = 1;
    const double factor = lane.signed_size * w.method.a[1][0];
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) Point(k, p) = X(k, p) + factor * Slope(0, k, p);
  }

  // Continues after the first evaluation of a segment: opens a step with the remembered step size,
  // or if there is none, asks for the evaluation kProbe (see Solver::Run::ChooseFirstStep).
  GPODE_HD void AfterStart(Lane& lane, int p) const {
    if (!IsFiniteAt(x, p) || !IsFiniteAt(slopes, p)) return Finish(lane, false);
    if (lane.known > 0) {
      lane.size = Largest(lane.known, lane.smallest);
      return OpenStep(lane, p);
    }
    const double d0 = StartNorm(x, p), d1 = StartNorm(slopes, p);
    const double size = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    lane.size = Smallest(size, fabs(lane.end - lane.t));
    lane.stage = kProbe;
    for (int k = 0; k < D; ++k) Point(k, p) = X(k, p) + lane.size * Slope(0, k, p);
  }
  GPODE_HD double StartNorm(const double* values, int p) const {
    double sum = 0;
    for (int k = 0; k < D; ++k) {
      const double v = values[k * points + p] / Scale(k, p);
      sum += v * v;
    }
    return sqrt(sum / D);
  }
  GPODE_HD void AfterProbe(Lane& lane, int p) const {
    double sum = 0;
    for (int k = 0; k < D; ++k) {
      const double v = (Slope(kProbe, k, p) - Slope(0, k, p)) / Scale(k, p);
      sum += v * v;
    }
    const double h0 = lane.size, d1 = StartNorm(slopes, p), d2 = sqrt(sum / D) / h0;
    const double d = Largest(d1, d2);
    if (IsFinite(d1) && IsFinite(d2)) {
      const double h1 = d <= 1e-15 ? Largest(1e-6, h0 * 1e-3) : pow(0.01 / d, 0.2);
      lane.size = Smallest(100 * h0, h1);
    }
    lane.size = Largest(lane.size, lane.smallest);
    OpenStep(lane, p);
  }

  // Accepts or rejects a step whose stages are all known; see StepControl.
  GPODE_HD void AfterStep(Lane& lane, int p) const {
    double sum = 0;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) sum += errors[k * points + p];
    const double error = sqrt(sum / D);
    const bool finite = IsFinite(error) && IsFiniteAt(point, p);
    if (!finite || error > 1) {
      lane.was_rejected = 1;
      ++lane.rejected;
      const double factor = finite ? Smallest(Largest(0.9 * Power(error, -0.2f), 0.2), 0.9) : 0.2;
      lane.size = fabs(lane.signed_size) * factor;
      if (lane.size < lane.smallest) return Finish(lane, false);
      return OpenStep(lane, p);
    }
    // The exponents are -(1 / 5 - 0.75 beta) and beta = 0.2 / 5.
    const double e = Largest(error, 1e-10);
    double factor = 0.9 * Power(e, -0.17f) * Power(lane.last_error, 0.04f);
    factor = Smallest(Largest(factor, 0.2), 10.0);
    if (lane.was_rejected) factor = Smallest(factor, 1.0);
    lane.was_rejected = 0;
    lane.last_error = Largest(e, 1e-4);
    lane.size =
        lane.is_last ? Largest(lane.size, fabs(lane.signed_size) * factor) : lane.size * factor;
    if (lane.slot == 0) lane.hint = lane.size;
    CloseStep(lane, p);
  }

  GPODE_HD void CloseStep(Lane& lane, int p) const {
    const double t_next = lane.is_last ? lane.end : lane.t + lane.signed_size;
    while (lane.next_output < lane.count && lane.next_time <= t_next) {
      const double time = lane.next_time;
      Emit(lane, p, lane.slot, time == t_next ? 1.0 : (time - lane.t) / lane.signed_size);
    }
    w.step_size[static_cast<std::size_t>(lane.slot) * w.pairs + lane.pair] = lane.signed_size;
    ++lane.slot;
    lane.t = t_next;
    if (lane.is_last) return Finish(lane, true);
    for (int k = 0; k < D; ++k) {
      X(k, p) = Point(k, p);
      Slope(0, k, p) = Slope(6, k, p);
    }
    OpenStep(lane, p);
  }

  GPODE_HD void Decide(int p) const {
    Lane& lane = lanes[p];
    if (lane.pair >= 0) {
      ++lane.evaluations;
      if (lane.stage == 6) {
        AfterStep(lane, p);
      } else if (lane.stage == 0) {
        AfterStart(lane, p);
      } else if (lane.stage == kProbe) {
        AfterProbe(lane, p);
      } else {
        ++lane.stage;
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) Point(k, p) = errors[k * points + p];
      }
    }
    if (lane.pair < 0) Take(lane, p);
  }

  // Computes the contribution of thread t to the field and its Jacobian: the sum over its slice of
  // the features and inducing points, for one output at the point of one lane.
  GPODE_HD void Evaluate(int t) const {
    const int warp = t / 32, lane = t % 32, d = warp % D, p = lane & (points - 1);
    const int each = 32 / points, stride = w.shape.slices * each;
    const int slice = warp / D * each + lane / points;
    if (lanes[p].pair < 0) return;
    Real at[D], sum[D + 1];
    double scaled[D], update[D + 1];
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      at[k] = static_cast<Real>(Point(k, p));
      scaled[k] = Point(k, p) * scale[d * D + k];
    }
    const Real* const own_features = features + d * w.features * FeatureRow<D>();
    const double* const own_points = inducing + d * w.inducing * PointRow<D>();
    if constexpr (sizeof(Real) == 4) {
      // Half of the warps begin with the features, which need the single-precision units, and the
      // other half with the inducing points, which need those of double precision.
      if (warp & 1) {
        SumPoints<D, false>(own_points, w.inducing, slice, stride, scaled, w.exponential, update);
        SumFeatures<D, Real>(own_features, w.features, slice, stride, at, sum);
      } else {
        SumFeatures<D, Real>(own_features, w.features, slice, stride, at, sum);
        SumPoints<D, false>(own_points, w.inducing, slice, stride, scaled, w.exponential, update);
      }
    } else {
      SumFeatures<D, Real>(own_features, w.features, slice, stride, at, sum);
      SumPoints<D, true>(own_points, w.inducing, slice, stride, scaled, w.exponential, update);
    }
    double* const to = partial + (slice * points + p) * kPadded + d * (1 + D);
    to[0] = static_cast<double>(sum[0]) + update[0];
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      // update[1 + k] - scaled_k update[0] is the sum of weight * kernel * (z_k - x_k), scaled.
      to[1 + k] = -kTurn * static_cast<double>(sum[1 + k]) +
                  (update[1 + k] - scaled[k] * update[0]) * scale[d * D + k] *
                      (1 / (kPointScale * kPointScale));
    }
  }

  // Sums the contributions of all slices to entry v, a value or derivative of the field, at the
  // point of lane p. With v = kValues + k, it stores component k of the point in the record
  // instead.
  GPODE_HD void Collect(int v, int p) const {
    const Lane& lane = lanes[p];
    if (lane.pair < 0) return;
    double* record = nullptr;
    if (lane.stage < kStages) {
      record =
          w.record +
          (static_cast<std::size_t>(lane.pair) * w.slots + lane.slot) * (kStages * w.record_row) +
          lane.stage * w.record_row;
    }
    if (v >= kValues) {
      if (record) record[v - kValues] = Point(v - kValues, p);
      return;
    }
    const int stride = w.shape.slices * (32 / points);
    double sum = 0;
    GPODE_UNROLL_BY(4)
    for (int slice = 0; slice < stride; ++slice) {
      sum += partial[(slice * points + p) * kPadded + v];
    }
    const int d = v / (1 + D), part = v % (1 + D);
    if (record) record[part == 0 ? D + d : 2 * D + d * D + part - 1] = sum;
    if (part == 0) AfterValue(lane, d, p, sum);
  }

  // Stores component d of the slope of the lane's stage. Between the first and the last stage of a
  // step, it also computes component d of the next stage's point; after the last stage, component d
  // of the error estimate.
  GPODE_HD void AfterValue(const Lane& lane, int d, int p, double value) const {
    Slope(lane.stage, d, p) = value;
    if (lane.stage >= 1 && lane.stage <= 5) {
      const double* const a = w.method.a[lane.stage + 1];
      double sum = a[lane.stage] * value;
      for (int j = 0; j < lane.stage; ++j) sum += a[j] * Slope(j, d, p);
      // In the same phase, other threads read the point of this evaluation from `point` and store
      // it in the record. The next point is therefore kept in `errors` until then.
      errors[d * points + p] = X(d, p) + lane.signed_size * sum;
    } else if (lane.stage == 6) {
      double e = w.method.error[6] * value;
      for (int j = 0; j < 6; ++j) e += w.method.error[j] * Slope(j, d, p);
      const double size = w.atol + w.rtol * Largest(fabs(X(d, p)), fabs(Point(d, p)));
      e *= lane.signed_size / size;
      errors[d * points + p] = e * e;
    }
  }
};

inline std::size_t IntegrateMemory(const Sizes& n, const IntegrateShape& shape,
                                   std::size_t real_size) {
  const auto up = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  const auto d = static_cast<std::size_t>(n.dim), p = static_cast<std::size_t>(shape.points);
  std::size_t bytes =
      up(8 * d * d) +
      up(8 * static_cast<std::size_t>(shape.slices) * 32 * (d * (1 + d) / 2 * 2 + 1)) +
      4 * up(8 * d * p) + up(64 * d * p) + up(sizeof(Lane) * p) + up(sizeof(Waiting) * p) + 16;
  if (shape.is_shared) {
    bytes += up(d * static_cast<std::size_t>(n.features * n.feature_row) * real_size) +
             up(d * static_cast<std::size_t>(n.inducing * n.point_row) * 8);
  }
  return bytes;
}
inline int IntegrateThreads(const Sizes& n, const IntegrateShape& shape) {
  return 32 * n.dim * shape.slices + 32;
}

// Integrates all segments (block: some lanes of one draw, the second coordinate).
template <int D, typename Real, bool kShared, typename Block>
GPODE_HD void Integrate(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  for (int row = 0; row < w.rows; ++row) {
    if (!w.is_factored[row]) return;
  }
  using L = Lanes<D, Real, kShared>;
  const int points = w.shape.points, threads = block.threads(), workers = threads - 32;
  L l(w, block.shared(), block.y());
  block.ForThreads([&](int t) { l.Begin(t, threads); });
  block.Sync();
  while (true) {
    block.ForThreads([&](int t) {
      if (t < workers) {
        l.Evaluate(t);
      } else if (t - workers < points) {
        l.Fetch(t - workers);
      }
    });
    block.Sync();
    block.ForThreads([&](int t) {
      if (t == threads - 1) {
        int busy = 0;
        for (int p = 0; p < points; ++p) {
          busy += l.lanes[p].pair >= 0 || l.waiting[p].segment != Waiting::kOver;
        }
        *l.is_busy = busy;
      }
      for (int i = t; i < (L::kValues + D) * points; i += threads) {
        l.Collect(i % (L::kValues + D), i / (L::kValues + D));
      }
    });
    block.Sync();
    if (*l.is_busy == 0) return;
    block.ForThreads([&](int t) {
      if (t < points) l.Decide(t);
    });
    block.Sync();
  }
}

}  // namespace gpode::device
