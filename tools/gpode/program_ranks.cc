#include "program_ranks.h"

#include <fmt/format.h>

#include <csignal>
#include <cstddef>
#include <memory>

#include "gpode/training.h"
#ifdef GPODE_MPI
#include "mpi_ranks.h"
#endif

namespace gpode::tool {
namespace {

std::unique_ptr<Ranks> ranks;
bool has_begun = false;  // true after BeginSpreadWork on rank 0

// Tells the other ranks whether a spread command begins its work.
bool Announce(bool begins) {
  std::byte message{begins};
  ranks->BroadcastAfterWait({&message, 1});
  return message != std::byte{0};
}

int RunSpread(const std::function<int()>& run) {
  if (ranks->rank() > 0 && !Announce(false)) return 0;
  const int code = run();
  if (ranks->rank() == 0 && !has_begun) {
    Announce(false);
  } else if (code != 0) {
    // Without this, the other ranks would continue experiments that rank 0 no longer collects.
    ranks->Abort(
        fmt::format("rank {} ended with code {}, so the others end, too", ranks->rank(), code));
  }
  return code;
}

int RunFirst(const std::function<int()>& run) {
  const int code = run();
  DismissRanks(*ranks);
  return code;
}

int Serve() {
  // Other ranks ignore these signals, because rank 0 also receives them, saves the run and ends it.
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  ServeTraining(*ranks);
  return 0;
}

}  // namespace

int RunOnRanks(bool is_spread, const std::function<int()>& run) {
#ifdef GPODE_MPI
  ranks = StartMpi();
#endif
  if (!ranks) return run();
  const int code = is_spread ? RunSpread(run) : ranks->rank() == 0 ? RunFirst(run) : Serve();
  ranks.reset();
  return code;
}

Ranks* ProgramRanks() { return ranks.get(); }

void BeginSpreadWork() {
  if (!ranks || ranks->rank() > 0) return;
  has_begun = true;
  Announce(true);
}

std::string DescribeMpi() {
#ifdef GPODE_MPI
  return MpiVersion();
#else
  return "no MPI";
#endif
}

}  // namespace gpode::tool
