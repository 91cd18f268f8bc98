// Implements `gpode field`, which evaluates the learnt vector field on a grid of states.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "future_inputs.h"
#include "gpode/error.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"
#include "report/draw/printable.h"
#include "report/model_view.h"
#include "result_json.h"
#include "sidecar.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostPoints = 10'000'000;

struct Arguments {
  std::string model, out = "-";
  std::string grid;
  std::optional<std::string> at;
  std::size_t draws = 0;
  bool jacobian = false;
  CommonOptions common;
};

// Throws if a state is in the grid and also held constant.
void CheckHeldStatesNotInGrid(const Arguments& a) {
  if (!a.at) return;
  const std::vector<Assignment> grid = ParseAssignments({"field", "--grid"}, a.grid);
  for (const auto& [name, value] : ParseAssignments({"field", "--at"}, *a.at)) {
    const auto same = [&, held = name](const Assignment& axis) { return axis.first == held; };
    if (std::none_of(grid.begin(), grid.end(), same)) continue;
    Refuse({"field", "--at"}, *a.at, "values of states that are not in --grid");
  }
}

// Returns one range of values per state, then one per input. What is held constant has a range of
// one value.
std::vector<Range> Axes(const Arguments& a, const Model& model, const HeldInputs& inputs,
                        const std::vector<std::string>& names) {
  std::vector<Range> axes;
  for (double x : model.coordinates.state_offset) axes.push_back({x, x, 1});
  for (double u : inputs.values()) axes.push_back({u, u, 1});
  if (a.at) {
    const Place place{"field", "--at"};
    for (const auto& [name, value] : ParseAssignments(place, *a.at)) {
      const double x = ParseNumber({"field", "--at " + name}, value, kSaneNumber);
      axes[FindState(place, *a.at, name, names)] = {x, x, 1};
    }
  }
  const Place place{"field", "--grid"};
  CheckHeldStatesNotInGrid(a);
  for (const auto& [name, range] : ParseAssignments(place, a.grid)) {
    axes[FindState(place, a.grid, name, names)] = ParseRange({"field", "--grid " + name}, range);
  }
  double points = 1;
  for (const Range& axis : axes) points *= static_cast<double>(axis.count);
  if (points > static_cast<double>(kMostPoints)) {
    Refuse(place, a.grid, fmt::format("a grid of at most {} points", kMostPoints));
  }
  const auto dim = static_cast<double>(model.dim());
  CheckAmount({"field", "--draws"},
              points * dim * (static_cast<double>(a.draws) + (a.jacobian ? dim : 1)),
              "points and states");
  return axes;
}

// Returns all points of the grid; the last axis varies fastest.
Matrix GridOf(const std::vector<Range>& axes) {
  Eigen::Index rows = 1;
  for (const Range& axis : axes) rows *= static_cast<Eigen::Index>(axis.count);
  Matrix points(rows, std::ssize(axes));
  for (Eigen::Index i = 0; i < rows; ++i) {
    Eigen::Index rest = i;
    for (Eigen::Index d = points.cols() - 1; d >= 0; --d) {
      const Range& axis = axes[static_cast<std::size_t>(d)];
      const auto count = static_cast<Eigen::Index>(axis.count);
      const double share =
          count > 1 ? static_cast<double>(rest % count) / static_cast<double>(count - 1) : 0;
      points(i, d) = share == 1 ? axis.to : axis.from + share * (axis.to - axis.from);
      rest /= count;
    }
  }
  return points;
}

void AddColumns(const Matrix& values, const std::vector<std::string>& names,
                std::vector<Column>* columns) {
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    const auto column = values.col(k);
    columns->push_back(
        {.name = names[static_cast<std::size_t>(k)], .numbers = {column.begin(), column.end()}});
  }
}

std::vector<std::string> Derivatives(const std::vector<std::string>& names,
                                     std::string_view ending) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(fmt::format("d{}_dt{}", name, ending));
  return all;
}

// Returns the Jacobians of the field at n points, (n, D * D), each row by row.
Matrix Jacobians(const Field& field, const Matrix& points, const Matrix& inputs) {
  const Eigen::Index dim = points.cols();
  Matrix all(points.rows(), dim * dim);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const Vector x = points.row(i), u = inputs.row(i);
    field.Jacobian({0,
                    {x.data(), static_cast<std::size_t>(dim)},
                    {u.data(), static_cast<std::size_t>(u.size())}},
                   {all.row(i).data(), static_cast<std::size_t>(dim * dim)});
  }
  return all;
}

std::vector<std::string> JacobianNames(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& of : names) {
    for (const std::string& by : names) all.push_back(fmt::format("d{}_dt_by_{}", of, by));
  }
  return all;
}

void Run(const Arguments& a) {
  CheckTable(a.out, InputsOf(a.model));
  const Posterior posterior(LoadModel(a.model));
  const std::vector<std::string> names = report::StateNames(posterior.model());
  const HeldInputs held(posterior);
  std::vector<std::string> axes = names;
  axes.insert(axes.end(), held.names().begin(), held.names().end());
  const Matrix grid = GridOf(Axes(a, posterior.model(), held, axes));
  const Matrix points = grid.leftCols(std::ssize(names));
  const Matrix inputs = held.Inputs(grid.rightCols(held.values().size()));
  std::vector<Column> columns;
  AddColumns(grid, axes, &columns);
  AddColumns(posterior.FieldMean(points, inputs), Derivatives(names, ""), &columns);
  AddColumns(posterior.FieldVariance(points, inputs).cwiseSqrt(), Derivatives(names, "_sd"),
             &columns);
  if (a.jacobian) {
    AddColumns(Jacobians(posterior.MeanField(), points, inputs), JacobianNames(names), &columns);
  }
  for (std::size_t i = 0; i < a.draws; ++i) {
    const PosteriorField draw = posterior.DrawField(a.common.seed, i);
    AddColumns(Evaluate(draw, points, 0, inputs), Derivatives(names, fmt::format("_draw{}", i + 1)),
               &columns);
  }
  if (a.out != "-" || !a.common.json) WriteResult(a.out, columns);
  if (a.common.json) {
    return PrintResultJson(
        a.out, columns,
        {{"model", a.model}, {"states", names}, {"draws", a.draws}, {"seed", a.common.seed}});
  }
  if (a.common.quiet) return;
  const std::string draws =
      a.draws > 0
          ? fmt::format(", {}, seed {}", report::Pluralise(a.draws, "draw", "draws"), a.common.seed)
          : "";
  const std::string said = fmt::format(
      "{}: field of {} at {}{}", a.out == "-" ? a.model : a.out,
      fmt::join(report::Shortened(names, 60), ", "),
      report::Pluralise(static_cast<std::size_t>(points.rows()), "point", "points"), draws);
  a.out == "-" ? PrintRemark(said) : PrintLine(said);
}

void AddOptions(CLI::App* command, Arguments* a) {
  command->add_option("MODEL", a->model, "model file")->required();
  command
      ->add_option("--grid", a->grid,
                   "grid: S=FROM:TO:COUNT for a state or an input, or several separated by commas")
      ->required()
      ->type_name("GRID");
  AddWord(
      command, "--at", "S=X,...", [a](const Place&, const std::string& word) { a->at = word; },
      "values of states, inputs and the time that are not in the grid (default: the middle of the "
      "data)");
  AddName(command, "-o,--output", "FILE", &a->out,
          "output file: .csv, .npz, or - for standard output (default)");
  AddCount(command, "--draws", &a->draws, {0, 10'000},
           "draws of the vector field to include (default: 0)");
  AddSwitch(command, "--jacobian", &a->jacobian, "include the Jacobian of the mean field");
  AddSeed(command, &a->common, "the draws");
  AddQuiet(command, &a->common);
  AddJson(command, &a->common);
}

}  // namespace

void AddField(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("field", "Evaluate the learnt vector field on a grid");
  AddOptions(command, arguments.get());
  AddExamples(command,
              {"gpode field vdp.gpode --grid x1=-3:3:30,x2=-3:3:30 -o field.csv",
               "gpode field lorenz.gpode --grid x1=-20:20:50 --at x2=0,x3=25 --jacobian -o -"});
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace gpode::tool
