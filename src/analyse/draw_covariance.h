// The covariance of quantities over draws, conditioned on noisy observations of some of them.
//
// With centred values of targets G (n, g) and of observed quantities Y (n, s) in n draws and the
// noise variances R, an observation of Y lowers the total variance of the targets by the trace of
//
//   G' W Y (Y' W Y + (n - 1) R)^-1 Y' W G / (n - 1),   W = I - B B',
//
// where B has s columns for each observation made before. A Gaussian conditioned on observations has
// that covariance, and no matrix of all candidates is needed.
//
// If Y and G were independent, the formula would still give the share d / (n - 1) of the variance on
// average, where d = trace of (cov(Y) + R)^-1 cov(Y) is the number of directions of Y that stand out
// of the noise. Reductions are corrected for that, as R^2 of a regression is.
//
// Thread safety: threads may call const functions of one object.
//
//   DrawCovariance covariance(targets);
//   covariance.Reduction(seen, noise) / covariance.TargetVariance()
#pragma once

#include "gpode/matrix.h"

namespace gpode {

class DrawCovariance {
 public:
  explicit DrawCovariance(const Matrix& targets);  // (n, g), centred

  // Returns the total variance of the targets, given the observations so far.
  double TargetVariance() const;

  // Returns by how much an observation of the values (n, s) with the noise variances (s) lowers the
  // total variance of the targets.
  double Reduction(const Matrix& seen, const Vector& noise) const;

  void Condition(const Matrix& seen, const Vector& noise);

 private:
  struct Observation;

  Observation Observe(const Matrix& seen, const Vector& noise) const;

  Eigen::MatrixXd original_, targets_;  // (n, g): G and W G
  Eigen::MatrixXd basis_;               // (n, observed so far): B
  double degrees_;
};

// Clips the values of each column to five robust standard deviations from the median, replaces those
// that are not finite by the mean, and subtracts the mean.
void CentreColumns(Matrix* values);

}  // namespace gpode
