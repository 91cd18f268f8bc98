// The report on a sampler's chains: for each diagnostic, the worst value of all coordinates; and
// warnings about values that mean unreliable draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/chain_diagnostics.h"
#include "gpode/parallel.h"

namespace gpode {
namespace {

constexpr double kGoodRhat = 1.01;
constexpr double kGoodEss = 400;
constexpr double kGoodEnergyInformation = 0.3;

// Returns the largest value of `member` over all coordinates, or NaN if one of them is NaN.
double Largest(const std::vector<DrawSummary>& coordinates, double DrawSummary::*member) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const DrawSummary& s : coordinates) {
    if (std::isnan(s.*member)) return s.*member;
    largest = std::max(largest, s.*member);
  }
  return largest;
}

// Returns the smallest value of `member` over all coordinates, or NaN if one of them is NaN.
double Smallest(const std::vector<DrawSummary>& coordinates, double DrawSummary::*member) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const DrawSummary& s : coordinates) {
    if (std::isnan(s.*member)) return s.*member;
    smallest = std::min(smallest, s.*member);
  }
  return smallest;
}

void AddChainWarnings(const NutsResult& result, std::vector<std::string>& warnings) {
  for (std::size_t c = 0; c < result.chains.size(); ++c) {
    const ChainStatus status = result.chains[c].status;
    if (status == ChainStatus::kOk) continue;
    warnings.push_back(fmt::format("chain {} has no draws: {}", c + 1, Message(status)));
  }
}

// Adds a warning for each diagnostic out of range. The conditions are written as `!(a <= b)` so
// that NaN is out of range, too.
void AddWarnings(const NutsResult& result, SamplerReport& report) {
  std::vector<std::string>& warnings = report.warnings;
  AddChainWarnings(result, warnings);
  if (report.coordinates.empty()) return;
  if (report.divergent > 0) {
    warnings.push_back(
        fmt::format("{} trajectories diverged after the warm-up: raise "
                    "target_acceptance or change the parametrisation",
                    report.divergent));
  }
  if (report.at_max_depth > 0) {
    warnings.push_back(fmt::format("{} trajectories reached the largest depth, {}",
                                   report.at_max_depth, result.max_depth));
  }
  if (!(report.worst_rhat <= kGoodRhat)) {
    warnings.push_back(fmt::format("the chains disagree: R-hat is up to {:.3f}, should be below {}",
                                   report.worst_rhat, kGoodRhat));
  }
  if (!(std::min(report.least_bulk_ess, report.least_tail_ess) >= kGoodEss)) {
    warnings.push_back(
        fmt::format("few effective draws: {:.0f} in the bulk, {:.0f} in the tails, should be {}",
                    report.least_bulk_ess, report.least_tail_ess, kGoodEss));
  }
  if (!(report.least_energy_information >= kGoodEnergyInformation)) {
    warnings.push_back(fmt::format("the energy is explored slowly: E-BFMI is {:.2f}, should be {}",
                                   report.least_energy_information, kGoodEnergyInformation));
  }
}

}  // namespace

SamplerReport DiagnoseChains(const NutsResult& result, std::size_t threads) {
  SamplerReport report{.divergent = result.Divergent(),
                       .at_max_depth = result.AtMaxDepth(),
                       .failed_chains = result.Failed()};
  for (const NutsChain& chain : result.chains) report.evaluations += chain.evaluations;
  if (report.failed_chains < result.chains.size()) {
    report.coordinates.resize(result.dim);
    ThreadPool pool(threads);
    pool.For(result.dim,
             [&](std::size_t i) { report.coordinates[i] = Summarise(result.Values(i)); });
    report.worst_rhat = Largest(report.coordinates, &DrawSummary::rhat);
    report.least_bulk_ess = Smallest(report.coordinates, &DrawSummary::bulk_ess);
    report.least_tail_ess = Smallest(report.coordinates, &DrawSummary::tail_ess);
    report.least_energy_information = EnergyInformation(result.Energies()).minCoeff();
  }
  AddWarnings(result, report);
  return report;
}

}  // namespace gpode
