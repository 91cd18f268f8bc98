// Kernels that compute the gradient with respect to all parameters from the sums over evaluations,
// and update the parameters. Their twins on the CPU are GpDraw::PullbackOutput, CholeskyPullback,
// KernelMatrixPullback, model/posterior_families.cc, core/adam.cc and train/trainer_schedule.cc.
#pragma once

#include "device/kernels/draws.h"
#include "device/kernels/reverse.h"

namespace gpode::device {

inline std::size_t PullDrawsMemory(const Sizes& n, int threads) {
  const auto m = static_cast<std::size_t>(n.inducing), d = static_cast<std::size_t>(n.dim);
  return ((1 + 2 * d) * m + 3 * m + (3 + 3 * d) * (32 + 1) + 8 * (d + 1) + 64) * sizeof(double) +
         MultiplyMemory(n, threads) + 64;
}

// Computes the cotangents of the inducing values, locations and hyperparameters from the sums of
// one output of one draw (block: draw and output). See GpDraw::PullbackOutput.
template <int D, typename Block>
GPODE_HD void PullDraws(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int m = w.inducing, threads = block.threads();
  const int s = block.x() / D, d = block.x() % D, row = w.rows == 1 ? 0 : d;
  const std::size_t first = static_cast<std::size_t>(block.x()) * m;
  const std::size_t matrix = static_cast<std::size_t>(row) * m * m;
  const double share = 1.0 / w.draws, variance = w.values[w.variances + row];
  const double* const lengthscales = w.values + w.lengthscales + row * D;
  const double* const z = w.values + w.locations;
  SharedMemory memory(block.shared());
  double* const sums = memory.Take<double>(static_cast<std::size_t>(1 + 2 * D) * m);
  double* const u = memory.Take<double>(m);
  double* const bwhite = memory.Take<double>(m);
  double* const bprior = memory.Take<double>(m);
  constexpr int kSums = 3 + 3 * D;
  double* const partial_sums = memory.Take<double>(kSums * 33);
  double* const partial = memory.Take<double>(threads + m);
  double* const of_pairs = memory.Take<double>((D + 1) * 8);
  block.ForThreads([&](int t) {
    // Eight threads share each of the sums of g_d f_d and g_d x_k J_dk: thread (v, i) adds the
    // parts of blocks i, i + 8, ... of sum v.
    for (int e = t; e < (D + 1) * 8; e += threads) {
      const int v = e / 8, index = v == 0 ? d : D + d * D + v - 1;
      double sum = 0;
      for (int b = e % 8; b < w.pair_blocks; b += 8) {
        sum += w.pair_part[(static_cast<std::size_t>(s) * w.pair_blocks + b) * (D + D * D) + index];
      }
      of_pairs[e] = share * sum;
    }
    for (int i = t; i < (1 + 2 * D) * m; i += threads) {
      const int part = i / m, own = i % m;
      const double* from = w.sums_part +
                           (static_cast<std::size_t>(s) * w.chunks * (1 + 2 * D) + part) * D * m +
                           d * m + own;
      double sum = 0;
      GPODE_UNROLL_BY(8)
      for (int chunk = 0; chunk < w.chunks; ++chunk) {
        sum += from[static_cast<std::size_t>(chunk) * (1 + 2 * D) * D * m];
      }
      sums[i] = share * sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += threads) u[i] = variance * sums[i];
  });
  block.Sync();
  Multiply(block, m, w.inverse_by_column + matrix, u, 1, bwhite, partial);
  Multiply(block, m, w.inverse + matrix, bwhite, -1, bprior, partial);
  // Sum over inducing points with 32 threads: thread t adds points t, t + 32, ...
  block.ForThreads([&](int t) {
    for (int i = t; i < m; i += threads) {
      w.bwhite[first + i] = bwhite[i];
      const double weight = variance * w.nu[first + i];
      for (int k = 0; k < D; ++k) {
        const double direct = weight * (sums[(1 + k) * m + i] - z[i * D + k] * sums[i]) /
                              (lengthscales[k] * lengthscales[k]);
        w.blocations[(first * D) + k * m + i] =
            direct + bprior[i] * w.prior_slope[first * D + k * m + i];
      }
    }
    if (t >= 32) return;
    double total[kSums] = {};
    for (int i = t; i < m; i += 32) {
      const double nu = w.nu[first + i], weight = variance * nu;
      total[0] += sums[i] * nu;
      total[1] += bprior[i] * w.prior[first + i];
      total[2] += weight * sums[i];
      for (int k = 0; k < D; ++k) {
        const double at = z[i * D + k], p1 = sums[(1 + k) * m + i], p2 = sums[(1 + D + k) * m + i];
        total[3 + k] += weight * (p2 - 2 * at * p1 + at * at * sums[i]);
        total[3 + D + k] += weight * (at * p1 - p2);
        total[3 + 2 * D + k] += bprior[i] * w.prior_slope[first * D + k * m + i] * at;
      }
    }
    for (int i = 0; i < kSums; ++i) partial_sums[i * 33 + t] = total[i];
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int i = t; i < kSums; i += threads) {
      double sum = 0;
      for (int j = 0; j < 32; ++j) sum += partial_sums[i * 33 + j];
      partial_sums[i * 33 + 32] = sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    const auto total = [&](int i) { return partial_sums[i * 33 + 32]; };
    const auto of_all_pairs = [&](int v) {
      double sum = 0;
      for (int i = 0; i < 8; ++i) sum += of_pairs[v * 8 + i];
      return sum;
    };
    double* const to = w.bhyper + static_cast<std::size_t>(block.x()) * (D + 1);
    if (t < D) {
      const double l = lengthscales[t], inverse = 1 / (l * l);
      to[t] = total(3 + t) / (l * l * l) -
              (of_all_pairs(1 + t) + total(3 + 2 * D + t) - inverse * total(3 + D + t)) / l;
    } else if (t == D) {
      to[D] = total(0) + (of_all_pairs(0) + total(1) - total(2)) / (2 * variance);
    }
  });
}

inline constexpr int kGroup = 8;  // the number of rows of a matrix that a block computes
inline constexpr int kMatrixThreads = 512;

GPODE_HD_INLINE int MatrixWidth(int m) {
  const int padded = (m + 31) / 32 * 32;
  return padded < kMatrixThreads ? padded : kMatrixThreads;
}
inline std::size_t TurnMemory(const Sizes& n) {
  const auto m = static_cast<std::size_t>(n.inducing);
  const auto groups = static_cast<std::size_t>(kMatrixThreads / MatrixWidth(n.inducing));
  return (kGroup * m + groups * kGroup * m) * sizeof(double) + 64;
}

// Computes some rows of Phi L^-1 (block: rows; second coordinate: row of hyperparameters), where
// Phi is the lower triangle, with half its diagonal, of L^T bL, and bL the cotangent of the factor
// L. Since bL = -sum_s tril(nu_s bwhite_s^T + bprior_s white_prior_s^T), L^T nu = rest and
// L^T bprior = -bwhite, the lower triangle of L^T bL is that of
//   sum_s (bwhite_s white_prior_s^T - rest_s bwhite_s^T).
template <typename Block>
GPODE_HD void TurnPhi(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int m = w.inducing, dim = w.dim, row = block.y(), begin = block.x() * kGroup;
  const int width = MatrixWidth(m), groups = kMatrixThreads / width;
  const int rows = m - begin < kGroup ? m - begin : kGroup;
  const double* const inverse = w.inverse + static_cast<std::size_t>(row) * m * m;
  SharedMemory memory(block.shared());
  double* const phi = memory.Take<double>(kGroup * m);
  double* const partial = memory.Take<double>(static_cast<std::size_t>(groups) * kGroup * m);
  block.ForThreads([&](int t) {
    for (int e = t; e < kGroup * m; e += kMatrixThreads) {
      const int i = begin + e / m, j = e % m;
      double sum = 0;
      if (i < m && j <= i) {
        for (int s = 0; s < w.draws; ++s) {
          for (int d = 0; d < dim; ++d) {
            if (w.rows > 1 && d != row) continue;
            const std::size_t at = (static_cast<std::size_t>(s) * dim + d) * m;
            sum += w.bwhite[at + i] * w.white_prior[at + j] - w.rest[at + i] * w.bwhite[at + j];
          }
        }
      }
      phi[e] = i == j ? 0.5 * sum : sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    const int group = t / width;
    if (group >= groups) return;
    for (int j = t % width; j < m; j += width) {
      double sum[kGroup] = {};
      GPODE_UNROLL_BY(4)
      for (int p = j + group; p < begin + rows; p += groups) {
        const double l = inverse[static_cast<std::size_t>(p) * m + j];
        for (int i = 0; i < kGroup; ++i) sum[i] += phi[i * m + p] * l;
      }
      for (int i = 0; i < kGroup; ++i) partial[(group * kGroup + i) * m + j] = sum[i];
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int e = t; e < rows * m; e += kMatrixThreads) {
      double sum = 0;
      for (int group = 0; group < groups; ++group) sum += partial[group * kGroup * m + e];
      w.turned[(static_cast<std::size_t>(row) * m + begin) * m + e] = sum;
    }
  });
}

inline std::size_t KernelPullMemory(const Sizes& n) {
  const auto m = static_cast<std::size_t>(n.inducing);
  const auto groups = static_cast<std::size_t>(kMatrixThreads / MatrixWidth(n.inducing));
  return (groups * 2 * kGroup * m + kGroup * (2 * static_cast<std::size_t>(n.dim) + 1) + 64) *
             sizeof(double) +
         128;
}

// Computes some rows, and the same columns, of the cotangent bK = L^-T (Phi L^-1) of the kernel
// matrix, and from them the cotangents of locations and hyperparameters (block: rows; second
// coordinate: row of hyperparameters).
template <int D, typename Block>
GPODE_HD void KernelPull(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  const int m = w.inducing, row = block.y(), begin = block.x() * kGroup;
  const int width = MatrixWidth(m), groups = kMatrixThreads / width;
  const int rows = m - begin < kGroup ? m - begin : kGroup;
  const std::size_t matrix = static_cast<std::size_t>(row) * m * m;
  const double *const inverse = w.inverse + matrix, *const turned = w.turned + matrix;
  const double variance = w.values[w.variances + row];
  const double* const lengthscales = w.values + w.lengthscales + row * D;
  const double* const z = w.values + w.locations;
  SharedMemory memory(block.shared());
  double* const partial = memory.Take<double>(static_cast<std::size_t>(groups) * 2 * kGroup * m);
  double* const of_row = memory.Take<double>(kGroup * (2 * D + 1));
  block.ForThreads([&](int t) {
    const int group = t / width;
    if (group >= groups) return;
    for (int j = t % width; j < m; j += width) {
      double across[kGroup] = {}, down[kGroup] = {};
      GPODE_UNROLL_BY(2)
      for (int p = group; p < m; p += groups) {
        const std::size_t at = static_cast<std::size_t>(p) * m;
        const double own = turned[at + j], factor = inverse[at + j];
        GPODE_UNROLL
        for (int i = 0; i < kGroup; ++i) {
          const int column = i < rows ? begin + i : begin;
          across[i] += inverse[at + column] * own;
          down[i] += factor * turned[at + column];
        }
      }
      for (int i = 0; i < kGroup; ++i) {
        partial[((group * 2) * kGroup + i) * m + j] = across[i];
        partial[((group * 2 + 1) * kGroup + i) * m + j] = down[i];
      }
    }
  });
  block.Sync();
  // In group 0 of `partial`, the first kGroup rows become the kernel's slope times the sum of bK and
  // its transpose; the other rows become the kernel's profile times bK.
  block.ForThreads([&](int t) {
    double inverse_square[D];
    for (int k = 0; k < D; ++k) {
      inverse_square[k] = kPointScale * kPointScale / (lengthscales[k] * lengthscales[k]);
    }
    for (int e = t; e < rows * m; e += kMatrixThreads) {
      const int i = begin + e / m, j = e % m;
      double across = 0, down = 0, square = 0;
      for (int group = 0; group < groups; ++group) {
        across += partial[group * 2 * kGroup * m + e];
        down += partial[(group * 2 + 1) * kGroup * m + e];
      }
      for (int k = 0; k < D; ++k) {
        const double r = z[i * D + k] - z[j * D + k];
        square += r * r * inverse_square[k];
      }
      const double phi = PowerOfTwo<true>(-square, w.exponential);
      partial[e] = -variance * phi * (across + down);
      partial[kGroup * m + e] = phi * across;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    for (int e = t; e < rows * (2 * D + 1); e += kMatrixThreads) {
      const int own = e / (2 * D + 1), part = e % (2 * D + 1), i = begin + own;
      const double* const slope = partial + own * m;
      const double* const value = partial + (kGroup + own) * m;
      double sum = 0;
      if (part == 2 * D) {
        for (int j = 0; j < m; ++j) sum += value[j];
      } else {
        const int k = part % D;
        const double l = lengthscales[k], at = z[i * D + k];
        if (part < D) {
          for (int j = 0; j < m; ++j) sum += slope[j] * (at - z[j * D + k]);
          w.kernel_blocations[(static_cast<std::size_t>(row) * D + k) * m + i] = sum / (l * l);
        } else {
          for (int j = 0; j < m; ++j) {
            const double away = at - z[j * D + k];
            sum += value[j] * away * away;
          }
          sum *= variance / (l * l * l);
        }
      }
      of_row[e] = sum;
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t > D) return;
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += of_row[i * (2 * D + 1) + D + t];
    w.kernel_bhyper[(static_cast<std::size_t>(row) * w.pull_groups + block.x()) * (D + 1) + t] =
        sum;
  });
}

inline constexpr int kGradientThreads = 256;
// The indices of the sums over parameters that Gradient computes: divergences of the inducing
// values and of the initial states, entropy of the shooting states, standard deviations of the
// noise, logarithms of the lengthscales.
inline constexpr int kKlU = 0, kKlX0 = 1, kEntropy = 2, kNoise = 3, kLengthscale = 4,
                     kGradientSums = 5;
inline constexpr double kLargestGradient = 1e100;  // as in train/trainer.cc

// The gradient with respect to one parameter, and what the parameter adds to the sums of Gradient.
template <int D>
struct ParameterGradient {
  const Work& w;
  double sums[kGradientSums] = {};

  // Returns the gradient with respect to parameter i, before its transform.
  GPODE_HD double At(int i) {
    if (i >= w.noise) return OfNoise(i - w.noise);
    if (i >= w.state_chol) return OfStateChol(i - w.state_chol, w.trajectories, w.values[i], false);
    if (i >= w.state_mean) {
      return OfState(w.trajectories + (i - w.state_mean) / D, (i - w.state_mean) % D, -1);
    }
    if (i >= w.x0_chol) return OfStateChol(i - w.x0_chol, 0, w.values[i], true);
    if (i >= w.x0_mean) {
      sums[kKlX0] += 0.5 * (w.values[i] * w.values[i] - 1);
      return OfState((i - w.x0_mean) / D, (i - w.x0_mean) % D, -1) - w.values[i];
    }
    if (i >= w.chol) return OfChol(i - w.chol, w.values[i]);
    if (i >= w.mean) return OfMean(i - w.mean, w.values[i]);
    if (i >= w.variances) return OfHyper(i - w.variances, D);
    if (i >= w.lengthscales) {
      sums[kLengthscale] += w.flat[i];
      return OfHyper((i - w.lengthscales) / D, (i - w.lengthscales) % D);
    }
    return OfLocation(i / D, i % D);
  }

  GPODE_HD double OfLocation(int m, int k) const {
    double sum = 0;
    GPODE_UNROLL_BY(8)
    for (int sd = 0; sd < w.draws * D; ++sd) {
      sum += w.blocations[(static_cast<std::size_t>(sd) * D + k) * w.inducing + m];
    }
    for (int row = 0; row < w.rows; ++row) {
      sum += w.kernel_blocations[(static_cast<std::size_t>(row) * D + k) * w.inducing + m];
    }
    return sum;
  }

  // Returns the gradient with respect to lengthscale `part` or, if that is D, the variance of a
  // row.
  GPODE_HD double OfHyper(int row, int part) const {
    double sum = 0;
    GPODE_UNROLL_BY(8)
    for (int group = 0; group < w.pull_groups; ++group) {
      sum +=
          w.kernel_bhyper[(static_cast<std::size_t>(row) * w.pull_groups + group) * (D + 1) + part];
    }
    for (int d = 0; d < D; ++d) {
      if (w.rows > 1 && d != row) continue;
      for (int s = 0; s < w.draws; ++s) {
        sum += w.bhyper[(static_cast<std::size_t>(s) * D + d) * (D + 1) + part];
      }
    }
    return sum;
  }

  GPODE_HD double OfMean(int i, double mean) {
    double sum = 0;
    for (int s = 0; s < w.draws; ++s)
      sum += w.bwhite[static_cast<std::size_t>(s) * D * w.inducing + i];
    sums[kKlU] += 0.5 * (mean * mean - 1);
    return sum - mean;
  }

  // Finds the row and column of entry p of a lower triangle that is stored by rows.
  GPODE_HD static void FindEntry(int p, int& row, int& column) {
    row = static_cast<int>((sqrt(8.0 * p + 1) - 1) / 2);
    while ((row + 1) * (row + 2) / 2 <= p) ++row;
    while (row * (row + 1) / 2 > p) --row;
    column = p - row * (row + 1) / 2;
  }

  GPODE_HD double OfChol(int index, double value) {
    const int m = w.inducing, triangle = m * (m + 1) / 2, d = index / triangle;
    int i, j;
    FindEntry(index % triangle, i, j);
    double sum = 0;
    GPODE_UNROLL_BY(4)
    for (int s = 0; s < w.draws; ++s) {
      const std::size_t at = (static_cast<std::size_t>(s) * D + d) * m;
      sum += w.bwhite[at + i] * w.eps_u[at + j];
    }
    sums[kKlU] += 0.5 * value * value;
    sum -= value;
    if (i != j) return sum;
    sums[kKlU] -= log(value);
    return sum + 1 / value;
  }

  // Returns the gradient with respect to component k of a state, as a mean over draws. If eps >= 0,
  // each draw's gradient is multiplied by the draw's normal number `eps` of that state.
  GPODE_HD double OfState(int state, int k, int eps) const {
    const int start = w.state_starts[state], end = w.state_ends[state];
    double sum = 0;
    GPODE_UNROLL_BY(4)
    for (int s = 0; s < w.draws; ++s) {
      const std::size_t at =
          static_cast<std::size_t>(k) * w.pairs + static_cast<std::size_t>(s) * w.segments;
      double b = 0;
      if (end >= 0) b += w.btarget[at + end];
      if (start >= 0) b += w.bstart[at + start];
      if (eps >= 0) b *= w.eps_x[(static_cast<std::size_t>(s) * w.states + state) * D + eps];
      sum += b;
    }
    return sum / w.draws;
  }

  GPODE_HD double OfStateChol(int index, int first, double value, bool is_initial) {
    constexpr int kTriangle = D * (D + 1) / 2;
    int i, j;
    FindEntry(index % kTriangle, i, j);
    double sum = OfState(first + index / kTriangle, i, j);
    if (is_initial) {
      sums[kKlX0] += 0.5 * value * value - (i == j ? log(value) : 0);
      sum -= value;
    } else if (i == j) {
      sums[kEntropy] += log(value) + 0.5 * (1 + kLogTwoPi);
    }
    return i == j ? sum + 1 / value : sum;
  }

  GPODE_HD double OfNoise(int c) {
    double sum = 0;
    GPODE_UNROLL_BY(8)
    for (int chunk = 0; chunk < w.noise_chunks; ++chunk) {
      sum += w.noise_part[static_cast<std::size_t>(chunk) * w.channels + c];
    }
    sums[kNoise] += sqrt(w.values[w.noise + c]) / w.channels;
    return sum / w.draws;
  }
};

inline std::size_t GradientMemory() {
  return (kGradientSums * (kGradientThreads + 1)) * sizeof(double) +
         (kGradientThreads + 1) * sizeof(int) + 64;
}

// Computes the gradient with respect to the unconstrained parameters, and sums over them (thread:
// parameter).
template <int D, typename Block>
GPODE_HD void Gradient(const Block& block, const Work& w) {
  if (w.control->is_halted) return;
  SharedMemory memory(block.shared());
  double* const all = memory.Take<double>(kGradientSums * (kGradientThreads + 1));
  int* const is_bad = memory.Take<int>(kGradientThreads);
  block.ForThreads([&](int t) {
    const int i = block.x() * kGradientThreads + t;
    ParameterGradient<D> parameter{w};
    double gradient = 0;
    if (i < w.flat_size) {
      gradient = parameter.At(i);
      if (w.kind[i]) gradient *= w.values[i];
      w.gradient[i] = gradient;
    }
    is_bad[t] = !(fabs(gradient) < kLargestGradient);
    for (int v = 0; v < kGradientSums; ++v) {
      all[v * (kGradientThreads + 1) + t] = parameter.sums[v];
    }
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t < kGradientSums) {
      double sum = 0;
      for (int i = 0; i < kGradientThreads; ++i) sum += all[t * (kGradientThreads + 1) + i];
      w.gradient_part[block.x() * kGradientSums + t] = sum;
    } else if (t == 32) {
      int bad = 0;
      for (int i = 0; i < kGradientThreads; ++i) bad |= is_bad[i];
      w.is_bad[block.x()] = bad;
    }
  });
}

inline constexpr int kUpdateThreads = 256;
inline std::size_t UpdateMemory() {
  return (kTerms + kGradientSums) * 33 * sizeof(double) + (kUpdateThreads + 4) * sizeof(int) + 64;
}

// The same function as in model/natural.h.
GPODE_HD_INLINE double NaturalLogStep(double ratio) {
  return 0.03 * Smallest(Largest(ratio - 1.0, -1.0), 1.0);
}

// Sums the terms of the bound, and sets the next step's control (threads of one block).
template <int D, typename Block>
GPODE_HD void FinishStep(const Block& block, const Work& w, double* sums, bool is_factored,
                         bool is_usable) {
  block.ForThreads([&](int t) {
    // Eight threads share each term: thread (v, i) adds the parts of blocks i, i + 8, ... of term
    // v.
    const int v = t / 8, i = t % 8;
    double sum = 0;
    if (v < kTerms) {
      for (int b = i; b < w.draws * w.reverse_blocks; b += 8) {
        sum += w.reverse_part[static_cast<std::size_t>(b) * kTerms + v];
      }
    } else if (v < kTerms + kGradientSums) {
      for (int b = i; b < w.gradient_blocks; b += 8) {
        sum += w.gradient_part[b * kGradientSums + v - kTerms];
      }
    }
    if (v < kTerms + kGradientSums) sums[v * 9 + i] = sum;
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t != 0) return;
    const auto total = [&](int v) {
      double sum = 0;
      for (int i = 0; i < 8; ++i) sum += sums[v * 9 + i];
      return sum;
    };
    const Control& control = *w.control;
    const StepPlan& plan = w.plan[control.step];
    StepResult& result = w.results[control.step];
    const double share = 1.0 / w.draws, gaps = total(kGaps);
    result.loglik = share * total(kLoglik);
    result.constraint = share * total(kConstraint);
    result.diverged = total(kDiverged);
    result.evaluations = total(kEvaluations);
    result.gap = gaps > 0 ? total(kGap) / gaps : 1.0;
    result.kl_u = total(kTerms + kKlU);
    result.kl_x0 = total(kTerms + kKlX0);
    result.entropy = total(kTerms + kEntropy);
    result.noise = total(kTerms + kNoise);
    result.lengthscale = exp(total(kTerms + kLengthscale) / (w.rows * D));
    result.tolerance = w.is_learnt ? exp(control.log_tolerance) : plan.tolerance;
    result.is_factored = is_factored;
    result.is_usable = is_usable;
    Control next = control;
    ++next.step;
    if (total(kStepCount) > 0) next.typical_step = total(kStepCount) / total(kInverseStep);
    if (is_usable) {
      if (!plan.is_settling) ++next.adam_steps;
      if (w.is_learnt && w.states > w.trajectories) {
        const double half = w.is_laplace ? 1.0 : 0.5;
        next.log_tolerance =
            Largest(control.log_tolerance + half * NaturalLogStep(result.gap), log(1e-6));
      }
    }
    *w.next_control = next;
  });
}

// Updates the parameters (thread: parameter) and, in block 0, finishes the step.
template <int D, typename Block>
GPODE_HD void Update(const Block& block, const Work& w) {
  constexpr double kLargestLog = 700;  // as in train/trainer.cc
  SharedMemory memory(block.shared());
  double* const sums = memory.Take<double>((kTerms + kGradientSums) * 9);
  int* const bad = memory.Take<int>(kUpdateThreads);
  int* const any = memory.Take<int>(1);
  if (w.control->is_halted) {
    block.ForThreads([&](int t) {
      if (t == 0 && block.x() == 0) w.next_control->is_halted = 1;
    });
    return;
  }
  block.ForThreads([&](int t) {
    int is_bad = 0;
    for (int b = t; b < w.gradient_blocks; b += kUpdateThreads) is_bad |= w.is_bad[b];
    bad[t] = is_bad;
  });
  block.Sync();
  block.ForThreads([&](int t) {
    if (t != 0) return;
    int is_bad = 0;
    for (int i = 0; i < kUpdateThreads; ++i) is_bad |= bad[i];
    *any = is_bad;
  });
  block.Sync();
  bool is_factored = true;
  for (int row = 0; row < w.rows; ++row) is_factored = is_factored && w.is_factored[row];
  const bool is_usable = is_factored && *any == 0;
  if (is_usable) {
    const StepPlan& plan = w.plan[w.control->step];
    const double count = w.control->adam_steps + 1;
    const double first_bias = 1 - pow(0.9, count), second_bias = 1 - pow(0.999, count);
    block.ForThreads([&](int t) {
      const int i = block.x() * kUpdateThreads + t;
      if (i >= w.flat_size) return;
      const double g = w.gradient[i];
      double value = w.flat[i];
      const bool is_noise = i >= w.noise;
      if (!plan.is_settling) {
        const double first = 0.9 * w.first[i] + (1 - 0.9) * g;
        const double second = 0.999 * w.second[i] + (1 - 0.999) * g * g;
        w.first[i] = first;
        w.second[i] = second;
        if (!is_noise) {
          value += plan.rate * (first / first_bias) / (sqrt(second / second_bias) + 1e-8);
        }
        if (w.kind[i]) value = Smallest(Largest(value, -kLargestLog), kLargestLog);
      }
      if (is_noise && !plan.is_noise_held) {
        const int c = i - w.noise;
        if (w.count[c] > 0) {
          value = Largest(value + NaturalLogStep(1 + 2 * g / w.count[c]), w.noise_floor[c]);
        }
      }
      w.flat[i] = value;
      w.values[i] = w.kind[i] ? exp(value) : value;
    });
  }
  if (block.x() == 0) FinishStep<D>(block, w, sums, is_factored, is_usable);
}

}  // namespace gpode::device
