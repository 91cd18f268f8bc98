// Kernels that compute log likelihood, constraints and their gradients: the discrete adjoint of
// every integration, and the sums over evaluations from which the gradient with respect to the
// draws is computed. Their twins on the CPU are model/bound.cc, ode/adjoint.cc and the pullback in
// field/gp_draw.cc.
#pragma once

#include "device/features.h"
#include "device/work.h"

namespace gpode::device {

// The indices of the numbers that Reverse sums over pairs: terms of the bound, counts, and sums of
// gaps and of inverse step sizes.
inline constexpr int kLoglik = 0, kConstraint = 1, kDiverged = 2, kEvaluations = 3, kGap = 4,
                     kGaps = 5, kInverseStep = 6, kStepCount = 7, kTerms = 8;

inline constexpr double kLogTwoPi = 1.8378770664093454836;
inline constexpr double kMissedBy = 10;  // as in model/gaussian_likelihood.cc

inline constexpr int kMostReverseThreads = 128;
inline std::size_t ReverseMemory(const Sizes& n) {
  return static_cast<std::size_t>(kTerms) * (static_cast<std::size_t>(n.reverse_threads) + 1) *
             sizeof(double) +
         64;
}

// The discrete adjoint of the integration of one pair.
template <int D>
struct Adjoint {
  const Work& w;
  int draw, segment, pair;
  double terms[kTerms] = {};

  GPODE_HD double* Record(int slot, int stage) const {
    return w.record + (static_cast<std::size_t>(pair) * w.slots + slot) * (kStages * w.record_row) +
           stage * w.record_row;
  }
  GPODE_HD double DenseWeight(int stage, double theta) const {
    double sum = 0;
    for (int p = 4; p-- > 0;) sum = (sum + w.method.dense[stage][p]) * theta;
    return sum;
  }

  // Adds the log density of the gap to the next shooting state, and its gradient.
  GPODE_HD void AddConstraint(int next, double tolerance, const double (&x)[D], double (&b)[D]) {
    const double* const target =
        w.start_states + (static_cast<std::size_t>(draw) * w.states + next) * D;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      const double gap = target[k] - x[k];
      double size, pull;
      if (w.is_laplace) {
        size = fabs(gap) / tolerance;
        pull = (gap > 0 ? 1.0 : gap < 0 ? -1.0 : 0.0) / tolerance;
        terms[kConstraint] -= log(2 * tolerance) + size;
      } else {
        size = gap * gap / (tolerance * tolerance);
        pull = gap / (tolerance * tolerance);
        terms[kConstraint] -= 0.5 * (kLogTwoPi + 2 * log(tolerance) + size);
      }
      terms[kGap] += size;
      terms[kGaps] += 1;
      b[k] += pull;
      w.btarget[static_cast<std::size_t>(k) * w.pairs + pair] = -pull;
    }
  }

  // Reads the cotangent of the state at an output, and adds that of the constraint if it is the
  // last.
  GPODE_HD void OutputCotangent(int index, int count, bool is_ok, double tolerance,
                                double (&b)[D]) {
    const int o = w.segment_first[segment] + index;
    double x[D];
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      const std::size_t at = (static_cast<std::size_t>(draw) * D + k) * w.times + o;
      x[k] = w.out_state[at];
      b[k] = w.bout[at];
    }
    const int next = w.segment_next[segment];
    if (next >= 0 && is_ok && index == count - 1) AddConstraint(next, tolerance, x, b);
  }

  // Reverses the integration. Writes the cotangents of all slopes into the record.
  GPODE_HD void Run() {
    const int count = w.segment_count[segment], steps = w.steps[pair];
    const bool is_ok = w.is_ok[pair];
    const double tolerance =
        w.is_learnt ? exp(w.control->log_tolerance) : w.plan[w.control->step].tolerance;
    const int* const slots =
        w.out_slot + static_cast<std::size_t>(draw) * w.times + w.segment_first[segment];
    const double* const thetas =
        w.out_theta + static_cast<std::size_t>(draw) * w.times + w.segment_first[segment];
    int output = w.filled[pair];
    for (int i = 0; i < count; ++i) {
      terms[kLoglik] +=
          w.out_loglik[static_cast<std::size_t>(draw) * w.times + w.segment_first[segment] + i];
    }
    double bnext[D] = {}, pending[D] = {};
    for (int slot = steps - 1; slot >= 0; --slot) {
      const double h = w.step_size[static_cast<std::size_t>(slot) * w.pairs + pair];
      double bslope[kStages][D] = {}, bx[D] = {};
      for (; output > 0 && slots[output - 1] == slot; --output) {
        double b[D];
        OutputCotangent(output - 1, count, is_ok, tolerance, b);
        const double theta = thetas[output - 1];
        if (theta == 1) {
          GPODE_UNROLL
          for (int k = 0; k < D; ++k) bnext[k] += b[k];
          continue;
        }
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) bx[k] += b[k];
        GPODE_UNROLL
        for (int i = 0; i < kStages; ++i) {
          const double weight = h * DenseWeight(i, theta);
          GPODE_UNROLL
          for (int k = 0; k < D; ++k) bslope[i][k] += weight * b[k];
        }
      }
      if (slot + 1 < steps) {
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) bslope[6][k] += pending[k];
      }
      GPODE_UNROLL
      for (int k = 0; k < D; ++k) bx[k] += bnext[k];
      GPODE_UNROLL
      for (int i = 0; i < 6; ++i) {
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) bslope[i][k] += h * w.method.a[6][i] * bnext[k];
      }
      GPODE_UNROLL
      for (int stage = 6; stage >= 1; --stage) {
        double b[D];
        Pull(slot, stage, bslope[stage], b);
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) bx[k] += b[k];
        GPODE_UNROLL
        for (int j = 0; j < stage; ++j) {
          GPODE_UNROLL
          for (int k = 0; k < D; ++k) bslope[j][k] += h * w.method.a[stage][j] * b[k];
        }
      }
      if (slot > 0) {
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) pending[k] = bslope[0][k];
      } else {
        double b[D];
        Pull(slot, 0, bslope[0], b);
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) bx[k] += b[k];
      }
      GPODE_UNROLL
      for (int k = 0; k < D; ++k) bnext[k] = bx[k];
    }
    for (; output > 0; --output) {
      double b[D];
      OutputCotangent(output - 1, count, is_ok, tolerance, b);
      GPODE_UNROLL
      for (int k = 0; k < D; ++k) bnext[k] += b[k];
    }
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) w.bstart[static_cast<std::size_t>(k) * w.pairs + pair] = bnext[k];
  }

  // Computes b = J^T g at one evaluation and stores g in its record.
  GPODE_HD void Pull(int slot, int stage, const double (&g)[D], double (&b)[D]) const {
    double* const record = Record(slot, stage);
    bool is_zero = true;
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      b[k] = 0;
      is_zero = is_zero && g[k] == 0;
      record[2 * D + D * D + k] = g[k];
    }
    if (is_zero) return;
    GPODE_UNROLL
    for (int d = 0; d < D; ++d) {
      GPODE_UNROLL
      for (int k = 0; k < D; ++k) {
        b[k] += g[d] * record[2 * D + d * D + k];
      }
    }
  }
};

// Computes the bound's terms and the adjoint of each pair (thread: pair; second coordinate: draw).
template <int D, typename Block>
GPODE_HD void Reverse(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  SharedMemory memory(block.shared());
  const int threads = w.reverse_threads;
  double* const all = memory.Take<double>(static_cast<std::size_t>(kTerms) * (threads + 1));
  const int s = block.y();
  bool is_factored = true;
  for (int row = 0; row < w.rows; ++row) is_factored = is_factored && w.is_factored[row];
  block.ForThreads([&](int t) {
    const int segment = block.x() * threads + t;
    Adjoint<D> adjoint{w, s, segment, s * w.segments + segment};
    if (segment < w.segments && is_factored) {
      const int pair = adjoint.pair;
      for (int k = 0; k < D; ++k) w.btarget[static_cast<std::size_t>(k) * w.pairs + pair] = 0;
      adjoint.Run();
      adjoint.terms[kDiverged] = w.is_ok[pair] ? 0 : 1;
      adjoint.terms[kEvaluations] = w.evaluations[pair];
      if (w.new_hint[pair] > 0) w.hint[pair] = w.new_hint[pair];
      if (w.hint[pair] > 0) {
        adjoint.terms[kInverseStep] = 1 / w.hint[pair];
        adjoint.terms[kStepCount] = 1;
      }
    }
    for (int i = 0; i < kTerms; ++i) all[i * (threads + 1) + t] = adjoint.terms[i];
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t >= kTerms) return;
    double sum = 0;
    for (int i = 0; i < threads; ++i) sum += all[t * (threads + 1) + i];
    w.reverse_part[(static_cast<std::size_t>(s) * w.reverse_blocks + block.x()) * kTerms + t] = sum;
  });
}

inline constexpr int kPairThreads = 256;
inline std::size_t PairMemory(const Sizes& n) {
  const auto sums = static_cast<std::size_t>(n.dim + n.dim * n.dim);
  return sums * (kPairThreads + 1) * sizeof(double) + 64;
}

// Sums g_d f_d (D) and g_d x_k J_dk (D, D) over evaluations, where f is the field's value, J its
// Jacobian and g the cotangent of f (thread: some evaluations; second coordinate: draw).
template <int D, typename Block>
GPODE_HD void PairSums(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  for (int row = 0; row < w.rows; ++row) {
    if (!w.is_factored[row]) return;
  }
  constexpr int kSums = D + D * D;
  SharedMemory memory(block.shared());
  double* const all = memory.Take<double>(kSums * (kPairThreads + 1));
  const int s = block.y();
  block.ForThreads([&](int t) {
    double sums[kSums] = {};
    for (int i = block.x() * kPairThreads + t; i < w.segments * kStages;
         i += w.pair_blocks * kPairThreads) {
      const int pair = s * w.segments + i / kStages, stage = i % kStages, steps = w.steps[pair];
      for (int slot = 0; slot < steps; ++slot) {
        if (slot > 0 && stage == 0) continue;
        const double* const record =
            w.record +
            (static_cast<std::size_t>(pair) * w.slots + slot) * (kStages * w.record_row) +
            stage * w.record_row;
        double g[D];
        bool is_zero = true;
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) {
          g[k] = record[2 * D + D * D + k];
          is_zero = is_zero && g[k] == 0;
        }
        if (is_zero) continue;
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) {
          const double x = record[k];
          sums[k] += g[k] * record[D + k];
          GPODE_UNROLL
          for (int d = 0; d < D; ++d) sums[D + d * D + k] += g[d] * x * record[2 * D + d * D + k];
        }
      }
    }
    for (int i = 0; i < kSums; ++i) all[i * (kPairThreads + 1) + t] = sums[i];
  });
  block.Sync();
  // Thread (v, i) adds every 8th part of sum v. Then one thread for each v adds the 8 results.
  block.ForThreads([&](int t) {
    for (int e = t; e < 8 * kSums; e += kPairThreads) {
      double* const own = all + (e / 8) * (kPairThreads + 1);
      double sum = 0;
      for (int i = e % 8; i < kPairThreads; i += 8) sum += own[i];
      own[e % 8] = sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t >= kSums) return;
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += all[t * (kPairThreads + 1) + i];
    w.pair_part[(static_cast<std::size_t>(s) * w.pair_blocks + block.x()) * kSums + t] = sum;
  });
}

// Observe has 32 kChannelGroups threads per block: one for each of 32 observation times and each
// group of channels.
inline constexpr int kChannelGroups = 8;
inline std::size_t ObserveMemory(const Sizes& n) {
  return static_cast<std::size_t>(kChannelGroups * (n.dim + 1) * 32) * sizeof(double) + 64;
}

// Computes the log likelihood of each observation and its gradient with respect to the state
// (block: 32 observation times; second coordinate: draw).
template <int D, typename Block>
GPODE_HD void Observe(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int s = block.y();
  SharedMemory memory(block.shared());
  double* const partial = memory.Take<double>(kChannelGroups * (D + 1) * 32);
  block.ForThreads([&](int t) {
    const int group = t / 32, o = block.x() * 32 + t % 32;
    double b[D + 1] = {};  // the gradient, then the log likelihood
    if (o < w.times) {
      double x[D];
      GPODE_UNROLL
      for (int k = 0; k < D; ++k) {
        x[k] = w.out_state[(static_cast<std::size_t>(s) * D + k) * w.times + o];
      }
      const bool is_missed = w.out_slot[static_cast<std::size_t>(s) * w.times + o] < -1;
      GPODE_UNROLL_BY(4)
      for (int c = group; c < w.channels; c += kChannelGroups) {
        const double y = w.y_by_channel[static_cast<std::size_t>(c) * w.times + o];
        const bool is_seen = y == y;
        double residual = y - w.map_offset[c];
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) residual -= w.map[c * D + k] * x[k];
        const double weight = is_seen ? w.channel_weight[c] : 0;
        const double scaled = residual / w.values[w.noise + c];
        const double square = is_missed ? kMissedBy * kMissedBy : residual * scaled;
        const double own = weight * 0.5 * (kLogTwoPi + w.flat[w.noise + c] + square);
        b[D] -= is_seen ? own : 0;
        const double pull = is_seen && !is_missed ? weight * scaled : 0;
        GPODE_UNROLL
        for (int k = 0; k < D; ++k) b[k] += pull * w.map[c * D + k];
      }
    }
    for (int k = 0; k <= D; ++k) partial[(group * (D + 1) + k) * 32 + t % 32] = b[k];
  });
  block.Sync();
  block.ForThreads([&](int t) {
    const int o = block.x() * 32 + t % 32;
    for (int k = t / 32; k <= D && o < w.times; k += kChannelGroups) {
      double sum = 0;
      for (int group = 0; group < kChannelGroups; ++group) {
        sum += partial[(group * (D + 1) + k) * 32 + t % 32];
      }
      if (k < D) {
        w.bout[(static_cast<std::size_t>(s) * D + k) * w.times + o] = sum;
      } else {
        w.out_loglik[static_cast<std::size_t>(s) * w.times + o] = sum;
      }
    }
  });
}

inline constexpr int kNoiseThreads = 256;

// Sums the gradient with respect to the noise variances over some observation times of all draws
// (block: chunk of times).
template <int D, typename Block>
GPODE_HD void NoiseSums(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int padded = (w.channels + 31) / 32 * 32;
  const int width = padded < kNoiseThreads ? padded : kNoiseThreads;
  const int groups = kNoiseThreads / width;
  const int from =
      static_cast<int>(static_cast<std::int64_t>(w.times) * block.x() / w.noise_chunks);
  const int to =
      static_cast<int>(static_cast<std::int64_t>(w.times) * (block.x() + 1) / w.noise_chunks);
  SharedMemory memory(block.shared());
  double* const partial = memory.Take<double>(static_cast<std::size_t>(groups) * w.channels);
  block.ForThreads([&](int t) {
    const int group = t / width;
    if (group >= groups) return;
    for (int c = t % width; c < w.channels; c += width) {
      double sum = 0;
      const double inverse = 1 / w.values[w.noise + c];
      for (int o = from + group; o < to; o += groups) {
        const double y = w.y[static_cast<std::size_t>(o) * w.channels + c];
        if (!(y == y)) continue;
        for (int s = 0; s < w.draws; ++s) {
          if (w.out_slot[static_cast<std::size_t>(s) * w.times + o] < -1) continue;
          double residual = y - w.map_offset[c];
          for (int k = 0; k < D; ++k) {
            residual -=
                w.map[c * D + k] * w.out_state[(static_cast<std::size_t>(s) * D + k) * w.times + o];
          }
          const double scaled = residual * inverse;
          sum += scaled * scaled - inverse;
        }
      }
      partial[group * w.channels + c] = 0.5 * w.channel_weight[c] * sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int c = t; c < w.channels; c += kNoiseThreads) {
      double sum = 0;
      for (int group = 0; group < groups; ++group) sum += partial[group * w.channels + c];
      w.noise_part[static_cast<std::size_t>(block.x()) * w.channels + c] = sum;
    }
  });
}
inline std::size_t NoiseMemory(const Sizes& n) {
  const std::size_t most = static_cast<std::size_t>(n.channels) > kNoiseThreads
                               ? static_cast<std::size_t>(n.channels)
                               : kNoiseThreads;
  return most * sizeof(double) + 64;
}

inline constexpr int kSumsPairs = 16;  // the pairs whose evaluations are in shared memory together
inline int SumsThreads(const Sizes& n) {
  const int all = (n.dim * n.inducing + 31) / 32 * 32;
  return all < 512 ? all : 512;
}
inline int SumsTiles(const Sizes& n) {
  return (n.dim * n.inducing + SumsThreads(n) - 1) / SumsThreads(n);
}
inline std::size_t SumsMemory(const Sizes& n) {
  return static_cast<std::size_t>(kSumsPairs * kStages) *
             (static_cast<std::size_t>(PointRowOf(3 * n.dim)) * sizeof(double) + 2 * sizeof(int)) +
         256;
}

// Sums g_d k_dm, g_d k_dm x and g_d k_dm x^2 over the evaluations of a draw, where g is the
// cotangent of the field and k_dm = k_d(x, z_m) / variance_d (thread: output d and inducing point
// m; block: chunk of segments; second coordinate: draw and tile of threads).
template <int D, bool kFull, typename Block>
GPODE_HD void Sums(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  for (int row = 0; row < w.rows; ++row) {
    if (!w.is_factored[row]) return;
  }
  constexpr int kRow = (3 * D + 1) / 2 * 2;
  const int m = w.inducing, threads = block.threads();
  const int tiles = (D * m + threads - 1) / threads;
  const int s = block.y() / tiles, tile = block.y() % tiles;
  const int from = static_cast<int>(static_cast<std::int64_t>(w.segments) * block.x() / w.chunks);
  const int to =
      static_cast<int>(static_cast<std::int64_t>(w.segments) * (block.x() + 1) / w.chunks);
  SharedMemory memory(block.shared());
  double* const rows = memory.Take<double>(kSumsPairs * kStages * kRow);  // x, x^2, g
  int* const is_used = memory.Take<int>(kSumsPairs * kStages);
  int* const used = memory.Take<int>(kSumsPairs * kStages + 4);  // indices of the rows in use
  int* const most = memory.Take<int>(2);  // the most steps of a pair, the number of rows in use
  struct Own {
    double z[D], scale[D], offset, sums[1 + 2 * D];
    int d;
  };
  PerThread<Block, Own> owns(block);
  block.ForThreads([&](int t) {
    Own& own = owns(t);
    const int index = tile * threads + t, valid = index < D * m ? index : 0;
    own.d = valid / m;
    const int row = w.rows == 1 ? 0 : own.d;
    const double* const table =
        w.point_table + (static_cast<std::size_t>(s) * D * m + valid) * PointRow<D>();
    GPODE_UNROLL
    for (int k = 0; k < D; ++k) {
      // The exponent is -|scale x|^2 + z' x - |z|^2 with z' = 2 scale z.
      own.scale[k] = kPointScale / w.values[w.lengthscales + row * D + k];
      own.z[k] = 2 * own.scale[k] * table[k];
      own.scale[k] *= -own.scale[k];
    }
    own.offset = table[D];
    GPODE_UNROLL
    for (int i = 0; i < 1 + 2 * D; ++i) own.sums[i] = 0;
  });
  for (int first = from; first < to; first += kSumsPairs) {
    const int pairs = to - first < kSumsPairs ? to - first : kSumsPairs;
    block.Sync();
    block.ForThreads([&](int t) {
      if (t != 0) return;
      int steps = 0;
      for (int i = 0; i < pairs; ++i) {
        const int own = w.steps[s * w.segments + first + i];
        steps = own > steps ? own : steps;
      }
      most[0] = steps;
    });
    block.Sync();
    const int slots = most[0];
    for (int slot = 0; slot < slots; ++slot) {
      block.Sync();
      block.ForThreads([&](int t) {
        for (int e = t; e < pairs * kStages; e += threads) {
          const int stage = e % kStages, pair = s * w.segments + first + e / kStages;
          const double* const record =
              w.record +
              (static_cast<std::size_t>(pair) * w.slots + slot) * (kStages * w.record_row) +
              stage * w.record_row;
          bool is_zero = w.steps[pair] <= slot || (slot > 0 && stage == 0);
          if (!is_zero) {
            is_zero = true;
            double* const row = rows + e * kRow;
            GPODE_UNROLL
            for (int k = 0; k < D; ++k) {
              const double x = record[k], g = record[2 * D + D * D + k];
              row[k] = x;
              row[D + k] = x * x;
              row[2 * D + k] = g;
              is_zero = is_zero && g == 0;
            }
          }
          is_used[e] = !is_zero;
        }
      });
      block.Sync();
      // List the rows in use, in increasing order.
      block.ForThreads([&](int t) {
        for (int e = t; e < pairs * kStages; e += threads) {
          int place = 0;
          for (int i = 0; i < e; ++i) place += is_used[i];
          if (is_used[e]) used[place] = e;
          if (e == pairs * kStages - 1) most[1] = place + is_used[e];
        }
      });
      block.Sync();
      const int count = most[1];
      block.ForThreads([&](int t) {
        Own& own = owns(t);
        GPODE_UNROLL_BY(2)
        for (int i = 0; i < count; ++i) {
          const double* const from_row = rows + used[i] * kRow;
          double row[2 * D];
          LoadRow(from_row, row);
          double first_half = own.offset, second_half = 0;
          GPODE_UNROLL
          for (int k = 0; k < D; ++k) {
            first_half += own.z[k] * row[k];
            second_half += own.scale[k] * row[D + k];
          }
          const double v =
              from_row[2 * D + own.d] * PowerOfTwo<kFull>(first_half + second_half, w.exponential);
          own.sums[0] += v;
          GPODE_UNROLL
          for (int k = 0; k < 2 * D; ++k) own.sums[1 + k] += v * row[k];
        }
      });
    }
  }
  block.ForThreads([&](int t) {
    const int index = tile * threads + t;
    if (index >= D * m) return;
    double* const part =
        w.sums_part + (static_cast<std::size_t>(s) * w.chunks + block.x()) * (1 + 2 * D) * D * m;
    for (int i = 0; i < 1 + 2 * D; ++i) {
      part[static_cast<std::size_t>(i) * D * m + index] = owns(t).sums[i];
    }
  });
}

}  // namespace gpode::device
