// Convergence diagnostics of Markov chains: R-hat, effective sample sizes, Monte Carlo errors.
//
//   A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner (2021), Rank-normalization,
//   folding, and localization: an improved R-hat for assessing convergence of MCMC, Bayesian
//   Analysis 16(2).
//   M. Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte
//   Carlo: the energy's Bayesian fraction of missing information (E-BFMI).
//
// Each chain is split into two halves, so that a drifting chain disagrees with itself. R-hat
// compares the variance between the halves with the variance within them, after the draws are
// replaced by the normal scores of their ranks. It is computed for the draws and for their
// distances from the median, and the larger value is taken. Draws are reliable if R-hat is below
// 1.01 and effective sample sizes are above 400. Effective sample sizes use Geyer's initial
// monotone sequence of autocorrelations.
//
// Shapes: values (draws, chains) of one quantity. The functions return NaN for values that are
// constant or not finite, and for fewer than four draws. Thread safety: all functions may be called
// from any thread. DiagnoseChains starts its own threads; its results have the same bits for any
// number of them.
//
//   double r = Rhat(result.Values(0));
//   SamplerReport report = DiagnoseChains(result);
#pragma once

#include <string>
#include <vector>

#include "gpode/nuts.h"

namespace gpode {

// Returns the rank-normalised split R-hat: the larger of the value for the draws (the bulk) and the
// value for their distances from the median (the tails).
double Rhat(const Matrix& values);

// Each returns an effective sample size: the number of independent draws that would estimate a
// quantity with the same error. The quantity is the location of the distribution for BulkEss, the
// 5 % or 95 % quantile (whichever is estimated worse) for TailEss, and the mean for MeanEss.
double BulkEss(const Matrix& values);
double TailEss(const Matrix& values);
double MeanEss(const Matrix& values);

// These return Monte Carlo standard errors of the mean and of the standard deviation.
double MeanError(const Matrix& values);
double DeviationError(const Matrix& values);

// Returns the E-BFMI (chains) of energies (draws, chains): the mean squared difference of
// successive energies divided by the variance of the energies. A value below 0.3 warns that new
// momenta change the energy too little for the chain to explore the whole target.
Vector EnergyInformation(const Matrix& energies);

// Moments and quantiles of one coordinate, with their Monte Carlo errors and diagnostics.
struct DrawSummary {
  double mean = 0, deviation = 0;
  double quantile_5 = 0, median = 0, quantile_95 = 0;
  double mean_error = 0, deviation_error = 0;
  double rhat = 0, bulk_ess = 0, tail_ess = 0;
};
DrawSummary Summarise(const Matrix& values);

struct SamplerReport {
  std::vector<DrawSummary> coordinates = {};  // one for each coordinate; none if all chains failed
  double worst_rhat = 0;                      // the largest R-hat; NaN if one of them is NaN
  double least_bulk_ess = 0, least_tail_ess = 0;
  double least_energy_information = 0;
  std::size_t divergent = 0, at_max_depth = 0, failed_chains = 0;
  std::size_t evaluations = 0;
  std::vector<std::string> warnings = {};  // sentences for people; none if draws are reliable
};
SamplerReport DiagnoseChains(const NutsResult& result, std::size_t threads = 0);

}  // namespace gpode
