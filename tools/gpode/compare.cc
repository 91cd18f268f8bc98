// Implements `gpode compare`, which shows where the fields of two models differ. The work is done
// in src/analyse/compare.cc.
#include "gpode/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "gpode/error.h"
#include "io/files.h"
#include "model_input.h"
#include "output.h"
#include "picture.h"
#include "region.h"
#include "report/insight_json.h"
#include "report/model_view.h"
#include "report/plot/compare_plot.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

struct Arguments {
  std::string first, second, out;
  PictureArguments picture;
  std::optional<std::string> region;
  CompareOptions options;
  CommonOptions common;
};

nlohmann::ordered_json DifferenceJson(const FieldDifference& d) {
  nlohmann::ordered_json json = {{"states", d.states}, {"rate", d.rate},
                                 {"level", d.level},   {"share_that_differs", d.share},
                                 {"chance", d.chance}, {"points", nlohmann::ordered_json::array()}};
  const auto dim = static_cast<std::size_t>(d.points.cols());
  for (Eigen::Index i = 0; i < d.points.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto begin = d.differs.begin() + static_cast<std::ptrdiff_t>(k * dim);
    json["points"].push_back(
        {{"state", report::VectorJson(d.points.row(i).transpose())},
         {"inside_data", static_cast<bool>(d.inside[k])},
         {"difference", report::VectorJson(d.mean.row(i).transpose())},
         {"lower", report::VectorJson(d.lower.row(i).transpose())},
         {"upper", report::VectorJson(d.upper.row(i).transpose())},
         {"false_sign_rate", report::VectorJson(d.false_sign.row(i).transpose())},
         {"differs", std::vector<bool>(begin, begin + static_cast<std::ptrdiff_t>(dim))}});
  }
  return json;
}

void PrintDifference(const Arguments& a, const FieldDifference& d) {
  const auto compared = static_cast<std::size_t>(std::ranges::count(d.inside, true));
  Print("{} minus {}: {} near the data of both, {}, seed {}\n", a.first, a.second,
        report::Pluralise(compared, "state", "states"),
        report::Pluralise(a.options.draws, "draw", "draws"), a.common.seed);
  Print("chance of a difference as large as the largest if the fields were equal: {:.3f}\n",
        d.chance);
  Print("values that differ at a false discovery rate of {:g}: {:.1f} %\n", d.rate, 100 * d.share);
  for (std::size_t s = 0; s < d.states.size(); ++s) {
    const auto column = static_cast<Eigen::Index>(s);
    Eigen::Index largest = -1;
    std::size_t count = 0;
    for (Eigen::Index i = 0; i < d.points.rows(); ++i) {
      if (!d.differs[static_cast<std::size_t>(i) * d.states.size() + s]) continue;
      ++count;
      if (largest < 0 || std::abs(d.mean(i, column)) > std::abs(d.mean(largest, column))) {
        largest = i;
      }
    }
    if (largest < 0) {
      Print("  d{}/dt: nowhere\n", d.states[s]);
      continue;
    }
    std::vector<std::string> place;
    for (std::size_t k = 0; k < d.states.size(); ++k) {
      place.push_back(
          fmt::format("{} = {:.3g}", d.states[k], d.points(largest, static_cast<Eigen::Index>(k))));
    }
    Print("  d{}/dt: at {}; the most by {:.3g} ({:.3g} to {:.3g}) at {}\n", d.states[s],
          report::Pluralise(count, "state", "states"), d.mean(largest, column),
          d.lower(largest, column), d.upper(largest, column), fmt::join(place, ", "));
  }
}

void Run(const Arguments& a) {
  std::vector<std::string> inputs = InputsOf(a.first);
  for (const std::string& file : InputsOf(a.second)) inputs.push_back(file);
  CheckSecondOutput(a.out, OutputKind::kJson, inputs);
  CheckPicture("compare", a.picture, inputs);
  const TrainedModel first = LoadTrainedModel(a.first), second = LoadTrainedModel(a.second);
  const Posterior left(first.model), right(second.model);
  CompareOptions options = a.options;
  options.seed = a.common.seed;
  options.threads = a.common.threads;
  if (a.region) options.box = ParseRegion({"compare", "--region"}, *a.region, left, first.data);
  if (!a.picture.file.empty() && left.dim() > 2) {
    ThrowInput("compare", "--plot", "needs models of one or two states");
  }
  const FieldDifference difference = CompareFields(left, first.data, right, second.data, options);
  if (!a.out.empty() || a.common.json) {
    nlohmann::ordered_json json = {{"first", a.first}, {"second", a.second}};
    json.update(DifferenceJson(difference));
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (a.common.json) WriteToStandardOutput(text);
    if (!a.out.empty()) internal::WriteFile(a.out, std::as_bytes(std::span(text)));
  }
  if (!a.common.json) PrintDifference(a, difference);
  DrawPicture(
      "compare", a.picture,
      [&](report::Canvas* canvas) { report::PlotDifference(difference, canvas); }, 0.55);
}

}  // namespace

void AddCompare(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  Arguments* const a = arguments.get();
  CLI::App* command = app.add_subcommand("compare", "Show where the fields of two models differ");
  command->add_option("A", a->first, "model file")->required();
  command->add_option("B", a->second, "model file, whose field is subtracted")->required();
  AddText(command, "--region", "S=A:B,...", &a->region,
          "ranges of the states to compare (default: where the data of both models overlap)");
  AddCount(command, "--draws", &a->options.draws, {2, 100'000},
           "draws of each vector field (default: 256)");
  AddNumber(command, "--rate", &a->options.rate, {.least = 0, .most = 1, .above = true},
            "false discovery rate (default: 0.05)");
  AddNumber(command, "--level", &a->options.level, {.least = 0, .most = 1, .above = true},
            "probability of the bands (default: 0.9)");
  AddName(command, "-o,--output", "FILE", &a->out, "file for the results as JSON");
  AddPictureOptions(command, &a->picture);
  AddJson(command, &a->common);
  AddSeed(command, &a->common, "the draws");
  AddThreads(command, &a->common);
  AddExamples(command, {"gpode compare before.gpode after.gpode",
                        "gpode compare a.gpode b.gpode --plot difference.png -o difference.json"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
