#include "mpi_ranks.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace gpode::tool {
namespace {

// The most elements of one message, since MPI counts them by int.
constexpr std::size_t kMost = std::numeric_limits<int>::max();

// Waits until the request is complete. MPI's own wait polls all the time, so that a rank that waits
// for rank 0 to read data would occupy a core. This function begins to sleep when the wait is
// longer than a typical training step.
void Wait(MPI_Request* request) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPolling(50);
  constexpr std::chrono::microseconds kSleep(500);
  const Clock::time_point start = Clock::now();
  for (int done = 0;;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (Clock::now() - start > kPolling) {
      std::this_thread::sleep_for(kSleep);
    } else {
      std::this_thread::yield();
    }
  }
}

std::size_t AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return count > 0 ? static_cast<std::size_t>(count)
                   : std::max(1u, std::thread::hardware_concurrency());
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    threads_ = ThreadsOfOneRank();
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::size_t threads() const override { return threads_; }

  void Broadcast(std::size_t from, std::span<std::byte> bytes) override {
    for (std::size_t at = 0; at < bytes.size(); at += kMost) {
      const std::size_t count = std::min(kMost, bytes.size() - at);
      MPI_Bcast(bytes.data() + at, static_cast<int>(count), MPI_BYTE, static_cast<int>(from),
                MPI_COMM_WORLD);
    }
  }

  void BroadcastAfterWait(std::span<std::byte> bytes) override {
    MPI_Request request;
    MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    Wait(&request);
  }

  void Send(std::size_t to, std::span<const double> values) override {
    MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, static_cast<int>(to), 0,
             MPI_COMM_WORLD);
  }

  void Receive(std::size_t from, std::span<double> values) override {
    MPI_Request request;
    MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, static_cast<int>(from), 0,
              MPI_COMM_WORLD, &request);
    Wait(&request);
  }

  void Gather(std::span<const std::size_t> offsets, std::span<double> all) override {
    if (offsets.back() > kMost) return GatherOneByOne(offsets, all);
    counts_.resize(size());
    displacements_.resize(size());
    for (std::size_t r = 0; r < size(); ++r) {
      counts_[r] = static_cast<int>(offsets[r + 1] - offsets[r]);
      displacements_[r] = static_cast<int>(offsets[r]);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts_.data(),
                   displacements_.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }

  void Abort(const std::string& message) override {
    std::fprintf(stderr, "gpode: %s\n", message.c_str());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

 private:
  void GatherOneByOne(std::span<const std::size_t> offsets, std::span<double> all) {
    for (std::size_t r = 0; r < size(); ++r) {
      Broadcast(r, std::as_writable_bytes(all.subspan(offsets[r], offsets[r + 1] - offsets[r])));
    }
  }

  // Returns the rank's share of the cores of its machine, or the number of cores to which mpirun
  // has bound the rank if that is smaller.
  static std::size_t ThreadsOfOneRank() {
    MPI_Comm machine;
    int neighbours = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t share = cores / static_cast<std::size_t>(neighbours);
    return std::max<std::size_t>(1, std::min(share, AvailableCores()));
  }

  int rank_ = 0, size_ = 1;
  std::size_t threads_ = 1;
  std::vector<int> counts_, displacements_;
};

}  // namespace

std::unique_ptr<Ranks> StartMpi() {
  // Without mpirun, MPI_Init would start a helper process. These variables are set by Open MPI, by
  // MPICH, and by Slurm's srun.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return std::make_unique<MpiRanks>();
  }
  return nullptr;
}

std::string MpiVersion() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string text(version, static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

}  // namespace gpode::tool
