// Measures training steps on several ranks: mpirun -n N build-mpi/bin/mpi_bench [FRAMES [STEPS]].
//
// Every rank has a sequence of FRAMES frames that resembles motion capture (D 5, M 100, F 256, 5
// draws), so that the work per rank does not depend on the number of ranks (weak scaling). Prints
// the time of a step, and the time that rank 0 spent in messages, including the wait for other
// ranks. Each rank has one thread.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "mpi_ranks.h"
#include "support/walking_data.h"
#include "train/trainer.h"

namespace gpode {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

// Measures the time that the functions of a group take.
class TimedRanks final : public Ranks {
 public:
  explicit TimedRanks(Ranks& ranks) : ranks_(ranks) {}

  std::size_t rank() const override { return ranks_.rank(); }
  std::size_t size() const override { return ranks_.size(); }
  std::size_t threads() const override { return 1; }
  void Broadcast(std::size_t from, std::span<std::byte> bytes) override {
    Measure(chain, bytes.size(), [&] { ranks_.Broadcast(from, bytes); });
  }
  void Send(std::size_t to, std::span<const double> values) override {
    Measure(chain, 0, [&] { ranks_.Send(to, values); });
  }
  void Receive(std::size_t from, std::span<double> values) override {
    Measure(chain, 0, [&] { ranks_.Receive(from, values); });
  }
  void Gather(std::span<const std::size_t> offsets, std::span<double> all) override {
    Measure(gather, 8 * all.size(), [&] { ranks_.Gather(offsets, all); });
  }
  void Abort(const std::string& message) override { ranks_.Abort(message); }

  struct Part {
    double milliseconds = 0, bytes = 0;
  };
  Part chain, gather;

 private:
  template <typename Call>
  static void Measure(Part& part, std::size_t bytes, const Call& call) {
    const Clock::time_point start = Clock::now();
    call();
    part.milliseconds += Milliseconds(start);
    part.bytes += static_cast<double>(bytes);
  }

  Ranks& ranks_;
};

void Run(Ranks& all, std::size_t frames, std::size_t steps) {
  TimedRanks ranks(all);
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.approach = 0;
  options.polish = 0;
  options.draws = 5;
  options.batch = 0;
  options.steps = 1000000;
  options.threads = 1;
  options.observation = Observation::kPca;
  options.states = 5;
  options.inducing = 100;
  Trainer trainer(testing_support::WalkingData(ranks.size(), frames), options);
  trainer.UseRanks(ranks);
  for (std::size_t i = 0; i < 10; ++i) trainer.Step();
  ranks.chain = ranks.gather = {};
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < steps; ++i) trainer.Step();
  if (ranks.rank() > 0) return;
  const auto count = static_cast<double>(steps);
  fmt::print("| {} | {} | {:.2f} ms | {:.2f} ms, {:.2f} MB | {:.2f} ms, {:.2f} MB |\n",
             ranks.size(), ranks.size() * frames, Milliseconds(start) / count,
             ranks.chain.milliseconds / count, 1e-6 * ranks.chain.bytes / count,
             ranks.gather.milliseconds / count, 1e-6 * ranks.gather.bytes / count);
}

}  // namespace
}  // namespace gpode

int main(int argc, char** argv) {
  const std::unique_ptr<gpode::Ranks> ranks = gpode::tool::StartMpi();
  if (!ranks) {
    fmt::print(stderr, "mpi_bench: must be started by mpirun\n");
    return 2;
  }
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atol(argv[i])) : otherwise;
  };
  gpode::Run(*ranks, number(1, 300), number(2, 30));
}
