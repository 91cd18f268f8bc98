// The field of equations with unknown parts (equation_system.h), evaluated in the user's units.
//
// States z, inputs w and time s of a model have about unit size (gpode/coordinates.h). The
// equations f are in the user's units, so that
//   dz_d/ds = (time_scale / state_scale_d) f_d(state_scale z + state_offset, ...).
// Likewise an unknown function g of arguments a in the user's units is a function h of arguments of
// about unit size: g(a) = output_scale h((a - argument_offset) / argument_scale).
//
// Pullback adds to the cotangents of the learnt parameters (in the user's units), then to the raw
// sums of each unknown function, one function after the other. It goes back through the recorded
// values of all operations, so that derivatives are exact.
//
// Thread safety: that of Field. Set changes the field.
//
//   EquationField field(system);
//   field.Set(units, parameters, functions);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "field/equation_system.h"
#include "gpode/field.h"
#include "gpode/function.h"

namespace gpode {

struct EquationUnits {
  explicit EquationUnits(const EquationSystem& system);

  std::vector<double> state_scale, state_offset;  // (D)
  std::vector<double> input_scale, input_offset;  // (U)
  double time_scale = 1;
  struct Process {
    std::vector<double> scale, offset;  // one for each argument
    double output = 1;
  };
  std::vector<Process> processes;

  // The number of all units, and their conversion to and from a vector.
  std::size_t count() const;
  std::vector<double> ToVector() const;
  void Take(std::span<const double> values);

 private:
  // Calls visit(number) for each unit, in a fixed order.
  template <typename Own, typename Visit>
  static void ForAll(Own& own, Visit&& visit);
};

class EquationField final : public Field {
 public:
  // An unknown function and its gradient as functions of scaled arguments. The gradient has one
  // output for each argument, and both have raw sums of the same layout. Either may be null if the
  // equations do not need it.
  struct Unknown {
    const Function* value = nullptr;
    const Function* gradient = nullptr;
  };

  explicit EquationField(std::shared_ptr<const EquationSystem> system);

  // `parameters` are the values of all parameters of the system. The functions must outlive the
  // field, and functions of later calls must have the sizes of the first ones.
  void Set(const EquationUnits& units, std::span<const double> parameters,
           std::span<const Unknown> functions);

  std::size_t dim() const override { return system_->states.size(); }
  std::size_t inputs() const override { return system_->inputs.size(); }
  std::size_t parameter_count() const override { return parameter_count_; }
  std::size_t record_size() const override { return record_size_; }
  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override;
  void Record(const FieldPoints& points, std::span<double> f,
              std::span<double> record) const override;
  void Pullback(const FieldPoints& points, std::span<const double> record,
                std::span<const double> g, std::span<double> bx,
                std::span<double> bparameters) const override;

  // Returns the index at which the raw sums of an unknown function begin.
  std::size_t SumsOf(std::size_t process) const { return sums_[process]; }

  // The arguments of a use at one recorded point, scaled, and the outputs of its function there:
  // the value, if the equations need it, then the gradient, if they need that.
  std::span<const double> ArgumentsOf(std::size_t use, std::span<const double> record) const;
  std::size_t OutputsOf(std::size_t use) const;
  // Writes the outputs of all uses (sum of OutputsOf) at one recorded point.
  void UseOutputs(std::span<const double> record, std::span<double> outputs) const;
  // Does the same as Pullback for one point, and writes the cotangents of the outputs of all uses.
  void PullbackToUses(const FieldPoints& point, std::span<const double> record,
                      std::span<const double> g, std::span<double> bx,
                      std::span<double> bparameters, std::span<double> buses) const;

 private:
  // The parts of the record of a use: scaled arguments, outputs, and records of the functions.
  struct Place {
    std::size_t arguments = 0, value = 0, gradient = 0, value_record = 0, gradient_record = 0;
    std::size_t cotangents = 0;  // the place of the outputs' cotangents in a pullback's workspace
    std::size_t first_node = 0;
  };

  void Forward(const FieldPoints& point, double* r, std::span<double> f, bool records) const;
  void EvaluateUse(std::size_t use, double* r, bool records) const;
  void Reverse(const FieldPoints& point, const double* r, std::span<const double> g,
               std::span<double> bx, std::span<double> bparameters, std::span<double> buses) const;
  void ReverseUse(std::size_t use, const double* r, const double* cotangents, double* bnodes,
                  std::span<double> bparameters) const;

  std::shared_ptr<const EquationSystem> system_;
  EquationUnits units_;
  std::vector<double> parameters_;
  std::vector<std::size_t> learnt_;  // the place of each parameter among the learnt parameters
  std::vector<Unknown> functions_;
  std::vector<std::size_t> sums_;
  std::vector<Place> places_;
  std::vector<double> factors_;  // (D): time_scale / state_scale
  std::size_t parameter_count_ = 0, record_size_ = 0, cotangents_ = 0;
};

}  // namespace gpode
