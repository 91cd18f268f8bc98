// Forecasts, imputations and scores.
#include <cmath>
#include <optional>
#include <utility>

#include "bindings.h"
#include "gpode/compare.h"
#include "gpode/condition.h"
#include "gpode/pit.h"
#include "gpode/scores.h"
#include "gpode/simulate.h"

namespace gpode::python {
namespace {

// Times (K) and values (K, measured inputs) of future inputs.
using FutureInputs = std::optional<std::pair<InArray, InArray>>;

// Times and changes of the states (D).
using Pushes = std::vector<std::pair<double, InArray>>;

ForecastOptions OptionsOf(std::size_t draws, std::uint64_t seed, std::size_t threads, bool latest,
                          bool states, const FutureInputs& inputs, bool hold_inputs) {
  ForecastOptions options{.draws = draws,
                          .seed = seed,
                          .threads = threads,
                          .from = latest ? Origin::kLatestState : Origin::kInitialState,
                          .states = states,
                          .hold_inputs = hold_inputs};
  if (inputs) {
    options.inputs = {.times = ToNumbers(inputs->first, "inputs"),
                      .values = ToMatrix(inputs->second, "inputs")};
  }
  return options;
}

std::shared_ptr<Forecast> Finish(Forecast forecast, bool states) {
  return std::make_shared<Forecast>(states ? forecast.OfStates() : std::move(forecast));
}

std::shared_ptr<Forecast> ForecastTrajectoryOf(const PyModel& model, std::size_t trajectory,
                                               const InArray& times, std::size_t draws,
                                               std::uint64_t seed, std::size_t threads, bool latest,
                                               bool states, bool raw, const FutureInputs& inputs,
                                               bool hold_inputs, const Pushes& pushes) {
  const std::vector<double> at = ToNumbers(times, "times");
  const ForecastOptions options =
      OptionsOf(draws, seed, threads, latest, states, inputs, hold_inputs);
  std::vector<Push> changes;
  for (const auto& [time, change] : pushes) {
    const std::vector<double> numbers = ToNumbers(change, "push");
    changes.push_back({time, Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers))});
  }
  const py::gil_scoped_release release;
  const std::shared_ptr<const Posterior> posterior = model.posterior(raw);
  return Finish(changes.empty() ? posterior->Trajectory(trajectory, at, options)
                                : ForecastPushed(*posterior, trajectory, at, changes, options),
                states);
}

std::shared_ptr<Forecast> ForecastFromValues(const PyModel& model, const InArray& values,
                                             double start, const InArray& times, std::size_t draws,
                                             std::uint64_t seed, std::size_t threads, bool states,
                                             bool raw, const FutureInputs& inputs,
                                             bool hold_inputs) {
  const std::vector<double> at = ToNumbers(times, "times"), from = ToNumbers(values, "values");
  const ForecastOptions options =
      OptionsOf(draws, seed, threads, true, states, inputs, hold_inputs);
  const py::gil_scoped_release release;
  const std::shared_ptr<const Posterior> posterior = model.posterior(raw);
  return Finish(posterior->From(posterior->StateOf(from), start, at, options), states);
}

py::dict ToDict(const Scores& s) {
  py::dict d;
  d["mnll"] = s.mnll;
  d["mse"] = s.mse;
  d["crps"] = s.crps;
  d["coverage_50"] = s.coverage_50;
  d["coverage_90"] = s.coverage_90;
  d["coverage_95"] = s.coverage_95;
  d["predictive_50"] = s.predictive_50;
  d["predictive_90"] = s.predictive_90;
  d["predictive_95"] = s.predictive_95;
  d["values"] = s.values;
  d["diverged"] = s.diverged;
  if (s.unfinished > 0) d["unfinished"] = s.unfinished;
  return d;
}

// Returns the scores of several forecasts together and, if there are edges, by the time since
// `starts`.
py::dict ScoreForecasts(const PyModel& model,
                        const std::vector<std::shared_ptr<Forecast>>& forecasts,
                        const std::vector<InArray>& observed, const std::vector<double>& starts,
                        const std::vector<double>& edges, std::size_t threads) {
  std::vector<Matrix> values;
  for (const InArray& one : observed) values.push_back(ToMatrix(one, "observed"));
  Scores scores;
  std::vector<HorizonScores> rows;
  {
    const py::gil_scoped_release release;
    const ObservationNoise noise = model.model().noise();
    std::vector<Scores> parts;
    std::vector<std::vector<HorizonScores>> by_horizon;
    for (std::size_t i = 0; i < forecasts.size(); ++i) {
      parts.push_back(Score(*forecasts[i], noise, values.at(i), threads));
      if (edges.empty()) continue;
      by_horizon.push_back(
          ScoreByHorizon(*forecasts[i], noise, values[i], starts.at(i), edges, threads));
    }
    scores = Pool(parts);
    if (!edges.empty()) rows = PoolByHorizon(by_horizon);
  }
  py::dict result = ToDict(scores);
  if (edges.empty()) return result;
  py::list horizons;
  for (const HorizonScores& row : rows) {
    py::dict one;
    one["from"] = row.from;
    one["to"] = row.to;
    for (const auto& [key, value] : ToDict(row.scores)) one[key] = value;
    horizons.append(one);
  }
  result["horizons"] = horizons;
  return result;
}

// Returns filled values, lower and upper ends of bands, the number of draws that diverged, and a
// warning if too many draws were lost.
py::tuple Impute(const PyModel& model, std::size_t trajectory, const InArray& times,
                 const InArray& values, double level, std::size_t draws, std::uint64_t seed,
                 std::size_t threads, bool noise, bool raw) {
  Trajectory seen{.name = {},
                  .times = ToNumbers(times, "times"),
                  .values = ToMatrix(values, "values"),
                  .start_time = {}};
  Imputation whole;
  {
    const py::gil_scoped_release release;
    whole = model.posterior(raw)->FillGaps(trajectory, seen, level,
                                           {.draws = draws, .seed = seed, .threads = threads});
  }
  return py::make_tuple(ToArray(std::move(whole.filled.values)),
                        ToArray(std::move(noise ? whole.predictive_lower : whole.lower)),
                        ToArray(std::move(noise ? whole.predictive_upper : whole.upper)),
                        whole.diverged, whole.lost.Warning());
}

// Returns the model conditioned on new data, a line about it, and a warning or an empty text.
py::tuple ConditionOn(const PyModel& model, const Dataset& given, std::size_t draws,
                      std::uint64_t seed, std::size_t threads) {
  Conditioned done;
  {
    const py::gil_scoped_release release;
    Dataset named = given;
    named.channels = model.model().channels;
    done = Condition(model.model(), named, model.trained().data,
                     {.draws = draws, .seed = seed, .threads = threads});
  }
  const std::string said = done.Describe(), warning = done.Warning();
  TrainedModel trained = model.trained();
  trained.model = std::move(done.model);
  trained.data = given;
  return py::make_tuple(std::make_shared<PyModel>(std::move(trained)), said, warning);
}

template <Matrix (Forecast::*Quantile)(double) const>
py::array QuantileOf(const Forecast& forecast, double p) {
  Matrix result;
  {
    const py::gil_scoped_release release;
    result = (forecast.*Quantile)(p);
  }
  return ToArray(std::move(result));
}

}  // namespace

void AddForecast(py::module_& module) {
  py::class_<Forecast, std::shared_ptr<Forecast>>(module, "Forecast")
      .def_property_readonly(
          "times",
          [](const py::object& self) { return ViewOf(self.cast<const Forecast&>().times, self); })
      .def_property_readonly(
          "draws",
          [](const py::object& self) { return ViewOf(self.cast<const Forecast&>().draws, self); })
      .def_property_readonly("widening",
                             [](const py::object& self) {
                               return ViewOf(self.cast<const Forecast&>().widening, self);
                             })
      .def_readonly("diverged", &Forecast::diverged)
      .def_property_readonly("warning",
                             [](const Forecast& forecast) {
                               LostDraws lost;
                               lost.Add(forecast);
                               return lost.Warning();
                             })
      .def("mean", [](const Forecast& forecast) { return ToArray(forecast.Mean()); })
      .def("quantile", &QuantileOf<&Forecast::Quantile>)
      .def("predictive_quantile", &QuantileOf<&Forecast::PredictiveQuantile>);

  module.def("forecast_trajectory", &ForecastTrajectoryOf, py::arg("model"), py::arg("trajectory"),
             py::arg("times"), py::arg("draws"), py::arg("seed"), py::arg("threads"),
             py::arg("latest"), py::arg("states"), py::arg("raw"), py::arg("inputs") = py::none(),
             py::arg("hold_inputs") = false, py::arg("pushes") = Pushes{});
  module.def("forecast_from", &ForecastFromValues, py::arg("model"), py::arg("values"),
             py::arg("start"), py::arg("times"), py::arg("draws"), py::arg("seed"),
             py::arg("threads"), py::arg("states"), py::arg("raw"), py::arg("inputs") = py::none(),
             py::arg("hold_inputs") = false);
  module.def("score_forecasts", &ScoreForecasts, py::arg("model"), py::arg("forecasts"),
             py::arg("observed"), py::arg("starts"), py::arg("edges"), py::arg("threads"));
  module.def("pit_values", [](const Forecast& forecast, const InArray& observed) {
    const Matrix seen = ToMatrix(observed, "observed");
    PitValues values;
    AddPitValues(forecast, seen, &values);
    // A value that could not be forecast is inside no band.
    values.with_noise.insert(values.with_noise.end(), values.missed, NAN);
    values.without_noise.insert(values.without_noise.end(), values.missed, NAN);
    return py::make_tuple(ToArray(std::move(values.with_noise)),
                          ToArray(std::move(values.without_noise)));
  });
  module.def("condition", &ConditionOn, py::arg("model"), py::arg("given"), py::arg("draws"),
             py::arg("seed"), py::arg("threads"));
  module.def("regular_times", [](double from, double to, std::size_t count) {
    return ToArray(RegularTimes(from, to, count));
  });
  module.def("impute", &Impute, py::arg("model"), py::arg("trajectory"), py::arg("times"),
             py::arg("values"), py::arg("level"), py::arg("draws"), py::arg("seed"),
             py::arg("threads"), py::arg("noise"), py::arg("raw"));
}

}  // namespace gpode::python
