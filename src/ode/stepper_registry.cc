// The known steppers, and methods as names of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>
#include <utility>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "ode/runge_kutta.h"

namespace gpode {
namespace {

// Steppers are never removed, so that their names and addresses stay valid.
class Registry {
 public:
  Registry() {
    for (const Tableau& tableau : RungeKuttaTableaus()) {
      steppers_.push_back(std::make_unique<RungeKutta>(tableau));
    }
  }

  const Stepper* Find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    return FindLocked(name);
  }

  std::vector<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& stepper : steppers_) names.emplace_back(stepper->name());
    return names;
  }

  void Add(std::unique_ptr<const Stepper> stepper) {
    const std::string_view name = stepper->name();
    if (name.empty()) ThrowInput("RegisterStepper", "the stepper's name", "is empty");
    const std::lock_guard lock(mutex_);
    if (FindLocked(name) != nullptr) {
      ThrowInput("RegisterStepper", "the stepper's name", fmt::format("'{}' is taken", name));
    }
    steppers_.push_back(std::move(stepper));
  }

 private:
  const Stepper* FindLocked(std::string_view name) const {
    for (const auto& stepper : steppers_) {
      if (stepper->name() == name) return stepper.get();
    }
    return nullptr;
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const Stepper>> steppers_;
};

Registry& Steppers() {
  static Registry registry;
  return registry;
}

}  // namespace

void RegisterStepper(std::unique_ptr<const Stepper> stepper) { Steppers().Add(std::move(stepper)); }

std::vector<std::string> MethodNames() { return Steppers().Names(); }

Method MethodFromName(std::string_view name) {
  if (const Stepper* stepper = Steppers().Find(name)) return Method(stepper->name());
  ThrowInput("MethodFromName", "name",
             fmt::format("is '{}', must be one of {}", name, fmt::join(MethodNames(), ", ")));
}

// A Method exists only for a known stepper.
const Stepper& GetStepper(Method method) {
  const Stepper* stepper = Steppers().Find(Name(method));
  GPODE_CHECK(stepper != nullptr);
  return *stepper;
}

int Order(Method method) { return GetStepper(method).order(); }

}  // namespace gpode
