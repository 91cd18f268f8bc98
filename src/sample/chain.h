// One chain of the No-U-Turn sampler: finds a start, warms up, then draws.
#pragma once

#include "sample/adaptation.h"
#include "sample/nuts_tree.h"

namespace gpode {

class Chain {
 public:
  // The options must have been checked, and must outlive the chain. No other chain may use the
  // target, which may own a workspace.
  Chain(std::size_t dim, LogDensity target, const NutsOptions& options, std::size_t index);

  NutsChain Run();

 private:
  bool FindStart();
  ChainStatus FindStepSize();
  double EnergyDecrease(std::uint64_t attempt);
  ChainStatus WarmUp(NutsChain& result);
  ChainStatus Adapt(std::size_t iteration, double acceptance);
  TransitionStatistics Move(std::size_t iteration);
  void MoveFurther(std::size_t iteration);
  RandomStream Stream(std::uint64_t iteration) const;

  const NutsOptions& options_;
  std::size_t index_;
  Hamiltonian hamiltonian_;
  NutsTree tree_;
  WarmUpSchedule schedule_;
  DualAveraging averaging_;
  DrawMoments moments_;
  PhasePoint current_, trial_;
  std::vector<double> further_;  // the further variables (gpode/nuts.h)
  double step_ = 1;
  bool stopped_ = false;        // true once the report callback has returned false
  std::size_t divergent_ = 0;   // divergent transitions so far
  std::uint64_t attempts_ = 0;  // trial steps so far; addresses their random numbers
};

}  // namespace gpode
