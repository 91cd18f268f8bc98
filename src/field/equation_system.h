// Equations with unknown parts: the right-hand side of an ODE as a person writes it.
//
//   # a damped pendulum; whatever else acts on it is unknown
//   param g = 9.81 in [9, 10.5]        # between these bounds, uniform a priori
//   param c ~ lognormal(0, 1)
//   state omega                        # not observed
//   dtheta = omega
//   domega = -g * sin(theta) - c * omega + gp(theta, omega)
//
// Statements end with their line or with ';', and '#' begins a comment. They are
//
//   param NAME = NUMBER                     a known number
//   param NAME = NUMBER in [LOW, HIGH]      uniform between bounds; learning starts at the number
//   param NAME ~ normal(M, S)               also lognormal(M, S) and uniform(LOW, HIGH)
//   state NAME                              a state without a channel
//   state NAME ~ normal(M, S)               the same, with a prior of its initial value
//   let NAME = EXPRESSION                   a name for an expression
//   dNAME = EXPRESSION                      the derivative of a state with respect to time
//   channels NAME, ...                      the names of the observed states
//   inputs NAME, ...                        the names of the inputs
//
// The program adds the last two statements to a text without a `channels` statement.
//
// An expression has numbers, names of states, inputs, parameters and definitions, the time `t`,
// + - * / ^, parentheses, functions (sin cos tan exp log sqrt tanh sinh cosh abs min max) and
// unknown functions: gp(a, b) occurs once; gp NAME(a, b) is the same function wherever the name
// occurs; gp NAME[2](a, b) is its derivative with respect to the second argument. Names that are
// not words are quoted: d"x 1" = -"x 1". The user's page is docs/known-equations.md.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   EquationSystem system = ParseEquations("dx = -k * x\nparam k = 1", "decay.ode", {{"x"}, {}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpode {

enum class EquationOp : std::uint8_t {
  kNumber,
  kState,
  kInput,
  kParameter,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kMin,
  kMax,
  kNegate,
  kSin,
  kCos,
  kTan,
  kExp,
  kLog,
  kSqrt,
  kTanh,
  kSinh,
  kCosh,
  kAbs,
  kProcess,  // the value of an unknown function, or a derivative of it
};

// One operation. Operands come before the operations that use them.
struct EquationNode {
  static constexpr std::size_t kValue = static_cast<std::size_t>(-1);

  EquationOp op = EquationOp::kNumber;
  std::size_t a = 0, b = 0;  // the nodes of the operands
  double number = 0;
  // The index of a state, an input, a parameter or a use of an unknown function.
  std::size_t index = 0;
  // The argument with respect to which a kProcess is a derivative, or kValue.
  std::size_t derivative = kValue;
  // True if the value depends on states, inputs, learnt parameters or unknown functions.
  bool varies = false;
};

// The prior of a parameter or of the initial value of a state.
struct EquationPrior {
  enum class Kind { kFixed, kNormal, kLogNormal, kUniform };

  Kind kind = Kind::kFixed;
  double first = 0, second = 0;  // mean and standard deviation, or lower and upper bound

  // The parameter as a function of a variable z that is standard normal a priori, the derivative of
  // that function, and its inverse.
  double Value(double z) const;
  double Slope(double z) const;
  double Latent(double value) const;
};

struct EquationParameter {
  std::string name;
  EquationPrior prior = {};
  double value = 0;  // the value of a fixed parameter, the start value of one that is learnt
};

// An unknown function.
struct EquationProcess {
  std::string name;
  std::size_t arguments = 0;
  bool has_derivatives = false;  // true if a derivative of the function is used
};

// An unknown function with certain arguments. Nodes for its value and its derivatives share it.
struct ProcessUse {
  std::size_t process = 0;
  std::vector<std::size_t> arguments;            // the nodes of the arguments
  bool has_value = false, has_gradient = false;  // true if a node uses the value, or a derivative
};

struct EquationNames {
  std::vector<std::string> channels, inputs;
};

struct EquationSystem {
  std::vector<std::string> states;  // (D): names; the observed states come first
  std::size_t channels = 0;
  // (D): true if the state is the logarithm of the quantity that has its name in the equations,
  // `channels hare in log`. The name then stands for the exponential of the state, and the
  // derivative of the state is that of the quantity over the quantity.
  std::vector<bool> is_log;
  std::vector<std::string> inputs;  // (U)
  bool uses_time = false;
  bool has_names = false;  // true if the text has a `channels` statement
  std::vector<EquationParameter> parameters;
  std::vector<EquationPrior> state_priors;  // (D): priors of initial values; kFixed means no prior
  std::vector<EquationProcess> processes;
  std::vector<ProcessUse> uses;
  std::vector<EquationNode> nodes;
  std::vector<std::size_t> derivatives;  // (D): the node of each state's derivative

  // The indices of the parameters that are learnt.
  std::vector<std::size_t> LearntParameters() const;
};

// Parses a text. The names of channels and inputs are those of the text's `channels` and `inputs`
// or, if it has none, `names`. The input named "time", if it is the last one, is `t`. Throws an
// InputError "SOURCE:LINE:COLUMN: ..." for a text that is not of this form, and for one that is
// larger than 64 KiB or has too many parts.
EquationSystem ParseEquations(std::string_view text, std::string_view source,
                              const EquationNames& names = {});

// Returns the name as it has to be written in equations, in quotes if it is not a word.
std::string EquationName(std::string_view name);

}  // namespace gpode
