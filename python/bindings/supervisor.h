// Long work that Python can watch and interrupt.
//
// The work runs in a thread of its own. The calling thread waits without the interpreter's lock,
// and wakes a few times a second to let Python handle signals and to report progress. If either
// raises an exception, such as the KeyboardInterrupt of Ctrl-C, the work is asked to stop, and its
// result is returned with that exception. An optimiser stops after its present step. A sampler may
// take seconds to notice the request; the caller then returns without its result, and the next run
// waits until the thread has ended.
//
// Thread safety: each object serves one call. The interpreter's lock must be held.
//
//   auto [result, raised] = Supervise<Analysis>(progress, [=](Run& run) {
//     return AnalysePosterior(*posterior, data, OptionsThatReportTo(run)); });
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "bindings.h"

namespace gpode::python {

// The progress that Python sees: the step and the number of steps, and in training also the bound
// and the phase.
struct Update {
  std::size_t step = 0, steps = 0;
  double bound = 0;
  bool shooting = false;
  bool has_bound = false;
};

// A run, shared by the thread that works and the one that waits.
struct Run {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Update> latest = {};
  bool stop = false, done = false;
  std::exception_ptr failure = {};

  // Is called by the thread that works. Returns false if it should stop.
  bool Report(const Update& update);
};

namespace internal {

// Runs `work` in another thread and waits for it. Returns the exception that Python raised
// meanwhile, or None. Sets `*ended` to false if the work did not stop in time and its thread was
// left running.
py::object WaitFor(const std::shared_ptr<Run>& run, std::function<void()> work,
                   const py::object& progress, bool* ended);

}  // namespace internal

// Waits for the threads that were left running. The interpreter's lock must not be held.
void JoinLeftThreads();

// `progress` is None or a function of (step, steps, bound, shooting), or of (step, steps) if
// updates have no bound. Returns the result, if the work came to an end, and the exception that
// stopped it.
template <typename Result, typename Work>
std::pair<std::optional<Result>, py::object> Supervise(const py::object& progress, Work work) {
  const auto run = std::make_shared<Run>();
  const auto result = std::make_shared<std::optional<Result>>();
  bool ended = false;
  py::object raised = internal::WaitFor(
      run, [run, result, work] { *result = work(*run); }, progress, &ended);
  if (!ended) return {std::nullopt, std::move(raised)};
  return {std::move(*result), std::move(raised)};
}

}  // namespace gpode::python
