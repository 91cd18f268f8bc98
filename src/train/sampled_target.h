// The density that the sampler of a model draws from: likelihood times prior of everything unknown.
//
// A position holds, one after the other, the latent variables of the function and the initial
// states in whitened coordinates (whitening.h), the logarithms of the sampled hyperparameters and,
// unless it is known, those of the likelihood's parameters. A priori latent variables are standard
// normal, hyperparameters as the function says, and logarithms of the likelihood's parameters
// normal around those of a noise that is a share of the channel's spread (PriorOptions).
//
// The residual of a process between its inducing points is a long vector of weights, standard normal
// a priori, about which data say little. They are not part of the position, but drawn between
// iterations by elliptical slice sampling:
//   I. Murray, R. P. Adams, D. J. C. MacKay (2010), Elliptical slice sampling, AISTATS.
//
// Thread safety: const functions may be called from any thread; a SampledDensity belongs to one, and
// its target does not change as long as it is used.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpode/nuts.h"
#include "train/linearised_likelihood.h"
#include "train/start_values.h"
#include "train/whitening.h"

namespace gpode {

class SampledDensity;

class SampledTarget {
 public:
  SampledTarget(const Dataset& data, const FitOptions& options, const Start& start);

  std::size_t size() const { return coordinates_.size(); }
  // The coordinates after the whitened ones that are hyperparameters of the function.
  std::size_t hyperparameters() const { return hyperparameters_; }
  // The standard deviation of the likelihood's coordinates that their channels' observations leave.
  Vector LikelihoodDeviations() const;
  // The first coordinates, which are whitened: those of the function and of the initial states.
  std::size_t whitened() const { return whitened_; }
  // The number of weights of the residual.
  std::size_t further() const;
  const ModelParts& parts() const { return parts_; }
  const FitOptions& options() const { return options_; }
  const Start& start() const { return start_; }
  const std::vector<TimedValues>& trajectories() const { return trajectories_; }

  // Takes the values of everything that is not sampled from these flat parameters.
  void SetFlat(std::span<const double> flat);
  // Takes an approximation of the likelihood. Without one, whitened coordinates are the latent
  // variables themselves.
  void SetLinear(LinearisedLikelihood linear) { linear_ = std::move(linear); }
  bool HasLinear() const { return linear_.target.size() > 0; }
  // One over the variance of an observation of each channel (channels), for constrained values.
  Vector PrecisionOf(std::span<const double> values) const;
  // Linearises the likelihood at these flat parameters.
  LinearisedLikelihood LineariseAt(std::span<const double> flat) const;

  // The density, for one thread. The target must outlive it.
  std::unique_ptr<SampledDensity> Density() const;
  std::vector<std::unique_ptr<SampledDensity>> Densities(std::size_t count) const;

 private:
  friend class SampledDensity;

  // flat[index] = centre + unit * position. `has_prior` says whether the bound has the prior of the
  // coordinate in it; otherwise it is standard normal.
  struct Coordinate {
    std::size_t index;
    double centre = 0, unit = 1;
    bool has_prior = true;
  };

  void AddBlock(std::size_t block);
  void AddLatent(std::size_t part);
  void AddNoise(const Dataset& data);

  FitOptions options_;
  Start start_;
  std::vector<TimedValues> trajectories_;
  ModelParts parts_;
  std::vector<Coordinate> coordinates_;
  std::size_t whitened_ = 0, hyperparameters_ = 0;
  std::vector<double> flat_;
  LinearisedLikelihood linear_;
};

class SampledDensity {
 public:
  explicit SampledDensity(const SampledTarget& target);

  // The coordinates that a gradient speaks of. That of the hyperparameters takes most of the time:
  // the map from whitened coordinates to latent variables depends on them.
  enum class Varied { kAll, kAllButHyperparameters };

  // Returns the log density at a position, up to a constant, and writes its gradient, with zeros for
  // coordinates that are not varied; no gradient if that is empty.
  double Evaluate(std::span<const double> position, std::span<double> gradient,
                  Varied varied = Varied::kAll);
  // Returns the log density of the function's hyperparameters (hyperparameters()) under the
  // linearised likelihood with everything else integrated out, and writes its gradient; no gradient
  // if that is empty.
  double EvaluateEvidence(std::span<const double> hyper, std::span<double> gradient);
  // log |det dz/de|, z the latent variables and e the whitened coordinates (whitening.h), at the
  // position last evaluated.
  double LogJacobian() const { return whitening_.LogJacobian(); }
  // Takes the weights of the residual; at first they are zero.
  void SetFurther(std::span<const double> further);
  // Draws them given the position, from the present ones.
  void DrawFurther(const RandomStream& stream, std::span<const double> position,
                   std::span<double> further);

  // The position of the hyperparameters of flat values, and the constrained values of all
  // parameters with others in their place.
  Vector HyperparametersOf(std::span<const double> flat) const;
  std::vector<double> WithHyperparameters(std::span<const double> flat,
                                          std::span<const double> hyper);
  // The constrained values of all parameters at a position, and the position of such flat values.
  std::vector<double> ValuesAt(std::span<const double> position);
  Vector PositionOf(std::span<const double> flat);

 private:
  bool SetValues(std::span<const double> position);
  void WriteFurther();
  bool SetFunction(std::span<const double> hyper, std::span<const double> further);
  void SetDesign();
  bool ArePossible() const;
  void PullBasis();
  void AddResidual();
  void PullResidual();
  void PullWhitened(Varied varied, std::span<double> gradient);

  const SampledTarget& target_;
  ModelParts parts_;
  std::unique_ptr<Bound> bound_;
  Whitening whitening_;
  ThreadPool pool_{1};
  std::vector<double> flat_, values_, bvalues_, bflat_, further_;
  std::vector<Matrix> basis_;  // (outputs): at the nodes of the linearised likelihood
  Eigen::MatrixXd design_, bdesign_;
  // The hyperparameters and the weights for which the whitening is set, if it is.
  bool is_set_ = false;
  std::vector<double> hyper_at_, further_at_;
  // The residual at the nodes: the function whose latent variables are zero.
  std::vector<std::unique_ptr<FunctionDraw>> residual_;  // one, or none
  AlignedVector<double> residual_record_;
  Matrix residual_values_;
  Vector linear_target_, btarget_;
  Vector white_, latent_, blatent_, bwhite_;
};

// Minus the second derivatives of the log density at `position`, by differences of its gradient.
// Each eigenvalue is replaced by its size, and by one, the curvature of the prior, if that is
// larger: the result is positive definite anywhere.
Matrix Curvature(const LogDensity& density, const Vector& position);

}  // namespace gpode
