// The values at which the inputs of a field are held constant: one for each measured input and, if
// a clock or the time drives the system, a time.
//
// Thread safety: any thread may use an object as long as none of them changes it.
//
//   HeldInputs held(posterior);   // typical values (Posterior::TypicalInputs)
//   held.Set("u", 2);
//   Vector inputs = held.Inputs(held.values().transpose()).row(0).transpose();
#pragma once

#include <string>
#include <vector>

#include "gpode/inputs.h"
#include "gpode/posterior.h"

namespace gpode {

class HeldInputs {
 public:
  explicit HeldInputs(const Posterior& posterior);

  // The names of the values: measured inputs, then "time" if there is a time.
  const std::vector<std::string>& names() const { return names_; }
  const Vector& values() const { return values_; }
  // Sets the value with this name. Returns false if there is none.
  bool Set(const std::string& name, double value);
  // Returns all inputs (n, U) for n rows of values.
  Matrix Inputs(const Matrix& values) const;

 private:
  InputRule rule_;
  std::vector<std::string> names_;
  Vector values_;
};

}  // namespace gpode
