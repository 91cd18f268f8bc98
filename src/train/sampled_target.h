// The density that the sampler of a model draws from: likelihood times prior of everything unknown.
//
// A position has three parts, one after the other:
//   - the latent variables of the function, the initial states and the normals of the process noise
//     (data/noise_pieces.h), all standard normal a priori, in whitened coordinates (whitening.h),
//   - the logarithms of the sampled hyperparameters, whose prior the function defines, those of
//     groups of hyperparameters that are drawn together, and of the process noise, unless it is
//     known, whose priors are normal, and
//   - the logarithms of the likelihood's parameters, unless the noise is known. Their prior is
//     normal; at its centre, the noise is a fixed share of the channel's spread (PriorOptions).
//
// The residual of a process between its inducing points is given by a long vector of weights. They
// are standard normal a priori, and data say little about them. They are not part of the position,
// but are drawn between iterations by elliptical slice sampling:
//   I. Murray, R. P. Adams, D. J. C. MacKay (2010), Elliptical slice sampling, AISTATS.
//
// Thread safety: const functions may be called from any thread. A SampledDensity belongs to one
// thread, and its target must not change while it is in use.
#pragma once

#include <limits>
#include <memory>
#include <optional>
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
  // `noise_pieces` is the number of pieces of each trajectory on which the process noise is
  // constant. It is empty if there is no process noise.
  SampledTarget(const Dataset& data, const FitOptions& options, const Start& start,
                const std::vector<std::size_t>& noise_pieces = {});

  std::size_t size() const { return coordinates_.size(); }
  // The number of hyperparameters, those of the function and the process noise. Their coordinates
  // follow the whitened ones.
  std::size_t hyperparameters() const { return hyperparameters_; }
  // Returns the approximate posterior standard deviations of the likelihood's coordinates, from the
  // number of observations of each channel.
  Vector LikelihoodDeviations() const;
  // The number of whitened coordinates, which come first: those of the function's latent variables
  // and of the initial states.
  std::size_t whitened() const { return whitened_; }
  // The number of weights of the residual.
  std::size_t further() const;
  const ModelParts& parts() const { return parts_; }
  const FitOptions& options() const { return options_; }
  const Start& start() const { return start_; }
  const std::vector<TimedValues>& trajectories() const { return trajectories_; }
  const NoisePieces& pieces() const { return pieces_; }

  // Takes the values of everything that is not sampled from these flat parameters.
  void SetFlat(std::span<const double> flat);
  // Takes an approximation of the likelihood. Without one, whitened coordinates are the latent
  // variables themselves.
  void SetLinear(LinearisedLikelihood linear) { linear_ = std::move(linear); }
  bool HasLinear() const { return linear_.target.size() > 0; }
  // Returns the likelihood, where `values` are the constrained values of all parameters.
  WeightedNoise NoiseOf(std::span<const double> values) const;
  // Returns the factor (P D) by which the latent variables of the process noise are multiplied to
  // get the force on each piece. It is empty if there is no process noise.
  std::vector<double> ForceScale(std::span<const double> values) const;
  // Linearises the likelihood at these flat parameters.
  LinearisedLikelihood LineariseAt(std::span<const double> flat) const;
  // Linearises the likelihood at these constrained values, which include the residual's weights.
  LinearisedLikelihood LineariseAtValues(std::span<const double> values) const;

  // Returns a density for the use of one thread. The target must outlive it.
  std::unique_ptr<SampledDensity> Density() const;
  std::vector<std::unique_ptr<SampledDensity>> Densities(std::size_t count) const;

 private:
  friend class SampledDensity;

  // Another member of a group of hyperparameters (UnknownFunction::SampledGroup).
  struct Member {
    std::size_t index;
    double centre;
  };
  // One coordinate of a position: flat[index] = centre + unit * coordinate, and likewise for the
  // other members of a group. If `has_prior` is true, the bound includes the coordinate's prior;
  // otherwise the coordinate is standard normal a priori.
  struct Coordinate {
    std::size_t index;
    double centre = 0, unit = 1;
    bool has_prior = true;
    std::vector<Member> further = {};

    void SetFlat(double coordinate, std::span<double> flat) const {
      flat[index] = centre + unit * coordinate;
      for (const Member& m : further) flat[m.index] = m.centre + unit * coordinate;
    }
    // Returns the derivative with respect to the coordinate, given those with respect to `flat`.
    double Pull(std::span<const double> bflat) const {
      double sum = bflat[index];
      for (const Member& m : further) sum += bflat[m.index];
      return unit * sum;
    }
  };

  void AddBlock(std::size_t block);
  void AddGroup(const UnknownFunction::SampledGroup& group);
  void AddLatent(std::size_t part);
  void AddNoise(const Dataset& data);
  void AddProcessNoise();

  FitOptions options_;
  Start start_;
  std::vector<TimedValues> trajectories_;
  NoisePieces pieces_;
  ModelParts parts_;
  std::vector<Coordinate> coordinates_;
  std::size_t whitened_ = 0, hyperparameters_ = 0;
  std::vector<double> flat_;
  LinearisedLikelihood linear_;
};

class SampledDensity {
 public:
  explicit SampledDensity(const SampledTarget& target);

  // The coordinates whose gradient is computed. The gradient of the hyperparameters takes most of
  // the time, because the map from whitened coordinates to latent variables depends on them.
  enum class Varied { kAll, kAllButHyperparameters };

  // Returns the log density at a position, up to a constant, and writes its gradient unless
  // `gradient` is empty. The gradient is zero for coordinates that are not varied.
  // If the log density is certainly below `floor`, the result may be minus infinity instead.
  double Evaluate(std::span<const double> position, std::span<double> gradient,
                  Varied varied = Varied::kAll,
                  double floor = -std::numeric_limits<double>::infinity());
  // Returns the log density of the hyperparameters (hyperparameters()) under the linearised
  // likelihood, with all whitened variables integrated out. Writes its gradient unless `gradient`
  // is empty.
  double EvaluateEvidence(std::span<const double> hyper, std::span<double> gradient);
  // Returns log |det dz/de| at the position last evaluated, where z are the latent variables and e
  // the whitened coordinates (whitening.h).
  double LogJacobian() const { return whitening_.LogJacobian(); }
  // Takes an approximation of the likelihood that replaces the target's in this density. Positions
  // then are coordinates of another whitening.
  void SetLinear(LinearisedLikelihood linear);
  // Takes the weights of the residual, which are zero at first.
  void SetFurther(std::span<const double> further);
  // Draws new weights of the residual given the position, and returns the log density with them.
  // `further` holds the present weights on entry and the new ones on return. `known` is the log
  // density with the present weights, if the caller knows it.
  double DrawFurther(const RandomStream& stream, std::span<const double> position,
                     std::span<double> further, std::optional<double> known = {});

  // Returns the coordinates of the hyperparameters, for flat parameters.
  Vector HyperparametersOf(std::span<const double> flat) const;
  // Returns the constrained values of the flat parameters with hyperparameters at the coordinates
  // `hyper`.
  std::vector<double> WithHyperparameters(std::span<const double> flat,
                                          std::span<const double> hyper);
  // ValuesAt returns the constrained values of all parameters at a position. PositionOf returns the
  // position of flat parameters, PositionOfValues that of constrained values. Both leave out the
  // residual's weights, for which those of SetFurther are used.
  std::vector<double> ValuesAt(std::span<const double> position);
  Vector PositionOf(std::span<const double> flat);
  Vector PositionOfValues(std::span<const double> values);

 private:
  const LinearisedLikelihood& linear() const {
    return own_linear_ ? *own_linear_ : target_.linear_;
  }
  bool SetValues(std::span<const double> position);
  void WriteFurther();
  bool SetFunction(std::span<const double> hyper, std::span<const double> further);
  void SetDesign();
  bool ArePossible() const;
  double BesideBound(std::span<const double> position) const;
  void PullBasis(bool with_offset);
  void PullForceScale();
  void AddOffset(bool with_residual);
  void AddResidual();
  void PullResidual();
  void PullWhitened(Varied varied, std::span<double> gradient);

  const SampledTarget& target_;
  std::optional<LinearisedLikelihood> own_linear_;
  ModelParts parts_;
  std::unique_ptr<Bound> bound_;
  Whitening whitening_;
  ThreadPool pool_{1};
  std::vector<double> flat_, values_, bvalues_, bflat_, further_;
  std::vector<Matrix> basis_;  // (outputs): the basis at the nodes of the linearised likelihood
  Eigen::MatrixXd design_, bdesign_;
  // The hyperparameters and the residual's weights for which the whitening is set, if is_set_.
  bool is_set_ = false;
  std::vector<double> hyper_at_, further_at_;
  // The residual at the nodes. It is the value of the function if the latent variables are zero.
  std::vector<std::unique_ptr<FunctionDraw>> residual_;  // one draw; empty without a residual
  AlignedVector<double> residual_record_;
  Matrix residual_values_;
  Vector linear_target_, btarget_;
  Vector white_, latent_, blatent_, bwhite_;
};

// Returns minus the second derivatives of the log density at `position`, by differences of its
// gradient. Each eigenvalue is replaced by its absolute value, and by one, the curvature of the
// prior, if that is larger, so that the result is positive definite everywhere. Returns the
// identity if a derivative is not finite.
Matrix Curvature(const LogDensity& density, const Vector& position);

}  // namespace gpode
