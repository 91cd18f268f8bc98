// Expressions of equations as text (equation_system.h): from tokens to the operations of a system.
//
// Equal operations are added once. Depth and number of parts are limited, so that malformed texts
// exhaust neither memory nor the stack. Errors are InputErrors with line and column.
//
// Thread safety: an ExpressionReader belongs to one thread.
//
//   ExpressionReader expressions(&tokens, &system);
//   std::size_t node = expressions.Read();
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "field/equation_system.h"
#include "field/equation_tokens.h"

namespace gpode {

class ExpressionReader {
 public:
  // The system must have its states, inputs and parameters before the first expression is read.
  ExpressionReader(TokenStream* tokens, EquationSystem* system)
      : tokens_(*tokens), system_(*system) {}

  // Reads an expression at the present token and returns its node.
  std::size_t Read() { return ReadSum(0); }
  // Gives a node a name, which later expressions know.
  void Define(const std::string& name, std::size_t node) { defined_[name] = node; }
  // Returns the node of the derivative of state i, given that of the quantity with its name.
  std::size_t SlopeOfState(std::size_t i, std::size_t slope);
  // Returns a phrase that lists the names of the states, for error messages.
  std::string KnownStates() const;

 private:
  std::size_t Add(const EquationNode& node);
  std::size_t AddOperation(EquationOp op, std::size_t a, std::size_t b);
  void CheckDepth(std::size_t depth) const;
  std::size_t ReadSum(std::size_t depth);
  std::size_t ReadProduct(std::size_t depth);
  std::size_t ReadSigned(std::size_t depth);
  std::size_t ReadPrimary(std::size_t depth);
  std::size_t AddName(const Token& at);
  std::size_t AddState(std::size_t i);
  std::size_t AddTime();
  std::vector<std::size_t> ReadArguments(std::size_t depth);
  std::size_t ReadFunction(std::size_t depth);
  std::size_t ReadProcess(std::size_t depth);
  std::size_t FindUse(const Token& at, ProcessUse use);
  std::size_t FindProcess(const Token& at, const std::string& name, std::size_t arguments);

  TokenStream& tokens_;
  EquationSystem& system_;
  std::map<std::string, std::size_t, std::less<>> defined_;
  std::map<std::tuple<EquationOp, std::size_t, std::size_t, double, std::size_t, std::size_t>,
           std::size_t>
      node_of_;
  bool is_in_process_ = false;
};

}  // namespace gpode
