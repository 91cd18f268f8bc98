// Models: what they are, their files, and how well they fit.
#include <cstring>

#include "bindings.h"
#include "gpode/fit_quality.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "gpode/summary.h"

namespace gpode::python {
namespace {

py::bytes ToBytes(const PyModel& self) {
  std::vector<std::byte> bytes;
  {
    const py::gil_scoped_release release;
    bytes = ModelFileBytes(self.trained());
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::shared_ptr<PyModel> FromBytes(const py::bytes& bytes) {
  const std::string_view text(bytes);
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<PyModel>(LoadTrainedModel(std::span(data, text.size()), "model"));
}

// Returns the values of named parameters; their memory is the model's.
py::dict Parameters(const py::object& self) {
  const NamedValues& parameters = self.cast<const PyModel&>().model().parameters;
  py::dict all;
  for (const ParameterBlock& block : parameters.layout.blocks()) {
    all[py::str(block.name)] = ViewOf(parameters.values.data() + block.value_offset,
                                      {block.shape.begin(), block.shape.end()}, self);
  }
  return all;
}

// Returns the draws of a sampler for each parameter, (draws, ...); their memory is the model's.
py::dict SampledParameters(const py::object& self) {
  const Model& model = self.cast<const PyModel&>().model();
  const py::ssize_t rows = model.draws.rows();
  py::dict all;
  if (rows == 0) return all;
  for (const ParameterBlock& block : model.parameters.layout.blocks()) {
    std::vector<py::ssize_t> shape = {rows}, strides = {model.draws.cols() * 8};
    std::vector<py::ssize_t> inner = {8};
    for (std::size_t i = block.shape.size(); i-- > 1;) {
      inner.push_back(inner.back() * static_cast<py::ssize_t>(block.shape[i]));
    }
    for (std::size_t i = 0; i < block.shape.size(); ++i) {
      shape.push_back(static_cast<py::ssize_t>(block.shape[i]));
      strides.push_back(inner[block.shape.size() - 1 - i]);
    }
    py::array_t<double> view(shape, strides, model.draws.data() + block.value_offset, self);
    view.attr("flags").attr("writeable") = false;
    all[py::str(block.name)] = view;
  }
  return all;
}

py::dict History(const TrainedModel& trained) {
  py::dict columns;
  const auto add = [&](const char* name, auto number) {
    std::vector<double> values;
    for (const Progress& p : trained.history) values.push_back(static_cast<double>(number(p)));
    columns[name] = ToArray(std::move(values));
  };
  add("step", [](const Progress& p) { return p.step + 1; });
  add("shooting", [](const Progress& p) { return p.phase == BoundKind::kShooting ? 1 : 0; });
  add("bound", [](const Progress& p) { return p.bound; });
  add("loglik", [](const Progress& p) { return p.loglik; });
  add("constraint", [](const Progress& p) { return p.constraint; });
  add("kl_u", [](const Progress& p) { return p.kl_u; });
  add("tolerance", [](const Progress& p) { return p.tolerance; });
  add("gap", [](const Progress& p) { return p.gap; });
  add("noise", [](const Progress& p) { return p.noise; });
  add("lengthscale", [](const Progress& p) { return p.lengthscale; });
  add("diverged", [](const Progress& p) { return p.diverged; });
  return columns;
}

py::dict Quality(const TrainedModel& trained, std::size_t threads) {
  FitQuality quality;
  std::vector<std::string> remarks;
  std::string verdict;
  {
    const py::gil_scoped_release release;
    quality =
        AssessFit(trained, {.draws = 64, .seed = trained.model.options.seed, .threads = threads});
    remarks = AllRemarks(trained, quality);
    verdict = BandVerdict(trained, quality);
  }
  py::list channels;
  for (const ChannelFit& fit : quality.channels) {
    py::dict row;
    row["name"] = fit.name;
    row["values"] = fit.values;
    row["spread"] = fit.spread;
    row["residual"] = fit.residual;
    row["noise"] = fit.noise;
    row["inside_90"] = 1 - fit.outside;
    channels.append(row);
  }
  py::dict result;
  result["channels"] = channels;
  result["diverged"] = quality.lost.diverged;
  result["unfinished"] = quality.lost.unfinished;
  result["remarks"] = remarks;
  result["verdict"] = verdict;
  return result;
}

py::object HoldoutTable(const TrainedModel& trained) {
  if (!trained.holdout || trained.holdout->report.held_times == 0) return py::none();
  py::list rows;
  for (const HoldoutRow& row : trained.holdout->report.rows) {
    py::dict d;
    d["channel"] = trained.model.channels[row.channel];
    d["from"] = row.from;
    d["to"] = row.to;
    d["values"] = row.values;
    d["rmse"] = row.rmse;
    d["persistence_rmse"] = row.persistence;
    d["linear_rmse"] = row.linear;
    d["skill"] = row.Skill();
    d["inside_90"] = row.inside;
    d["inside_90_widened"] = row.inside_widened;
    rows.append(d);
  }
  return rows;
}

std::shared_ptr<Dataset> DataOf(const TrainedModel& trained) {
  return std::make_shared<Dataset>(trained.data);
}

}  // namespace

void AddModel(py::module_& module) {
  py::class_<PyModel, std::shared_ptr<PyModel>>(module, "Model")
      .def_property_readonly("channels", [](const PyModel& m) { return m.model().channels; })
      .def_property_readonly("inputs",
                             [](const PyModel& m) { return m.model().input_rule().names; })
      .def_property_readonly("state_names", [](const PyModel& m) { return StateNames(m.model()); })
      .def_property_readonly("trajectories",
                             [](const PyModel& m) {
                               std::vector<std::string> names;
                               for (std::size_t n = 0; n < m.model().start_times.size(); ++n) {
                                 names.push_back(TrajectoryName(m.trained(), n));
                               }
                               return names;
                             })
      .def_property_readonly("start_times", [](const PyModel& m) { return m.model().start_times; })
      .def_property_readonly("end_times", [](const PyModel& m) { return m.model().end_times; })
      .def_property_readonly("finished", [](const PyModel& m) { return m.trained().finished; })
      .def_property_readonly("warning", [](const PyModel& m) { return m.model().warning; })
      .def_property_readonly("is_sampled", [](const PyModel& m) { return m.model().IsSampled(); })
      .def_property_readonly("is_widened",
                             [](const PyModel& m) { return !m.model().widening.IsZero(); })
      .def_property_readonly("name",
                             [](const PyModel& m) { return NameOf(m.model().options).name; })
      .def_property_readonly("options_text",
                             [](const PyModel& m) { return OptionsText(m.model().options); })
      .def_property_readonly("seed", [](const PyModel& m) { return m.model().options.seed; })
      .def_property_readonly("chains",
                             [](const PyModel& m) { return m.model().options.sampler.chains; })
      .def_property_readonly("sampler",
                             [](const PyModel& m) {
                               const SamplerSummary& s = m.model().sampler;
                               py::dict d;
                               d["rhat"] = s.worst_rhat;
                               d["bulk_ess"] = s.least_bulk_ess;
                               d["tail_ess"] = s.least_tail_ess;
                               d["pareto_k"] = s.pareto_k;
                               d["divergent"] = s.divergent;
                               return d;
                             })
      .def_property_readonly("noise",
                             [](const PyModel& m) {
                               const ObservationNoise noise = m.model().noise();
                               std::vector<double> deviations;
                               for (std::size_t c = 0; c < noise.channels(); ++c) {
                                 deviations.push_back(noise.Deviation(c));
                               }
                               return ToArray(std::move(deviations));
                             })
      .def_property_readonly("lengthscales",
                             [](const PyModel& m) { return ToArray(Lengthscales(m.model())); })
      .def_property_readonly("inducing_locations",
                             [](const PyModel& m) { return ToArray(InducingLocations(m.model())); })
      .def_property_readonly("observed_states",
                             [](const PyModel& m) {
                               py::list all;
                               const Model& model = m.model();
                               for (const Trajectory& t : m.trained().data.trajectories) {
                                 all.append(ToArray(Matrix(model.ObservedStates(t.values))));
                               }
                               return all;
                             })
      .def_property_readonly("state_offset",
                             [](const PyModel& m) {
                               const auto& x = m.model().coordinates.state_offset;
                               return ToArray(std::vector<double>(x.begin(), x.end()));
                             })
      .def_property_readonly("facts", [](const PyModel& m) { return ModelFacts(m.trained()); })
      .def_property_readonly("data", [](const PyModel& m) { return DataOf(m.trained()); })
      .def_property_readonly("history", [](const PyModel& m) { return History(m.trained()); })
      .def_property_readonly("holdout", [](const PyModel& m) { return HoldoutTable(m.trained()); })
      .def("parameters", &Parameters)
      .def("sampled_parameters", &SampledParameters)
      .def(
          "quality",
          [](const PyModel& m, std::size_t threads) { return Quality(m.trained(), threads); },
          py::arg("threads") = 0)
      .def("save",
           [](const PyModel& m, const std::string& path) {
             const py::gil_scoped_release release;
             SaveModel(path, m.trained());
           })
      .def("to_bytes", &ToBytes)
      .def_static("from_bytes", &FromBytes)
      .def(py::pickle(&ToBytes, &FromBytes));

  module.def("load", [](const std::string& path) {
    const py::gil_scoped_release release;
    return std::make_shared<PyModel>(LoadTrainedModel(path));
  });
}

}  // namespace gpode::python
