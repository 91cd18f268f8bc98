#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "field/equation_system.h"
#include "gpode/error.h"

namespace gpode {
namespace {

// Limits that keep malformed or malicious texts from exhausting time, memory or the stack.
constexpr std::size_t kMostText = 65536, kMostNodes = 20000, kMostDepth = 200, kMostUses = 64,
                      kMostArguments = 32, kMostParameters = 256, kMostStates = 256;
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

bool IsLetter(char c) {
  // Bytes of UTF-8 sequences count as letters.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsWord(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return IsLetter(c) || IsDigit(c); });
}

struct Token {
  enum class Kind { kEnd, kLineEnd, kNumber, kWord, kQuoted, kSymbol };

  Kind kind = Kind::kEnd;
  std::string_view text = {};  // without quotes
  double number = 0;
  std::size_t line = 1, column = 1;

  bool Is(char symbol) const { return kind == Kind::kSymbol && text.front() == symbol; }
  bool IsWordOf(std::string_view word) const { return kind == Kind::kWord && text == word; }
  bool IsName() const { return kind == Kind::kWord || kind == Kind::kQuoted; }
};

// Splits a text into tokens.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::vector<Token> Tokens() {
    std::vector<Token> tokens;
    do {
      tokens.push_back(Next());
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

  [[noreturn]] static void Fail(std::string_view source, const Token& at,
                                std::string_view message) {
    throw InputError(fmt::format("{}:{}:{}: {}", source, at.line, at.column, message));
  }

 private:
  Token Next() {
    using Kind = Token::Kind;
    SkipSpace();
    Token token{.line = line_, .column = at_ - line_start_ + 1};
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '\n' || c == ';') {
      token.kind = Kind::kLineEnd;
      token.text = Take(1);
      if (c == '\n') {
        ++line_;
        line_start_ = at_;
      }
    } else if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]))) {
      TakeNumber(token);
    } else if (IsLetter(c)) {
      std::size_t size = 1;
      while (at_ + size < text_.size() &&
             (IsLetter(text_[at_ + size]) || IsDigit(text_[at_ + size]))) {
        ++size;
      }
      token.kind = Kind::kWord;
      token.text = Take(size);
    } else if (c == '"') {
      const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
      if (end == std::string_view::npos || text_[end] != '"' || end == at_ + 1) {
        Fail(source_, token, "a quote without its end or without a name, must be as in \"x 1\"");
      }
      const std::size_t size = end + 1 - at_;
      token.kind = Kind::kQuoted;
      token.text = Take(size).substr(1, size - 2);
    } else if (std::string_view("+-*/^(),=~[]").find(c) != std::string_view::npos) {
      token.kind = Kind::kSymbol;
      token.text = Take(1);
    } else {
      const bool shows = c > ' ' && c < 127;
      Fail(source_, token,
           fmt::format("{} found, must be a name, a number or one of + - * / ^ ( ) , = ~ [ ]",
                       shows ? fmt::format("'{}'", c) : "an unknown character"));
    }
    return token;
  }

  void TakeNumber(Token& token) {
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), token.number);
    token.kind = Token::Kind::kNumber;
    if (error != std::errc() || !std::isfinite(token.number)) {
      Fail(source_, token, "a number that is too large or too small");
    }
    token.text = Take(static_cast<std::size_t>(end - first));
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '#')) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        ++at_;
      }
    }
  }

  std::string_view Take(std::size_t size) {
    const std::string_view taken = text_.substr(at_, size);
    at_ += size;
    return taken;
  }

  std::string_view text_, source_;
  std::size_t at_ = 0, line_ = 1, line_start_ = 0;
};

// Parses the tokens of a text. Declarations may stand after their use, so that there are two passes:
// the first reads declarations and remembers where the expressions are, the second reads these.
class Parser {
 public:
  Parser(std::string_view text, std::string_view source, const EquationNames& names)
      : source_(source), tokens_(Lexer(text, source).Tokens()), names_(names) {}

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

  const Token& Now() const { return tokens_[at_]; }
  const Token& Peek() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool AtStatementEnd() const {
    return Now().kind == Token::Kind::kEnd || Now().kind == Token::Kind::kLineEnd;
  }
  [[noreturn]] void Fail(const Token& at, std::string_view message) const {
    Lexer::Fail(source_, at, message);
  }
  [[noreturn]] void FailHere(std::string_view right) const {
    std::string found = "the end of the line";
    if (!AtStatementEnd()) {
      found = fmt::format("'{}'", Now().text.substr(0, 40));
    }
    Fail(Now(), fmt::format("{} found, must be {}", found, right));
  }
  bool TakeIf(char symbol) {
    if (!Now().Is(symbol)) return false;
    ++at_;
    return true;
  }
  void Expect(char symbol) {
    if (!TakeIf(symbol)) FailHere(fmt::format("'{}'", symbol));
  }
  void ExpectStatementEnd() {
    if (!AtStatementEnd()) FailHere("an operator or the end of the statement");
  }
  void SkipStatement() {
    while (!AtStatementEnd()) ++at_;
  }
  std::string TakeName() {
    if (!Now().IsName()) FailHere("a name");
    return std::string(tokens_[at_++].text);
  }

  void ReadDeclarations() {
    while (Now().kind != Token::Kind::kEnd) {
      if (Now().kind == Token::Kind::kLineEnd) {
        ++at_;
        continue;
      }
      ReadStatement();
      ExpectStatementEnd();
    }
  }

  void ReadStatement() {
    // A word such as `state` is the name of a state if '=' follows, as in dstate = 1.
    const bool is_keyword = !Peek().Is('=');
    if (is_keyword && Now().IsWordOf("param")) return ReadParameter();
    if (is_keyword && Now().IsWordOf("state")) return ReadState();
    if (is_keyword && Now().IsWordOf("channels")) return ReadNames(system_.states);
    if (is_keyword && Now().IsWordOf("inputs")) return ReadNames(system_.inputs);
    if (is_keyword && Now().IsWordOf("let")) {
      ++at_;
      const std::size_t name_at = at_;
      AddStatement(TakeName(), name_at, definitions_, kMostNodes);
      return;
    }
    const std::size_t name_at = at_;
    if (Now().kind == Token::Kind::kWord && Now().text == "d" &&
        Peek().kind == Token::Kind::kQuoted) {
      ++at_;
      AddStatement(TakeName(), name_at, equations_, kMostStates);
    } else if (Now().kind == Token::Kind::kWord && Now().text.starts_with('d') &&
               Now().text.size() > 1) {
      AddStatement(TakeName().substr(1), name_at, equations_, kMostStates);
    } else {
      FailHere("an equation such as dx = ..., or param, state or let");
    }
  }

  void AddStatement(std::string name, std::size_t name_at, std::vector<Statement>& to,
                    std::size_t most) {
    Expect('=');
    if (AtStatementEnd()) FailHere("an expression");
    for (const Statement& other : to) {
      if (other.name == name) {
        Fail(tokens_[name_at], fmt::format("{} is given twice, first on line {}",
                                           tokens_[name_at].text, tokens_[other.name_at].line));
      }
    }
    if (to.size() == most) Fail(tokens_[name_at], "too many statements");
    to.push_back({std::move(name), name_at, at_});
    SkipStatement();
  }

  void ReadNames(std::vector<std::string>& to) {
    ++at_;
    if (to.empty() && !system_.has_names && &to == &system_.states) system_.has_names = true;
    if (AtStatementEnd()) return;
    do {
      const Token& at = Now();
      to.push_back(TakeName());
      if (to.size() > kMostStates) Fail(at, fmt::format("more than {} names", kMostStates));
    } while (TakeIf(','));
  }

  double TakeNumber() {
    const double sign = TakeIf('-') ? -1 : 1;
    if (Now().kind != Token::Kind::kNumber) FailHere("a number");
    return sign * tokens_[at_++].number;
  }

  // Reads "normal(0, 1)".
  EquationPrior TakePrior(bool only_normal) {
    using Kind = EquationPrior::Kind;
    const Token& at = Now();
    EquationPrior prior;
    if (at.IsWordOf("normal")) prior.kind = Kind::kNormal;
    if (!only_normal && at.IsWordOf("lognormal")) prior.kind = Kind::kLogNormal;
    if (!only_normal && at.IsWordOf("uniform")) prior.kind = Kind::kUniform;
    if (prior.kind == Kind::kFixed) {
      FailHere(only_normal ? "normal(MEAN, DEVIATION)"
                           : "normal(M, S), lognormal(M, S) or uniform(LOW, HIGH)");
    }
    ++at_;
    Expect('(');
    prior.first = TakeNumber();
    Expect(',');
    prior.second = TakeNumber();
    Expect(')');
    if (prior.kind == Kind::kUniform) {
      CheckBounds(at, prior);
    } else if (!(prior.second > 0)) {
      Fail(at, fmt::format("a deviation of {:g}, must be positive", prior.second));
    }
    return prior;
  }

  void CheckBounds(const Token& at, const EquationPrior& prior) const {
    if (prior.first < prior.second && std::isfinite(prior.second - prior.first)) return;
    Fail(at, fmt::format("bounds {:g} and {:g}, must be a lower and a higher one", prior.first,
                         prior.second));
  }

  void ReadParameter() {
    ++at_;
    const Token& at = Now();
    EquationParameter parameter{.name = TakeName()};
    if (system_.parameters.size() == kMostParameters) Fail(at, "too many parameters");
    if (TakeIf('~')) {
      parameter.prior = TakePrior(false);
      parameter.value = parameter.prior.Value(0);
      if (!std::isfinite(parameter.value)) Fail(at, "a prior whose centre is not finite");
    } else {
      if (!TakeIf('=')) FailHere("'=' and a number, or '~' and a prior");
      const Token& value_at = Now();
      parameter.value = TakeNumber();
      if (Now().IsWordOf("in")) {
        ++at_;
        Expect('[');
        EquationPrior& prior = parameter.prior;
        prior.kind = EquationPrior::Kind::kUniform;
        prior.first = TakeNumber();
        Expect(',');
        prior.second = TakeNumber();
        Expect(']');
        CheckBounds(value_at, prior);
        if (!(parameter.value > prior.first && parameter.value < prior.second)) {
          Fail(value_at, fmt::format("{:g} is not between the bounds {:g} and {:g}",
                                     parameter.value, prior.first, prior.second));
        }
      }
    }
    for (const EquationParameter& other : system_.parameters) {
      if (other.name == parameter.name) Fail(at, "a parameter that is given twice");
    }
    parameter_at_.push_back(at);
    system_.parameters.push_back(std::move(parameter));
  }

  void ReadState() {
    ++at_;
    const Token& at = Now();
    hidden_at_.push_back(at);
    hidden_.push_back(TakeName());
    if (hidden_.size() > kMostStates) Fail(at, "too many states");
    hidden_priors_.push_back(TakeIf('~') ? TakePrior(true) : EquationPrior{});
  }

  // Puts the names of all states and inputs together.
  void AddStates() {
    if (!system_.has_names) {
      system_.states = names_.channels;
      system_.inputs = names_.inputs;
    }
    system_.channels = system_.states.size();
    if (system_.channels + hidden_.size() > kMostStates || system_.inputs.size() > kMostStates) {
      Fail(tokens_.front(), fmt::format("more than {} states or inputs", kMostStates));
    }
    for (std::size_t i = 0; i < hidden_.size(); ++i) {
      if (std::ranges::find(system_.states, hidden_[i]) != system_.states.end()) {
        Fail(hidden_at_[i], fmt::format("'{}' is a channel or was declared before: it is a state "
                                        "already",
                                        hidden_[i]));
      }
      if (std::ranges::find(system_.inputs, hidden_[i]) != system_.inputs.end()) {
        Fail(hidden_at_[i], fmt::format("'{}' is an input, must not be a state too", hidden_[i]));
      }
      system_.states.push_back(hidden_[i]);
    }
    system_.state_priors.assign(system_.channels, {});
    system_.state_priors.insert(system_.state_priors.end(), hidden_priors_.begin(),
                                hidden_priors_.end());
    for (std::size_t i = 0; i < system_.parameters.size(); ++i) {
      const std::string& name = system_.parameters[i].name;
      const bool is_taken = std::ranges::find(system_.states, name) != system_.states.end() ||
                            std::ranges::find(system_.inputs, name) != system_.inputs.end();
      if (is_taken) {
        Fail(parameter_at_[i],
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
      Fail(tokens_[own.name_at],
           fmt::format("'{}' is a state, an input or a parameter already", own.name));
    }
    at_ = own.expression_at;
    const std::size_t node = ReadSum(0);
    ExpectStatementEnd();
    defined_[own.name] = node;
  }

  void ReadEquation(const Statement& own) {
    const auto found = std::ranges::find(system_.states, own.name);
    if (found == system_.states.end()) {
      Fail(tokens_[own.name_at],
           fmt::format("no channel is named '{}'; {}, and state {} declares one that is not "
                       "observed",
                       own.name, KnownStates(), EquationName(own.name)));
    }
    at_ = own.expression_at;
    system_.derivatives.resize(system_.states.size(), kNone);
    const std::size_t node = ReadSum(0);
    ExpectStatementEnd();
    system_.derivatives[static_cast<std::size_t>(found - system_.states.begin())] = node;
  }

  std::string KnownStates() const {
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(system_.states.size(), 8); ++i) {
      known += (i > 0 ? ", " : "") + system_.states[i];
    }
    return known.empty() ? "there are no states" : "states are " + known;
  }

  void Finish() {
    system_.derivatives.resize(system_.states.size(), kNone);
    for (std::size_t d = 0; d < system_.states.size(); ++d) {
      if (system_.derivatives[d] != kNone) continue;
      const std::string name = EquationName(system_.states[d]);
      throw InputError(
          fmt::format("{}: {} '{}' has no equation, must have d{} = ...{}", source_,
                      d < system_.channels ? "channel" : "state", system_.states[d], name,
                      d < system_.channels ? "; or choose others with --channels" : ""));
    }
    if (system_.states.empty()) throw InputError(fmt::format("{}: has no equations", source_));
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

  // Adds a node, or returns the node that is the same.
  std::size_t Add(const EquationNode& node) {
    const auto key = std::tuple(node.op, node.a, node.b, node.number, node.index, node.derivative);
    const auto [found, is_new] = node_of_.emplace(key, system_.nodes.size());
    if (!is_new) return found->second;
    if (system_.nodes.size() == kMostNodes) {
      Fail(Now(), fmt::format("more than {} operations", kMostNodes));
    }
    system_.nodes.push_back(node);
    return system_.nodes.size() - 1;
  }
  std::size_t AddOperation(EquationOp op, std::size_t a, std::size_t b) {
    const bool varies = system_.nodes[a].varies || system_.nodes[b].varies;
    return Add({.op = op, .a = a, .b = b, .varies = varies});
  }

  void CheckDepth(std::size_t depth) const {
    if (depth > kMostDepth) Fail(Now(), fmt::format("more than {} nested parts", kMostDepth));
  }

  std::size_t ReadSum(std::size_t depth) {
    CheckDepth(depth);
    std::size_t left = ReadProduct(depth);
    while (Now().Is('+') || Now().Is('-')) {
      const EquationOp op = Now().Is('+') ? EquationOp::kAdd : EquationOp::kSubtract;
      ++at_;
      left = AddOperation(op, left, ReadProduct(depth));
    }
    return left;
  }

  std::size_t ReadProduct(std::size_t depth) {
    std::size_t left = ReadSigned(depth);
    while (Now().Is('*') || Now().Is('/')) {
      const EquationOp op = Now().Is('*') ? EquationOp::kMultiply : EquationOp::kDivide;
      ++at_;
      left = AddOperation(op, left, ReadSigned(depth));
    }
    return left;
  }

  // Reads -x, +x or x^y. The sign binds less than the power: -x^2 is -(x^2).
  std::size_t ReadSigned(std::size_t depth) {
    CheckDepth(depth);
    if (TakeIf('+')) return ReadSigned(depth + 1);
    if (TakeIf('-')) {
      const std::size_t a = ReadSigned(depth + 1);
      return AddOperation(EquationOp::kNegate, a, a);
    }
    const std::size_t base = ReadPrimary(depth);
    if (!TakeIf('^')) return base;
    return AddOperation(EquationOp::kPower, base, ReadSigned(depth + 1));
  }

  std::size_t ReadPrimary(std::size_t depth) {
    const Token& at = Now();
    if (at.kind == Token::Kind::kNumber) {
      ++at_;
      return Add({.op = EquationOp::kNumber, .number = at.number});
    }
    if (TakeIf('(')) {
      const std::size_t inner = ReadSum(depth + 1);
      Expect(')');
      return inner;
    }
    if (!at.IsName()) FailHere("a number, a name, a function or '('");
    if (at.kind == Token::Kind::kWord && at.text == "gp" &&
        (Peek().Is('(') || Peek().Is('[') || Peek().IsName())) {
      return ReadProcess(depth);
    }
    if (at.kind == Token::Kind::kWord && Peek().Is('(')) return ReadFunction(depth);
    ++at_;
    return AddName(at);
  }

  std::size_t AddName(const Token& at) {
    const std::string name(at.text);
    const auto index_in = [&](const std::vector<std::string>& names) {
      return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    if (const std::size_t i = index_in(system_.states); i < system_.states.size()) {
      return Add({.op = EquationOp::kState, .index = i, .varies = true});
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
    Fail(at, fmt::format("'{}' is not known: it is no channel, input, state, parameter or "
                         "definition above; {}",
                         name, KnownStates()));
  }

  // The time is the last input. If the inputs lack it, the index is their number.
  std::size_t AddTime() {
    system_.uses_time = true;
    const bool has_time = !system_.inputs.empty() && system_.inputs.back() == kTimeInput;
    const std::size_t index = system_.inputs.size() - (has_time ? 1 : 0);
    return Add({.op = EquationOp::kInput, .index = index, .varies = true});
  }

  std::vector<std::size_t> ReadArguments(std::size_t depth) {
    Expect('(');
    std::vector<std::size_t> arguments;
    do {
      if (arguments.size() == kMostArguments) {
        Fail(Now(), fmt::format("more than {} arguments", kMostArguments));
      }
      arguments.push_back(ReadSum(depth + 1));
    } while (TakeIf(','));
    Expect(')');
    return arguments;
  }

  std::size_t ReadFunction(std::size_t depth) {
    const Token& at = Now();
    const auto found =
        std::ranges::find_if(kFunctions, [&](const NamedOp& f) { return f.name == at.text; });
    if (found == kFunctions.end()) {
      std::string known = "gp";
      for (const NamedOp& f : kFunctions) known += fmt::format(", {}", f.name);
      Fail(at, fmt::format("function '{}' is unknown, known: {}", at.text, known));
    }
    ++at_;
    const std::vector<std::size_t> arguments = ReadArguments(depth);
    if (arguments.size() != found->arguments) {
      Fail(at, fmt::format("{} has {} arguments, must have {}", found->name, arguments.size(),
                           found->arguments));
    }
    return AddOperation(found->op, arguments.front(), arguments.back());
  }

  std::size_t ReadProcess(std::size_t depth) {
    const Token& at = Now();
    ++at_;
    if (is_in_process_) Fail(at, "gp in an argument of gp, must not be nested");
    is_in_process_ = true;
    const std::string name = Now().IsName() ? TakeName() : "";
    ProcessUse use;
    std::size_t derivative = EquationNode::kValue;
    if (TakeIf('[')) {
      const Token& number_at = Now();
      const double number = TakeNumber();
      Expect(']');
      if (number != std::floor(number) || number < 1 || number > kMostArguments) {
        Fail(number_at, "the number of an argument must be 1, 2, ...");
      }
      derivative = static_cast<std::size_t>(number) - 1;
    }
    use.arguments = ReadArguments(depth);
    is_in_process_ = false;
    const bool is_value = derivative == EquationNode::kValue;
    if (!is_value && derivative >= use.arguments.size()) {
      Fail(at, fmt::format("a derivative with respect to argument {}, must be one of {}",
                           derivative + 1, use.arguments.size()));
    }
    use.process = FindProcess(at, name, use.arguments.size());
    if (!is_value) system_.processes[use.process].has_derivatives = true;
    const std::size_t index = FindUse(at, std::move(use));
    (is_value ? system_.uses[index].has_value : system_.uses[index].has_gradient) = true;
    return Add(
        {.op = EquationOp::kProcess, .index = index, .derivative = derivative, .varies = true});
  }

  std::size_t FindUse(const Token& at, ProcessUse use) {
    for (std::size_t i = 0; i < system_.uses.size(); ++i) {
      const ProcessUse& other = system_.uses[i];
      if (other.process == use.process && other.arguments == use.arguments) return i;
    }
    if (system_.uses.size() == kMostUses) Fail(at, fmt::format("more than {} gp terms", kMostUses));
    system_.uses.push_back(std::move(use));
    return system_.uses.size() - 1;
  }

  std::size_t FindProcess(const Token& at, const std::string& name, std::size_t arguments) {
    for (std::size_t i = 0; i < system_.processes.size() && !name.empty(); ++i) {
      if (system_.processes[i].name != name) continue;
      if (system_.processes[i].arguments == arguments) return i;
      Fail(at, fmt::format("gp {} has {} arguments here and {} before, must have the same number",
                           name, arguments, system_.processes[i].arguments));
    }
    system_.processes.push_back({.name = name, .arguments = arguments});
    return system_.processes.size() - 1;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string source_;
  std::vector<Token> tokens_;
  const EquationNames& names_;
  std::size_t at_ = 0;
  EquationSystem system_;
  std::vector<std::string> hidden_;
  std::vector<EquationPrior> hidden_priors_;
  std::vector<Token> hidden_at_, parameter_at_;
  std::vector<Statement> definitions_, equations_;
  std::map<std::string, std::size_t, std::less<>> defined_;
  std::map<std::tuple<EquationOp, std::size_t, std::size_t, double, std::size_t, std::size_t>,
           std::size_t>
      node_of_;
  bool is_in_process_ = false;
};

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

double EquationPrior::Value(double z) const {
  switch (kind) {
    case Kind::kFixed:
      return first;
    case Kind::kNormal:
      return first + second * z;
    case Kind::kLogNormal:
      return std::exp(first + second * z);
    case Kind::kUniform:
      return first + (second - first) * NormalCdf(z);
  }
  return first;
}

double EquationPrior::Slope(double z) const {
  switch (kind) {
    case Kind::kFixed:
      return 0;
    case Kind::kNormal:
      return second;
    case Kind::kLogNormal:
      return second * std::exp(first + second * z);
    case Kind::kUniform:
      return (second - first) * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  }
  return 0;
}

double EquationPrior::Latent(double value) const {
  if (kind == Kind::kFixed) return 0;
  if (kind == Kind::kNormal) return (value - first) / second;
  if (kind == Kind::kLogNormal) return (std::log(value) - first) / second;
  // The normal distribution function has no simple inverse: this is bisection.
  double low = -6, high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (Value(middle) < value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<std::size_t> EquationSystem::LearntParameters() const {
  std::vector<std::size_t> learnt;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].prior.kind != EquationPrior::Kind::kFixed) learnt.push_back(i);
  }
  return learnt;
}

EquationSystem ParseEquations(std::string_view text, std::string_view source,
                              const EquationNames& names) {
  if (text.size() > kMostText) {
    throw InputError(
        fmt::format("{}: has {} bytes, must have at most {}", source, text.size(), kMostText));
  }
  return Parser(text, source, names).Parse();
}

std::string EquationName(std::string_view name) {
  return IsWord(name) ? std::string(name) : fmt::format("\"{}\"", name);
}

}  // namespace gpode
