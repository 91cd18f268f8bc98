// One chain of the No-U-Turn sampler: finds a start, warms up, then draws.
#pragma once

#include "sample/chain_state.h"
#include "sample/nuts_tree.h"

namespace gpode {

class Chain {
 public:
  // The options must have been checked, and must outlive the chain. No other chain may use the
  // target, which may own a workspace.
  Chain(std::size_t dim, LogDensity target, const NutsOptions& options, std::size_t index);

  NutsChain Run();

 private:
  ChainStatus Begin();
  void Restore(const NutsChainState& state);
  NutsChainState Save() const;
  ChainStatus Iterate();
  bool FindStart();
  ChainStatus FindStepSize();
  double EnergyDecrease(std::uint64_t attempt);
  ChainStatus Adapt(double acceptance);
  void AddDraw(const TransitionStatistics& move);
  void MoveFurther();
  bool Report();
  NutsChain Result() const;
  std::size_t iterations() const { return options_.warm_up + options_.draws; }
  RandomStream Stream(std::uint64_t iteration) const;

  const NutsOptions& options_;
  std::size_t index_;
  Hamiltonian hamiltonian_;
  NutsTree tree_;
  WarmUpSchedule schedule_;
  PhasePoint current_, trial_;
  // Position, mass matrix and number of evaluations are kept in current_ and hamiltonian_ while the
  // chain runs. The matrices of draws have all their rows from the beginning.
  NutsChainState state_;
};

}  // namespace gpode
