// Processes that share the work of one training run, on one machine or on many.
//
// A group has size() processes, called ranks as in MPI and numbered from 0. Rank 0 reads the data,
// trains and writes; the others serve it (ServeTraining, training.h). Each rank evaluates some of
// the work items of a step, and the items are the same for any number of ranks. Sums are formed in
// the order of the items, so that results have the same bits for any number of ranks and threads.
//
// The program's implementation uses MPI (tools/gpode/mpi). A program may have its own.
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
  // The number of threads that this rank should use if nobody has asked for another, since ranks on
  // the same machine share its cores; 0 stands for all of them.
  virtual std::size_t threads() const = 0;

  // Copies the bytes of rank `from` to all other ranks.
  virtual void Broadcast(std::size_t from, std::span<std::byte> bytes) = 0;
  // Does the same for bytes of rank 0 that may be long in coming. Ranks that wait should leave the
  // processor to others.
  virtual void BroadcastAfterWait(std::span<std::byte> bytes) { Broadcast(0, bytes); }

  // Send returns when `values`, which Receive on the other rank gets, may be changed; that may be
  // before they are received.
  virtual void Send(std::size_t to, std::span<const double> values) = 0;
  virtual void Receive(std::size_t from, std::span<double> values) = 0;

  // Every rank has set its own part of `all`, from offsets[rank()] to offsets[rank() + 1].
  // Afterwards every rank has all parts. `offsets` has size() + 1 elements.
  virtual void Gather(std::span<const std::size_t> offsets, std::span<double> all) = 0;

  // Shows the message and ends the processes of all ranks, or throws. It is called if a rank fails
  // while others wait for it.
  virtual void Abort(const std::string& message) = 0;
};

}  // namespace gpode
