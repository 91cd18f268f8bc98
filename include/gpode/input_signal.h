// Inputs u(t) in R^U that drive a field: forces, doses, temperatures.
//
// A solver asks for the inputs at the times at which it evaluates the field. Its error control
// assumes that u is smooth. A signal that is smooth only piece by piece says where its pieces end
// (NextBreak). Steps of the solver then end there, too, and every evaluation of a step sees the
// piece that the step is in: at a jump, the step before it sees the limit from the left, and the
// step after it the limit from the right. The method keeps its order that way.
//
// Thread safety: At may be called from any number of threads at once.
//
//   class Sine final : public InputSignal {
//     std::size_t size() const override { return 1; }
//     void At(double t, std::span<double> u) const override { u[0] = std::sin(t); }
//   };
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace gpode {

class InputSignal {
 public:
  virtual ~InputSignal() = default;

  // The number U of inputs.
  virtual std::size_t size() const = 0;
  // Writes the inputs at time t to u (U).
  virtual void At(double t, std::span<double> u) const = 0;

  // Returns the first time after t (direction > 0), or the last one before t (direction < 0), at
  // which the inputs or their derivatives jump; infinity with the sign of the direction if there is
  // none.
  virtual double NextBreak(double /*t*/, double direction) const {
    return std::copysign(std::numeric_limits<double>::infinity(), direction);
  }
  // Writes the inputs at time t to u (U), as the smooth piece has them that contains the time
  // `inside`. t lies in that piece or at one of its ends.
  virtual void AtPiece(double t, double /*inside*/, std::span<double> u) const { At(t, u); }

 protected:
  InputSignal() = default;
  InputSignal(const InputSignal&) = default;
  InputSignal& operator=(const InputSignal&) = default;
};

}  // namespace gpode
