// The registry of unknown functions. The paper's Gaussian process is in process_function.cc and
// src/field, networks are in network_function.cc.
#include "gpode/unknown_function.h"

#include <limits>

#include "core/registry.h"
#include "model/equations_function.h"
#include "model/network_function.h"
#include "model/process_function.h"

namespace gpode {
namespace {

class NamedMaker {
 public:
  NamedMaker(std::string name, UnknownFunctionMaker maker)
      : name_(std::move(name)), maker_(std::move(maker)) {}
  std::string_view name() const { return name_; }
  std::unique_ptr<UnknownFunction> Make(const FunctionSetting& setting) const {
    return maker_(setting);
  }

 private:
  std::string name_;
  UnknownFunctionMaker maker_;
};

Registry<NamedMaker>& Makers() {
  static Registry<NamedMaker>& registry = *[] {
    auto* own =
        new Registry<NamedMaker>("function", "MakeUnknownFunction", "RegisterUnknownFunction");
    own->Add(std::make_unique<NamedMaker>("process", MakeProcessFunction));
    own->Add(std::make_unique<NamedMaker>("network", MakeNetworkFunction));
    own->Add(std::make_unique<NamedMaker>("equations", MakeEquationsFunction));
    return own;
  }();
  return registry;
}

}  // namespace

double UnknownFunction::MeanLengthscale(std::span<const double>) const {
  return std::numeric_limits<double>::quiet_NaN();
}

std::unique_ptr<UnknownFunction> MakeUnknownFunction(std::string_view name,
                                                     const FunctionSetting& setting) {
  return Makers().Get(name).Make(setting);
}

std::vector<std::string> UnknownFunctionNames() { return Makers().Names(); }

void RegisterUnknownFunction(std::string name, UnknownFunctionMaker maker) {
  Makers().Add(std::make_unique<NamedMaker>(std::move(name), std::move(maker)));
}

}  // namespace gpode
