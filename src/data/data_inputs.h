// The inputs of a trajectory as a signal that a solver can follow, in the model's coordinates.
//
// Measured inputs are smooth between samples. Breaks are the sample times at which a held input
// changes, or at which the slope of a linear one does.
//
// Thread safety: DataInputs does not change after construction, and any thread may use it.
//
//   DataInputs inputs(rule, samples, coordinates, trajectory.start());
//   solver.Solve(field, x0, 0.0, times, states, 0, &inputs);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/input_signal.h"
#include "gpode/inputs.h"

namespace gpode {

class DataInputs final : public InputSignal {
 public:
  // The model's time is zero at the user's time `start`. Without samples, the rule must have no
  // measured inputs.
  DataInputs(const InputRule& rule, const InputSamples& samples, const Coordinates& coordinates,
             double start);

  std::size_t size() const override { return rule_.size(); }
  void At(double t, std::span<double> u) const override { AtPiece(t, t, u); }
  void AtPiece(double t, double inside, std::span<double> u) const override;
  double NextBreak(double t, double direction) const override;

  // Returns the same inputs for a time that is zero at this signal's time `start`, as for a segment
  // that starts there. Both share the samples.
  std::shared_ptr<const DataInputs> Shifted(double start) const;

 private:
  // Samples of the measured inputs in the model's coordinates.
  struct Samples {
    std::vector<double> times;  // (K)
    Matrix values;              // (K, measured inputs)
    std::vector<double> breaks;

    void FindBreaks(InputHold hold);
  };

  InputRule rule_;
  std::shared_ptr<const Samples> samples_;
  Vector scale_, offset_;  // (U)
  double start_, time_scale_;
  double shift_ = 0;  // the time in samples_ that is time zero of this signal
};

}  // namespace gpode
