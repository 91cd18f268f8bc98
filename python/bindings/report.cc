// Makes the page of `gpode report`, if the module was built with the report library.
#include "bindings.h"

#ifdef GPODE_PYTHON_REPORT
#include <algorithm>

#include "report/page/report_data.h"
#include "report/page/report_insight.h"
#include "report/page/report_page.h"
#endif

namespace gpode::python {

void AddReport(py::module_& module) {
#ifdef GPODE_PYTHON_REPORT
  module.def(
      "report_page",
      [](const PyModel& model, const std::string& title, std::optional<double> until,
         std::size_t draws, std::uint64_t seed, std::size_t threads,
         const std::vector<std::string>& include) {
        const py::gil_scoped_release release;
        const auto has = [&](const char* word) {
          return std::ranges::find(include, word) != include.end();
        };
        const report::InsightOptions insight{.dynamics = has("dynamics"),
                                             .equations = has("equations"),
                                             .design = has("design"),
                                             .draws = draws,
                                             .seed = seed,
                                             .threads = threads};
        const report::ReportOptions options{
            .title = title,
            .command = {},
            .draws = draws,
            .seed = seed,
            .threads = threads,
            .until = until,
            .starts = {},
            .insight = report::InsightJson(model.trained(), insight)};
        const nlohmann::ordered_json json = report::ReportJson(model.trained(), {}, options);
        return report::FillReportPage(
            json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      },
      py::arg("model"), py::arg("title"), py::arg("until"), py::arg("draws"), py::arg("seed"),
      py::arg("threads"), py::arg("include"));
#else
  (void)module;
#endif
}

}  // namespace gpode::python
