// Training that Python can watch and interrupt.
//
// A run trains in a thread of its own. The thread that called waits without the interpreter's lock,
// and wakes a few times a second to let Python handle signals and to report progress. If either
// raises an exception, such as the KeyboardInterrupt of Ctrl-C, training is told to stop, which the
// optimiser does after its present step, and the run is returned with that exception. A sampler may
// take seconds until it looks. Nobody waits for it then, except for the next run.
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings.h"
#include "gpode/compare_models.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/model_file.h"
#include "gpode/options.h"

namespace gpode::python {
namespace {

constexpr std::chrono::milliseconds kWake{50};
constexpr std::chrono::milliseconds kPatience{500};  // the longest wait for a run told to stop

// A run, shared by the thread that trains and the one that waits.
struct Run {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Progress> latest;
  bool stop = false, done = false;
  std::optional<TrainedModel> result;
  std::exception_ptr failure;

  // Called by the thread that trains.
  bool Report(const Progress& progress) {
    const std::lock_guard lock(mutex);
    latest = progress;
    return !stop;
  }
};

// The threads that were told to stop and that nobody waits for, until Python ends.
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

class Supervisor {
 public:
  // `progress` is None or a function of (step, steps, bound, shooting).
  explicit Supervisor(py::object progress) : progress_(std::move(progress)) {}

  // Runs `train`, a function of a Run, in another thread. Returns a pair of the model and the
  // exception that stopped it, or None for either. The interpreter's lock must be held.
  template <typename Train>
  py::tuple Do(Train train) {
    {
      const py::gil_scoped_release release;
      TheLeftThreads().Join();  // one of them may still write the checkpoint of this run
    }
    const auto run = std::make_shared<Run>();
    std::thread worker([run, train] {
      std::optional<TrainedModel> result;
      std::exception_ptr failure;
      try {
        result = train(*run);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(run->mutex);
      run->result = std::move(result);
      run->failure = failure;
      run->done = true;
      run->changed.notify_all();
    });
    while (!raised_ && !Wait(*run, kWake)) Attend(*run);
    const bool done = Wait(*run, kPatience);
    if (!done) {
      TheLeftThreads().Add(std::move(worker));
      return py::make_tuple(py::none(), raised_->value());
    }
    {
      const py::gil_scoped_release release;
      worker.join();
    }
    Attend(*run);
    if (run->failure && !raised_) std::rethrow_exception(run->failure);
    return py::make_tuple(ModelOf(std::move(run->result)),
                          raised_ ? py::object(raised_->value()) : py::none());
  }

 private:
  // Returns true if the run ends before this time has passed.
  static bool Wait(Run& run, std::chrono::milliseconds time) {
    const py::gil_scoped_release release;
    std::unique_lock lock(run.mutex);
    return run.changed.wait_for(lock, time, [&] { return run.done; });
  }

  // Lets Python handle signals, and reports progress.
  void Attend(Run& run) {
    if (raised_) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      std::optional<Progress> latest;
      {
        const std::lock_guard lock(run.mutex);
        latest = std::exchange(run.latest, std::nullopt);
      }
      if (latest && !progress_.is_none()) {
        progress_(latest->step + 1, latest->steps, latest->bound,
                  latest->phase == BoundKind::kShooting);
      }
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      const std::lock_guard lock(run.mutex);
      run.stop = true;
    }
  }

  // Returns None if there is no model, as after a sampler was stopped.
  static py::object ModelOf(std::optional<TrainedModel> trained) {
    if (!trained) return py::none();
    const Model& model = trained->model;
    const bool unfinished_sampler = IsSampled(model.options) && !model.IsSampled();
    if (model.channels.empty() || unfinished_sampler) return py::none();
    return py::cast(std::make_shared<PyModel>(std::move(*trained)));
  }

  py::object progress_;
  std::optional<py::error_already_set> raised_;
};

FitControl ControlOf(Run& run, const std::string& checkpoint, double seconds,
                     std::optional<std::size_t> threads) {
  FitControl control;
  control.report = [&run](const Progress& progress) { return run.Report(progress); };
  control.report_every = 1;
  control.checkpoint = checkpoint;
  control.checkpoint_seconds = seconds;
  control.threads = threads;
  return control;
}

// Returns the options of the model that forecasts held-back rows best, as `gpode fit` chooses them,
// or nothing if the run was stopped. Rows of `holdout` are not used for the choice.
std::optional<FitOptions> MeasuredChoice(const Dataset& data, const FitOptions& options,
                                         const std::vector<std::string>& given,
                                         const std::optional<HoldoutOptions>& holdout,
                                         std::optional<std::size_t> threads, Run& run) {
  CompareControl control;
  control.threads = threads;
  control.report = [&run](std::size_t, const Progress& progress) { return run.Report(progress); };
  const ModelChoice choice =
      ChooseModel(holdout ? HoldBack(data, *holdout).seen : data, options, given, control);
  if (choice.comparison.interrupted) return {};
  return choice.options;
}

py::tuple Fit(const Dataset& given, FitOptions options, const Dataset* validation,
              const std::string& initial,
              const std::optional<std::vector<std::string>>& given_names,
              std::optional<double> holdout_share, std::optional<double> holdout_after, bool refit,
              const std::string& checkpoint, double checkpoint_seconds,
              std::optional<std::size_t> threads, const py::object& progress) {
  const auto data = std::make_shared<Dataset>(given);
  const auto held_out = std::make_shared<Dataset>(validation != nullptr ? *validation : Dataset{});
  SetStartTimes(initial, "fit: initial", data.get());
  CompleteEquations(*data, &options);
  CompleteObservation(data->channels.size(), &options);
  if (given_names) options = ChooseOptions(*data, options, *given_names);
  std::optional<HoldoutOptions> holdout;
  if (holdout_share || holdout_after) {
    holdout = {.share = holdout_after ? 0 : *holdout_share, .after = holdout_after, .refit = refit};
  }
  return Supervisor(progress).Do([=](Run& run) {
    const FitControl control = ControlOf(run, checkpoint, checkpoint_seconds, threads);
    const std::optional<FitOptions> chosen =
        given_names ? MeasuredChoice(*data, options, *given_names, holdout, threads, run) : options;
    if (!chosen) return TrainedModel{};
    return holdout ? TrainWithHoldout(*data, *chosen, *holdout, control, *held_out)
                   : Train(*data, *chosen, control, *held_out);
  });
}

py::tuple ResumeRun(const std::string& path, double checkpoint_seconds,
                    std::optional<std::size_t> threads, const py::object& progress) {
  return Supervisor(progress).Do(
      [=](Run& run) { return Resume(path, ControlOf(run, path, checkpoint_seconds, threads)); });
}

}  // namespace

void AddTraining(py::module_& module) {
  module.def("fit", &Fit, py::arg("data"), py::arg("options"), py::arg("validation"),
             py::arg("initial"), py::arg("given_names"), py::arg("holdout_share"),
             py::arg("holdout_after"), py::arg("refit"), py::arg("checkpoint"),
             py::arg("checkpoint_seconds"), py::arg("threads"), py::arg("progress"));
  module.def("resume", &ResumeRun, py::arg("path"), py::arg("checkpoint_seconds"),
             py::arg("threads"), py::arg("progress"));
  // A thread must not outlive what it uses, which Python begins to take down after this.
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release release;
    TheLeftThreads().Join();
  }));
  module.def("find_constant_channel", [](const Dataset& data) -> py::object {
    const std::optional<ConstantChannel> found = FindConstantChannel(data);
    if (!found) return py::none();
    return py::make_tuple(data.channels[found->channel], found->value);
  });
}

}  // namespace gpode::python
