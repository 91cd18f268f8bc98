// Implements `gpode info`, which describes a model or data files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "data/moments.h"
#include "fit_summary.h"
#include "gpode/error.h"
#include "gpode/fit_quality.h"
#include "gpode/npz.h"
#include "gpode/options.h"
#include "gpode/summary.h"
#include "io/files.h"
#include "io/number_text.h"
#include "model_input.h"
#include "output.h"
#include "report/draw/printable.h"
#include "report/model_view.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 20, kLongestName = 24, kFactWidth = 16;

struct Arguments {
  std::vector<std::string> files;
  bool options = false;
  ReadChanges read;
  CommonOptions common;
};

bool IsModel(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string extension = path.extension().string();
  if (internal::SameWord(extension, ".gpode")) return true;
  // Backups and the files of runs that are not finished, MODEL~ and MODEL.partial, are models, too.
  if (extension == ".gpode~" || extension == ".partial") return true;
  if (!internal::SameWord(extension, ".npz")) return false;
  const std::vector<std::string> names = NpzNames(path);
  return std::find(names.begin(), names.end(), "model/channels") != names.end();
}

struct ChannelNumbers {
  std::size_t seen = 0;
  double least = HUGE_VAL, most = -HUGE_VAL, mean = 0, deviation = 0;
};

ChannelNumbers NumbersOf(const Dataset& data, const ChannelMoments& moments, std::size_t channel) {
  const auto c = static_cast<Eigen::Index>(channel);
  ChannelNumbers numbers;
  numbers.mean = moments.mean[c];
  numbers.deviation = std::sqrt(moments.variance[c]);
  for (const Trajectory& t : data.trajectories) {
    for (double v : t.values.col(c)) {
      if (std::isnan(v)) continue;
      ++numbers.seen;
      numbers.least = std::min(numbers.least, v);
      numbers.most = std::max(numbers.most, v);
    }
  }
  return numbers;
}

std::size_t Rows(const Dataset& data) {
  std::size_t rows = 0;
  for (const Trajectory& t : data.trajectories) rows += t.times.size();
  return rows;
}

Json DataJson(const Dataset& data) {
  Json json;
  json["trajectories"] = Json::array();
  for (const Trajectory& t : data.trajectories) {
    json["trajectories"].push_back({{"name", t.name},
                                    {"times", t.times.size()},
                                    {"first", t.times.front()},
                                    {"last", t.times.back()}});
    if (!data.calendar.IsSet()) continue;
    json["trajectories"].back()["first_date"] = ShowTime(t.times.front(), data.calendar);
    json["trajectories"].back()["last_date"] = ShowTime(t.times.back(), data.calendar);
  }
  if (data.calendar.IsSet()) {
    json["time_unit"] = UnitName(data.calendar);
    json["time_origin"] = ShowTime(0, data.calendar);
  }
  if (!data.inputs.empty()) json["inputs"] = data.inputs;
  json["channels"] = Json::array();
  const ChannelMoments moments = MomentsOf(data);
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    const ChannelNumbers n = NumbersOf(data, moments, c);
    json["channels"].push_back({{"name", data.channels[c]},
                                {"values", n.seen},
                                {"missing", Rows(data) - n.seen},
                                {"least", n.least},
                                {"mean", n.mean},
                                {"most", n.most},
                                {"deviation", n.deviation}});
  }
  return json;
}

void PrintTrajectories(const Dataset& data) {
  if (data.trajectories.size() < 2) return;
  const int width = data.calendar.IsSet() ? 22 : 12;
  Print("\n  {:<24} {:>8} {:>{}} {:>{}}\n", "trajectory", "times", "first", width, "last", width);
  for (std::size_t n = 0; n < std::min(data.trajectories.size(), kMostRows); ++n) {
    const Trajectory& t = data.trajectories[n];
    Print("  {:<24} {:>8} {:>{}} {:>{}}\n",
          t.name.empty() ? std::to_string(n + 1) : report::Shortened(t.name, kLongestName),
          t.times.size(), ShowTime(t.times.front(), data.calendar), width,
          ShowTime(t.times.back(), data.calendar), width);
  }
  if (data.trajectories.size() > kMostRows) {
    Print("  ... and {} more\n", data.trajectories.size() - kMostRows);
  }
}

void PrintData(const Dataset& data) {
  PrintTrajectories(data);
  const ChannelMoments moments = MomentsOf(data);
  Print("\n  {:<24} {:>8} {:>8} {:>12} {:>12} {:>12} {:>12}\n", "channel", "values", "missing",
        "least", "mean", "most", "deviation");
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    const ChannelNumbers n = NumbersOf(data, moments, c);
    Print("  {:<24} {:>8} {:>8} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}\n",
          report::Shortened(data.channels[c], kLongestName), n.seen, Rows(data) - n.seen, n.least,
          n.mean, n.most, n.deviation);
  }
}

constexpr std::string_view kNoDraws =
    "stopped before its sampler had draws; fit --resume continues";

// Returns true for a model whose sampler was stopped before it had draws. What was learnt is not
// known yet.
bool AwaitsDraws(const Model& model) { return IsSampled(model.options) && !model.IsSampled(); }

Json ModelJson(const TrainedModel& trained) {
  const Model& m = trained.model;
  Json json;
  json["states"] = report::StateNames(m);
  if (m.coordinates.inputs() > 0) json["inputs"] = InputsJson(m);
  if (!m.options.equations.empty()) {
    json["equations"] = m.options.equations;
    if (!AwaitsDraws(m)) json["parameters"] = ParametersJson(m);
  }
  json["method"] = NameOf(m.options).name;
  json["bound"] = m.options.bound == BoundKind::kShooting ? "shooting" : "vanilla";
  if (m.parameters.Has("weight_mean")) json["hidden"] = m.options.neural.hidden;
  if (m.parameters.Has("inducing_mean")) {
    json["kernel"] = m.options.kernel;
    json["inducing"] = m.options.inducing;
  }
  if (m.IsSampled()) {
    json["sampler"] = {{"draws", m.draws.rows()},
                       {"rhat", m.sampler.worst_rhat},
                       {"bulk_ess", m.sampler.least_bulk_ess},
                       {"tail_ess", m.sampler.least_tail_ess},
                       {"pareto_k", m.sampler.pareto_k},
                       {"divergences", m.sampler.divergent},
                       {"at_max_depth", m.sampler.at_max_depth},
                       {"failed_chains", m.sampler.failed_chains}};
  }
  json["seed"] = m.options.seed;
  json["finished"] = trained.finished;
  if (!trained.instruction_sets.empty()) json["instruction_sets"] = trained.instruction_sets;
  if (AwaitsDraws(m)) {
    json["warning"] = kNoDraws;
    return json;
  }
  const ObservationNoise noise = m.noise_on_link_scale();
  json["likelihood"] = m.options.likelihood;
  if (!m.links().empty()) {
    json["positive"] = Json::array();
    for (Link link : m.links()) json["positive"].push_back(NameOf(link));
  }
  json[noise.likelihood->parameter_name()] =
      std::vector<double>(noise.parameters.begin(), noise.parameters.end());
  const Vector process_noise = ProcessNoise(m);
  json["process_noise"] = std::vector<double>(process_noise.begin(), process_noise.end());
  json["lengthscales"] = Json::array();
  const Matrix lengthscales = report::Lengthscales(m);
  for (Eigen::Index d = 0; d < lengthscales.rows(); ++d) {
    json["lengthscales"].push_back(
        std::vector<double>(lengthscales.row(d).begin(), lengthscales.row(d).end()));
  }
  if (const Matrix along = InputLengthscales(m); along.size() > 0) {
    json["input_lengthscales"] = Json::array();
    for (const auto& row : along.rowwise()) {
      json["input_lengthscales"].push_back(std::vector<double>(row.begin(), row.end()));
    }
  }
  if (!trained.history.empty()) {
    json["steps"] = trained.history.back().step + 1;
    json["final_bound"] = trained.history.back().bound;
  }
  json["warning"] = m.warning;
  if (m.widening.IsJudged()) json["widening"] = WideningJson(m.widening);
  if (trained.holdout && trained.holdout->report.held_times > 0) {
    json["holdout"] = HoldoutJson(*trained.holdout, m.channels);
  }
  return json;
}

// Returns the names and values of facts about a model, one pair for each line of output.
std::vector<std::pair<std::string, std::string>> ModelFacts(
    const TrainedModel& trained, const std::optional<report::Timing>& timing) {
  const Model& m = trained.model;
  auto facts = gpode::ModelFacts(trained);
  facts.front().second =
      fmt::format("{}", fmt::join(report::Shortened(report::StateNames(m), kLongestName), ", "));
  if (timing) {
    const auto after = (m.widening.IsJudged() ? 1 : 0) + (m.warning.empty() ? 0 : 1);
    facts.emplace(facts.end() - after, "time",
                  fmt::format("{}, {}", report::Duration(timing->total()), report::Speed(*timing)));
  }
  return facts;
}

// Returns the name of a channel's likelihood and its learnt parameter, if there is one.
std::string DescribeLikelihood(const ObservationNoise& noise, std::size_t channel) {
  const Likelihood& own = noise.For(channel);
  const std::string name(own.name());
  const double first = noise.Of(channel)[0];
  if (own.link() != Link::kIdentity) {
    return fmt::format("{}, deviation {:.3g} there", name, noise.Deviation(channel));
  }
  if (name == "negative-binomial") return fmt::format("{}, dispersion {:.3g}", name, first);
  if (name == "lognormal")
    return fmt::format("{}, deviation of logarithms {:.3g}", name, std::sqrt(first));
  if (name == "student-t") return fmt::format("{}, scale {:.3g}", name, std::sqrt(first));
  return name;
}

void PrintModel(const TrainedModel& trained, const std::optional<report::Timing>& timing) {
  const Model& m = trained.model;
  const auto facts = ModelFacts(trained, timing);
  std::size_t width = kFactWidth;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) Print("  {:<{}} {}\n", name, width, value);
  const ObservationNoise noise = m.noise();
  const bool gaussian = noise.likelihood->is_gaussian();
  // The noise of a channel with a link depends on its value, and is shown at the mean of the data.
  Vector mean = Vector::Ones(std::ssize(m.channels));
  if (!trained.data.trajectories.empty()) mean = MomentsOf(trained.data).mean;
  Print("\n  {:<14} {:>10}{}\n", "channel", "noise", gaussian ? "" : "  likelihood");
  for (std::size_t c = 0; c < m.channels.size(); ++c) {
    Print("  {:<14} {:>10.4g}{}\n", report::Shortened(m.channels[c], kLongestName),
          noise.DeviationAt(c, mean[static_cast<Eigen::Index>(c)]),
          gaussian ? "" : "  " + DescribeLikelihood(noise, c));
  }
  Print("\n");
  PrintLengthscales(m);
}

void InfoOfModel(const std::string& file, const Arguments& a) {
  const TrainedModel trained = LoadTrainedModel(file);
  if (a.options) {
    Print("{}", OptionsText(trained.model.options));
    return;
  }
  const bool has_data = !trained.data.trajectories.empty();
  const std::optional<report::Timing> timing = ReadTiming(file);
  if (a.common.json) {
    Json json = {{"file", file}, {"kind", "model"}};
    json.update(ModelJson(trained));
    if (timing) {
      json["seconds"] = timing->total();
      json["sessions"] = timing->sessions;
      json["cpu"] = timing->cpu;
      json["threads"] = timing->threads;
    }
    if (has_data) json["data"] = DataJson(trained.data);
    PrintJson(json.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  Print("{}: model{}\n", file, has_data ? " of " + report::DescribeData(trained.data) : "");
  if (AwaitsDraws(trained.model)) {
    Print("  {}\n", kNoDraws);
  } else {
    PrintModel(trained, timing);
  }
}

void InfoOfData(const Arguments& a) {
  const std::vector<std::filesystem::path> paths(a.files.begin(), a.files.end());
  std::vector<std::string> remarks;
  const Dataset data =
      ReadDataset(paths, Changed({.allow_empty_channels = true}, a.read), &remarks);
  for (const std::string& remark : DataRemarks(data)) remarks.push_back(remark);
  if (a.common.json) {
    Json json = {{"file", a.files.front()}, {"kind", "data"}};
    json.update(DataJson(data));
    json["notes"] = remarks;
    PrintJson(json.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  Print("{}: {}\n", fmt::join(a.files, ", "), report::DescribeData(data));
  PrintData(data);
  if (!remarks.empty()) Print("\n");
  for (const std::string& remark : remarks) Print("note: {}\n", remark);
}

void Run(const Arguments& a) {
  const bool model = a.files.size() == 1 && IsModel(a.files.front());
  if (a.options && !model) ThrowInput("info", "--options", "needs a model file");
  if (model) {
    InfoOfModel(a.files.front(), a);
  } else {
    InfoOfData(a);
  }
}

}  // namespace

void AddInfo(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("info", "Describe a model or data files");
  command->add_option("FILE", arguments->files, "a model file, or data files")->required();
  AddSwitch(command, "--options", &arguments->options,
            "print a model's options in the format of --config");
  AddJson(command, &arguments->common);
  AddReadOptions(command, &arguments->read);
  AddExamples(command, {"gpode info vdp.csv", "gpode info vdp.gpode --json",
                        "gpode info vdp.gpode --options > again.toml"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
