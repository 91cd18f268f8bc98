// The data of the device's kernels: sizes, coefficients and the arrays in the device's memory.
//
// S draws, D states, M inducing points, F features, C channels; R rows of hyperparameters (D, or 1
// if outputs share them). N segments; a pair is a draw with a segment, pair = draw * N + segment.
// B states: initial states, then shooting states. T observation times in all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/arithmetic.h"

namespace gpode::device {

inline constexpr int kStages = 7;

// A Runge-Kutta method of seven stages, the last of which is the first of the next step.
struct Coefficients {
  double a[kStages][kStages];  // the row of the last stage is that of the step's end
  double error[kStages];
  double dense[kStages][4];  // dense output: sum_p dense_ip theta^(p+1)
};

// The settings of a step, which the host chooses before the step is taken.
struct StepPlan {
  std::uint64_t step = 0;  // the number that addresses its random numbers
  double rate = 0;         // the learning rate
  double tolerance = 1;    // sigma_xi; ignored if the tolerance is learnt
  int is_noise_held = 0;   // the parameters of the likelihood do not move
  int is_settling = 0;     // only the parameters of the likelihood move
};

// The results of a step that the host receives.
struct StepResult {
  double loglik, constraint, entropy, kl_u, kl_x0, gap;
  double tolerance;    // the one that was used
  double noise;        // mean over channels of the noise's standard deviation
  double lengthscale;  // geometric mean
  double diverged, evaluations;
  double is_factored, is_usable;
};

// Numbers on the device that change from step to step.
struct Control {
  int step;        // the index of the present step among the planned ones
  int is_halted;   // 1 if a trajectory had more steps than there is memory for
  int adam_steps;  // updates so far
  double log_tolerance;
  double typical_step;  // the step size of segments that were never integrated
};

struct Sizes {
  int draws, dim, rows, inducing, features, segments, states, trajectories, channels, times;
  int slots;        // the most steps of one integration that there is memory for
  int feature_row;  // numbers of a feature in its table, padded
  int point_row;    // numbers of an inducing point in its table, padded
  int record_row;   // numbers of one evaluation in the record: x (D), f (D), Jacobian (D, D)
  int chunks;       // parts of a draw's pairs, for Sums
  int noise_chunks;
  int pair_blocks;                      // of PairSums, per draw
  int reverse_blocks, reverse_threads;  // per draw; pairs of a block
  int gradient_blocks;
  int pull_groups;  // groups of inducing points in KernelPull
  int is_learnt;    // the tolerance is learnt
  int is_laplace;
  int pairs;  // S N
  int flat_size;
  // The places of the blocks in the flat vector of unconstrained parameters. Initial states are
  // followed by shooting states, means first.
  int locations, lengthscales, variances, mean, chol, x0_mean, x0_chol, state_mean, state_chol,
      noise;
  int most_steps;
  double jitter, rtol, atol, max_step;
  std::uint64_t seed;
};

// Threads and blocks of Integrate.
struct IntegrateShape {
  int points;     // pairs that a block works on at a time: 2, 4, 8, 16 or 32
  int slices;     // warps that share the features of an output
  int blocks;     // per draw
  int is_shared;  // the tables of a draw are copied to shared memory
};

struct Work : Sizes {
  Coefficients method;
  IntegrateShape shape;
  Exponential exponential;

  // Parameters: unconstrained, their constrained values, Adam's moments, gradient. kind: 1 if the
  // value is the exponential of the parameter.
  double *flat, *values, *first, *second, *gradient;
  std::uint8_t* kind;

  // Data.
  double *segment_start, *times_of, *y, *y_by_channel, *map, *map_offset, *channel_weight, *count,
      *noise_floor;
  int *segment_first, *segment_count, *segment_state, *segment_next, *state_starts, *state_ends;

  // Random numbers.
  double *eps_omega, *eps_weight, *eps_u, *eps_x;  // (S, D F D), (S, 2, D F), (S, D M), (S, B D)

  // Draws.
  void* feature_table;   // (S, D, F, feature_row), double or float: frequencies, amplitude, phase
  double* point_table;   // (S, D, M, point_row): scaled location, minus its square, weight
  double* start_states;  // (S, B, D)
  double* white;         // (S, D, M): v
  double *inverse, *inverse_by_column;  // (R, M, M): L^-1 and its transpose
  int* is_factored;                     // (R)
  double *prior, *prior_slope;          // (S, D, M), (S, D, D, M): at the inducing points
  double *white_prior, *rest, *nu;      // (S, D, M): L^-1 prior, v - L^-1 prior, L^-T of that

  // Integrations.
  int* queue;                                 // (S): the next segment to integrate
  double *hint, *new_hint;                    // (S, N)
  int *steps, *filled, *is_ok, *evaluations;  // (S, N)
  double *record, *step_size;                 // (S N, slots, 7, record_row), (slots, S N)
  double *out_state, *out_theta;              // (S, D, T), (S, T)
  double *bout, *out_loglik;                  // (S, D, T), (S, T)
  int* out_slot;                              // (S, T): the step of an output; -1: the start
  double *bstart, *btarget;                   // (D, S N)

  // Sums.
  double* reverse_part;                       // (S, reverse_blocks, kTerms)
  double* pair_part;                          // (S, pair_blocks, D + D D)
  double* noise_part;                         // (noise_chunks, C)
  double* sums_part;                          // (S, chunks, 1 + 2 D, D M)
  double *bwhite, *blocations;                // (S, D, M), (S, D, D, M)
  double* bhyper;                             // (S, D, D + 1): lengthscales, variance
  double* turned;                             // (R, M, M): Phi L^-1
  double *kernel_blocations, *kernel_bhyper;  // (R, D, M), (R, pull_groups, D + 1)
  double* gradient_part;  // (gradient_blocks, 5): divergences, noise, log lengthscales
  int* is_bad;            // (gradient_blocks)

  Control *control, *next_control;
  StepPlan* plan;
  StepResult* results;
};

}  // namespace gpode::device
