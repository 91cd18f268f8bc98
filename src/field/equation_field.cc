#include "field/equation_field.h"

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/memory.h"

namespace gpode {
namespace {

// Rounds up to a whole number of cache lines.
constexpr std::size_t RoundUp(std::size_t n) { return (n + 7) / 8 * 8; }

// The value of an operation on the values a and b.
double Apply(EquationOp op, double a, double b) {
  switch (op) {
    case EquationOp::kAdd:
      return a + b;
    case EquationOp::kSubtract:
      return a - b;
    case EquationOp::kMultiply:
      return a * b;
    case EquationOp::kDivide:
      return a / b;
    case EquationOp::kPower:
      return std::pow(a, b);
    case EquationOp::kMin:
      return b < a ? b : a;
    case EquationOp::kMax:
      return b > a ? b : a;
    case EquationOp::kNegate:
      return -a;
    case EquationOp::kSin:
      return std::sin(a);
    case EquationOp::kCos:
      return std::cos(a);
    case EquationOp::kTan:
      return std::tan(a);
    case EquationOp::kExp:
      return std::exp(a);
    case EquationOp::kLog:
      return std::log(a);
    case EquationOp::kSqrt:
      return std::sqrt(a);
    case EquationOp::kTanh:
      return std::tanh(a);
    case EquationOp::kSinh:
      return std::sinh(a);
    case EquationOp::kCosh:
      return std::cosh(a);
    case EquationOp::kAbs:
      return std::fabs(a);
    default:
      return 0;
  }
}

// The derivatives of an operation with the value v with respect to a and b. Each is computed only
// if the operand varies: a power of a negative number has no derivative with respect to its
// exponent.
struct Slopes {
  double a = 0, b = 0;
};
Slopes SlopesOf(EquationOp op, double a, double b, double v, bool a_varies, bool b_varies) {
  switch (op) {
    case EquationOp::kAdd:
      return {1, 1};
    case EquationOp::kSubtract:
      return {1, -1};
    case EquationOp::kMultiply:
      return {b, a};
    case EquationOp::kDivide:
      return {1 / b, -v / b};
    case EquationOp::kPower:
      return {a_varies ? b * std::pow(a, b - 1) : 0, b_varies ? (a == 0 ? 0 : v * std::log(a)) : 0};
    case EquationOp::kMin:
      return b < a ? Slopes{0, 1} : Slopes{1, 0};
    case EquationOp::kMax:
      return b > a ? Slopes{0, 1} : Slopes{1, 0};
    case EquationOp::kNegate:
      return {-1, 0};
    case EquationOp::kSin:
      return {std::cos(a), 0};
    case EquationOp::kCos:
      return {-std::sin(a), 0};
    case EquationOp::kTan:
      return {1 + v * v, 0};
    case EquationOp::kExp:
      return {v, 0};
    case EquationOp::kLog:
      return {1 / a, 0};
    case EquationOp::kSqrt:
      return {0.5 / v, 0};
    case EquationOp::kTanh:
      return {1 - v * v, 0};
    case EquationOp::kSinh:
      return {std::cosh(a), 0};
    case EquationOp::kCosh:
      return {std::sinh(a), 0};
    case EquationOp::kAbs:
      return {a < 0 ? -1.0 : a > 0 ? 1.0 : 0.0, 0};
    default:
      return {};
  }
}

}  // namespace

EquationUnits::EquationUnits(const EquationSystem& system)
    : state_scale(system.states.size(), 1.0),
      state_offset(system.states.size(), 0.0),
      input_scale(system.inputs.size(), 1.0),
      input_offset(system.inputs.size(), 0.0) {
  for (const EquationProcess& process : system.processes) {
    processes.push_back({std::vector<double>(process.arguments, 1.0),
                         std::vector<double>(process.arguments, 0.0), 1.0});
  }
}

template <typename Own, typename Visit>
void EquationUnits::ForAll(Own& own, Visit&& visit) {
  const auto all = [&](auto& numbers) {
    for (auto& number : numbers) visit(number);
  };
  all(own.state_scale);
  all(own.state_offset);
  all(own.input_scale);
  all(own.input_offset);
  visit(own.time_scale);
  for (auto& process : own.processes) {
    all(process.scale);
    all(process.offset);
    visit(process.output);
  }
}

std::size_t EquationUnits::count() const { return ToVector().size(); }

std::vector<double> EquationUnits::ToVector() const {
  std::vector<double> values;
  ForAll(*this, [&](double number) { values.push_back(number); });
  return values;
}

void EquationUnits::Take(std::span<const double> values) {
  std::size_t at = 0;
  ForAll(*this, [&](double& number) { number = values[at++]; });
}

EquationField::EquationField(std::shared_ptr<const EquationSystem> system)
    : system_(std::move(system)), units_(*system_), parameters_(system_->parameters.size()) {
  learnt_.assign(system_->parameters.size(), 0);
  const std::vector<std::size_t> learnt = system_->LearntParameters();
  for (std::size_t i = 0; i < learnt.size(); ++i) learnt_[learnt[i]] = i;
  parameter_count_ = learnt.size();
}

void EquationField::Set(const EquationUnits& units, std::span<const double> parameters,
                        std::span<const Unknown> functions) {
  units_ = units;
  std::ranges::copy(parameters, parameters_.begin());
  factors_.resize(dim());
  for (std::size_t d = 0; d < dim(); ++d) factors_[d] = units_.time_scale / units_.state_scale[d];
  const bool is_first = places_.empty() && functions_.empty();
  functions_.assign(functions.begin(), functions.end());
  if (!is_first) return;
  for (const Unknown& own : functions_) {
    sums_.push_back(parameter_count_);
    parameter_count_ += (own.value ? own.value : own.gradient)->parameter_count();
  }
  std::size_t at = RoundUp(system_->nodes.size());
  for (const ProcessUse& use : system_->uses) {
    const Unknown& own = functions_[use.process];
    const std::size_t arguments = use.arguments.size();
    Place place;
    place.arguments = at;
    place.value = at + arguments;
    place.gradient = place.value + 1;
    at = RoundUp(place.gradient + arguments);
    place.value_record = at;
    if (use.has_value) at = RoundUp(at + own.value->record_size());
    place.gradient_record = at;
    if (use.has_gradient) at = RoundUp(at + own.gradient->record_size());
    place.cotangents = cotangents_;
    cotangents_ += 1 + arguments;
    places_.push_back(place);
  }
  record_size_ = std::max<std::size_t>(at, 1);
  std::vector<char> is_seen(places_.size(), 0);
  for (std::size_t i = 0; i < system_->nodes.size(); ++i) {
    const EquationNode& node = system_->nodes[i];
    if (node.op != EquationOp::kProcess || is_seen[node.index] != 0) continue;
    is_seen[node.index] = 1;
    places_[node.index].first_node = i;
  }
}

// Evaluates the function of a use at the arguments whose nodes have been computed.
void EquationField::EvaluateUse(std::size_t use, double* r, bool records) const {
  const ProcessUse& own = system_->uses[use];
  const Place& place = places_[use];
  const EquationUnits::Process& units = units_.processes[own.process];
  const Unknown& function = functions_[own.process];
  const std::size_t count = own.arguments.size();
  for (std::size_t k = 0; k < count; ++k) {
    r[place.arguments + k] = (r[own.arguments[k]] - units.offset[k]) / units.scale[k];
  }
  const std::span<const double> arguments(r + place.arguments, count);
  const auto evaluate = [&](const Function& f, std::size_t out, std::size_t outputs,
                            std::size_t record) {
    const std::span<double> values(r + out, outputs), memory(r + record, f.record_size());
    records ? f.Record(arguments, values, memory) : f.Value(arguments, values, memory);
  };
  if (own.has_value) evaluate(*function.value, place.value, 1, place.value_record);
  if (own.has_gradient) evaluate(*function.gradient, place.gradient, count, place.gradient_record);
}

void EquationField::Forward(const FieldPoints& point, double* r, std::span<double> f,
                            bool records) const {
  const std::vector<EquationNode>& nodes = system_->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const EquationNode& node = nodes[i];
    switch (node.op) {
      case EquationOp::kNumber:
        r[i] = node.number;
        break;
      case EquationOp::kState:
        r[i] =
            units_.state_offset[node.index] + units_.state_scale[node.index] * point.x[node.index];
        break;
      case EquationOp::kInput:
        r[i] =
            units_.input_offset[node.index] + units_.input_scale[node.index] * point.u[node.index];
        break;
      case EquationOp::kParameter:
        r[i] = parameters_[node.index];
        break;
      case EquationOp::kProcess: {
        const Place& place = places_[node.index];
        if (place.first_node == i) EvaluateUse(node.index, r, records);
        const EquationUnits::Process& units = units_.processes[system_->uses[node.index].process];
        r[i] =
            node.derivative == EquationNode::kValue
                ? units.output * r[place.value]
                : units.output / units.scale[node.derivative] * r[place.gradient + node.derivative];
        break;
      }
      default:
        r[i] = Apply(node.op, r[node.a], r[node.b]);
    }
  }
  for (std::size_t d = 0; d < dim(); ++d) f[d] = factors_[d] * r[system_->derivatives[d]];
}

void EquationField::Value(const FieldPoints& points, std::span<double> f,
                          std::span<double> scratch) const {
  for (std::size_t p = 0; p * dim() < points.x.size(); ++p) {
    Forward(points.Point(p, dim(), inputs()), scratch.data() + p * record_size_,
            f.subspan(p * dim(), dim()), false);
  }
}

void EquationField::Record(const FieldPoints& points, std::span<double> f,
                           std::span<double> record) const {
  for (std::size_t p = 0; p * dim() < points.x.size(); ++p) {
    Forward(points.Point(p, dim(), inputs()), record.data() + p * record_size_,
            f.subspan(p * dim(), dim()), true);
  }
}

void EquationField::Pullback(const FieldPoints& points, std::span<const double> record,
                             std::span<const double> g, std::span<double> bx,
                             std::span<double> bparameters) const {
  for (std::size_t p = 0; p * dim() < points.x.size(); ++p) {
    Reverse(points.Point(p, dim(), inputs()), record.data() + p * record_size_,
            g.subspan(p * dim(), dim()), bx.subspan(p * dim(), dim()), bparameters, {});
  }
}

void EquationField::PullbackToUses(const FieldPoints& point, std::span<const double> record,
                                   std::span<const double> g, std::span<double> bx,
                                   std::span<double> bparameters, std::span<double> buses) const {
  Reverse(point, record.data(), g, bx, bparameters, buses);
}

// Goes back from the cotangents of the outputs of a use to those of its arguments' nodes.
void EquationField::ReverseUse(std::size_t use, const double* r, const double* cotangents,
                               double* bnodes, std::span<double> bparameters) const {
  const ProcessUse& own = system_->uses[use];
  const Place& place = places_[use];
  const Unknown& function = functions_[own.process];
  const std::size_t count = own.arguments.size();
  const std::span<const double> arguments(r + place.arguments, count);
  thread_local std::vector<double> memory;
  memory.assign(count, 0.0);
  const auto pull = [&](const Function& f, std::span<const double> g, std::size_t record) {
    f.Pullback(arguments, {r + record, f.record_size()}, g, memory,
               bparameters.subspan(sums_[own.process], f.parameter_count()));
  };
  if (own.has_value) pull(*function.value, {cotangents, 1}, place.value_record);
  if (own.has_gradient) pull(*function.gradient, {cotangents + 1, count}, place.gradient_record);
  const EquationUnits::Process& units = units_.processes[own.process];
  for (std::size_t k = 0; k < count; ++k) bnodes[own.arguments[k]] += memory[k] / units.scale[k];
}

void EquationField::Reverse(const FieldPoints& /*point*/, const double* r,
                            std::span<const double> g, std::span<double> bx,
                            std::span<double> bparameters, std::span<double> buses) const {
  const std::vector<EquationNode>& nodes = system_->nodes;
  thread_local std::vector<double> memory;
  memory.assign(nodes.size() + cotangents_, 0.0);
  double* const b = memory.data();
  double* const cotangents = b + nodes.size();
  for (std::size_t d = 0; d < dim(); ++d) b[system_->derivatives[d]] += factors_[d] * g[d];
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const EquationNode& node = nodes[i];
    const double c = b[i];
    if (node.op == EquationOp::kProcess) {
      const Place& place = places_[node.index];
      const EquationUnits::Process& units = units_.processes[system_->uses[node.index].process];
      if (node.derivative == EquationNode::kValue) {
        cotangents[place.cotangents] += c * units.output;
      } else {
        cotangents[place.cotangents + 1 + node.derivative] +=
            c * units.output / units.scale[node.derivative];
      }
      if (place.first_node == i) {
        ReverseUse(node.index, r, cotangents + place.cotangents, b, bparameters);
      }
      continue;
    }
    // A zero times an infinite slope, as that of the square root at zero, stays zero.
    if (c == 0) continue;
    switch (node.op) {
      case EquationOp::kNumber:
      case EquationOp::kInput:
        break;
      case EquationOp::kState:
        bx[node.index] += c * units_.state_scale[node.index];
        break;
      case EquationOp::kParameter:
        bparameters[learnt_[node.index]] += c;
        break;
      default: {
        const bool a_varies = nodes[node.a].varies, b_varies = nodes[node.b].varies;
        const Slopes slopes = SlopesOf(node.op, r[node.a], r[node.b], r[i], a_varies, b_varies);
        // If the slope is zero, c may be infinite, and their product would not be a number. That is
        // so in sqrt(max(h, 0)) for a negative h.
        if (a_varies && slopes.a != 0) b[node.a] += c * slopes.a;
        if (b_varies && slopes.b != 0) b[node.b] += c * slopes.b;
      }
    }
  }
  if (buses.empty()) return;
  std::size_t at = 0;
  for (std::size_t use = 0; use < places_.size(); ++use) {
    const double* const own = cotangents + places_[use].cotangents;
    if (system_->uses[use].has_value) buses[at++] = own[0];
    for (std::size_t k = 0; k < system_->uses[use].arguments.size(); ++k) {
      if (system_->uses[use].has_gradient) buses[at++] = own[1 + k];
    }
  }
}

std::span<const double> EquationField::ArgumentsOf(std::size_t use,
                                                   std::span<const double> record) const {
  return record.subspan(places_[use].arguments, system_->uses[use].arguments.size());
}

std::size_t EquationField::OutputsOf(std::size_t use) const {
  const ProcessUse& own = system_->uses[use];
  return (own.has_value ? 1 : 0) + (own.has_gradient ? own.arguments.size() : 0);
}

void EquationField::UseOutputs(std::span<const double> record, std::span<double> outputs) const {
  std::size_t at = 0;
  for (std::size_t use = 0; use < places_.size(); ++use) {
    if (system_->uses[use].has_value) outputs[at++] = record[places_[use].value];
    for (std::size_t k = 0; k < system_->uses[use].arguments.size(); ++k) {
      if (system_->uses[use].has_gradient) outputs[at++] = record[places_[use].gradient + k];
    }
  }
}

}  // namespace gpode
