#include "run/shared_run.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpode/training.h"
#include "store/model_file.h"

namespace gpode::internal {
namespace {

enum class Command : std::uint8_t { kEnd, kStep, kCollect };

// The message with which a run begins. If `bytes` is zero, the message ends ServeTraining.
struct Header {
  std::uint64_t bytes = 0;              // size of the model file that follows
  std::uint64_t threads = 0;            // threads of each rank; 0 stands for Ranks::threads
  std::array<char, 64> instructions{};  // the InstructionSets of rank 0
};

std::span<std::byte> BytesOf(auto& value) { return std::as_writable_bytes(std::span(&value, 1)); }

void Send(Ranks& ranks, Command command) { ranks.Broadcast(0, BytesOf(command)); }

// Ends all ranks if this one uses other instruction sets than rank 0, and so would round
// differently.
void CheckInstructions(Ranks& ranks, const Header& header) {
  const std::string first = header.instructions.data();
  if (first == InstructionSets()) return;
  ranks.Abort(
      fmt::format("rank {} uses the instruction sets '{}', rank 0 '{}', must use the same; "
                  "GPODE_SIMD=v3 or GPODE_SIMD=baseline on all ranks may help",
                  ranks.rank(), InstructionSets(), first));
}

// Takes part in one run.
void Serve(Ranks& ranks, const Header& header) {
  std::vector<std::byte> bytes(header.bytes);
  ranks.Broadcast(0, bytes);
  const TrainedModel run = ParseModel(bytes, "the run of rank 0");
  bytes = {};
  FitOptions options = run.model.options;
  options.threads = header.threads > 0 ? header.threads : ranks.threads();
  Trainer trainer(run.data, options, run.state->start, run.validation);
  trainer.Restore(run.state->trainer);
  trainer.UseRanks(ranks);
  for (Command command{};;) {
    ranks.Broadcast(0, BytesOf(command));
    if (command == Command::kEnd) return;
    if (command == Command::kStep) trainer.Step();
    if (command == Command::kCollect) trainer.CollectStates();
  }
}

}  // namespace

SharedRun::SharedRun(Ranks& ranks, std::vector<std::byte> run, std::size_t threads,
                     Trainer& trainer)
    : ranks_(ranks) {
  Header header{.bytes = run.size(), .threads = threads};
  const std::string instructions = InstructionSets();
  instructions.copy(header.instructions.data(), header.instructions.size() - 1);
  ranks_.BroadcastAfterWait(BytesOf(header));
  ranks_.Broadcast(0, run);
  trainer.UseRanks(ranks_);
}

SharedRun::~SharedRun() { Send(ranks_, Command::kEnd); }

Progress SharedRun::Step(Trainer& trainer) {
  Send(ranks_, Command::kStep);
  try {
    return trainer.Step();
  } catch (const std::exception& error) {
    // The other ranks are in the middle of the step and would otherwise wait for ever.
    ranks_.Abort(error.what());
    throw;
  }
}

void SharedRun::Collect(Trainer& trainer) {
  Send(ranks_, Command::kCollect);
  trainer.CollectStates();
}

}  // namespace gpode::internal

namespace gpode {

void ServeTraining(Ranks& ranks) {
  internal::Header header;
  while (true) {
    ranks.BroadcastAfterWait(internal::BytesOf(header));
    if (header.bytes == 0) return;
    internal::CheckInstructions(ranks, header);
    try {
      internal::Serve(ranks, header);
    } catch (const std::exception& error) {
      ranks.Abort(fmt::format("rank {}: {}", ranks.rank(), error.what()));
    }
  }
}

void DismissRanks(Ranks& ranks) {
  internal::Header header;
  ranks.BroadcastAfterWait(internal::BytesOf(header));
}

}  // namespace gpode
