#include "report/insight_json.h"

#include <cmath>

namespace gpode::report {
namespace {

using Json = nlohmann::ordered_json;

Json BandsJson(const std::vector<QuantityBand>& bands) {
  Json list = Json::array();
  for (const QuantityBand& band : bands) list.push_back(BandJson(band));
  return list;
}

Json PointJson(const PointSummary& point) {
  Json types;
  for (std::size_t t = 0; t < point.types.size(); ++t) {
    types[std::string(Name(static_cast<FixedPointType>(t)))] = point.types[t];
  }
  return {{"probability", point.probability},
          {"in_mean_field", point.in_mean_field},
          {"mean", VectorJson(point.mean)},
          {"covariance", MatrixJson(point.covariance)},
          {"place", BandsJson(point.place)},
          {"types", types},
          {"stable", point.stable},
          {"eigenvalues_real", BandsJson(point.real)},
          {"eigenvalues_imaginary", BandsJson(point.imaginary)},
          {"distance_from_data", NumberJson(point.distance)},
          {"outside_data", point.outside_data}};
}

Json CycleJson(const LimitCycle& cycle) {
  Json multipliers = Json::array();
  for (const std::complex<double>& m : cycle.multipliers) {
    multipliers.push_back({{"real", NumberJson(m.real())}, {"imaginary", NumberJson(m.imag())}});
  }
  return {{"period", cycle.period},           {"stable", cycle.stable},
          {"neutral", cycle.neutral},         {"lower", VectorJson(cycle.lower)},
          {"upper", VectorJson(cycle.upper)}, {"multipliers", multipliers}};
}

Json BasinsJson(const BasinSummary& basins) {
  Json json = {{"cells", basins.cells}, {"labels", basins.labels}};
  json["probabilities"] = Json::array();
  for (const auto& matrix : basins.probabilities)
    json["probabilities"].push_back(MatrixJson(matrix));
  return json;
}

}  // namespace

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json BandJson(const QuantityBand& band) {
  return {{"median", NumberJson(band.median)},
          {"lower", NumberJson(band.lower)},
          {"upper", NumberJson(band.upper)}};
}

Json VectorJson(const Vector& values) {
  Json list = Json::array();
  for (double value : values) list.push_back(NumberJson(value));
  return list;
}

Json MatrixJson(const Matrix& values) {
  Json rows = Json::array();
  for (const auto& row : values.rowwise()) rows.push_back(VectorJson(row.transpose()));
  return rows;
}

Json AnalysisJson(const Analysis& a) {
  Json json = {{"states", a.states},
               {"box", {{"lower", VectorJson(a.box.lower)}, {"upper", VectorJson(a.box.upper)}}},
               {"inputs", VectorJson(a.inputs)},
               {"level", a.level},
               {"draws", a.draws},
               {"draws_asked", a.asked},
               {"searches_checked", a.checked}};
  json["fixed_points"] = Json::array();
  for (const PointSummary& point : a.points) json["fixed_points"].push_back(PointJson(point));
  json["fixed_point_counts"] = a.counts;
  json["ends"] = {{"fixed_point", a.fates[0]},
                  {"limit_cycle", a.fates[1]},
                  {"leaves", a.fates[2]},
                  {"keeps_moving", a.fates[3]}};
  const OscillationSummary& o = a.oscillation;
  json["oscillation"] = {{"probability", o.probability},
                         {"limit_cycle_probability", o.cycle_probability},
                         {"period", BandJson(o.period)},
                         {"amplitude", BandsJson(o.amplitude)},
                         {"multiplier", BandJson(o.multiplier)}};
  const ExponentSummary& e = a.exponents;
  json["lyapunov"] = {{"exponents", BandsJson(e.exponents)},
                      {"draws", e.draws},
                      {"time_error", NumberJson(e.time_error)},
                      {"positive", e.positive},
                      {"horizon", BandJson(e.horizon)}};
  if (const EnergySummary& energy = a.energy; energy.draws > 0) {
    json["energy"] = {{"conserved", energy.IsConserved()},  {"draws", energy.draws},
                      {"zero_at", VectorJson(energy.zero)}, {"first", BandJson(energy.first)},
                      {"last", BandJson(energy.last)},      {"drift", BandJson(energy.drift)},
                      {"loss", BandJson(energy.loss)}};
  }
  json["mean_field"]["fixed_points"] = Json::array();
  for (const FixedPoint& point : a.mean_points.points) {
    json["mean_field"]["fixed_points"].push_back({{"state", VectorJson(point.state)},
                                                  {"type", std::string(Name(point.type))},
                                                  {"stable", point.stable}});
  }
  json["mean_field"]["limit_cycles"] = Json::array();
  for (const LimitCycle& cycle : a.mean_cycles) {
    json["mean_field"]["limit_cycles"].push_back(CycleJson(cycle));
  }
  json["mean_field"]["separatrices"] = Json::array();
  for (const Matrix& curve : a.separatrices) {
    json["mean_field"]["separatrices"].push_back(MatrixJson(curve));
  }
  if (a.basins.cells > 0) json["basins"] = BasinsJson(a.basins);
  return json;
}

Json SweepJson(const std::string& name, const std::vector<double>& values,
               const std::vector<Analysis>& sweep) {
  Json json = {{"input", name}, {"steps", Json::array()}};
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    Json one = {{"value", values[i]}};
    one.update(AnalysisJson(sweep[i]));
    json["steps"].push_back(one);
  }
  return json;
}

Json ExplanationJson(const Explanation& explanation) {
  Json json = {{"level", explanation.level}, {"equations", Json::array()}};
  for (std::size_t d = 0; d < explanation.equations.size(); ++d) {
    const EquationSummary& equation = explanation.equations[d];
    Json terms = Json::array();
    for (std::size_t k = 0; k < equation.terms.size(); ++k) {
      const TermSummary& term = equation.terms[k];
      terms.push_back({{"term", explanation.library.names[k]},
                       {"probability", term.probability},
                       {"chosen", term.chosen},
                       {"coefficient", NumberJson(term.coefficient)},
                       {"standard_error", NumberJson(term.standard_error)},
                       {"band", BandJson(term.band)}});
    }
    json["equations"].push_back({{"state", equation.state},
                                 {"formula", FormulaText(explanation, d)},
                                 {"explained", NumberJson(equation.explained)},
                                 {"observations", equation.observations},
                                 {"terms", terms}});
  }
  return json;
}

}  // namespace gpode::report
