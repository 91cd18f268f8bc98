// Whether chains of a sampler agree, and how much their draws are worth.
//
//   A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner (2021), Rank-normalization,
//   folding, and localization: an improved R-hat for assessing convergence of MCMC, Bayesian
//   Analysis 16(2).
//   M. Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte
//   Carlo: the energy's Bayesian fraction of missing information.
//
// Each chain is cut into two halves, so that a chain which drifts disagrees with itself. R-hat
// compares the variance between halves with that within, after the draws are replaced by the normal
// scores of their ranks; the larger of the values for the draws and for their distances from the
// median counts. Draws are to be trusted with R-hat below 1.01 and effective sample sizes above
// 400. Effective sample sizes use Geyer's initial monotone sequence of autocorrelations.
//
// Shapes: values (draws, chains) of one quantity. NaN is the answer for values that are not finite
// or constant, and for fewer than four draws.
// Thread safety: plain functions; DiagnoseChains starts its own threads, same bits for any number.
//
//   double r = Rhat(result.Values(0));
//   SamplerReport report = DiagnoseChains(result);
#pragma once

#include <string>
#include <vector>

#include "gpode/nuts.h"

namespace gpode {

// Rank-normalised, split, of bulk and tails.
double Rhat(const Matrix& values);

// How many independent draws would give the same error: of location; of the 5 and 95 % quantiles,
// the smaller; of the mean.
double BulkEss(const Matrix& values);
double TailEss(const Matrix& values);
double MeanEss(const Matrix& values);

// Monte Carlo standard errors of the mean and of the standard deviation.
double MeanError(const Matrix& values);
double DeviationError(const Matrix& values);

// (chains) from energies (draws, chains): the mean squared step of the energy over its variance.
// Below 0.3, momenta change the energy too little for the chain to see all of the target.
Vector EnergyInformation(const Matrix& energies);

// What the draws say of one coordinate, and how well.
struct DrawSummary {
  double mean = 0, deviation = 0;
  double quantile_5 = 0, median = 0, quantile_95 = 0;
  double mean_error = 0, deviation_error = 0;
  double rhat = 0, bulk_ess = 0, tail_ess = 0;
};
DrawSummary Summarise(const Matrix& values);

struct SamplerReport {
  std::vector<DrawSummary> coordinates = {};  // (n); none if all chains failed
  double worst_rhat = 0;                      // NaN if some coordinate's is
  double least_bulk_ess = 0, least_tail_ess = 0;
  double least_energy_information = 0;
  std::size_t divergent = 0, at_max_depth = 0, failed_chains = 0;
  std::size_t evaluations = 0;
  std::vector<std::string> warnings = {};  // for people; none: nothing speaks against the draws
};
SamplerReport DiagnoseChains(const NutsResult& result, std::size_t threads = 0);

}  // namespace gpode
