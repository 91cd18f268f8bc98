// Inputs u(t) in R^U that drive a field: forces, doses, temperatures.
//
// A solver asks for the inputs at the times at which it evaluates the field. Its error control
// assumes that u is smooth. If u jumps within a step, the solver rejects steps until they are
// small.
//
// Thread safety: At may be called from any number of threads at once.
//
//   class Sine final : public InputSignal {
//     std::size_t size() const override { return 1; }
//     void At(double t, std::span<double> u) const override { u[0] = std::sin(t); }
//   };
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

class InputSignal {
 public:
  virtual ~InputSignal() = default;

  // The number U of inputs.
  virtual std::size_t size() const = 0;
  // Writes the inputs at time t to u (U).
  virtual void At(double t, std::span<double> u) const = 0;

 protected:
  InputSignal() = default;
  InputSignal(const InputSignal&) = default;
  InputSignal& operator=(const InputSignal&) = default;
};

}  // namespace gpode
