// Implements `gpode compare-models`, which ranks models by their forecasts of held-back data.
#include "gpode/compare_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "fit_arguments.h"
#include "fit_data.h"
#include "gpode/error.h"
#include "io/files.h"
#include "output.h"
#include "progress.h"
#include "report/draw/printable.h"
#include "report/model_view.h"
#include "report/timing.h"
#include "start/check_input.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostChannels = 4;  // the most channels with their own columns in the table
constexpr std::size_t kWidest = 12;

struct Arguments {
  FitArguments fit;
  std::vector<std::string> models;
  double season = 0;
};

// Returns the models that are compared by default: those among which `gpode fit` chooses. Samplers
// are left out if the data are large, since they would take very long.
std::vector<std::string> DefaultModels(const Dataset& data) {
  std::size_t times = 0;
  for (const Trajectory& t : data.trajectories) times += t.times.size();
  constexpr std::size_t kMostJointTimes = 600, kMostJointChannels = 6;
  if (times > kMostJointTimes || data.channels.size() > kMostJointChannels) {
    return {"gpode", "shooting"};
  }
  return {"joint", "gpode", "shooting"};
}

// Returns the option of `gpode fit` that chooses a candidate.
std::string FitOptionOf(const std::string& name) {
  return name == "joint" || name == "nuts" ? "--posterior " + name : "--model " + name;
}

class Comparer {
 public:
  explicit Comparer(const Arguments& a) : a_(a), config_(ConfigOf(a.fit)) {}

  void Run() {
    if (config_.files.empty()) {
      ThrowInput(
          "compare-models", "DATA",
          "is missing, for example gpode compare-models vdp.csv; see gpode compare-models --help");
    }
    data_ = ReadFitData(a_.fit.observe, a_.fit.equations, &config_, &notes_);
    CheckChannelsMove(data_, config_, "every row");
    const std::vector<std::string> names = a_.models.empty() ? DefaultModels(data_) : a_.models;
    candidates_ = MakeCandidates(names, data_, config_.fit, a_.fit.given);
    for (const CandidateModel& candidate : candidates_) CheckFitInput(data_, candidate.options);
    const Interruption interruption;
    const ModelComparison comparison = Compare();
    if (comparison.interrupted) throw Interrupted();
    if (common().json) {
      PrintRankingJson(comparison);
    } else if (!common().quiet) {
      PrintRanking(comparison);
    }
    if (comparison.Best() == nullptr) {
      throw TrainingFailed("compare-models: no model could forecast the held-back rows");
    }
  }

 private:
  const CommonOptions& common() const { return a_.fit.common; }

  ModelComparison Compare() const {
    const bool silent = common().quiet || common().json;
    CompareControl control;
    if (const auto holdout = HoldoutOf(config_, data_.calendar)) control.holdout = *holdout;
    control.period = a_.season > 0                 ? a_.season
                     : !config_.fit.period.empty() ? config_.fit.period.front()
                                                   : 0;
    if (common().threads > 0) control.threads = common().threads;
    if (!silent) {
      Print("{}: {}\n", fmt::join(config_.files, ", "), report::DescribeData(data_));
      for (const std::string& note : notes_) Print("note: {}\n", note);
      std::fflush(stdout);
    }
    std::optional<ProgressLine> line;
    std::size_t current = candidates_.size();
    control.report = [&](std::size_t candidate, const Progress& progress) {
      if (candidate != current) line.emplace(silent, candidates_[candidate].name);
      current = candidate;
      line->Show(progress);
      return !Interruption::Requested();
    };
    try {
      return CompareModels(data_, candidates_, control);
    } catch (const InputError& error) {
      if (error.function() != "holdout") throw;
      ThrowInput("compare-models", control.holdout.after ? "--holdout-after" : "--holdout",
                 error.message());
    }
  }

  void PrintRanking(const ModelComparison& all) const {
    Print("learnt without the last {} of {} times, then compared with them\n\n", all.held_times,
          all.held_times + all.seen_times);
    const std::size_t shown = std::min(all.channels.size(), kMostChannels);
    Print("  {:<18} {:>8}", "forecast", "error");
    for (std::size_t c = 0; c < shown; ++c) {
      Print(" {:>{}}", report::Shortened(all.channels[c], kWidest), kWidest);
    }
    Print(" {:>9} {:>9} {:>9}\n", "MNLL", "in 90 %", "time");
    for (const ModelScore& score : all.ranking) PrintScore(score, shown);
    Print(
        "\n  error: root mean square over the spread of a channel, averaged over the channels;\n"
        "  then the root mean square error of {}, in its unit\n",
        shown < all.channels.size() ? fmt::format("each of the first {} channels", shown)
                                    : "each channel");
    if (all.period > 0) {
      Print("  seasonal value: the value {:.4g} {} before{}\n", all.period, UnitOfTime(),
            a_.season > 0 || !config_.fit.period.empty() ? "" : ", a guess (--season)");
    }
    const ModelScore* best = all.Best();
    if (best == nullptr) return;
    if (!(best->error < all.SimpleError())) {
      Print(
          "no model is better than the {}: more data, other channels, --inputs or --states may "
          "help\n",
          all.ranking.front().name);
      return;
    }
    Print("best: {}; learn from everything with gpode fit {} {}\n", best->name,
          fmt::join(config_.files, " "), FitOptionOf(best->name));
  }

  std::string UnitOfTime() const {
    return data_.calendar.IsSet() ? UnitName(data_.calendar) : "units of time";
  }

  static void PrintScore(const ModelScore& score, std::size_t shown) {
    const std::string name = score.is_simple ? score.name : score.name + " *";
    if (!score.failure.empty()) {
      Print("  {:<18} {:>8}  failed: {}\n", name, "-", score.failure);
      return;
    }
    Print("  {:<18} {:>8.3g}", name, score.error);
    for (std::size_t c = 0; c < shown; ++c) Print(" {:>{}.4g}", score.rmse[c], kWidest);
    if (score.is_simple) {
      Print("\n");
      return;
    }
    Print(" {:>9.3g} {:>7.0f} % {:>9}\n", score.mnll, 100 * score.inside,
          report::Duration(score.seconds));
  }

  void PrintRankingJson(const ModelComparison& all) const {
    nlohmann::ordered_json json = {{"files", config_.files},
                                   {"channels", all.channels},
                                   {"seen_times", all.seen_times},
                                   {"held_times", all.held_times},
                                   {"period", all.period}};
    const ModelScore* best = all.Best();
    json["best"] = nullptr;
    if (best != nullptr) json["best"] = best->name;
    json["ranking"] = nlohmann::ordered_json::array();
    for (const ModelScore& score : all.ranking) {
      nlohmann::ordered_json row = {{"name", score.name},
                                    {"simple", score.is_simple},
                                    {"error", score.error},
                                    {"rmse", score.rmse}};
      if (!score.is_simple) {
        row["mnll"] = score.mnll;
        row["inside_90"] = score.inside;
        row["error_over_noise"] = score.error_over_noise;
        row["seconds"] = score.seconds;
      }
      if (!score.failure.empty()) row["failure"] = score.failure;
      json["ranking"].push_back(std::move(row));
    }
    PrintJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }

  const Arguments& a_;
  RunConfig config_;
  Dataset data_;
  std::vector<std::string> notes_;
  std::vector<CandidateModel> candidates_;
};

}  // namespace

void AddCompareModels(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  FitArguments* fit = &arguments->fit;
  CLI::App* command =
      app.add_subcommand("compare-models", "Rank models by forecasts of held-back data");
  command->add_option("DATA", fit->files, "data files, each with one or more trajectories");
  AddWord(
      command, "--models", "A,B,...",
      [arguments](const Place& place, const std::string& word) {
        const std::vector<std::string> known = CandidateNames();
        for (const std::string& name : ParseWords(place, word)) {
          if (std::ranges::find(known, name) != known.end()) continue;
          Refuse(place, name, fmt::format("of {}", fmt::join(known, ", ")));
        }
        arguments->models = ParseWords(place, word);
      },
      fmt::format("models to compare, of {} (default: joint,gpode,shooting)",
                  fmt::join(CandidateNames(), ", ")));
  AddHoldout(command, fit, " (default: 0.2)");
  AddNumber(command, "--season", &arguments->season, kPositiveNumber,
            "period of the seasonal value, in the unit of the times (default: guessed)");
  AddModelOptions(command, fit);
  AddThreads(command, &fit->common);
  AddQuiet(command, &fit->common);
  AddJson(command, &fit->common);
  AddDataOptions(command, fit);
  AddExamples(command, {"gpode compare-models vdp.csv",
                        "gpode compare-models vdp.csv --models joint,gpode,npode --holdout 0.3",
                        "gpode compare-models air.csv --channels T --season 24 --json"});
  command->callback([arguments] { Comparer(*arguments).Run(); });
}

}  // namespace gpode::tool
