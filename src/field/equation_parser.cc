// Statements of equations as text. Their expressions are read in equation_expressions.cc, their
// tokens in equation_tokens.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "field/equation_expressions.h"
#include "field/equation_system.h"
#include "field/equation_tokens.h"
#include "gpode/error.h"

namespace gpode {
namespace {

// Limits that keep malformed or malicious texts from exhausting time or memory.
constexpr std::size_t kMostText = 65536, kMostParameters = 256, kMostStates = 256,
                      kMostDefinitions = 20000;

// Parses the tokens of a text. Declarations may stand after their use, so that there are two
// passes: the first reads declarations and remembers where the expressions are, the second reads
// these.
class Parser {
 public:
  Parser(std::string_view text, std::string_view source, const EquationNames& names)
      : tokens_(text, source), names_(names), expressions_(&tokens_, &system_) {}

  EquationSystem Parse() {
    ReadDeclarations();
    AddStates();
    for (const Statement& own : definitions_) ReadDefinition(own);
    for (const Statement& own : equations_) ReadEquation(own);
    Finish();
    return std::move(system_);
  }

 private:
  // A statement NAME = EXPRESSION, with the places of its name and of its first expression token.
  struct Statement {
    std::string name;
    std::size_t name_at, expression_at;
  };

  void ReadDeclarations() {
    while (tokens_.Now().kind != Token::Kind::kEnd) {
      if (tokens_.Now().kind == Token::Kind::kLineEnd) {
        tokens_.Skip();
        continue;
      }
      ReadStatement();
      tokens_.ExpectStatementEnd();
    }
  }

  void ReadStatement() {
    // A word such as `state` is the name of a state if '=' follows, as in dstate = 1.
    const bool is_keyword = !tokens_.Peek().Is('=');
    if (is_keyword && tokens_.Now().IsWordOf("param")) return ReadParameter();
    if (is_keyword && tokens_.Now().IsWordOf("state")) return ReadState();
    if (is_keyword && tokens_.Now().IsWordOf("channels")) return ReadNames(system_.states);
    if (is_keyword && tokens_.Now().IsWordOf("inputs")) return ReadNames(system_.inputs);
    if (is_keyword && tokens_.Now().IsWordOf("let")) {
      tokens_.Skip();
      const std::size_t name_at = tokens_.place();
      AddStatement(tokens_.TakeName(), name_at, definitions_, kMostDefinitions);
      return;
    }
    const std::size_t name_at = tokens_.place();
    if (tokens_.Now().kind == Token::Kind::kWord && tokens_.Now().text == "d" &&
        tokens_.Peek().kind == Token::Kind::kQuoted) {
      tokens_.Skip();
      AddStatement(tokens_.TakeName(), name_at, equations_, kMostStates);
    } else if (tokens_.Now().kind == Token::Kind::kWord && tokens_.Now().text.starts_with('d') &&
               tokens_.Now().text.size() > 1) {
      AddStatement(tokens_.TakeName().substr(1), name_at, equations_, kMostStates);
    } else {
      tokens_.FailHere("an equation such as dx = ..., or param, state or let");
    }
  }

  void AddStatement(std::string name, std::size_t name_at, std::vector<Statement>& to,
                    std::size_t most) {
    tokens_.Expect('=');
    if (tokens_.AtStatementEnd()) tokens_.FailHere("an expression");
    for (const Statement& other : to) {
      if (other.name == name) {
        tokens_.Fail(tokens_.At(name_at),
                     fmt::format("{} is given twice, first on line {}", tokens_.At(name_at).text,
                                 tokens_.At(other.name_at).line));
      }
    }
    if (to.size() == most) {
      tokens_.Fail(tokens_.At(name_at), fmt::format("more than {} statements of this kind", most));
    }
    to.push_back({std::move(name), name_at, tokens_.place()});
    tokens_.SkipStatement();
  }

  void ReadNames(std::vector<std::string>& to) {
    tokens_.Skip();
    if (to.empty() && !system_.has_names && &to == &system_.states) system_.has_names = true;
    if (tokens_.AtStatementEnd()) return;
    do {
      const Token& at = tokens_.Now();
      to.push_back(tokens_.TakeName());
      if (to.size() > kMostStates) tokens_.Fail(at, fmt::format("more than {} names", kMostStates));
      if (&to != &system_.states) continue;
      system_.is_log.resize(to.size(), false);
      if (!tokens_.Now().IsWordOf("in")) continue;
      tokens_.Skip();
      if (!tokens_.Now().IsWordOf("log")) tokens_.FailHere("log");
      tokens_.Skip();
      system_.is_log.back() = true;
    } while (tokens_.TakeIf(','));
  }

  // Reads "normal(0, 1)".
  EquationPrior TakePrior(bool only_normal) {
    using Kind = EquationPrior::Kind;
    const Token& at = tokens_.Now();
    EquationPrior prior;
    if (at.IsWordOf("normal")) prior.kind = Kind::kNormal;
    if (!only_normal && at.IsWordOf("lognormal")) prior.kind = Kind::kLogNormal;
    if (!only_normal && at.IsWordOf("uniform")) prior.kind = Kind::kUniform;
    if (prior.kind == Kind::kFixed) {
      tokens_.FailHere(only_normal ? "normal(MEAN, DEVIATION)"
                                   : "normal(M, S), lognormal(M, S) or uniform(LOW, HIGH)");
    }
    tokens_.Skip();
    tokens_.Expect('(');
    prior.first = tokens_.TakeNumber();
    tokens_.Expect(',');
    prior.second = tokens_.TakeNumber();
    tokens_.Expect(')');
    if (prior.kind == Kind::kUniform) {
      CheckBounds(at, prior);
    } else if (!(prior.second > 0)) {
      tokens_.Fail(at, fmt::format("a deviation of {:g}, must be positive", prior.second));
    }
    return prior;
  }

  void CheckBounds(const Token& at, const EquationPrior& prior) const {
    if (prior.first < prior.second && std::isfinite(prior.second - prior.first)) return;
    tokens_.Fail(at, fmt::format("bounds {:g} and {:g}, must be a lower and a higher one",
                                 prior.first, prior.second));
  }

  void ReadParameter() {
    tokens_.Skip();
    const Token& at = tokens_.Now();
    EquationParameter parameter{.name = tokens_.TakeName()};
    if (system_.parameters.size() == kMostParameters) {
      tokens_.Fail(at, fmt::format("more than {} parameters", kMostParameters));
    }
    if (tokens_.TakeIf('~')) {
      parameter.prior = TakePrior(false);
      parameter.value = parameter.prior.Value(0);
      if (!std::isfinite(parameter.value))
        tokens_.Fail(at, "the prior's centre is infinite, must be finite");
    } else {
      if (!tokens_.TakeIf('=')) tokens_.FailHere("'=' and a number, or '~' and a prior");
      const Token& value_at = tokens_.Now();
      parameter.value = tokens_.TakeNumber();
      if (tokens_.Now().IsWordOf("in")) {
        tokens_.Skip();
        tokens_.Expect('[');
        EquationPrior& prior = parameter.prior;
        prior.kind = EquationPrior::Kind::kUniform;
        prior.first = tokens_.TakeNumber();
        tokens_.Expect(',');
        prior.second = tokens_.TakeNumber();
        tokens_.Expect(']');
        CheckBounds(value_at, prior);
        if (!(parameter.value > prior.first && parameter.value < prior.second)) {
          tokens_.Fail(value_at, fmt::format("{:g} is not between the bounds {:g} and {:g}",
                                             parameter.value, prior.first, prior.second));
        }
      }
    }
    for (const EquationParameter& other : system_.parameters) {
      if (other.name == parameter.name) {
        tokens_.Fail(at, fmt::format("parameter {} is given twice", parameter.name));
      }
    }
    parameter_at_.push_back(at);
    system_.parameters.push_back(std::move(parameter));
  }

  void ReadState() {
    tokens_.Skip();
    const Token& at = tokens_.Now();
    hidden_at_.push_back(at);
    hidden_.push_back(tokens_.TakeName());
    if (hidden_.size() > kMostStates) {
      tokens_.Fail(at, fmt::format("more than {} states", kMostStates));
    }
    hidden_priors_.push_back(tokens_.TakeIf('~') ? TakePrior(true) : EquationPrior{});
  }

  // Puts the names of all states and inputs together.
  void AddStates() {
    if (!system_.has_names) {
      system_.states = names_.channels;
      system_.inputs = names_.inputs;
    }
    system_.channels = system_.states.size();
    if (system_.channels + hidden_.size() > kMostStates || system_.inputs.size() > kMostStates) {
      tokens_.Fail(tokens_.At(0), fmt::format("more than {} states or inputs", kMostStates));
    }
    for (std::size_t i = 0; i < hidden_.size(); ++i) {
      if (std::ranges::find(system_.states, hidden_[i]) != system_.states.end()) {
        tokens_.Fail(hidden_at_[i],
                     fmt::format("'{}' is a channel or was declared before: it is a state "
                                 "already",
                                 hidden_[i]));
      }
      if (std::ranges::find(system_.inputs, hidden_[i]) != system_.inputs.end()) {
        tokens_.Fail(hidden_at_[i],
                     fmt::format("'{}' is an input, must not be a state too", hidden_[i]));
      }
      system_.states.push_back(hidden_[i]);
    }
    system_.is_log.resize(system_.states.size(), false);
    system_.state_priors.assign(system_.channels, {});
    system_.state_priors.insert(system_.state_priors.end(), hidden_priors_.begin(),
                                hidden_priors_.end());
    for (std::size_t i = 0; i < system_.parameters.size(); ++i) {
      const std::string& name = system_.parameters[i].name;
      const bool is_taken = std::ranges::find(system_.states, name) != system_.states.end() ||
                            std::ranges::find(system_.inputs, name) != system_.inputs.end();
      if (is_taken) {
        tokens_.Fail(parameter_at_[i],
                     fmt::format("'{}' is a state or an input, must not be a parameter too", name));
      }
    }
  }

  void ReadDefinition(const Statement& own) {
    const bool is_taken =
        std::ranges::find(system_.states, own.name) != system_.states.end() ||
        std::ranges::find(system_.inputs, own.name) != system_.inputs.end() ||
        std::ranges::any_of(system_.parameters, [&](const auto& p) { return p.name == own.name; });
    if (is_taken) {
      tokens_.Fail(tokens_.At(own.name_at),
                   fmt::format("'{}' is a state, an input or a parameter already", own.name));
    }
    tokens_.GoTo(own.expression_at);
    const std::size_t node = expressions_.Read();
    tokens_.ExpectStatementEnd();
    expressions_.Define(own.name, node);
  }

  void ReadEquation(const Statement& own) {
    const auto found = std::ranges::find(system_.states, own.name);
    if (found == system_.states.end()) {
      tokens_.Fail(
          tokens_.At(own.name_at),
          fmt::format("no channel is named '{}'; {}, and state {} declares one that is not "
                      "observed",
                      own.name, expressions_.KnownStates(), EquationName(own.name)));
    }
    tokens_.GoTo(own.expression_at);
    system_.derivatives.resize(system_.states.size(), kNone);
    const std::size_t node = expressions_.Read();
    tokens_.ExpectStatementEnd();
    const auto state = static_cast<std::size_t>(found - system_.states.begin());
    system_.derivatives[state] = expressions_.SlopeOfState(state, node);
  }

  void Finish() {
    system_.derivatives.resize(system_.states.size(), kNone);
    for (std::size_t d = 0; d < system_.states.size(); ++d) {
      if (system_.derivatives[d] != kNone) continue;
      const std::string name = EquationName(system_.states[d]);
      throw InputError(
          fmt::format("{}: {} '{}' has no equation, must have d{} = ...{}", tokens_.source(),
                      d < system_.channels ? "channel" : "state", system_.states[d], name,
                      d < system_.channels ? "; or choose others with --channels" : ""));
    }
    if (system_.states.empty())
      throw InputError(fmt::format("{}: has no equations", tokens_.source()));
    // Unknown functions without a name are numbered; a name that is taken is skipped.
    std::size_t number = 0;
    for (EquationProcess& process : system_.processes) {
      if (!process.name.empty()) continue;
      const auto is_taken = [&](const EquationProcess& other) {
        return other.name == fmt::format("gp{}", number);
      };
      do {
        ++number;
      } while (std::ranges::any_of(system_.processes, is_taken));
      process.name = fmt::format("gp{}", number);
    }
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  TokenStream tokens_;
  const EquationNames& names_;
  EquationSystem system_;
  ExpressionReader expressions_;
  std::vector<std::string> hidden_;
  std::vector<EquationPrior> hidden_priors_;
  std::vector<Token> hidden_at_, parameter_at_;
  std::vector<Statement> definitions_, equations_;
};

}  // namespace

EquationSystem ParseEquations(std::string_view text, std::string_view source,
                              const EquationNames& names) {
  if (text.size() > kMostText) {
    throw InputError(
        fmt::format("{}: has {} bytes, must have at most {}", source, text.size(), kMostText));
  }
  return Parser(text, source, names).Parse();
}

}  // namespace gpode
