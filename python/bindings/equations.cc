// Bindings of readable equations, differences of fields and the design of measurements.
#include <algorithm>

#include "gpode/compare.h"
#include "gpode/design.h"
#include "gpode/error.h"
#include "gpode/explain.h"
#include "gpode/summary.h"
#include "insight.h"

namespace gpode::python {
namespace {

py::dict ToDict(const EquationSummary& equation, const Explanation& found, std::size_t index) {
  py::list terms;
  for (std::size_t k = 0; k < equation.terms.size(); ++k) {
    const TermSummary& term = equation.terms[k];
    py::dict row;
    row["term"] = found.library.names[k];
    row["probability"] = term.probability;
    row["chosen"] = term.chosen;
    row["coefficient"] = term.coefficient;
    row["standard_error"] = term.standard_error;
    row["band"] = BandTuple(term.band);
    terms.append(row);
  }
  py::dict d;
  d["state"] = equation.state;
  d["formula"] = FormulaText(found, index);
  d["explained"] = equation.explained;
  d["observations"] = equation.observations;
  d["terms"] = terms;
  return d;
}

// `terms` are lines of text, or None for polynomials of this degree.
py::dict Explain(const PyModel& model, std::size_t degree, const std::optional<std::string>& terms,
                 const std::string& source, std::size_t draws, double level, std::uint64_t seed,
                 std::size_t threads) {
  Explanation found;
  {
    const py::gil_scoped_release release;
    const std::vector<std::string> variables = ExplainVariables(model.model());
    found = ExplainModel(
        *model.posterior(), model.trained().data,
        terms ? WrittenTerms(*terms, source, variables) : PolynomialTerms(variables, degree),
        {.draws = draws, .seed = seed, .threads = threads, .level = level});
  }
  py::list equations;
  for (std::size_t i = 0; i < found.equations.size(); ++i) {
    equations.append(ToDict(found.equations[i], found, i));
  }
  py::dict d;
  d["equations"] = equations;
  d["level"] = found.level;
  d["text"] = EquationsText(found);
  d["latex"] = LatexText(found);
  return d;
}

py::dict Compare(const PyModel& a, const PyModel& b, const Ranges& region, std::size_t draws,
                 double level, double rate, std::uint64_t seed, std::size_t threads) {
  FieldDifference difference;
  const std::optional<StateBox> box = BoxOf(a, region, "compare");
  {
    const py::gil_scoped_release release;
    CompareOptions options;
    options.draws = draws;
    options.seed = seed;
    options.threads = threads;
    options.box = box;
    options.level = level;
    options.rate = rate;
    difference =
        CompareFields(*a.posterior(), a.trained().data, *b.posterior(), b.trained().data, options);
  }
  py::dict d;
  d["states"] = difference.states;
  d["side"] = difference.side;
  d["inside"] = difference.inside;
  d["differs"] = difference.differs;
  d["share"] = difference.share;
  d["chance"] = difference.chance;
  d["rate"] = difference.rate;
  d["level"] = difference.level;
  d["points"] = ToArray(std::move(difference.points));
  d["mean"] = ToArray(std::move(difference.mean));
  d["lower"] = ToArray(std::move(difference.lower));
  d["upper"] = ToArray(std::move(difference.upper));
  d["false_sign"] = ToArray(std::move(difference.false_sign));
  return d;
}

// Returns a row (start or None, time or None, channel, reduction, cost) for each candidate.
py::list ToList(const std::vector<DesignCandidate>& candidates) {
  py::list rows;
  for (const DesignCandidate& one : candidates) {
    const py::object start = one.start ? py::object(py::int_(*one.start)) : py::object(py::none()),
                     time = one.start ? py::object(py::none()) : py::object(py::float_(one.time));
    rows.append(py::make_tuple(start, time, one.channel, one.reduction, one.cost));
  }
  return rows;
}

DesignTarget TargetOf(const std::string& word) {
  for (const DesignTarget target :
       {DesignTarget::kForecast, DesignTarget::kField, DesignTarget::kStability}) {
    if (word == Name(target)) return target;
  }
  ThrowInput("design", "target", "must be forecast, field or stability");
}

// Returns a grid of states (side^D, D) in the region, by default that of the data.
py::array StartGrid(const PyModel& model, const Ranges& region, std::size_t side) {
  const std::optional<StateBox> box = BoxOf(model, region, "design");
  return ToArray(
      GridPoints(box.value_or(DefaultBox(*model.posterior(), model.trained().data)), side));
}

// `starts` (S, D) are states of new trajectories, which are observed at `start_times`. The keys of
// `costs` are pairs of a channel and the index of a time or, for a start, minus one minus its index.
py::dict DesignNext(const PyModel& model, const std::string& target, const InArray& times,
                    const InArray& window, const InArray& starts, const InArray& start_times,
                    const Ranges& region, std::size_t trajectory, bool each_channel,
                    std::size_t batch,
                    const std::map<std::pair<std::ptrdiff_t, std::string>, double>& costs,
                    std::size_t draws, std::uint64_t seed, std::size_t threads) {
  DesignOptions options;
  options.target = TargetOf(target);
  options.times = ToNumbers(times, "times");
  options.targets = ToNumbers(window, "window");
  options.start_times = ToNumbers(start_times, "start_times");
  options.trajectory = trajectory;
  options.each_channel = each_channel;
  options.batch = batch;
  options.draws = draws;
  options.seed = seed;
  options.threads = threads;
  options.region = BoxOf(model, region, "design");
  options.starts = ToMatrix(starts, "starts");
  options.cost = [&costs, at = options.times](const DesignCandidate& one) {
    const auto index = one.start ? -1 - static_cast<std::ptrdiff_t>(*one.start)
                                 : std::lower_bound(at.begin(), at.end(), one.time) - at.begin();
    const auto found = costs.find({index, one.channel});
    return found == costs.end() ? static_cast<double>(one.observations) : found->second;
  };
  Design design;
  {
    const py::gil_scoped_release release;
    design = DesignMeasurements(*model.posterior(), model.trained().data, options);
  }
  py::dict d;
  d["candidates"] = ToList(design.candidates);
  d["ranked"] = ToList(design.ranked);
  d["batch"] = ToList(design.batch);
  d["target"] = std::string(Name(design.target));
  d["deviation"] = design.deviation;
  d["draws"] = design.draws;
  d["states"] = design.states;
  d["starts"] = ToArray(std::move(design.starts));
  d["fixed_point"] = VectorArray(design.fixed_point);
  d["probability"] = design.probability;
  return d;
}

}  // namespace

void AddEquations(py::module_& module) {
  module.def("explain", &Explain, py::arg("model"), py::arg("degree"), py::arg("terms"),
             py::arg("source"), py::arg("draws"), py::arg("level"), py::arg("seed"),
             py::arg("threads"));
  module.def("compare", &Compare, py::arg("a"), py::arg("b"), py::arg("region"), py::arg("draws"),
             py::arg("level"), py::arg("rate"), py::arg("seed"), py::arg("threads"));
  module.def("start_grid", &StartGrid, py::arg("model"), py::arg("region"), py::arg("side"));
  module.def("design", &DesignNext, py::arg("model"), py::arg("target"), py::arg("times"),
             py::arg("window"), py::arg("starts"), py::arg("start_times"), py::arg("region"),
             py::arg("trajectory"), py::arg("each_channel"), py::arg("batch"), py::arg("costs"),
             py::arg("draws"), py::arg("seed"), py::arg("threads"));
}

}  // namespace gpode::python
