// Implements `gpode impute`, which fills the gaps of the training data, with bands.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "future_inputs.h"
#include "given.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "output.h"
#include "report/model_view.h"
#include "result_json.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

struct Arguments {
  std::string model, out = "-";
  std::optional<std::string> times, trajectory;
  double level = 0.9;
  std::size_t draws = 128;
  InputArguments inputs;
  GivenArguments given;
  bool noise = false, only_gaps = false, raw = false;
  CommonOptions common;
};

// Returns the trajectory with additional rows of missing values at those times that it does not
// have.
Trajectory AddTimes(const Trajectory& seen, const std::vector<double>& times) {
  Trajectory wider{
      .name = seen.name, .times = seen.times, .values = {}, .start_time = seen.start_time};
  for (double t : times) {
    if (!std::binary_search(seen.times.begin(), seen.times.end(), t)) wider.times.push_back(t);
  }
  std::sort(wider.times.begin(), wider.times.end());
  wider.values = Matrix::Constant(static_cast<Eigen::Index>(wider.times.size()), seen.values.cols(),
                                  std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0, j = 0; i < seen.times.size(); ++i, ++j) {
    while (wider.times[j] != seen.times[i]) ++j;
    wider.values.row(static_cast<Eigen::Index>(j)) = seen.values.row(static_cast<Eigen::Index>(i));
  }
  return wider;
}

// Returns four columns for each channel: the value, the ends of its band, and 1 if the value was
// missing and is imputed, else 0.
Trajectory Columns(const Trajectory& seen, const Imputation& whole, const Arguments& a) {
  const Eigen::Index rows = seen.values.rows(), channels = seen.values.cols();
  Trajectory columns{
      .name = seen.name, .times = {}, .values = Matrix(rows, 4 * channels), .start_time = {}};
  Eigen::Index kept = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (a.only_gaps && !seen.values.row(i).array().isNaN().any()) continue;
    columns.times.push_back(seen.times[static_cast<std::size_t>(i)]);
    for (Eigen::Index c = 0; c < channels; ++c) {
      columns.values.row(kept).segment(4 * c, 4) << whole.filled.values(i, c),
          (a.noise ? whole.predictive_lower : whole.lower)(i, c),
          (a.noise ? whole.predictive_upper : whole.upper)(i, c),
          std::isnan(seen.values(i, c)) ? 1.0 : 0.0;
    }
    ++kept;
  }
  columns.values.conservativeResize(kept, Eigen::NoChange);
  return columns;
}

std::size_t CountMissing(const Trajectory& t) {
  return static_cast<std::size_t>(t.values.array().isNaN().count());
}

void Run(const Arguments& a) {
  std::vector<std::string> read = InputsOf(a.model);
  read.insert(read.end(), a.given.files.begin(), a.given.files.end());
  CheckTable(a.out, read);
  if (a.times) CheckTimeList({"impute", "--times"}, *a.times);
  const TrainedModel trained =
      LoadConditioned("impute", a.model, a.raw, a.given, {}, a.inputs, a.draws, a.common);
  const std::vector<double> times =
      a.times ? ParseTimes({"impute", "--times"}, *a.times, trained.data.calendar)
              : std::vector<double>();
  if (trained.data.trajectories.empty()) {
    internal::ThrowAt(a.model, "holds a model without its data, must hold the data to impute");
  }
  const Posterior posterior(trained.model);
  ForecastOptions options{.draws = a.draws, .seed = a.common.seed, .threads = a.common.threads};
  const FutureInputs inputs("impute", a.inputs, trained);
  const std::size_t count = trained.data.trajectories.size();
  const std::size_t only =
      a.trajectory ? FindTrajectory({"impute", "--trajectory"}, *a.trajectory, trained) : count;
  Dataset result;
  result.calendar = trained.data.calendar;
  for (const std::string& name : trained.model.channels) {
    for (const char* column : {"", "_lower", "_upper", "_missing"})
      result.channels.push_back(name + column);
  }
  std::size_t filled = 0;
  LostDraws lost;
  for (std::size_t n = 0; n < count; ++n) {
    if (a.trajectory && n != only) continue;
    const Trajectory seen = AddTimes(trained.data.trajectories[n], times);
    CheckAmount({"impute", "--draws"},
                static_cast<double>(seen.values.size()) * static_cast<double>(a.draws),
                "rows and channels");
    inputs.Set(posterior, n, {}, std::min(trained.model.start_times[n], seen.times.front()),
               seen.times.back(), &options);
    const Imputation whole = posterior.FillGaps(n, seen, a.level, options);
    filled += CountMissing(seen) - CountMissing(whole.filled);
    lost.Add(whole.lost);
    result.trajectories.push_back(Columns(seen, whole, a));
  }
  if (count == 1 || a.trajectory) result.trajectories[0].name.clear();
  if (a.out != "-" || !a.common.json) WriteResult(a.out, result);
  if (a.common.json) {
    nlohmann::ordered_json about = {{"model", a.model}, {"filled", filled},
                                    {"level", a.level}, {"noise", a.noise},
                                    {"draws", a.draws}, {"seed", a.common.seed}};
    AddLost(lost, &about);
    PrintResultJson(a.out, ColumnsOf(result), std::move(about));
    return CheckLostDraws("impute", lost);
  }
  const std::string said = fmt::format(
      "{}: {} filled, {:g} % bands {} noise{}, {}, seed {}, {}", a.out == "-" ? a.model : a.out,
      report::Pluralise(filled, "missing value", "missing values"), 100 * a.level,
      a.noise ? "with" : "without", report::WideningNote(trained.model),
      report::Pluralise(a.draws, "draw", "draws"), a.common.seed, DescribeLost(lost));
  if (!a.common.quiet) a.out == "-" ? PrintRemark(said) : PrintLine(said);
  CheckLostDraws("impute", lost);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  AddName(command, "-o,--output", "FILE", &a->out,
          "output file: .csv, .npz, or - for standard output (default)");
  AddWord(
      command, "--times", "LIST", [a](const Place&, const std::string& word) { a->times = word; },
      "further times to fill: FROM:TO:COUNT or T1,T2,...");
  AddWord(
      command, "--trajectory", "NAME",
      [a](const Place&, const std::string& word) { a->trajectory = word; },
      "fill only this trajectory, by its name or its number from 1 (default: all)");
  AddNumber(command, "--level", &a->level, {.least = 0, .most = 1, .above = true},
            "level of the bands (default: 0.9)");
  AddCount(command, "--draws", &a->draws, {1, 1'000'000},
           "draws of the vector field (default: 128)");
  AddSwitch(command, "--noise", &a->noise, "bands of observations, which include the noise");
  AddRaw(command, &a->raw);
  AddGivenOption(command, &a->given);
  AddInputOptions(command, &a->inputs);
  AddSwitch(command, "--only-gaps", &a->only_gaps, "write only rows with missing values");
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
}

}  // namespace

void AddImpute(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("impute", "Fill the gaps of a model's data, with bands");
  AddOptions(command, arguments.get());
  AddExamples(command, {"gpode impute lv.gpode -o filled.csv",
                        "gpode impute lv.gpode --times 0:10:201 --level 0.95 -o fine.csv",
                        "gpode impute lv.gpode --only-gaps -o -"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
