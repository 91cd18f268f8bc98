// Training, and the choice among models, which Python can watch and interrupt (supervisor.h).
#include "bindings.h"
#include "gpode/compare_models.h"
#include "gpode/error.h"
#include "gpode/fit_input.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "supervisor.h"

namespace gpode::python {
namespace {

bool Report(Run& run, const Progress& progress) {
  return run.Report({.step = progress.step + 1,
                     .steps = progress.steps,
                     .bound = progress.bound,
                     .shooting = progress.phase == BoundKind::kShooting,
                     .has_bound = true});
}

// Returns None if there is no model, as after a sampler was stopped.
py::object ModelOf(std::optional<TrainedModel> trained) {
  if (!trained) return py::none();
  const Model& model = trained->model;
  const bool unfinished_sampler = IsSampled(model.options) && !model.IsSampled();
  if (model.channels.empty() || unfinished_sampler) return py::none();
  return py::cast(std::make_shared<PyModel>(std::move(*trained)));
}

// Trains under supervision. Returns a pair of the model and the exception that stopped the run, or
// None for either.
template <typename Train>
py::tuple Watch(const py::object& progress, Train train) {
  auto [trained, raised] = Supervise<TrainedModel>(progress, std::move(train));
  return py::make_tuple(ModelOf(std::move(trained)), raised);
}

FitControl ControlOf(Run& run, const std::string& checkpoint, double seconds,
                     std::optional<std::size_t> threads) {
  FitControl control;
  control.report = [&run](const Progress& progress) { return Report(run, progress); };
  control.report_every = 1;
  control.checkpoint = checkpoint;
  control.checkpoint_seconds = seconds;
  control.threads = threads;
  return control;
}

// Returns the options of the model that trial fits choose, as in `gpode fit` (ChooseModel), or
// nothing if the run was stopped. Rows of `holdout` are not used for the choice.
std::optional<FitOptions> MeasuredChoice(const Dataset& data, const FitOptions& options,
                                         const std::vector<std::string>& given,
                                         const std::optional<HoldoutOptions>& holdout,
                                         std::optional<std::size_t> threads, Run& run) {
  CompareControl control;
  control.threads = threads;
  control.report = [&run](std::size_t, const Progress& progress) { return Report(run, progress); };
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
  return Watch(progress, [=](Run& run) {
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
  return Watch(progress, [=](Run& run) {
    return Resume(path, ControlOf(run, path, checkpoint_seconds, threads));
  });
}

py::dict ToDict(const ModelScore& score) {
  py::dict row;
  row["name"] = score.name;
  row["is_simple"] = score.is_simple;
  row["error"] = score.error;
  row["rmse"] = score.rmse;
  row["error_over_noise"] = score.error_over_noise;
  row["mnll"] = score.mnll;
  row["inside_90"] = score.inside;
  row["seconds"] = score.seconds;
  row["failure"] = score.failure;
  return row;
}

// Returns the ranking and the exception that ended the comparison, or None.
py::tuple CompareCandidates(const Dataset& data, const std::vector<std::string>& names,
                            FitOptions options, const std::vector<std::string>& given_names,
                            std::optional<double> share, std::optional<double> after, double period,
                            std::size_t draws, std::optional<std::size_t> threads,
                            const py::object& progress) {
  CompleteEquations(data, &options);
  CompleteObservation(data.channels.size(), &options);
  const auto own = std::make_shared<Dataset>(data);
  const std::vector<CandidateModel> candidates = MakeCandidates(names, data, options, given_names);
  CompareControl control{.period = period, .draws = draws, .threads = threads};
  if (share) control.holdout.share = *share;
  if (after) control.holdout.after = *after;
  auto [all, raised] = Supervise<ModelComparison>(progress, [=](Run& run) {
    CompareControl watched = control;
    watched.report = [&run](std::size_t, const Progress& p) { return Report(run, p); };
    return CompareModels(*own, candidates, watched);
  });
  if (!all) return py::make_tuple(py::none(), raised);
  py::list ranking;
  for (const ModelScore& score : all->ranking) ranking.append(ToDict(score));
  py::dict result;
  result["ranking"] = ranking;
  result["channels"] = all->channels;
  result["seen_times"] = all->seen_times;
  result["held_times"] = all->held_times;
  result["period"] = all->period;
  const ModelScore* const best = all->Best();
  result["best"] = best == nullptr ? py::object(py::none()) : py::object(py::str(best->name));
  return py::make_tuple(result, raised);
}

}  // namespace

void AddTraining(py::module_& module) {
  module.def("fit", &Fit, py::arg("data"), py::arg("options"), py::arg("validation"),
             py::arg("initial"), py::arg("given_names"), py::arg("holdout_share"),
             py::arg("holdout_after"), py::arg("refit"), py::arg("checkpoint"),
             py::arg("checkpoint_seconds"), py::arg("threads"), py::arg("progress"));
  module.def("resume", &ResumeRun, py::arg("path"), py::arg("checkpoint_seconds"),
             py::arg("threads"), py::arg("progress"));
  module.def("compare_candidates", &CompareCandidates, py::arg("data"), py::arg("names"),
             py::arg("options"), py::arg("given_names"), py::arg("holdout_share"),
             py::arg("holdout_after"), py::arg("period"), py::arg("draws"), py::arg("threads"),
             py::arg("progress"));
  module.def("candidate_names", &CandidateNames);
  // A thread must not outlive what it uses, which Python begins to take down after this.
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release release;
    JoinLeftThreads();
  }));
  module.def("find_constant_channel", [](const Dataset& data) -> py::object {
    const std::optional<ConstantChannel> found = FindConstantChannel(data);
    if (!found) return py::none();
    return py::make_tuple(data.channels[found->channel], found->value);
  });
}

}  // namespace gpode::python
