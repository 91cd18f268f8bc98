// Data sets: from arrays and files, and as arrays.
#include "bindings.h"
#include "gpode/data_files.h"
#include "gpode/dataset.h"
#include "gpode/fit_quality.h"
#include "gpode/simulate.h"

namespace gpode::python {
namespace {

Trajectory ToTrajectory(const py::tuple& parts) {
  Trajectory t{.name = parts[0].cast<std::string>(),
               .times = ToNumbers(parts[1].cast<InArray>(), "times"),
               .values = ToMatrix(parts[2].cast<InArray>(), "values"),
               .start_time = {}};
  if (!parts[3].is_none()) t.start_time = parts[3].cast<double>();
  return t;
}

std::shared_ptr<Dataset> MakeDataset(std::vector<std::string> channels, const py::list& rows,
                                     std::string time_name) {
  auto data = std::make_shared<Dataset>();
  data->channels = std::move(channels);
  data->time_name = std::move(time_name);
  for (const py::handle& row : rows) {
    data->trajectories.push_back(ToTrajectory(row.cast<py::tuple>()));
  }
  CheckDataset(*data);
  return data;
}

ReadOptions ToReadOptions(const py::dict& given, std::size_t fewest_rows,
                          bool allow_empty_channels) {
  ReadOptions options{.fewest_rows = fewest_rows, .allow_empty_channels = allow_empty_channels};
  const auto letter = [](const py::handle& value) {
    const auto text = value.cast<std::string>();
    return text.empty() ? '\0' : text.front();
  };
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "time") options.time_column = value.cast<std::string>();
    if (name == "trajectories_by") options.trajectory_column = value.cast<std::string>();
    if (name == "channels") options.channels = value.cast<std::vector<std::string>>();
    if (name == "separator") options.separator = letter(value);
    if (name == "decimal") options.decimal = letter(value);
    if (name == "part") options.part = value.cast<std::string>();
    if (name == "frame_rate") options.frame_rate = value.cast<double>();
    if (name == "every") options.every = value.cast<std::size_t>();
  }
  return options;
}

std::shared_ptr<Dataset> ReadFiles(const std::vector<std::string>& files, const py::dict& options,
                                   std::size_t fewest_rows, bool allow_empty_channels) {
  const ReadOptions read = ToReadOptions(options, fewest_rows, allow_empty_channels);
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  const py::gil_scoped_release release;
  return std::make_shared<Dataset>(ReadDataset(paths, read));
}

// Returns the data and the true states of each trajectory.
py::tuple SimulateSystem(SimulationOptions options) {
  Simulation simulation;
  {
    const py::gil_scoped_release release;
    simulation = Simulate(options);
  }
  py::list truth;
  for (Matrix& states : simulation.truth) truth.append(ToArray(std::move(states)));
  return py::make_tuple(std::make_shared<Dataset>(std::move(simulation.data)), truth);
}

}  // namespace

void AddData(py::module_& module) {
  py::class_<Dataset, std::shared_ptr<Dataset>>(module, "Dataset")
      .def(py::init(&MakeDataset), py::arg("channels"), py::arg("trajectories"),
           py::arg("time_name") = "")
      .def_readonly("channels", &Dataset::channels)
      .def_readonly("time_name", &Dataset::time_name)
      .def_property_readonly("names",
                             [](const Dataset& data) {
                               std::vector<std::string> names;
                               for (const Trajectory& t : data.trajectories)
                                 names.push_back(t.name);
                               return names;
                             })
      .def("__len__", [](const Dataset& data) { return data.trajectories.size(); })
      .def("times",
           [](const py::object& self, std::size_t n) {
             return ViewOf(self.cast<const Dataset&>().trajectories.at(n).times, self);
           })
      .def("values",
           [](const py::object& self, std::size_t n) {
             return ViewOf(self.cast<const Dataset&>().trajectories.at(n).values, self);
           })
      .def("start",
           [](const Dataset& data, std::size_t n) { return data.trajectories.at(n).start_time; })
      .def("remarks", [](const Dataset& data) { return DataRemarks(data); });

  module.def("read_files", &ReadFiles, py::arg("files"), py::arg("options"),
             py::arg("fewest_rows") = 1, py::arg("allow_empty_channels") = false);
  module.def(
      "simulate",
      [](const std::string& system, std::size_t points, double span, bool irregular,
         const std::vector<double>& noise, double noise_share, std::size_t trajectories,
         double missing, const std::vector<double>& start, std::uint64_t seed) {
        return SimulateSystem({.system = system,
                               .start = start,
                               .span = span,
                               .points = points,
                               .irregular = irregular,
                               .noise_variance = noise,
                               .noise_share = noise_share,
                               .trajectories = trajectories,
                               .missing = missing,
                               .seed = seed});
      },
      py::arg("system"), py::arg("points"), py::arg("span"), py::arg("irregular"), py::arg("noise"),
      py::arg("noise_share"), py::arg("trajectories"), py::arg("missing"), py::arg("start"),
      py::arg("seed"));
  module.def(
      "solve_system",
      [](const std::string& system, const InArray& start, const InArray& times) {
        const std::vector<double> from = ToNumbers(start, "start"), at = ToNumbers(times, "times");
        return ToArray(SolveSystem(system, from, at));
      },
      py::arg("system"), py::arg("start"), py::arg("times"));
}

}  // namespace gpode::python
