#include "field/equation_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace gpode {
namespace {

constexpr std::size_t kMostNodes = 20000, kMostDepth = 200, kMostUses = 64, kMostArguments = 32;
// The input that stands for the time (InputRule::AllNames).
constexpr std::string_view kTimeInput = "time";

struct NamedOp {
  std::string_view name;
  EquationOp op;
  std::size_t arguments;
};
constexpr std::array<NamedOp, 13> kFunctions = {{{"sin", EquationOp::kSin, 1},
                                                 {"cos", EquationOp::kCos, 1},
                                                 {"tan", EquationOp::kTan, 1},
                                                 {"exp", EquationOp::kExp, 1},
                                                 {"log", EquationOp::kLog, 1},
                                                 {"sqrt", EquationOp::kSqrt, 1},
                                                 {"tanh", EquationOp::kTanh, 1},
                                                 {"sinh", EquationOp::kSinh, 1},
                                                 {"cosh", EquationOp::kCosh, 1},
                                                 {"abs", EquationOp::kAbs, 1},
                                                 {"min", EquationOp::kMin, 2},
                                                 {"max", EquationOp::kMax, 2},
                                                 {"pow", EquationOp::kPower, 2}}};

}  // namespace

// Adds a node, or returns the node that is the same.
std::size_t ExpressionReader::Add(const EquationNode& node) {
  const auto key = std::tuple(node.op, node.a, node.b, node.number, node.index, node.derivative);
  const auto [found, is_new] = node_of_.emplace(key, system_.nodes.size());
  if (!is_new) return found->second;
  if (system_.nodes.size() == kMostNodes) {
    tokens_.Fail(tokens_.Now(), fmt::format("more than {} operations", kMostNodes));
  }
  system_.nodes.push_back(node);
  return system_.nodes.size() - 1;
}

std::size_t ExpressionReader::AddOperation(EquationOp op, std::size_t a, std::size_t b) {
  const bool varies = system_.nodes[a].varies || system_.nodes[b].varies;
  return Add({.op = op, .a = a, .b = b, .varies = varies});
}

void ExpressionReader::CheckDepth(std::size_t depth) const {
  if (depth > kMostDepth)
    tokens_.Fail(tokens_.Now(), fmt::format("more than {} nested parts", kMostDepth));
}

std::size_t ExpressionReader::ReadSum(std::size_t depth) {
  CheckDepth(depth);
  std::size_t left = ReadProduct(depth);
  while (tokens_.Now().Is('+') || tokens_.Now().Is('-')) {
    const EquationOp op = tokens_.Now().Is('+') ? EquationOp::kAdd : EquationOp::kSubtract;
    tokens_.Skip();
    left = AddOperation(op, left, ReadProduct(depth));
  }
  return left;
}

std::size_t ExpressionReader::ReadProduct(std::size_t depth) {
  std::size_t left = ReadSigned(depth);
  while (tokens_.Now().Is('*') || tokens_.Now().Is('/')) {
    const EquationOp op = tokens_.Now().Is('*') ? EquationOp::kMultiply : EquationOp::kDivide;
    tokens_.Skip();
    left = AddOperation(op, left, ReadSigned(depth));
  }
  return left;
}

// Reads -x, +x or x^y. The sign binds less than the power: -x^2 is -(x^2).
std::size_t ExpressionReader::ReadSigned(std::size_t depth) {
  CheckDepth(depth);
  if (tokens_.TakeIf('+')) return ReadSigned(depth + 1);
  if (tokens_.TakeIf('-')) {
    const std::size_t a = ReadSigned(depth + 1);
    return AddOperation(EquationOp::kNegate, a, a);
  }
  const std::size_t base = ReadPrimary(depth);
  if (!tokens_.TakeIf('^')) return base;
  return AddOperation(EquationOp::kPower, base, ReadSigned(depth + 1));
}

std::size_t ExpressionReader::ReadPrimary(std::size_t depth) {
  const Token& at = tokens_.Now();
  if (at.kind == Token::Kind::kNumber) {
    tokens_.Skip();
    return Add({.op = EquationOp::kNumber, .number = at.number});
  }
  if (tokens_.TakeIf('(')) {
    const std::size_t inner = ReadSum(depth + 1);
    tokens_.Expect(')');
    return inner;
  }
  if (!at.IsName()) tokens_.FailHere("a number, a name, a function or '('");
  if (at.kind == Token::Kind::kWord && at.text == "gp" &&
      (tokens_.Peek().Is('(') || tokens_.Peek().Is('[') || tokens_.Peek().IsName())) {
    return ReadProcess(depth);
  }
  if (at.kind == Token::Kind::kWord && tokens_.Peek().Is('(')) return ReadFunction(depth);
  tokens_.Skip();
  return AddName(at);
}

// Returns the node of the quantity that state i stands for.
std::size_t ExpressionReader::AddState(std::size_t i) {
  const std::size_t state = Add({.op = EquationOp::kState, .index = i, .varies = true});
  return system_.is_log[i] ? AddOperation(EquationOp::kExp, state, state) : state;
}

std::size_t ExpressionReader::SlopeOfState(std::size_t i, std::size_t slope) {
  return system_.is_log[i] ? AddOperation(EquationOp::kDivide, slope, AddState(i)) : slope;
}

std::size_t ExpressionReader::AddName(const Token& at) {
  const std::string name(at.text);
  const auto index_in = [&](const std::vector<std::string>& names) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  if (const std::size_t i = index_in(system_.states); i < system_.states.size()) {
    return AddState(i);
  }
  if (const std::size_t i = index_in(system_.inputs); i < system_.inputs.size()) {
    return Add({.op = EquationOp::kInput, .index = i, .varies = true});
  }
  for (std::size_t i = 0; i < system_.parameters.size(); ++i) {
    const EquationParameter& own = system_.parameters[i];
    if (own.name != name) continue;
    const bool fixed = own.prior.kind == EquationPrior::Kind::kFixed;
    return fixed ? Add({.op = EquationOp::kNumber, .number = own.value})
                 : Add({.op = EquationOp::kParameter, .index = i, .varies = true});
  }
  if (const auto found = defined_.find(name); found != defined_.end()) return found->second;
  if (at.kind == Token::Kind::kWord && name == "t") return AddTime();
  if (at.kind == Token::Kind::kWord && name == "pi") {
    return Add({.op = EquationOp::kNumber, .number = std::numbers::pi});
  }
  tokens_.Fail(at, fmt::format("'{}' is not known: it is not a channel, input, state, "
                               "parameter or definition above; {}",
                               name, KnownStates()));
}

// The time is the last input. If the inputs lack it, the index is their number.
std::size_t ExpressionReader::AddTime() {
  system_.uses_time = true;
  const bool has_time = !system_.inputs.empty() && system_.inputs.back() == kTimeInput;
  const std::size_t index = system_.inputs.size() - (has_time ? 1 : 0);
  return Add({.op = EquationOp::kInput, .index = index, .varies = true});
}

std::vector<std::size_t> ExpressionReader::ReadArguments(std::size_t depth) {
  tokens_.Expect('(');
  std::vector<std::size_t> arguments;
  do {
    if (arguments.size() == kMostArguments) {
      tokens_.Fail(tokens_.Now(), fmt::format("more than {} arguments", kMostArguments));
    }
    arguments.push_back(ReadSum(depth + 1));
  } while (tokens_.TakeIf(','));
  tokens_.Expect(')');
  return arguments;
}

std::size_t ExpressionReader::ReadFunction(std::size_t depth) {
  const Token& at = tokens_.Now();
  const auto found =
      std::ranges::find_if(kFunctions, [&](const NamedOp& f) { return f.name == at.text; });
  if (found == kFunctions.end()) {
    std::string known = "gp";
    for (const NamedOp& f : kFunctions) known += fmt::format(", {}", f.name);
    tokens_.Fail(at, fmt::format("function '{}' is unknown, known: {}", at.text, known));
  }
  tokens_.Skip();
  const std::vector<std::size_t> arguments = ReadArguments(depth);
  if (arguments.size() != found->arguments) {
    tokens_.Fail(at, fmt::format("{} has {} arguments, must have {}", found->name, arguments.size(),
                                 found->arguments));
  }
  return AddOperation(found->op, arguments.front(), arguments.back());
}

std::size_t ExpressionReader::ReadProcess(std::size_t depth) {
  const Token& at = tokens_.Now();
  tokens_.Skip();
  if (is_in_process_) tokens_.Fail(at, "gp in an argument of gp, must not be nested");
  is_in_process_ = true;
  const std::string name = tokens_.Now().IsName() ? tokens_.TakeName() : "";
  ProcessUse use;
  std::size_t derivative = EquationNode::kValue;
  if (tokens_.TakeIf('[')) {
    const Token& number_at = tokens_.Now();
    const double number = tokens_.TakeNumber();
    tokens_.Expect(']');
    if (number != std::floor(number) || number < 1 || number > kMostArguments) {
      tokens_.Fail(number_at, "the number of an argument must be 1, 2, ...");
    }
    derivative = static_cast<std::size_t>(number) - 1;
  }
  use.arguments = ReadArguments(depth);
  is_in_process_ = false;
  const bool is_value = derivative == EquationNode::kValue;
  if (!is_value && derivative >= use.arguments.size()) {
    tokens_.Fail(at, fmt::format("a derivative with respect to argument {}, must be one of {}",
                                 derivative + 1, use.arguments.size()));
  }
  use.process = FindProcess(at, name, use.arguments.size());
  if (!is_value) system_.processes[use.process].has_derivatives = true;
  const std::size_t index = FindUse(at, std::move(use));
  (is_value ? system_.uses[index].has_value : system_.uses[index].has_gradient) = true;
  return Add(
      {.op = EquationOp::kProcess, .index = index, .derivative = derivative, .varies = true});
}

std::size_t ExpressionReader::FindUse(const Token& at, ProcessUse use) {
  for (std::size_t i = 0; i < system_.uses.size(); ++i) {
    const ProcessUse& other = system_.uses[i];
    if (other.process == use.process && other.arguments == use.arguments) return i;
  }
  if (system_.uses.size() == kMostUses)
    tokens_.Fail(at, fmt::format("more than {} gp terms", kMostUses));
  system_.uses.push_back(std::move(use));
  return system_.uses.size() - 1;
}

std::size_t ExpressionReader::FindProcess(const Token& at, const std::string& name,
                                          std::size_t arguments) {
  for (std::size_t i = 0; i < system_.processes.size() && !name.empty(); ++i) {
    if (system_.processes[i].name != name) continue;
    if (system_.processes[i].arguments == arguments) return i;
    tokens_.Fail(at,
                 fmt::format("gp {} has {} arguments here and {} before, must have the same number",
                             name, arguments, system_.processes[i].arguments));
  }
  system_.processes.push_back({.name = name, .arguments = arguments});
  return system_.processes.size() - 1;
}

std::string ExpressionReader::KnownStates() const {
  std::string known;
  for (std::size_t i = 0; i < std::min<std::size_t>(system_.states.size(), 8); ++i) {
    known += (i > 0 ? ", " : "") + system_.states[i];
  }
  return known.empty() ? "there are no states" : "states are " + known;
}

}  // namespace gpode
