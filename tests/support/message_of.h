// The message of the InputError that a call throws.
#pragma once

#include <functional>
#include <string>

#include "gpode/error.h"

namespace gpode::testing_support {

// Returns the message, or "nothing thrown" if the call throws no InputError.
inline std::string MessageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace gpode::testing_support
