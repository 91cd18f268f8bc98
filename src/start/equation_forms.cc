#include "start/equation_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "field/equation_system.h"
#include "gpode/error.h"

namespace gpode {
namespace {

// The largest number of states of the form divergence-free. More states would need too many unknown
// functions.
constexpr std::size_t kMostDivergenceFree = 6;
// The standard deviation of the logarithm of a learnt damping.
constexpr double kDampingDeviation = 2;

std::vector<std::string> Names(const std::vector<std::string>& names) {
  std::vector<std::string> written;
  for (const std::string& name : names) written.push_back(EquationName(name));
  return written;
}

// Returns a name for the velocity of a channel that is not among the names `taken`.
std::string VelocityOf(const std::string& channel, const std::vector<std::string>& taken) {
  std::string name = "v_" + channel;
  while (std::ranges::find(taken, name) != taken.end()) name = "v_" + name;
  return EquationName(name);
}

// The text of the damping as a factor, which is empty if there is no damping, and the declaration
// of the parameter that it uses.
struct Damping {
  std::string factor, declaration;
};
Damping DampingOf(const Dataset& data, const FitOptions& options) {
  if (options.damping == "none") return {};
  if (options.damping != "learnt") return {options.damping, ""};
  // The prior of a learnt damping is centred at one over the time that the data span, with a spread
  // of about a factor of ten.
  double span = 0;
  for (const Trajectory& t : data.trajectories) span = std::max(span, t.times.back() - t.start());
  return {"damping", fmt::format("param damping ~ lognormal({:.6g}, {:g})\n",
                                 span > 0 ? -std::log(span) : 0.0, kDampingDeviation)};
}

std::string Loss(const Damping& damping, const std::string& of) {
  return damping.factor.empty() ? "" : fmt::format(" - {} * {}", damping.factor, of);
}

std::string Growth(const std::vector<std::string>& x, const std::string& arguments) {
  std::string text;
  for (const std::string& own : x) text += fmt::format("d{0} = {0} * gp({1})\n", own, arguments);
  return text;
}

std::string SecondOrder(const Dataset& data, const std::vector<std::string>& x,
                        const std::vector<std::string>& inputs, const Damping& damping) {
  std::vector<std::string> arguments = x, v;
  for (const std::string& channel : data.channels) v.push_back(VelocityOf(channel, data.channels));
  arguments.insert(arguments.end(), v.begin(), v.end());
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  std::string text = damping.declaration;
  for (std::size_t i = 0; i < x.size(); ++i) {
    text += fmt::format("state {1}\nd{0} = {1}\nd{1} = gp({2}){3}\n", x[i], v[i],
                        fmt::join(arguments, ", "), Loss(damping, v[i]));
  }
  return text;
}

std::string Hamiltonian(const std::vector<std::string>& x, const std::string& arguments,
                        const Damping& damping) {
  const std::size_t half = x.size() / 2;
  std::string text = damping.declaration;
  for (std::size_t i = 0; i < half; ++i) {
    text += fmt::format("d{} = gp energy[{}]({})\n", x[i], half + i + 1, arguments);
    text += fmt::format("d{} = -gp energy[{}]({}){}\n", x[half + i], i + 1, arguments,
                        Loss(damping, x[half + i]));
  }
  return text;
}

// With several degrees of freedom, the energy is a kinetic one of the momenta and a potential one of
// the positions, as in mechanics. Data of a few orbits say next to nothing about how one function of
// all coordinates bends across them, so that forecasts with it would go astray.
std::string SeparableHamiltonian(const std::vector<std::string>& x,
                                 const std::vector<std::string>& inputs, const Damping& damping) {
  const auto middle = x.begin() + std::ssize(x) / 2;
  const std::size_t half = x.size() / 2;
  std::vector<std::string> q(x.begin(), middle), p(middle, x.end());
  q.insert(q.end(), inputs.begin(), inputs.end());
  p.insert(p.end(), inputs.begin(), inputs.end());
  std::string text = damping.declaration;
  for (std::size_t i = 0; i < half; ++i) {
    text += fmt::format("d{} = gp kinetic[{}]({})\n", x[i], i + 1, fmt::join(p, ", "));
    text += fmt::format("d{} = -gp potential[{}]({}){}\n", x[half + i], i + 1, fmt::join(q, ", "),
                        Loss(damping, x[half + i]));
  }
  return text;
}

std::string Gradient(const std::vector<std::string>& x, const std::string& arguments) {
  std::string text;
  for (std::size_t i = 0; i < x.size(); ++i) {
    text += fmt::format("d{} = -gp potential[{}]({})\n", x[i], i + 1, arguments);
  }
  return text;
}

std::string DivergenceFree(const std::vector<std::string>& x, const std::string& arguments) {
  std::string text;
  for (std::size_t i = 0; i < x.size(); ++i) {
    text += fmt::format("d{} =", x[i]);
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (j == i) continue;
      text += fmt::format(" {} gp stream{}{}[{}]({})", j < i ? '-' : '+', std::min(i, j) + 1,
                          std::max(i, j) + 1, j + 1, arguments);
    }
    text += '\n';
  }
  return text;
}

bool IsHamiltonian(std::string_view form) {
  return form == "hamiltonian" || form == "coupled-hamiltonian";
}

void CheckForm(const Dataset& data, const FitOptions& options) {
  const std::size_t channels = data.channels.size();
  const auto refuse = [&](std::string_view message) {
    ThrowInput("Fit", "form", fmt::format("is {}, {}", options.form, message));
  };
  if (IsHamiltonian(options.form) && channels % 2 != 0) {
    refuse(
        fmt::format("which needs an even number of channels, positions then momenta; there are "
                    "{}",
                    channels));
  }
  if (options.form == "divergence-free" && (channels < 2 || channels > kMostDivergenceFree)) {
    refuse(
        fmt::format("which needs 2 to {} channels; there are {}", kMostDivergenceFree, channels));
  }
  if (options.damping != "none" && !IsHamiltonian(options.form) && options.form != "second-order") {
    ThrowInput("Fit", "damping", "needs the form hamiltonian or second-order");
  }
}

}  // namespace

std::string FormText(const Dataset& data, const FitOptions& options) {
  CheckForm(data, options);
  const std::vector<std::string> x = Names(data.channels);
  std::vector<std::string> inputs = Names(options.InputsWith(data.inputs).AllNames());
  if (options.time_input && !inputs.empty()) inputs.back().assign(1, 't');
  std::vector<std::string> all = x;
  all.insert(all.end(), inputs.begin(), inputs.end());
  const std::string arguments = fmt::format("{}", fmt::join(all, ", "));
  const Damping damping = DampingOf(data, options);
  if (options.form == "growth") return Growth(x, arguments);
  if (options.form == "second-order") return SecondOrder(data, x, inputs, damping);
  if (options.form == "hamiltonian" && x.size() > 2)
    return SeparableHamiltonian(x, inputs, damping);
  if (IsHamiltonian(options.form)) return Hamiltonian(x, arguments, damping);
  if (options.form == "gradient") return Gradient(x, arguments);
  if (options.form == "divergence-free") return DivergenceFree(x, arguments);
  return "";
}

}  // namespace gpode
