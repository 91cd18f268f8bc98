// Errors, in three tiers.
//
//   bad input from a person   InputError, thrown when the input is read, before any work
//   a numerical failure       a status in the result, with a message (SolveStatus, FactorStatus)
//   a broken invariant        GPODE_CHECK, always on, prints and aborts
//
// The named Check… functions, or ThrowInput where none of them fits, validate the arguments of
// public functions. Each throws an InputError that names the function and the argument, and says
// what was found and what is accepted:
//
//   CheckPositive("Solver", "rtol", options.rtol);
//   // Solver: rtol is -1, must be positive and finite
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpode {

// An input from a person that cannot be used. what() is one line, meant to be printed as it is:
// either a message alone or "FUNCTION: ARGUMENT MESSAGE". The accessors return these parts, so that
// a program can report the same message about its own option.
//
//   try { Fit(data, options); }
//   catch (const InputError& e) { if (e.function() == "Fit") complain(e.argument(), e.message()); }
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(std::string_view function, std::string_view argument, std::string_view message);

  // If the error is a message alone, function and argument are empty.
  std::string_view function() const noexcept { return Line().substr(0, function_size_); }
  std::string_view argument() const noexcept {
    return Line().substr(message_at_ > 0 ? function_size_ + 2 : 0, argument_size_);
  }
  std::string_view message() const noexcept { return Line().substr(message_at_); }

 private:
  std::string_view Line() const noexcept { return what(); }

  // The parts are kept as positions within what() rather than as strings, because copying an
  // exception must not throw and copying a string can.
  std::size_t function_size_ = 0, argument_size_ = 0, message_at_ = 0;
};

// Throws the InputError "FUNCTION: ARGUMENT MESSAGE".
[[noreturn]] void ThrowInput(std::string_view function, std::string_view argument,
                             std::string_view message);

// Each of these throws an InputError unless its condition holds.
void CheckFinite(std::string_view function, std::string_view argument, double value);
void CheckFinite(std::string_view function, std::string_view argument,
                 std::span<const double> values);
void CheckPositive(std::string_view function, std::string_view argument, double value);
void CheckPositive(std::string_view function, std::string_view argument,
                   std::span<const double> values);
void CheckNonNegative(std::string_view function, std::string_view argument, double value);
void CheckAtLeast(std::string_view function, std::string_view argument, std::ptrdiff_t value,
                  std::ptrdiff_t least);
void CheckSize(std::string_view function, std::string_view argument, std::size_t size,
               std::size_t expected);

namespace internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace internal

}  // namespace gpode

// Checks an invariant of the program, in release builds too: the check costs little, and a program
// that continued with a broken invariant could give wrong results.
#define GPODE_CHECK(condition)                                        \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::gpode::internal::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)
