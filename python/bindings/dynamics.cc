// Bindings of the analysis of dynamics: fixed points, oscillations, basins and Lyapunov exponents,
// also over the values of an input.
#include "gpode/summary.h"
#include "insight.h"
#include "supervisor.h"

namespace gpode::python {
namespace {

py::dict ToDict(const PointSummary& point) {
  py::dict d, types;
  for (std::size_t t = 0; t < point.types.size(); ++t) {
    types[py::str(std::string(Name(static_cast<FixedPointType>(t))))] = point.types[t];
  }
  d["probability"] = point.probability;
  d["in_mean_field"] = point.in_mean_field;
  d["mean"] = VectorArray(point.mean);
  d["covariance"] = ToArray(point.covariance);
  d["place"] = BandTuples(point.place);
  d["types"] = types;
  d["stable"] = point.stable;
  d["real"] = BandTuples(point.real);
  d["imaginary"] = BandTuples(point.imaginary);
  d["distance"] = point.distance;
  d["outside_data"] = point.outside_data;
  d["states"] = ToArray(point.states);
  d["is_stable"] = point.is_stable;
  return d;
}

py::dict ToDict(const OscillationSummary& o) {
  py::dict d;
  d["probability"] = o.probability;
  d["cycle_probability"] = o.cycle_probability;
  d["period"] = BandTuple(o.period);
  d["amplitude"] = BandTuples(o.amplitude);
  d["multiplier"] = BandTuple(o.multiplier);
  py::list cycles;
  for (const Matrix& cycle : o.cycles) cycles.append(ToArray(cycle));
  d["cycles"] = cycles;
  return d;
}

py::dict ToDict(const ExponentSummary& e) {
  py::dict d;
  d["exponents"] = BandTuples(e.exponents);
  d["time_error"] = e.time_error;
  d["positive"] = e.positive;
  d["draws"] = e.draws;
  d["horizon"] = BandTuple(e.horizon);
  return d;
}

py::dict ToDict(const EnergySummary& e) {
  py::dict d;
  d["draws"] = e.draws;
  d["conserved"] = e.IsConserved();
  d["zero"] = VectorArray(e.zero);
  d["first"] = BandTuple(e.first);
  d["last"] = BandTuple(e.last);
  d["drift"] = BandTuple(e.drift);
  d["loss"] = BandTuple(e.loss);
  return d;
}

py::dict ToDict(const BasinSummary& basins) {
  py::dict d;
  py::list probabilities;
  for (const auto& one : basins.probabilities) probabilities.append(ToArray(Matrix(one)));
  d["cells"] = basins.cells;
  d["labels"] = basins.labels;
  d["probabilities"] = probabilities;
  return d;
}

// Adds what is known about the mean field.
void AddMeanField(const Analysis& a, py::dict* d) {
  py::list points, cycles, separatrices;
  for (const FixedPoint& point : a.mean_points.points) {
    py::dict one;
    one["state"] = VectorArray(point.state);
    one["type"] = std::string(Name(point.type));
    one["stable"] = point.stable;
    points.append(one);
  }
  for (const LimitCycle& cycle : a.mean_cycles) {
    py::dict one;
    one["period"] = cycle.period;
    one["stable"] = cycle.stable;
    one["states"] = ToArray(cycle.states);
    cycles.append(one);
  }
  for (const Matrix& curve : a.separatrices) separatrices.append(ToArray(curve));
  (*d)["mean_points"] = points;
  (*d)["mean_cycles"] = cycles;
  (*d)["separatrices"] = separatrices;
}

py::dict ToDict(const Analysis& a) {
  py::dict d;
  d["states"] = a.states;
  d["lower"] = VectorArray(a.box.lower);
  d["upper"] = VectorArray(a.box.upper);
  d["inputs"] = VectorArray(a.inputs);
  d["level"] = a.level;
  d["draws"] = a.draws;
  d["checked"] = a.checked;
  py::list points;
  for (const PointSummary& point : a.points) points.append(ToDict(point));
  d["points"] = points;
  d["counts"] = a.counts;
  d["fates"] = std::vector<double>(a.fates.begin(), a.fates.end());
  d["oscillation"] = ToDict(a.oscillation);
  d["lyapunov"] = ToDict(a.exponents);
  d["energy"] = ToDict(a.energy);
  d["basins"] = a.basins.cells > 0 ? py::object(ToDict(a.basins)) : py::none();
  AddMeanField(a, &d);
  return d;
}

AnalysisOptions OptionsOf(const PyModel& model, const Ranges& region, std::size_t draws,
                          double level, std::uint64_t seed, std::size_t threads,
                          const char* function) {
  AnalysisOptions options;
  options.draws = draws;
  options.seed = seed;
  options.threads = threads;
  options.level = level;
  options.box = BoxOf(model, region, function);
  return options;
}

auto Reporter(Run* run) {
  return [run](std::size_t done, std::size_t total) {
    return run->Report({.step = done, .steps = total});
  };
}

// Returns the analysis and the exception that ended it early, or None.
py::tuple Analyse(const std::shared_ptr<PyModel>& model, const Ranges& region,
                  const std::map<std::string, double>& at, std::size_t draws, double level,
                  bool basins, std::uint64_t seed, std::size_t threads,
                  const py::object& progress) {
  AnalysisOptions options = OptionsOf(*model, region, draws, level, seed, threads, "analyse");
  options.inputs = InputsOf(HoldInputs(*model, at, "analyse"));
  if (!basins) options.basin_cells = 0;
  auto [analysis, raised] = Supervise<Analysis>(progress, [=](Run& run) {
    AnalysisOptions own = options;
    own.report = Reporter(&run);
    return AnalysePosterior(*model->posterior(), model->trained().data, own);
  });
  const bool any = analysis && analysis->draws > 0;
  return py::make_tuple(any ? py::object(ToDict(*analysis)) : py::none(), raised);
}

// Returns an analysis for each value of one input, and the exception that ended it, or None.
py::tuple Sweep(const std::shared_ptr<PyModel>& model, const std::string& input,
                const InArray& values, const Ranges& region,
                const std::map<std::string, double>& at, std::size_t draws, double level,
                std::uint64_t seed, std::size_t threads, const py::object& progress) {
  const AnalysisOptions options = OptionsOf(*model, region, draws, level, seed, threads, "sweep");
  HeldInputs held = HoldInputs(*model, at, "sweep");
  const std::vector<double> list = ToNumbers(values, "values");
  Matrix rows(std::ssize(list), held.values().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    held = HoldInputs(*model, {{input, list[i]}}, "sweep");
    for (const auto& [name, value] : at) {
      if (name != input) held.Set(name, value);
    }
    rows.row(static_cast<Eigen::Index>(i)) = held.values().transpose();
  }
  const Matrix inputs = held.Inputs(rows);
  auto [sweep, raised] = Supervise<std::vector<Analysis>>(progress, [=](Run& run) {
    AnalysisOptions own = options;
    own.report = Reporter(&run);
    return SweepInputs(*model->posterior(), model->trained().data, inputs, own);
  });
  py::list all;
  for (const Analysis& one : sweep.value_or(std::vector<Analysis>{})) all.append(ToDict(one));
  return py::make_tuple(all, raised);
}

}  // namespace

void AddDynamics(py::module_& module) {
  module.def("analyse", &Analyse, py::arg("model"), py::arg("region"), py::arg("at"),
             py::arg("draws"), py::arg("level"), py::arg("basins"), py::arg("seed"),
             py::arg("threads"), py::arg("progress"));
  module.def("sweep", &Sweep, py::arg("model"), py::arg("input"), py::arg("values"),
             py::arg("region"), py::arg("at"), py::arg("draws"), py::arg("level"), py::arg("seed"),
             py::arg("threads"), py::arg("progress"));
}

}  // namespace gpode::python
