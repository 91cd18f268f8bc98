// Data sets: from arrays and files, and as arrays.
#include <optional>
#include <tuple>

#include "bindings.h"
#include "gpode/data_files.h"
#include "gpode/dataset.h"
#include "gpode/fit_quality.h"
#include "gpode/options.h"
#include "gpode/simulate.h"

namespace gpode::python {
namespace {

Trajectory ToTrajectory(const py::tuple& parts) {
  Trajectory t{.name = parts[0].cast<std::string>(),
               .times = ToNumbers(parts[1].cast<InArray>(), "times"),
               .values = ToMatrix(parts[2].cast<InArray>(), "values"),
               .start_time = {}};
  if (!parts[3].is_none()) t.start_time = parts[3].cast<double>();
  if (parts.size() > 4 && !parts[4].is_none()) {
    t.inputs = {.times = t.times, .values = ToMatrix(parts[4].cast<InArray>(), "inputs")};
  }
  return t;
}

// Returns the calendar of (seconds per unit, seconds from 1970 to time 0, dates are UTC).
Calendar ToCalendar(const std::optional<std::tuple<double, double, bool>>& given) {
  if (!given) return {};
  return {
      .unit = std::get<0>(*given), .origin = std::get<1>(*given), .is_utc = std::get<2>(*given)};
}

std::shared_ptr<Dataset> MakeDataset(
    std::vector<std::string> channels, const py::list& rows, std::string time_name,
    const std::optional<std::tuple<double, double, bool>>& calendar,
    std::vector<std::string> inputs) {
  auto data = std::make_shared<Dataset>();
  data->channels = std::move(channels);
  data->time_name = std::move(time_name);
  data->calendar = ToCalendar(calendar);
  data->inputs = std::move(inputs);
  for (const py::handle& row : rows) {
    data->trajectories.push_back(ToTrajectory(row.cast<py::tuple>()));
  }
  CheckDataset(*data);
  return data;
}

// Sets the option with this name, as `gpode fit` does. Python has checked the types.
void SetReadOption(const std::string& name, const py::handle& value, ReadOptions* options) {
  const auto text = [&] { return value.cast<std::string>(); };
  const auto words = [&] { return value.cast<std::vector<std::string>>(); };
  const auto letter = [&] { return text().empty() ? '\0' : text().front(); };
  if (name == "time") options->time_column = text();
  if (name == "trajectories_by") options->trajectory_column = text();
  if (name == "channels") options->channels = words();
  if (name == "inputs") options->inputs = words();
  if (name == "separator") options->separator = letter();
  if (name == "decimal") options->decimal = letter();
  if (name == "missing") options->missing = words();
  if (name == "skip") options->skip = value.cast<std::size_t>();
  if (name == "header") options->header = value.cast<bool>();
  if (name == "dt") options->dt = value.cast<double>();
  if (name == "long_name") options->long_name = text();
  if (name == "long_value") options->long_value = text();
  if (name == "duplicates") {
    options->duplicates = text() == "average" ? DuplicateTimes::kAverage
                          : text() == "first" ? DuplicateTimes::kFirst
                          : text() == "last"  ? DuplicateTimes::kLast
                                              : DuplicateTimes::kRefuse;
  }
  if (name == "dates" && text() == "dmy") options->date_order = DateOrder::kDayFirst;
  if (name == "dates" && text() == "mdy") options->date_order = DateOrder::kMonthFirst;
  if (name == "dates" && text() == "epoch") options->time_format = TimeFormat::kEpochSeconds;
  if (name == "dates" && text() == "epoch-ms") {
    options->time_format = TimeFormat::kEpochMilliseconds;
  }
  if (name == "dates" && text() == "number") options->time_format = TimeFormat::kNumber;
  if (name == "time_unit") options->time_unit = text();
  if (name == "after") options->after = text();
  if (name == "until") options->until = text();
  if (name == "every") options->every = value.cast<std::size_t>();
  if (name == "sample_rows") options->sample_rows = value.cast<std::size_t>();
  if (name == "only") options->only = words();
  if (name == "part") options->part = text();
  if (name == "frame_rate") options->frame_rate = value.cast<double>();
}

// Returns the data, and remarks on rows and values that were left out, filled or reordered. If
// `like` is given, the files are read with the options with which its files were read.
py::tuple ReadFiles(const std::vector<std::string>& files, const py::dict& options,
                    std::size_t fewest_rows, bool allow_empty_channels, const Dataset* like) {
  ReadOptions read = like != nullptr ? OptionsLike(*like) : ReadOptions{};
  read.fewest_rows = fewest_rows;
  read.allow_empty_channels = allow_empty_channels;
  if (like != nullptr) read.allow_missing_inputs = true;
  for (const auto& [key, value] : options) SetReadOption(key.cast<std::string>(), value, &read);
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  auto data = std::make_shared<Dataset>();
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release release;
    *data = ReadDataset(paths, read, &notes);
    data->reading = ReadingText(read);
  }
  return py::make_tuple(data, notes);
}

// Makes the channels of `samples` the inputs of a copy of `data`.
std::shared_ptr<Dataset> WithInputs(const Dataset& data, const Dataset& samples) {
  auto driven = std::make_shared<Dataset>(data);
  SetInputs(samples, "inputs", driven.get());
  return driven;
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
           py::arg("time_name") = "", py::arg("calendar") = py::none(),
           py::arg("inputs") = std::vector<std::string>{})
      .def_readonly("channels", &Dataset::channels)
      .def_readonly("time_name", &Dataset::time_name)
      .def_readonly("inputs", &Dataset::inputs)
      .def_property_readonly("calendar",
                             [](const Dataset& data) -> py::object {
                               const Calendar& c = data.calendar;
                               if (!c.IsSet()) return py::none();
                               return py::make_tuple(c.unit, c.origin, c.is_utc);
                             })
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
      .def("input_times",
           [](const py::object& self, std::size_t n) {
             return ViewOf(self.cast<const Dataset&>().trajectories.at(n).inputs.times, self);
           })
      .def("input_values",
           [](const py::object& self, std::size_t n) {
             return ViewOf(self.cast<const Dataset&>().trajectories.at(n).inputs.values, self);
           })
      .def("with_inputs", &WithInputs, py::arg("samples"))
      .def("start",
           [](const Dataset& data, std::size_t n) { return data.trajectories.at(n).start_time; })
      .def("remarks", [](const Dataset& data) { return DataRemarks(data); });

  module.def("read_files", &ReadFiles, py::arg("files"), py::arg("options"),
             py::arg("fewest_rows") = 1, py::arg("allow_empty_channels") = false,
             py::arg("like") = py::none());
  module.def(
      "simulate",
      [](const std::string& system, std::size_t points, double span, bool irregular,
         const std::vector<double>& noise, double noise_share, std::size_t trajectories,
         double missing, const std::vector<double>& start, double counts, double dispersion,
         double outliers, std::uint64_t seed) {
        return SimulateSystem({.system = system,
                               .start = start,
                               .span = span,
                               .points = points,
                               .irregular = irregular,
                               .noise_variance = noise,
                               .noise_share = noise_share,
                               .trajectories = trajectories,
                               .missing = missing,
                               .counts = counts,
                               .dispersion = dispersion,
                               .outliers = outliers,
                               .seed = seed});
      },
      py::arg("system"), py::arg("points"), py::arg("span"), py::arg("irregular"), py::arg("noise"),
      py::arg("noise_share"), py::arg("trajectories"), py::arg("missing"), py::arg("start"),
      py::arg("counts"), py::arg("dispersion"), py::arg("outliers"), py::arg("seed"));
  module.def(
      "solve_system",
      [](const std::string& system, const InArray& start, const InArray& times) {
        const std::vector<double> from = ToNumbers(start, "start"), at = ToNumbers(times, "times");
        return ToArray(SolveSystem(system, from, at));
      },
      py::arg("system"), py::arg("start"), py::arg("times"));
}

}  // namespace gpode::python
