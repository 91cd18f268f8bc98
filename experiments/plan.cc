#include "experiments/plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <mutex>
#include <system_error>

#include "experiments/mocap.h"
#include "experiments/run_file.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "gpode/parallel.h"
#include "gpode/unknown_function.h"
#include "io/files.h"

namespace gpode::experiments {
namespace {

void CheckData(const PlanSettings& settings) {
  const bool needed = std::any_of(settings.tasks.begin(), settings.tasks.end(),
                                  [](const TaskInfo& t) { return t.kind == TaskKind::kMocap; });
  if (needed && settings.data.empty()) {
    ThrowInput("reproduce", "--data",
               fmt::format("is missing, must be a folder that holds {}", MocapSources()));
  }
}

std::optional<RunRecord> RecordOf(const PlannedRun& run, const PlanSettings& settings) {
  if (settings.again) return std::nullopt;
  const std::filesystem::path path =
      RunPath(settings.out, run.info.name, run.method.name, run.seed);
  const std::optional<RunRecord> record = LoadRun(path);
  if (record && record->options != run.options) {
    internal::ThrowAt(path.string(),
                      "holds a run with other options; choose another folder with --out, "
                      "or replace runs with --again");
  }
  return record;
}

// Returns an estimate of the number of gradient evaluations of a run. A sampler's trajectory counts
// with the most evaluations that it may have, 2^max_depth.
double StepsOf(const FitOptions& o) {
  const auto steps = static_cast<double>(o.steps);
  if (!IsSampled(o)) return steps;
  const SamplerOptions& s = o.sampler;
  const auto chains = static_cast<double>(s.chains);
  const bool fits_each_chain =
      MakeUnknownFunction(o.function, {.options = o, .dim = 1})->has_symmetries();
  return (fits_each_chain ? chains : 1) * steps + chains *
                                                      static_cast<double>(s.warm_up + s.draws) *
                                                      std::exp2(static_cast<double>(s.max_depth));
}

// Makes the folders of the results before anything is run. Throws an InputError if one of them
// cannot be written.
void MakeFolders(const PlanSettings& settings) {
  for (const TaskInfo& task : settings.tasks) {
    const std::filesystem::path folder = settings.out / task.name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && access(folder.c_str(), W_OK) != 0) {
      error = std::error_code(errno, std::generic_category());
    }
    if (error) {
      internal::ThrowAt(folder.string(), fmt::format("cannot be written: {}", error.message()));
    }
  }
}

class Worker {
 public:
  Worker(const PlanSettings& settings, const PlanHooks& hooks)
      : settings_(settings), hooks_(hooks) {}

  void Run(PlannedRun* run) {
    if (Stopping()) return;
    try {
      Notify(hooks_.began, *run);
      const RunResult result =
          Execute(run->info, run->method,
                  {.seed = run->seed, .steps = settings_.steps, .data = settings_.data},
                  [&](const Progress&) { return !Stopping(); });
      if (result.stopped) return;
      SaveRun(settings_.out, result);
      run->record = result.record;
      Notify(hooks_.ended, *run);
    } catch (...) {
      broken_ = true;  // The cause, such as a full disk, would affect the other runs, too.
      throw;
    }
  }

 private:
  bool Stopping() const { return broken_ || (hooks_.stop && hooks_.stop()); }

  void Notify(const std::function<void(const PlannedRun&)>& hook, const PlannedRun& run) {
    const std::lock_guard lock(mutex_);
    if (hook) hook(run);
  }

  const PlanSettings& settings_;
  const PlanHooks& hooks_;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;
};

}  // namespace

std::vector<PlannedRun> MakePlan(const PlanSettings& settings) {
  CheckData(settings);
  std::vector<PlannedRun> plan;
  for (const TaskInfo& info : settings.tasks) {
    const std::vector<std::string> methods =
        settings.methods.empty() ? DefaultMethods(info) : settings.methods;
    const std::size_t asked = settings.runs > 0 ? settings.runs : info.runs;
    const std::size_t runs = info.most_runs > 0 ? std::min(asked, info.most_runs) : asked;
    std::vector<Task> tasks;  // one per seed
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      tasks.push_back(MakeTask(info, seed, settings.data));
    }
    for (const std::string& name : methods) {
      const std::optional<MethodInfo> method = FindMethod(name);
      if (!method) ThrowInput("MakePlan", "methods", name + " is unknown");
      for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        const Task& task = tasks[seed - 1];
        const FitOptions options =
            OptionsOf(task, info, *method, {.seed = seed, .steps = settings.steps});
        PlannedRun run{.info = info, .method = *method, .seed = seed};
        run.options = OptionsRecord(options);
        run.effort = method->effort * static_cast<double>(task.data.observed()) * StepsOf(options);
        run.record = RecordOf(run, settings);
        plan.push_back(std::move(run));
      }
    }
  }
  return plan;
}

bool ExecutePlan(const PlanSettings& settings, const PlanHooks& hooks,
                 std::vector<PlannedRun>* plan) {
  MakeFolders(settings);
  std::vector<PlannedRun*> left;
  for (PlannedRun& run : *plan) {
    if (!run.record) left.push_back(&run);
  }
  std::stable_sort(left.begin(), left.end(),
                   [](const PlannedRun* a, const PlannedRun* b) { return a->effort > b->effort; });
  std::vector<PlannedRun*> own;
  for (std::size_t i = settings.share; i < left.size(); i += settings.shares) {
    own.push_back(left[i]);
  }
  Worker worker(settings, hooks);
  ThreadPool pool(settings.threads);
  pool.For(own.size(), [&](std::size_t i) { worker.Run(own[i]); });
  return std::all_of(own.begin(), own.end(),
                     [](const PlannedRun* run) { return run->record.has_value(); });
}

std::vector<RunRecord> RecordsOf(const std::vector<PlannedRun>& plan) {
  std::vector<RunRecord> records;
  for (const PlannedRun& run : plan) {
    if (run.record) records.push_back(*run.record);
  }
  return records;
}

}  // namespace gpode::experiments
