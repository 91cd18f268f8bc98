// The data of the device's kernels: sizes, coefficients and the arrays in the device's memory.
//
// Shapes are in terms of S draws, a state dimension of D, M inducing points, F features, C
// channels, R rows of hyperparameters (D, or 1 if outputs share them), N segments, T observation
// times of all trajectories, and B states in which segments start: the initial states, then the
// shooting states. A pair is a segment of a draw, with the number pair = draw * N + segment. An
// array whose name begins with b holds cotangents: derivatives of the bound with respect to what
// the name says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/arithmetic.h"

namespace gpode::device {

inline constexpr int kStages = 7;

// A Runge-Kutta method with seven stages. The last stage is evaluated at the end of the step, and
// is also the first stage of the next step.
struct Coefficients {
  double a[kStages][kStages];  // The last row also gives the state at the end of the step.
  double error[kStages];
  double dense[kStages][4];  // dense output: sum_p dense_ip theta^(p+1)
};

// The settings of a step, which the host chooses before the step is taken.
struct StepPlan {
  std::uint64_t step = 0;  // the number of the step, which selects its random numbers
  double rate = 0;         // the learning rate
  double tolerance = 1;    // sigma_xi; ignored if the tolerance is learnt
  int is_noise_held = 0;   // 1 if the parameters of the likelihood stay fixed
  int is_settling = 0;     // 1 if only the parameters of the likelihood change
};

// The results of a step that the host receives. Flags are 1 or 0.
struct StepResult {
  double loglik, constraint, entropy, kl_u, kl_x0, gap;  // see BoundTerms in model/objective.h
  double tolerance;                                      // the tolerance that the step used
  double noise;                  // mean over channels of the noise's standard deviation
  double lengthscale;            // geometric mean of all lengthscales
  double diverged, evaluations;  // numbers of failed integrations and of evaluations of fields
  double is_factored;            // 1 if all kernel matrices have a Cholesky factor
  double is_usable;              // 1 if the gradient is also finite, so that parameters changed
};

// Numbers on the device that change from step to step.
struct Control {
  int step;        // the index of the present step among the planned ones
  int is_halted;   // 1 if an integration had more steps than there is memory for
  int adam_steps;  // number of Adam's updates so far
  double log_tolerance;
  double typical_step;  // the first step size for segments that were never integrated
};

struct Sizes {
  int draws, dim, rows, inducing, features, segments, states, trajectories, channels, times;
  int slots;            // there is memory for this many accepted steps of each integration
  int feature_row;      // the padded length of a row of feature_table
  int point_row;        // the padded length of a row of point_table
  int record_row;       // the length of the record of one evaluation; see Work::record
  int chunks;           // Sums divides the segments into this many chunks
  int noise_chunks;     // NoiseSums divides the observation times into this many chunks
  int pair_blocks;      // PairSums has this many blocks for each draw
  int reverse_blocks;   // Reverse has this many blocks for each draw
  int reverse_threads;  // the number of threads, and of pairs, of a block of Reverse
  int gradient_blocks;  // the number of blocks of Gradient and of Update
  int pull_groups;      // TurnPhi and KernelPull divide the inducing points into this many groups
  int is_learnt;        // 1 if the tolerance is learnt
  int is_laplace;       // 1 if the prior of the tolerance is a Laplace distribution
  int pairs;            // S N
  int flat_size;
  // The places of the blocks in the flat vector of unconstrained parameters. Initial states are
  // followed by shooting states, means first.
  int locations, lengthscales, variances, mean, chol, x0_mean, x0_chol, state_mean, state_chol,
      noise;
  int most_steps;  // the most steps of one integration, rejected ones included
  double jitter, rtol, atol, max_step;
  std::uint64_t seed;
};

// The numbers of threads and blocks of Integrate.
struct IntegrateShape {
  int points;     // the number of pairs that a block integrates at a time: 2, 4, 8, 16 or 32
  int slices;     // the number of warps that share the features of one output
  int blocks;     // the number of blocks for each draw
  int is_shared;  // 1 if the tables of a draw are copied to shared memory
};

struct Work : Sizes {
  Coefficients method;
  IntegrateShape shape;
  Exponential exponential;

  // (flat_size): the unconstrained parameters, their constrained values, Adam's first and second
  // moments, and the gradient with respect to `flat`. `kind` is 1 if the constrained value is the
  // exponential of the parameter.
  double *flat, *values, *first, *second, *gradient;
  std::uint8_t* kind;

  // The segments (N): start time, index of the first observation, number of observations, the state
  // in which a segment starts and the one that follows it, -1 if there is none.
  double* segment_start;
  int *segment_first, *segment_count, *segment_state, *segment_next;
  int *state_starts, *state_ends;  // (B): the segments that start and end in a state; -1 if none

  // The observations.
  double* times_of;             // (T): observation times
  double *y, *y_by_channel;     // (T, C), (C, T): observations, NaN if missing
  double *map, *map_offset;     // (C, D), (C): C and b of the map y = C x + b
  double* channel_weight;       // (C): factors of the channels' log likelihoods
  double *count, *noise_floor;  // (C): weighted number of observations, least log noise variance

  // Standard normals: (S, D F D) for the frequencies, (S, 2, D F) for the weights of the features,
  // (S, D M) for the inducing values, (S, B D) for the states.
  double *eps_omega, *eps_weight, *eps_u, *eps_x;

  // The draws of fields and states. Below, `prior` is the Fourier part of a field, L the Cholesky
  // factor of the kernel matrix of the inducing points, v the whitened inducing values.
  void* feature_table;   // (S, D, F, feature_row), double or float: frequencies, amplitude, phase
  double* point_table;   // (S, D, M, point_row): scaled location, minus its square, weight
  double* start_states;  // (S, B, D)
  double* white;         // (S, D, M): v
  double *inverse, *inverse_by_column;  // (R, M, M): L^-1 and its transpose
  int* is_factored;                     // (R): 1 if the kernel matrix has a factor
  double *prior, *prior_slope;  // (S, D, M), (S, D, D, M): value and slope at the inducing points
  double *white_prior, *rest;   // (S, D, M): L^-1 prior, v - L^-1 prior
  double* nu;                   // (S, D, M): L^-T rest

  // The integrations. Outputs are the states at observation times.
  int* queue;           // (S): the next segment to integrate
  double* hint;         // (S, N): first step sizes; 0 if unknown
  double* new_hint;     // (S, N): those for the next training step; 0 if unknown
  int *steps, *filled;  // (S, N): number of accepted steps, number of outputs that were reached
  int *is_ok, *evaluations;  // (S, N): 1 if the end was reached, number of evaluations
  // (S N, slots, 7, record_row): for each stage of each accepted step, the state x (D), the field f
  // (D), its Jacobian (D, D) and, after Reverse, the cotangent of f (D).
  double* record;
  double* step_size;   // (slots, S N): the sizes of the accepted steps
  double* out_state;   // (S, D, T): the outputs
  double* out_theta;   // (S, T): the time of an output within its step, from 0 to 1
  int* out_slot;       // (S, T): the step in which an output lies; -1: the start, -2: not reached
  double* out_loglik;  // (S, T): the log likelihood of the observations at an output
  double* bout;        // (S, D, T): cotangents of the outputs through the log likelihood
  double *bstart, *btarget;  // (D, S N): of the state at a segment's start, and of the one after it

  // Sums and gradients. An array `..._part` holds partial sums, one for each block of a kernel.
  double* reverse_part;         // (S, reverse_blocks, kTerms): the terms of the bound
  double* pair_part;            // (S, pair_blocks, D + D D): the sums of PairSums
  double* noise_part;           // (noise_chunks, C): the sums of NoiseSums
  double* sums_part;            // (S, chunks, 1 + 2 D, D M): the sums of Sums
  double *bwhite, *blocations;  // (S, D, M), (S, D, D, M): of v and of the inducing locations
  double* bhyper;               // (S, D, D + 1): of an output's lengthscales and its variance
  double* turned;               // (R, M, M): Phi L^-1; see TurnPhi
  // (R, D, M), (R, pull_groups, D + 1): the same cotangents through the kernel matrix.
  double *kernel_blocations, *kernel_bhyper;
  double* gradient_part;  // (gradient_blocks, kGradientSums): the sums of Gradient
  int* is_bad;            // (gradient_blocks): 1 if a block found a gradient that is not usable

  // The control of the present step and of the next one; the planned steps, and their results.
  Control *control, *next_control;
  StepPlan* plan;
  StepResult* results;
};

}  // namespace gpode::device
