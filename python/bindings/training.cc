// Training that Python can watch and interrupt.
//
// A run trains in a thread of its own. The thread that called waits without the interpreter's lock,
// and wakes a few times a second to let Python handle signals and to report progress. If either
// raises an exception, such as the KeyboardInterrupt of Ctrl-C, training stops after its present
// step and the run is returned with that exception.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/model_file.h"
#include "gpode/options.h"

namespace gpode::python {
namespace {

constexpr std::chrono::milliseconds kWake{50};

class Supervisor {
 public:
  // `progress` is None or a function of (step, steps, bound, shooting).
  explicit Supervisor(py::object progress) : progress_(std::move(progress)) {}

  // Called by the thread that trains.
  bool Report(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
    return !stop_;
  }

  // Runs `train` in another thread and returns its result. The interpreter's lock must be held.
  template <typename Train>
  TrainedModel Run(Train train) {
    std::optional<TrainedModel> result;
    std::exception_ptr failure;
    std::thread worker([&] {
      try {
        result = train();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
    while (!Wait()) Attend();
    {
      const py::gil_scoped_release release;
      worker.join();
    }
    if (!raised_) Attend();
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
  }

  // Returns the exception that stopped the run, or None.
  py::object Raised() const { return raised_ ? py::object(raised_->value()) : py::none(); }

 private:
  bool Wait() {
    const py::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kWake, [&] { return done_; });
  }

  // Lets Python handle signals, and reports progress.
  void Attend() {
    if (raised_) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      std::optional<Progress> latest;
      {
        const std::lock_guard lock(mutex_);
        latest = std::exchange(latest_, std::nullopt);
      }
      if (latest && !progress_.is_none()) {
        progress_(latest->step + 1, latest->steps, latest->bound,
                  latest->phase == BoundKind::kShooting);
      }
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
  }

  py::object progress_;
  std::optional<py::error_already_set> raised_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Progress> latest_;
  bool done_ = false, stop_ = false;
};

FitControl ControlOf(Supervisor& supervisor, const std::string& checkpoint, double seconds,
                     std::optional<std::size_t> threads) {
  FitControl control;
  control.report = [&](const Progress& progress) { return supervisor.Report(progress); };
  control.report_every = 1;
  control.checkpoint = checkpoint;
  control.checkpoint_seconds = seconds;
  control.threads = threads;
  return control;
}

// Returns the model, or None if a sampler was stopped, which then has none, and the exception that
// stopped the run.
py::tuple Result(TrainedModel trained, const Supervisor& supervisor) {
  const bool none = !trained.finished && trained.model.channels.empty();
  const bool no_draws = IsSampled(trained.model.options) && !trained.model.IsSampled();
  py::object model = py::none();
  if (!none && !no_draws) model = py::cast(std::make_shared<PyModel>(std::move(trained)));
  return py::make_tuple(model, supervisor.Raised());
}

py::tuple Fit(const Dataset& given, FitOptions options, const Dataset* validation,
              const std::string& initial, bool choose_bound, std::optional<double> holdout_share,
              std::optional<double> holdout_after, bool refit, const std::string& checkpoint,
              double checkpoint_seconds, std::optional<std::size_t> threads,
              const py::object& progress) {
  Dataset data = given;
  if (choose_bound) options.bound = ChooseBound(data);
  SetStartTimes(initial, "fit: initial", &data);
  CompleteObservation(data.channels.size(), &options);
  std::optional<HoldoutOptions> holdout;
  if (holdout_share || holdout_after) {
    holdout = {.share = holdout_after ? 0 : *holdout_share, .after = holdout_after, .refit = refit};
  }
  Supervisor supervisor(progress);
  const FitControl control = ControlOf(supervisor, checkpoint, checkpoint_seconds, threads);
  const Dataset held_out = validation != nullptr ? *validation : Dataset{};
  TrainedModel trained = supervisor.Run([&] {
    return holdout ? TrainWithHoldout(data, options, *holdout, control, held_out)
                   : Train(data, options, control, held_out);
  });
  return Result(std::move(trained), supervisor);
}

py::tuple ResumeRun(const std::string& path, double checkpoint_seconds,
                    std::optional<std::size_t> threads, const py::object& progress) {
  Supervisor supervisor(progress);
  const FitControl control = ControlOf(supervisor, path, checkpoint_seconds, threads);
  TrainedModel trained = supervisor.Run([&] { return Resume(path, control); });
  return Result(std::move(trained), supervisor);
}

}  // namespace

void AddTraining(py::module_& module) {
  module.def("fit", &Fit, py::arg("data"), py::arg("options"), py::arg("validation"),
             py::arg("initial"), py::arg("choose_bound"), py::arg("holdout_share"),
             py::arg("holdout_after"), py::arg("refit"), py::arg("checkpoint"),
             py::arg("checkpoint_seconds"), py::arg("threads"), py::arg("progress"));
  module.def("resume", &ResumeRun, py::arg("path"), py::arg("checkpoint_seconds"),
             py::arg("threads"), py::arg("progress"));
  module.def("find_constant_channel", [](const Dataset& data) -> py::object {
    const std::optional<ConstantChannel> found = FindConstantChannel(data);
    if (!found) return py::none();
    return py::make_tuple(data.channels[found->channel], found->value);
  });
}

}  // namespace gpode::python
