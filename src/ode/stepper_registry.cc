// The registry of steppers. A Method (ode.h) is the name of one of them.
#include <utility>

#include "core/registry.h"
#include "gpode/ode.h"
#include "ode/esdirk4.h"
#include "ode/runge_kutta.h"

namespace gpode {
namespace {

Registry<Stepper>& Steppers() {
  static Registry<Stepper>& registry = *[] {
    auto* own = new Registry<Stepper>("stepper", "MethodFromName", "RegisterStepper");
    for (const Tableau& tableau : RungeKuttaTableaus()) {
      own->Add(std::make_shared<RungeKutta>(tableau));
    }
    own->Add(std::make_shared<Esdirk4>());
    return own;
  }();
  return registry;
}

}  // namespace

void RegisterStepper(std::unique_ptr<const Stepper> stepper) { Steppers().Add(std::move(stepper)); }

std::vector<std::string> MethodNames() { return Steppers().Names(); }

Method MethodFromName(std::string_view name) { return Method(Steppers().Get(name).name()); }

const Stepper& GetStepper(Method method) { return Steppers().Get(Name(method)); }

int Order(Method method) { return GetStepper(method).order(); }

}  // namespace gpode
