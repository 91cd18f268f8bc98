#include "experiments/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gpode/model_file.h"
#include "io/files.h"

namespace gpode::experiments {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kDigits = 6;  // the significant digits of numbers in results files

Json Number(double value, bool compact) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return compact ? std::stod(fmt::format("{:.{}g}", value, kDigits)) : value;
}

double NumberOf(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string word = json.get<std::string>();
  if (word == "inf") return HUGE_VAL;
  if (word == "-inf") return -HUGE_VAL;
  if (word == "nan") return NAN;
  throw InputError(
      fmt::format("{} found, must be a number, inf, -inf or nan", internal::Quote(word)));
}

// Calls visit(name, member) for the numbers of Scores.
template <typename S, typename Visit>
void VisitScores(S& s, Visit visit) {
  visit("mnll", s.mnll);
  visit("mse", s.mse);
  visit("crps", s.crps);
  visit("coverage_50", s.coverage_50);
  visit("coverage_90", s.coverage_90);
  visit("coverage_95", s.coverage_95);
  visit("predictive_50", s.predictive_50);
  visit("predictive_90", s.predictive_90);
  visit("predictive_95", s.predictive_95);
}

void PutScores(const char* name, const std::optional<Scores>& scores, bool compact, Json* json) {
  if (!scores) return;
  Json& object = (*json)[name];
  VisitScores(*scores, [&](const char* n, double v) { object[n] = Number(v, compact); });
  object["values"] = scores->values;
  object["diverged"] = scores->diverged;
}

std::optional<Scores> TakeScores(const char* name, const Json& json) {
  if (!json.contains(name)) return std::nullopt;
  const Json& object = json.at(name);
  Scores scores;
  VisitScores(scores, [&](const char* n, double& v) { v = NumberOf(object.at(n)); });
  object.at("values").get_to(scores.values);
  object.at("diverged").get_to(scores.diverged);
  return scores;
}

void CheckLengths(const char* name, std::size_t one, std::size_t other) {
  if (one == other) return;
  throw InputError(fmt::format("{} has lists of different lengths, must have equal ones", name));
}

Json Numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (double v : values) list.push_back(Number(v, true));
  return list;
}

std::vector<double> NumbersOf(const Json& list) {
  std::vector<double> values;
  for (const Json& v : list) values.push_back(NumberOf(v));
  return values;
}

Json BandScoresJson(const BandScores& scores, bool compact) {
  Json object = Json::object();
  for (const BandScore& score : kBandScores) {
    const double value = scores.*score.member;
    if (!std::isnan(value)) object[score.name] = Number(value, compact);
  }
  return object;
}

BandScores TakeBandScores(const Json& object) {
  BandScores scores;
  for (const BandScore& score : kBandScores) {
    if (object.contains(score.name)) scores.*score.member = NumberOf(object.at(score.name));
  }
  return scores;
}

void PutCalibration(const RunRecord& r, bool compact, Json* json) {
  if (!r.calibration) return;
  Json& object = (*json)["calibration"];
  object["all"] = BandScoresJson(r.calibration->all, compact);
  for (const BandScores& third : r.calibration->horizon) {
    object["horizon"].push_back(BandScoresJson(third, compact));
  }
  object["seen"] = BandScoresJson(r.calibration->seen, compact);
}

void TakeCalibration(const Json& json, RunRecord* r) {
  if (!json.contains("calibration")) return;
  const Json& object = json.at("calibration");
  CalibrationScores& scores = r->calibration.emplace();
  scores.all = TakeBandScores(object.at("all"));
  CheckLengths("horizon", object.at("horizon").size(), kHorizons);
  for (std::size_t i = 0; i < kHorizons; ++i) {
    scores.horizon[i] = TakeBandScores(object.at("horizon")[i]);
  }
  scores.seen = TakeBandScores(object.at("seen"));
}

void PutRanks(const RunRecord& r, Json* json) {
  if (r.ranks.empty()) return;
  Json& object = (*json)["ranks"];
  for (const TruthRank& rank : r.ranks) object[rank.quantity] = rank.rank;
}

void TakeRanks(const Json& json, RunRecord* r) {
  if (!json.contains("ranks")) return;
  for (const auto& [quantity, rank] : json.at("ranks").items()) {
    r->ranks.push_back({quantity, rank.get<std::size_t>()});
    if (r->ranks.back().rank > kRankDraws) {
      throw InputError(
          fmt::format("rank {} found, must be at most {}", r->ranks.back().rank, kRankDraws));
    }
  }
}

// Calls visit(name, member) for the numbers of a BandPoint except its channel.
template <typename Visit>
void VisitBands(Visit visit) {
  visit("time", &BandPoint::time);
  visit("truth", &BandPoint::truth);
  visit("mean", &BandPoint::mean);
  visit("lower", &BandPoint::lower);
  visit("upper", &BandPoint::upper);
}

// Writes bands with one list for each column.
void PutBands(const RunRecord& r, Json* json) {
  if (r.bands.empty()) return;
  Json& object = (*json)["bands"];
  for (const BandPoint& p : r.bands) object["channel"].push_back(p.channel + 1);
  VisitBands([&](const char* name, double BandPoint::*member) {
    for (const BandPoint& p : r.bands) object[name].push_back(Number(p.*member, true));
  });
}

void TakeBands(const Json& json, RunRecord* r) {
  if (!json.contains("bands")) return;
  const Json& object = json.at("bands");
  for (const Json& channel : object.at("channel")) {
    const auto number = channel.get<std::size_t>();
    if (number == 0) throw InputError("bands have channel 0, must count from 1");
    r->bands.push_back({.channel = number - 1});
  }
  VisitBands([&](const char* name, double BandPoint::*member) {
    const std::vector<double> values = NumbersOf(object.at(name));
    CheckLengths("bands", values.size(), r->bands.size());
    for (std::size_t i = 0; i < values.size(); ++i) r->bands[i].*member = values[i];
  });
}

void PutSampler(const RunRecord& r, bool compact, Json* json) {
  if (!r.sampler) return;
  const SamplerSummary& s = *r.sampler;
  (*json)["sampler"] = {{"draws", r.sampled},
                        {"rhat", Number(s.worst_rhat, compact)},
                        {"bulk_ess", Number(s.least_bulk_ess, compact)},
                        {"tail_ess", Number(s.least_tail_ess, compact)},
                        {"pareto_k", Number(s.pareto_k, compact)},
                        {"divergences", s.divergent},
                        {"at_max_depth", s.at_max_depth},
                        {"failed_chains", s.failed_chains},
                        {"evaluations", s.evaluations}};
}

void TakeSampler(const Json& json, RunRecord* r) {
  if (!json.contains("sampler")) return;
  const Json& s = json.at("sampler");
  s.at("draws").get_to(r->sampled);
  SamplerSummary& to = r->sampler.emplace();
  to.worst_rhat = NumberOf(s.at("rhat"));
  to.least_bulk_ess = NumberOf(s.at("bulk_ess"));
  to.least_tail_ess = NumberOf(s.at("tail_ess"));
  if (s.contains("pareto_k")) to.pareto_k = NumberOf(s.at("pareto_k"));
  s.at("divergences").get_to(to.divergent);
  s.at("at_max_depth").get_to(to.at_max_depth);
  s.at("failed_chains").get_to(to.failed_chains);
  s.at("evaluations").get_to(to.evaluations);
}

void PutProgress(const RunRecord& r, bool compact, Json* json) {
  if (r.settling) {
    (*json)["settling"] = {{"bound", Number(r.settling->bound, compact)},
                           {"seconds", Number(r.settling->seconds, compact)},
                           {"step", Number(r.settling->step, compact)}};
  }
  if (compact || r.history.bound.empty()) return;
  (*json)["history"] = {{"seconds", Numbers(r.history.seconds)},
                        {"step", Numbers(r.history.step)},
                        {"bound", Numbers(r.history.bound)}};
}

void TakeProgress(const Json& json, RunRecord* r) {
  if (json.contains("settling")) {
    const Json& s = json.at("settling");
    r->settling = {NumberOf(s.at("bound")), NumberOf(s.at("seconds")), NumberOf(s.at("step"))};
  }
  if (json.contains("history")) {
    const Json& h = json.at("history");
    r->history = {NumbersOf(h.at("seconds")), NumbersOf(h.at("step")), NumbersOf(h.at("bound"))};
    CheckLengths("history", r->history.step.size(), r->history.seconds.size());
    CheckLengths("history", r->history.bound.size(), r->history.seconds.size());
  }
}

Json ToJson(const RunRecord& r, bool compact) {
  Json json = {{"version", r.version}, {"task", r.task}, {"model", r.method}, {"seed", r.seed}};
  json["failed"] = r.failed;
  if (r.failed) json["message"] = r.message;
  if (!r.warning.empty()) json["warning"] = r.warning;
  PutScores("scores", r.scores, compact, &json);
  PutScores("calibrated", r.calibrated, compact, &json);
  PutScores("validation", r.validation, compact, &json);
  PutScores("validation_calibrated", r.validation_calibrated, compact, &json);
  PutCalibration(r, compact, &json);
  PutRanks(r, &json);
  if (!std::isnan(r.floor)) json["floor"] = Number(r.floor, compact);
  json["seconds"] = Number(r.seconds, compact);
  json["forecast_seconds"] = Number(r.forecast_seconds, compact);
  json["steps"] = r.steps;
  json["observations"] = r.observations;
  json["cpu"] = r.cpu;
  if (!compact) json["options"] = r.options;
  PutSampler(r, compact, &json);
  if (!compact || HasComparedBands(r.method)) PutBands(r, &json);
  PutProgress(r, compact, &json);
  return json;
}

// Returns the JSON as text. Messages may hold invalid UTF-8, which is replaced.
std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

RunRecord FromJson(const Json& json) {
  RunRecord r;
  json.at("version").get_to(r.version);
  json.at("task").get_to(r.task);
  json.at("model").get_to(r.method);
  json.at("seed").get_to(r.seed);
  json.at("failed").get_to(r.failed);
  r.message = json.value("message", "");
  r.warning = json.value("warning", "");
  r.scores = TakeScores("scores", json);
  r.calibrated = TakeScores("calibrated", json);
  r.validation = TakeScores("validation", json);
  r.validation_calibrated = TakeScores("validation_calibrated", json);
  r.floor = json.contains("floor") ? NumberOf(json.at("floor")) : NAN;
  r.seconds = NumberOf(json.at("seconds"));
  r.forecast_seconds = NumberOf(json.at("forecast_seconds"));
  json.at("steps").get_to(r.steps);
  json.at("observations").get_to(r.observations);
  json.at("cpu").get_to(r.cpu);
  r.options = json.value("options", "");
  TakeCalibration(json, &r);
  TakeRanks(json, &r);
  TakeSampler(json, &r);
  TakeBands(json, &r);
  TakeProgress(json, &r);
  return r;
}

// Parses the text as JSON and returns take(json). Throws an InputError that names the file if
// anything is wrong with it.
template <typename Take>
auto Parsed(std::string_view text, std::string_view source, std::string_view what, Take take) {
  try {
    return take(Json::parse(text));
  } catch (const nlohmann::json::exception&) {
    internal::ThrowAt(source, fmt::format("is damaged, must be the JSON of {}", what));
  } catch (const InputError& error) {
    internal::ThrowAt(source, error.what());
  }
}

std::string TextOf(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void WriteText(const std::filesystem::path& path, const std::string& text) {
  internal::WriteFile(path, std::as_bytes(std::span(text)));
}

// Returns the place of a name in the order of the tables, or all.size() if the name is unknown.
template <typename Infos>
std::size_t PlaceOf(const std::string& name, const Infos& all) {
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.name == name; }) -
      all.begin());
}

// Returns a key by which runs are sorted. Methods given as settings come after the other methods.
auto OrderOf(const RunRecord& r) {
  return std::tuple(PlaceOf(r.task, AllTasks()), PlaceOf(r.method, AllMethods()),
                    r.method != kDefaultFit, r.method, r.seed);
}

// Sorts the runs, and removes those of unknown tasks and methods.
void SortRuns(std::vector<RunRecord>* runs) {
  std::erase_if(*runs, [](const RunRecord& r) {
    return PlaceOf(r.task, AllTasks()) == AllTasks().size() || !FindMethod(r.method);
  });
  std::sort(runs->begin(), runs->end(),
            [](const RunRecord& a, const RunRecord& b) { return OrderOf(a) < OrderOf(b); });
}

Json ToJson(const Summary& s) {
  return {{"mean", Number(s.all() ? s.mean : HUGE_VAL, false)},
          {"error", Number(s.error, false)},
          {"worst", Number(s.worst, false)},
          {"finite", s.finite},
          {"finite_mean", Number(s.mean, false)}};
}

Json ToJson(const Summary& ours, const PaperScore& paper) {
  return {{"mean", Number(paper.mean, false)},
          {"error", Number(paper.error, false)},
          {"difference", Number(DifferenceInErrors(ours, paper), false)}};
}

Json ToJson(const BandSummary& s) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kBandScores.size(); ++i) {
    if (s.scores[i].runs > 0) json[kBandScores[i].name] = ToJson(s.scores[i]);
  }
  return json;
}

Json CalibrationJson(const MethodSummary& s) {
  Json json = {{"task", s.task.name},         {"group", s.task.group},
               {"model", s.method},           {"runs", s.runs},
               {"failed", s.failed},          {"warned", s.warned},
               {"seconds", ToJson(s.seconds)}};
  json["all"] = ToJson(s.calibration->all);
  for (const BandSummary& third : s.calibration->horizon) json["horizon"].push_back(ToJson(third));
  json["seen"] = ToJson(s.calibration->seen);
  for (const RankSummary& ranks : s.ranks) {
    json["ranks"].push_back({{"quantity", ranks.quantity},
                             {"counts", ranks.counts},
                             {"chi_square", Number(ranks.chi_square, false)},
                             {"p_value", Number(ranks.p_value, false)},
                             {"coverage_50", ranks.coverage_50},
                             {"coverage_90", ranks.coverage_90},
                             {"coverage_95", ranks.coverage_95}});
  }
  return json;
}

Json ToJson(const MethodSummary& s) {
  Json json = {{"task", s.task.name},    {"model", s.method},
               {"title", s.title},       {"runs", s.runs},
               {"failed", s.failed},     {"diverged", s.diverged},
               {"mnll", ToJson(s.mnll)}, {"mse", ToJson(s.mse)},
               {"crps", ToJson(s.crps)}, {"seconds", ToJson(s.seconds)}};
  if (s.calibrated_mnll.runs > 0) json["calibrated_mnll"] = ToJson(s.calibrated_mnll);
  if (s.rhat.runs > 0) {
    json["rhat"] = ToJson(s.rhat);
    json["bulk_ess"] = ToJson(s.bulk_ess);
    json["divergences"] = ToJson(s.divergent);
    json["at_max_depth"] = ToJson(s.at_max_depth);
  }
  if (s.floor.runs > 0) json["floor"] = Number(s.floor.mean, false);
  if (s.end_bound.runs > 0) {
    json["end_bound"] = ToJson(s.end_bound);
    json["settling_seconds"] = ToJson(s.settling_seconds);
    json["settling_steps"] = ToJson(s.settling_steps);
  }
  if (s.paper) {
    json["paper"] = {{"mnll", ToJson(s.mnll, s.paper->mnll)}, {"mse", ToJson(s.mse, s.paper->mse)}};
  }
  return json;
}

}  // namespace

std::filesystem::path RunPath(const std::filesystem::path& out, std::string_view task,
                              std::string_view method, std::uint64_t seed) {
  return out / task / fmt::format("{}-{}.json", FileNameOf(method), seed);
}

void SaveRun(const std::filesystem::path& out, const RunResult& result) {
  const RunRecord& r = result.record;
  const std::filesystem::path path = RunPath(out, r.task, r.method, r.seed);
  std::filesystem::path model = path;
  model.replace_extension(".gpode");
  if (result.model) {
    SaveModel(model, *result.model);
  } else {
    std::error_code error;
    std::filesystem::remove(model, error);  // The model may be that of an earlier run.
  }
  WriteText(path, RunText(r));
}

std::optional<RunRecord> LoadRun(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return ParseRun(TextOf(path), path.string());
}

std::vector<RunRecord> ReadTaskRuns(const std::filesystem::path& out, std::string_view task) {
  std::vector<RunRecord> runs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(out / task, error)) {
    if (entry.path().extension() != ".json") continue;
    runs.push_back(ParseRun(TextOf(entry.path()), entry.path().string()));
  }
  SortRuns(&runs);
  return runs;
}

std::vector<RunRecord> ReadRuns(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return ParseRuns(TextOf(path), path.string());
  std::vector<RunRecord> runs;
  for (const TaskInfo& task : AllTasks()) {
    std::ranges::move(ReadTaskRuns(path, task.name), std::back_inserter(runs));
  }
  return runs;
}

void WriteRuns(const std::filesystem::path& path, std::span<const RunRecord> runs) {
  WriteText(path, RunsText(runs));
}

std::string RunText(const RunRecord& record) { return Dump(ToJson(record, false), 1) + "\n"; }

RunRecord ParseRun(std::string_view text, std::string_view source) {
  return Parsed(text, source, "a run; delete it to run again",
                [](const Json& json) { return FromJson(json); });
}

std::string RunsText(std::span<const RunRecord> runs) {
  std::string text = "{\"runs\": [";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + Dump(ToJson(runs[i], true), -1);
  }
  return text + "\n]}\n";
}

std::vector<RunRecord> ParseRuns(std::string_view text, std::string_view source) {
  std::vector<RunRecord> runs = Parsed(text, source, "several runs", [](const Json& json) {
    std::vector<RunRecord> all;
    for (const Json& run : json.at("runs")) all.push_back(FromJson(run));
    return all;
  });
  SortRuns(&runs);
  return runs;
}

std::string SummariesText(std::span<const MethodSummary> summaries) {
  Json json = {{"results", Json::array()}};
  for (const MethodSummary& s : summaries) {
    if (!s.calibration) json["results"].push_back(ToJson(s));
  }
  for (const MethodSummary& s : WithMeans(summaries)) {
    if (s.calibration) json["calibration"].push_back(CalibrationJson(s));
  }
  return Dump(json, 2);
}

}  // namespace gpode::experiments
