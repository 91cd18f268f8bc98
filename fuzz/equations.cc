// The fuzz target of known equations. A text is either accepted or refused. An accepted text can be
// evaluated and differentiated, and parses to the same equations when names of states are added to
// it.
#include <string>
#include <vector>

#include "field/equation_field.h"
#include "fuzz.h"
#include "gpode/mlp.h"

namespace {

using gpode::EquationField;
using gpode::EquationSystem;

void Follow(const std::shared_ptr<const EquationSystem>& system) {
  std::vector<std::unique_ptr<gpode::Mlp>> functions;
  std::vector<EquationField::Unknown> unknown;
  for (const gpode::EquationProcess& own : system->processes) {
    functions.push_back(
        std::make_unique<gpode::Mlp>(own.arguments, std::vector<std::size_t>{2}, 1));
    // A gradient has one output for each argument and as many raw sums as the value.
    if (own.has_derivatives) return;
    unknown.push_back({functions.back().get()});
  }
  std::vector<double> parameters;
  for (const gpode::EquationParameter& own : system->parameters) parameters.push_back(own.value);
  EquationField field(system);
  field.Set(gpode::EquationUnits(*system), parameters, unknown);
  const std::size_t dim = field.dim();
  const std::vector<double> x(dim, 0.3), u(field.inputs(), 0.7), g(dim, 1.0);
  std::vector<double> f(dim), record(field.record_size()), bx(dim), sums(field.parameter_count());
  field.Record({0, x, u}, f, record);
  field.Pullback({0, x, u}, record, g, bx, sums);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  gpode::fuzz::ReadsOrRefuses([&] {
    const auto system = std::make_shared<EquationSystem>(
        gpode::ParseEquations(text, "f", {{"x", "y"}, {"u", "time"}}));
    if (system->states.size() < 16 && system->nodes.size() < 2000) Follow(system);
    if (system->has_names) return;
    const EquationSystem again =
        gpode::ParseEquations("channels x, y\ninputs u, time\n" + text, "f", {});
    GPODE_CHECK(again.nodes.size() == system->nodes.size() && again.has_names);
  });
  return 0;
}
