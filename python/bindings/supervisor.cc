#include "supervisor.h"

#include <chrono>

namespace gpode::python {
namespace {

constexpr std::chrono::milliseconds kWake{50};
constexpr std::chrono::milliseconds kPatience{500};  // the longest wait for a run told to stop

// The threads that were asked to stop but left running, until the next run or the end of Python.
class LeftThreads {
 public:
  void Add(std::thread thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(std::move(thread));
  }
  void Join() {
    const std::lock_guard lock(mutex_);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

LeftThreads& TheLeftThreads() {
  static LeftThreads threads;
  return threads;
}

// Returns true if the run ends before this time has passed.
bool EndsWithin(Run& run, std::chrono::milliseconds time) {
  const py::gil_scoped_release release;
  std::unique_lock lock(run.mutex);
  return run.changed.wait_for(lock, time, [&] { return run.done; });
}

// Lets Python handle signals, and reports progress. Sets `*raised` to what Python raises.
void Attend(Run& run, const py::object& progress, std::optional<py::error_already_set>* raised) {
  if (*raised) return;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    std::optional<Update> latest;
    {
      const std::lock_guard lock(run.mutex);
      latest = std::exchange(run.latest, std::nullopt);
    }
    if (!latest || progress.is_none()) return;
    if (latest->has_bound) {
      progress(latest->step, latest->steps, latest->bound, latest->shooting);
    } else {
      progress(latest->step, latest->steps);
    }
  } catch (py::error_already_set& error) {
    raised->emplace(std::move(error));
    const std::lock_guard lock(run.mutex);
    run.stop = true;
  }
}

}  // namespace

bool Run::Report(const Update& update) {
  const std::lock_guard lock(mutex);
  latest = update;
  return !stop;
}

void JoinLeftThreads() { TheLeftThreads().Join(); }

namespace internal {

py::object WaitFor(const std::shared_ptr<Run>& run, std::function<void()> work,
                   const py::object& progress, bool* ended) {
  {
    const py::gil_scoped_release release;
    JoinLeftThreads();  // one of them may still write the checkpoint of this run
  }
  std::thread worker([run, work = std::move(work)] {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(run->mutex);
    run->failure = failure;
    run->done = true;
    run->changed.notify_all();
  });
  std::optional<py::error_already_set> raised;
  while (!raised && !EndsWithin(*run, kWake)) Attend(*run, progress, &raised);
  *ended = EndsWithin(*run, kPatience);
  if (!*ended) {
    TheLeftThreads().Add(std::move(worker));
    return raised->value();
  }
  {
    const py::gil_scoped_release release;
    worker.join();
  }
  Attend(*run, progress, &raised);
  if (run->failure && !raised) std::rethrow_exception(run->failure);
  return raised ? py::object(raised->value()) : py::none();
}

}  // namespace internal
}  // namespace gpode::python
