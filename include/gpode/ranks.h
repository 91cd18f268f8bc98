// Processes that share the work of one training run, on one machine or on many.
//
// A group has size() processes, called ranks as in MPI and numbered from 0. Rank 0 reads the data,
// trains and writes; the others serve it (ServeTraining, training.h). Each rank evaluates some of
// the work items of a step, and the items are the same for any number of ranks. Sums are formed in
// the order of the items, so that results have the same bits for any number of ranks and threads.
//
// The implementation of the program gpode uses MPI (tools/gpode/mpi). Other programs may have their
// own.
//
// Thread safety: on each rank, one thread at a time may call these functions. All ranks have to
// make matching calls in the same order.
//
//   TrainedModel run = Train(data, options, {.ranks = &ranks});  // on rank 0
//   ServeTraining(ranks);                                        // on all other ranks
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gpode {

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // The number of threads that this rank uses by default; 0 stands for all cores of the machine.
  // Ranks on the same machine share its cores.
  virtual std::size_t threads() const = 0;

  // Copies the bytes of rank `from` to all other ranks.
  virtual void Broadcast(std::size_t from, std::span<std::byte> bytes) = 0;
  // Broadcasts bytes of rank 0 for which the other ranks may have to wait long. Waiting ranks
  // should not occupy a processor.
  virtual void BroadcastAfterWait(std::span<std::byte> bytes) { Broadcast(0, bytes); }

  // Sends `values` to the call of Receive on rank `to`. When Send returns, `values` may be changed,
  // even if they have not been received yet.
  virtual void Send(std::size_t to, std::span<const double> values) = 0;
  virtual void Receive(std::size_t from, std::span<double> values) = 0;

  // Copies all parts of `all` to every rank. Before the call, each rank has set its own part, from
  // offsets[rank()] to offsets[rank() + 1]. `offsets` has size() + 1 elements.
  virtual void Gather(std::span<const std::size_t> offsets, std::span<double> all) = 0;

  // Prints the message and ends the processes of all ranks, or throws. It is called if a rank fails
  // while others wait for it.
  virtual void Abort(const std::string& message) = 0;
};

}  // namespace gpode
