// The options of a fit, by the names of the library's own table.
#include "gpode/options.h"

#include "bindings.h"

namespace gpode::python {

void AddOptions(py::module_& module) {
  module.def("list_options", [] {
    py::list all;
    for (const OptionInfo& option : ListOptions()) {
      all.append(py::make_tuple(option.name, option.default_value, option.help));
    }
    return all;
  });
  module.def("list_models", [] {
    py::list all;
    for (const NamedModel& model : ListModels())
      all.append(py::make_tuple(model.name, model.title));
    return all;
  });

  py::class_<FitOptions>(module, "FitOptions")
      .def(py::init<>())
      .def("set", &SetOption, py::arg("name"), py::arg("value"), py::arg("source"))
      .def("set_model", &SetModel, py::arg("name"), py::arg("source"))
      .def("text", [](const FitOptions& options) { return OptionsText(options); })
      .def("is_sampled", [](const FitOptions& options) { return IsSampled(options); })
      .def_property_readonly("is_pca", [](const FitOptions& options) {
        return options.observation == Observation::kPca;
      });
}

}  // namespace gpode::python
