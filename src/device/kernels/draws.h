// Kernels that make the draws of a step: random numbers, the factor of the kernel matrix, Fourier
// features, start states, and the weights of the inducing points (paper, equation 13).
// Their twins on the CPU are field/gp_normals.cc, sparse_gp.cc and gp_draw.cc.
#pragma once

#include "device/features.h"
#include "device/normals.h"
#include "device/work.h"

namespace gpode::device {

// The purposes of random numbers, with the values of gpode/random.h.
enum : std::uint64_t {
  kFrequencies = 1,
  kWeights = 2,
  kInducing = 3,
  kInitialState = 4,
  kShootingState = 5
};

// Writes normals 2 pair and 2 pair + 1 of a stream to their places in `to`, which has `size`
// entries.
GPODE_HD_INLINE void StorePair(const Work& w, std::uint64_t step, int draw, std::uint64_t purpose,
                               int pair, int size, double* to) {
  double first, second;
  NormalPair(w.seed, step, static_cast<std::uint64_t>(draw), purpose,
             static_cast<std::uint64_t>(pair), first, second);
  to[2 * pair] = first;
  if (2 * pair + 1 < size) to[2 * pair + 1] = second;
}

// Begins a step: sets its control, resets the queues and makes its random numbers (thread: two of
// them).
template <typename Block>
GPODE_HD void MakeNormals(const Block& block, const Work& w) {
  const Control& control = *w.next_control;
  const int frequencies = w.dim * w.features * w.dim, weights = 2 * w.dim * w.features;
  const int inducing = w.dim * w.inducing, initial = w.trajectories * w.dim;
  const int states = w.states * w.dim, shooting = states - initial;
  const std::uint64_t step = w.plan[control.step].step;
  const int s = block.y();
  block.ForThreads([&](int t) {
    int pair = block.x() * block.threads() + t;
    if (pair == 0 && s == 0) *w.control = control;
    if (pair == 0) w.queue[s] = 0;
    if (control.is_halted) return;
    const auto make = [&](std::uint64_t purpose, int size, double* to) {
      const int pairs = (size + 1) / 2;
      if (pair >= 0 && pair < pairs) StorePair(w, step, s, purpose, pair, size, to);
      pair -= pairs;
    };
    make(kFrequencies, frequencies, w.eps_omega + static_cast<std::size_t>(s) * frequencies);
    make(kWeights, weights, w.eps_weight + static_cast<std::size_t>(s) * weights);
    make(kInducing, inducing, w.eps_u + static_cast<std::size_t>(s) * inducing);
    double* const x = w.eps_x + static_cast<std::size_t>(s) * states;
    make(kInitialState, initial, x);
    make(kShootingState, shooting, x + initial);
  });
}

inline int NormalPairs(const Sizes& n) {
  const auto pairs = [](int size) { return (size + 1) / 2; };
  const int initial = n.trajectories * n.dim;
  return pairs(n.dim * n.features * n.dim) + pairs(2 * n.dim * n.features) +
         pairs(n.dim * n.inducing) + pairs(initial) + pairs(n.states * n.dim - initial);
}

inline constexpr int kMostDim = 8;
inline constexpr int kPanel = 16;  // the number of columns that FactorRow eliminates at a time

// FactorMemory returns the bytes of shared memory that FactorRow needs. IsFactorShared returns true
// if the matrix is small enough to be part of that memory.
inline bool IsFactorShared(const Sizes& n) { return n.inducing <= 148; }
inline std::size_t FactorMemory(const Sizes& n) {
  const std::size_t m = static_cast<std::size_t>(n.inducing);
  return (m + 2 * kPanel * (kPanel + 1) + 16 + 2 * kPanel * m + (IsFactorShared(n) ? m * m : 0)) *
             sizeof(double) +
         128;
}

// The matrix of one row of hyperparameters, while it is factored.
struct Factoring {
  const Work* w;
  int m, row, warps;
  double* a;        // (m, m)
  double* panel;    // (kPanel, m): rows of the panel before it is eliminated
  double* factors;  // (m, kPanel): the multiples of the panel's rows that are added to each row
  double *block,
      *inverted;   // (kPanel, kPanel): the diagonal block while it is eliminated, its inverse
  double* column;  // (kPanel): the present column of the block
  double *all_pivots, *pivots;  // (m): the pivots of the matrix; those that belong to the panel
  double* reciprocals;          // (kPanel): one over the pivots of the panel
  int* is_good;

  // Sets the lower triangle of the kernel matrix.
  GPODE_HD void Fill(int t, double jitter) const {
    const double variance = w->values[w->variances + row];
    const double* const lengthscales = w->values + w->lengthscales + row * w->dim;
    const double* const z = w->values + w->locations;
    if (t == 0) *is_good = 1;
    double scale[kMostDim];
    for (int k = 0; k < w->dim; ++k) scale[k] = kPointScale / lengthscales[k];
    for (int i = t / 32; i < m; i += warps) {
      for (int j = t % 32; j <= i; j += 32) {
        double square = 0;
        for (int k = 0; k < w->dim; ++k) {
          const double r = (z[i * w->dim + k] - z[j * w->dim + k]) * scale[k];
          square += r * r;
        }
        a[i * m + j] = variance * PowerOfTwo<true>(-square, w->exponential) + (i == j ? jitter : 0);
      }
    }
  }

  // Copies the rows of the panel. The entries above the diagonal come from the lower triangle.
  GPODE_HD void CopyPanel(int t, int begin, int end) const {
    for (int c = begin + t / 32; c < end; c += warps) {
      for (int j = t % 32; j < m; j += 32) {
        panel[(c - begin) * m + j] = j <= c ? a[c * m + j] : a[j * m + c];
      }
    }
  }

  // The diagonal block is copied to `block` and eliminated there, by one warp.
  GPODE_HD void CopyBlock(int lane, int begin, int end) const {
    const int i = begin + lane % kPanel;
    if (i >= end) return;
    for (int j = begin + lane / kPanel; j <= i; j += 2) {
      block[(i - begin) * kPanel + j - begin] = a[i * m + j];
    }
  }
  GPODE_HD void ScaleColumn(int lane, int c) const {
    if (lane != 0) return;
    const double pivot = block[c * kPanel + c];
    pivots[c] = pivot;
    reciprocals[c] = Reciprocal(pivot);
    if (!(pivot > 0) || !IsFinite(pivot)) *is_good = 0;
  }
  GPODE_HD void EliminateColumn(int lane, int c, int size) const {
    const int i = lane % kPanel;
    if (i <= c || i >= size) return;
    const double factor = column[i] * reciprocals[c];
    GPODE_UNROLL
    for (int q = 0; q < kPanel / 2; ++q) {
      const int j = 2 * q + lane / kPanel;
      if (j > i) continue;
      double& own = block[i * kPanel + j];
      own = j == c ? -factor : own - factor * (j < c ? block[c * kPanel + j] : column[j]);
    }
  }
  GPODE_HD void CopyColumn(int lane, int c, int size) const {
    if (lane < size) column[lane] = lane >= c ? block[lane * kPanel + c] : 0;
  }

  // Computes the inverse X^T D^-1 X of the diagonal block from the unit inverse X of its factor.
  GPODE_HD void InvertBlock(int t, int size) const {
    for (int e = t; e < kPanel * kPanel; e += warps * 32) {
      const int i = e / kPanel, j = e % kPanel;
      double sum = 0;
      if (i < size && j < size) {
        for (int p = i > j ? i : j; p < size; ++p) {
          const double left = p == i ? 1 : block[p * kPanel + i];
          const double right = p == j ? 1 : block[p * kPanel + j];
          sum += left * right * reciprocals[p];
        }
      }
      inverted[e] = sum;
    }
  }

  // Sets the factors of the panel's rows: for rows in the panel, the entries of X; for rows below
  // it, minus their entries in the panel's columns times the inverse of the diagonal block. These
  // factors are also the panel's columns of the inverse.
  GPODE_HD void SetFactors(int t, int begin, int end) const {
    const int c = t % kPanel, size = end - begin;
    for (int i = begin + t / kPanel; i < m; i += warps * 32 / kPanel) {
      double value = 0;
      if (c < size && i < end) {
        const int own = i - begin;
        value = c < own ? block[own * kPanel + c] : c == own ? 1 : 0;
      } else if (c < size) {
        for (int p = 0; p < size; ++p) value -= panel[p * m + i] * inverted[p * kPanel + c];
      }
      factors[i * kPanel + c] = value;
      if (c < size && begin + c < i) a[i * m + begin + c] = value;
    }
  }

  // Applies the panel's elimination to the other columns: four rows at a time.
  GPODE_HD void Update(int t, int begin, int end) const {
    for (int first = begin + 4 * (t / 32); first < m; first += 4 * warps) {
      for (int j = t % 32; j < m && j <= first + 3; j += 32) {
        if (j >= begin && j < end) continue;
        double sum[4] = {};
        for (int c = 0; c < kPanel; c += 4) {
          if (c >= end - begin) break;
          double own[4];
          GPODE_UNROLL
          for (int q = 0; q < 4; ++q) own[q] = c + q < end - begin ? panel[(c + q) * m + j] : 0;
          GPODE_UNROLL
          for (int r = 0; r < 4; ++r) {
            double four[4];
            LoadRow(factors + (first + r < m ? first + r : m - 1) * kPanel + c, four);
            GPODE_UNROLL
            for (int q = 0; q < 4; ++q) sum[r] += four[q] * own[q];
          }
        }
        GPODE_UNROLL
        for (int r = 0; r < 4; ++r) {
          const int i = first + r;
          if (i >= m || j > i || (i < end && j >= begin)) continue;
          a[i * m + j] = i < end ? sum[r] : a[i * m + j] + sum[r];
        }
      }
    }
  }

  // Scales the inverse of the unit factor to L^-1.
  GPODE_HD void Store(int t) const {
    double* const inverse = w->inverse + static_cast<std::size_t>(row) * m * m;
    double* const transposed = w->inverse_by_column + static_cast<std::size_t>(row) * m * m;
    if (t == 0) w->is_factored[row] = *is_good;
    for (int i = t / 32; i < m; i += warps) {
      const double scale = 1 / sqrt(all_pivots[i]);
      for (int j = t % 32; j < m; j += 32) {
        const double value = j < i ? a[i * m + j] * scale : j == i ? scale : 0;
        inverse[i * m + j] = value;
        transposed[j * m + i] = value;
      }
    }
  }
};

// Computes the inverse L^-1 of the Cholesky factor of k(Z, Z) for one row of hyperparameters
// (block: row), by Gaussian elimination of the matrix beside a unit matrix: once column c is
// eliminated, column c of the inverse takes its place. Columns are eliminated in panels: first
// those of the diagonal block, one by one, then everything beside and below it at once. If a pivot
// is not positive, the computation begins again with more jitter, as in SparseGp.
template <bool kShared, typename Block>
GPODE_HD void FactorRow(const Block& block, const Work& w) {
  if (w.next_control->is_halted) return;
  constexpr double kGrowth = 10, kLargest = 0.01;
  const int m = w.inducing, row = block.x();
  SharedMemory memory(block.shared());
  Factoring f{};
  f.w = &w;
  f.m = m;
  f.row = row;
  f.warps = block.threads() / 32;
  f.all_pivots = memory.Take<double>(m);
  f.reciprocals = memory.Take<double>(kPanel);
  f.column = memory.Take<double>(kPanel);
  f.block = memory.Take<double>(kPanel * kPanel);
  f.inverted = memory.Take<double>(kPanel * kPanel);
  f.panel = memory.Take<double>(kPanel * m);
  f.factors = memory.Take<double>(kPanel * m);
  f.is_good = memory.Take<int>(1);
  if constexpr (kShared) {
    f.a = memory.Take<double>(static_cast<std::size_t>(m) * m);
  } else {
    f.a = w.inverse + static_cast<std::size_t>(row) * m * m;
  }
  const double variance = w.values[w.variances + row];
  const double most = Largest(w.jitter, kLargest * variance);
  double jitter = w.jitter;
  while (true) {
    block.Sync();
    block.ForThreads([&](int t) { f.Fill(t, jitter); });
    block.Sync();
    for (int begin = 0; begin < m; begin += kPanel) {
      const int end = begin + kPanel < m ? begin + kPanel : m;
      const int size = end - begin;
      f.pivots = f.all_pivots + begin;
      block.ForThreads([&](int t) { f.CopyPanel(t, begin, end); });
      block.ForWarp([&](int lane) { f.CopyBlock(lane, begin, end); });
      block.SyncWarp();
      for (int c = 0; c < size; ++c) {
        block.ForWarp([&](int lane) {
          f.CopyColumn(lane, c, size);
          f.ScaleColumn(lane, c);
        });
        block.SyncWarp();
        block.ForWarp([&](int lane) { f.EliminateColumn(lane, c, size); });
        block.SyncWarp();
      }
      block.Sync();
      block.ForThreads([&](int t) { f.InvertBlock(t, size); });
      block.Sync();
      block.ForThreads([&](int t) { f.SetFactors(t, begin, end); });
      block.Sync();
      block.ForThreads([&](int t) { f.Update(t, begin, end); });
      block.Sync();
    }
    if (*f.is_good || jitter >= most) break;
    jitter = Smallest(most, Largest(jitter * kGrowth, 1e-12 * variance));
  }
  block.ForThreads([&](int t) { f.Store(t); });
}

// Computes the constrained values of the parameters (thread: parameter).
template <typename Block>
GPODE_HD void SetValues(const Block& block, const Work& w) {
  block.ForThreads([&](int t) {
    const int i = block.x() * block.threads() + t;
    if (i < w.flat_size) w.values[i] = w.kind[i] ? exp(w.flat[i]) : w.flat[i];
  });
}

// Sets the features of the draws, their start states and the whitened inducing values v = mean +
// chol eps (thread: a feature, a component of a state or an inducing value; second coordinate:
// draw).
template <typename Real, typename Block>
GPODE_HD void SetDraws(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int dim = w.dim, m = w.inducing, features = dim * w.features, states = w.states * dim;
  const int s = block.y();
  block.ForThreads([&](int t) {
    int i = block.x() * block.threads() + t;
    if (i < features) {
      const int d = i / w.features, row = w.rows == 1 ? 0 : d;
      Real* const to = static_cast<Real*>(w.feature_table) +
                       (static_cast<std::size_t>(s) * features + i) * w.feature_row;
      const double* const omega = w.eps_omega + (static_cast<std::size_t>(s) * features + i) * dim;
      const double* const weight = w.eps_weight + static_cast<std::size_t>(s) * 2 * features + i;
      const double scale = sqrt(w.values[w.variances + row] / w.features);
      const double wc = weight[0], ws = weight[features];
      for (int k = 0; k < dim; ++k) {
        to[k] = static_cast<Real>(omega[k] / w.values[w.lengthscales + row * dim + k] / kTurn);
      }
      to[dim] = static_cast<Real>(scale * sqrt(wc * wc + ws * ws));
      to[dim + 1] = static_cast<Real>(-atan2(ws, wc) / kTurn);
      return;
    }
    i -= features;
    if (i < states) {
      const int state = i / dim, k = i % dim, triangle = dim * (dim + 1) / 2;
      const bool is_initial = state < w.trajectories;
      const int item = is_initial ? state : state - w.trajectories;
      const double* const mean = w.values + (is_initial ? w.x0_mean : w.state_mean) + item * dim;
      const double* const chol =
          w.values + (is_initial ? w.x0_chol : w.state_chol) + item * triangle + k * (k + 1) / 2;
      const double* const eps = w.eps_x + static_cast<std::size_t>(s) * states + state * dim;
      double sum = mean[k];
      for (int j = 0; j <= k; ++j) sum += chol[j] * eps[j];
      w.start_states[static_cast<std::size_t>(s) * states + i] = sum;
      return;
    }
    i -= states;
    if (i >= dim * m) return;
    const int d = i / m, r = i % m;
    const double* const chol =
        w.values + w.chol + static_cast<std::size_t>(d) * (m * (m + 1) / 2) + r * (r + 1) / 2;
    const double* const eps = w.eps_u + static_cast<std::size_t>(s) * dim * m + d * m;
    double sum = w.values[w.mean + i];
    GPODE_UNROLL_BY(8)
    for (int j = 0; j <= r; ++j) sum += chol[j] * eps[j];
    w.white[static_cast<std::size_t>(s) * dim * m + i] = sum;
  });
}

inline int DrawThreads(const Sizes& n) { return n.dim * (n.features + n.states + n.inducing); }

// PriorAtPoints has 32 kPriorSlices threads per block: one for each of 32 inducing points and each
// slice of the features.
inline constexpr int kPriorSlices = 8;

// Computes the Fourier part of draws, and its slope, at the inducing points (block: 32 of them;
// second coordinate: draw and output).
template <int D, typename Real, typename Block>
GPODE_HD void PriorAtPoints(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int m = w.inducing, s = block.y() / D, d = block.y() % D;
  const std::size_t draw = static_cast<std::size_t>(s) * D + d;
  SharedMemory memory(block.shared());
  double* const partial = memory.Take<double>(kPriorSlices * (1 + D) * 32);
  const Real* const table =
      static_cast<const Real*>(w.feature_table) + draw * w.features * FeatureRow<D>();
  block.ForThreads([&](int t) {
    const int slice = t / 32, point = block.x() * 32 + t % 32;
    const double* const z = w.values + w.locations + (point < m ? point : m - 1) * D;
    Real x[D], sum[D + 1];
    for (int k = 0; k < D; ++k) x[k] = static_cast<Real>(z[k]);
    SumFeatures<D, Real>(table, w.features, slice, kPriorSlices, x, sum);
    for (int v = 0; v <= D; ++v) {
      partial[(slice * (1 + D) + v) * 32 + t % 32] =
          v == 0 ? static_cast<double>(sum[0]) : -kTurn * static_cast<double>(sum[v]);
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    const int v = t / 32, point = block.x() * 32 + t % 32;
    if (v > D || point >= m) return;
    double sum = 0;
    for (int slice = 0; slice < kPriorSlices; ++slice) {
      sum += partial[(slice * (1 + D) + v) * 32 + t % 32];
    }
    (v == 0 ? w.prior[draw * m + point] : w.prior_slope[(draw * D + v - 1) * m + point]) = sum;
  });
}

// Computes y_i = scale * sum_j a_ij x_j for a square matrix that is stored by columns. x, y and the
// workspace `partial` (threads + m) are in shared memory. Ends with a Sync.
template <typename Block>
GPODE_HD void Multiply(const Block& block, int m, const double* columns, const double* x,
                       double scale, double* y, double* partial) {
  const int padded = (m + 31) / 32 * 32;
  const int groups = padded < block.threads() ? block.threads() / padded : 1;
  const int width = groups > 1 ? padded : block.threads();
  block.ForThreads([&](int t) {
    const int group = t / width;
    if (group >= groups) return;
    for (int i = t % width; i < m; i += width) {
      double sum = 0;
      GPODE_UNROLL_BY(8)
      for (int j = group; j < m; j += groups) sum += columns[j * m + i] * x[j];
      partial[group * m + i] = sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += block.threads()) {
      double sum = 0;
      for (int group = 0; group < groups; ++group) sum += partial[group * m + i];
      y[i] = scale * sum;
    }
  });
  block.Sync();
}
inline std::size_t MultiplyMemory(const Sizes& n, int threads) {
  return (static_cast<std::size_t>(threads) + static_cast<std::size_t>(n.inducing)) *
         sizeof(double);
}

// Computes nu = L^-T (v - L^-1 prior(Z)) of one output of one draw, and its table of inducing
// points (block: draw and output).
template <typename Block>
GPODE_HD void FinishDraws(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int m = w.inducing, dim = w.dim, d = block.x() % dim, row = w.rows == 1 ? 0 : d;
  const std::size_t first = static_cast<std::size_t>(block.x()) * m;
  const std::size_t matrix = static_cast<std::size_t>(row) * m * m;
  SharedMemory memory(block.shared());
  double* const x = memory.Take<double>(m);
  double* const y = memory.Take<double>(m);
  double* const partial = memory.Take<double>(block.threads() + m);
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += block.threads()) x[i] = w.prior[first + i];
  });
  block.Sync();
  Multiply(block, m, w.inverse_by_column + matrix, x, 1, y, partial);
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += block.threads()) {
      w.white_prior[first + i] = y[i];
      w.rest[first + i] = x[i] = w.white[first + i] - y[i];
    }
  });
  block.Sync();
  Multiply(block, m, w.inverse + matrix, x, 1, y, partial);
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += block.threads()) {
      w.nu[first + i] = y[i];
      double* const to = w.point_table + (first + i) * w.point_row;
      double square = 0;
      for (int k = 0; k < dim; ++k) {
        to[k] = w.values[w.locations + i * dim + k] * kPointScale /
                w.values[w.lengthscales + row * dim + k];
        square += to[k] * to[k];
      }
      to[dim] = -square;
      to[dim + 1] = w.values[w.variances + row] * y[i];
    }
  });
}
inline std::size_t FinishDrawsMemory(const Sizes& n, int threads) {
  return 2 * static_cast<std::size_t>(n.inducing) * sizeof(double) + MultiplyMemory(n, threads) +
         64;
}

}  // namespace gpode::device
