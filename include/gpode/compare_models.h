// Compares models by their forecasts of held-back data, and chooses one of them.
//
// Every candidate is trained without the last rows of each trajectory and then forecasts these
// rows. The models are ranked by their error relative to the spread of the data,
//   error = sqrt( mean over channels c of MSE_c / v_c ),
// with MSE_c the mean squared error of the forecast median and v_c the variance of the channel in
// the rows that are not held back. Three simple forecasts from the same rows serve as baselines:
// the last value, the value one period earlier (if there is a period), and the linear model
// x' = A x + b.
//
// Thread safety: any thread may call these functions. They start their own threads, and give the
// same numbers for any number of them, except for the times that training took.
//
//   ModelComparison all = CompareModels(data, MakeCandidates({"joint", "shooting"}, data));
//   std::string best = all.ranking.front().name;
//
//   ModelChoice choice = ChooseModel(data, ChooseOptions(data));  // what `gpode fit` does
//   Model model = Fit(data, choice.options);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/fit_options.h"
#include "gpode/holdout.h"
#include "gpode/training.h"

namespace gpode {

struct CandidateModel {
  std::string name;
  FitOptions options;
};

// Returns the names that MakeCandidates accepts: "auto" (the choice of ChooseOptions), "joint" and
// "nuts" (a Gaussian process with that posterior), and the names of ListModels (options.h).
std::vector<std::string> CandidateNames();

// Returns candidates with the options that `gpode fit` would use for them. `given` names the
// options that the caller has set in `options`, which are kept. Throws an InputError for an unknown
// name.
std::vector<CandidateModel> MakeCandidates(const std::vector<std::string>& names,
                                           const Dataset& data, const FitOptions& options = {},
                                           const std::vector<std::string>& given = {});

// The forecast of the held-back rows by one model.
struct ModelScore {
  std::string name;        // the candidate, or "last value", "seasonal value", "linear model"
  bool is_simple = false;  // true for the simple forecasts
  double error = 0;        // relative to the spread; infinite if a value could not be forecast
  std::vector<double> rmse = {};  // (channels) in their units; NaN if nothing was held back
  // error_over_noise is the ratio of the mean squared error to the learnt noise variance, averaged
  // over the channels: about 1 if no forecast could be better. mnll is the mean negative log
  // likelihood, and inside the share of values inside the 90 % bands of observations. All three are
  // NaN for simple forecasts.
  double error_over_noise = 0, mnll = 0, inside = 0;
  double seconds = 0;        // the time that training took
  std::string failure = {};  // the reason why there is no forecast; empty if there is one
};

struct ModelComparison {
  std::vector<std::string> channels = {};
  std::size_t seen_times = 0, held_times = 0;  // rows of all trajectories together
  double period = 0;                           // period of the seasonal value; 0 if there is none
  std::vector<ModelScore> ranking = {};        // the best first
  bool interrupted = false;                    // true if `report` ended the comparison

  // Returns the best learnt model, or nullptr if none could forecast.
  const ModelScore* Best() const;
  // Returns the least error of a simple forecast.
  double SimpleError() const;
};

struct CompareControl {
  HoldoutOptions holdout = {};
  double period = 0;                        // period of the seasonal value; 0 to estimate it
  std::size_t draws = 256;                  // the number of draws of each forecast
  std::optional<std::size_t> threads = {};  // if set, replaces FitOptions::threads
  // This function is called after every step of training with the index of the candidate. If it
  // returns false, the comparison ends.
  std::function<bool(std::size_t candidate, const Progress&)> report = {};
  // This function is called with the score of each candidate. If it returns false, the candidates
  // after it are not tried.
  std::function<bool(const ModelScore&)> scored = {};
};

// Trains and scores all candidates. The score of a candidate that cannot be trained gives the
// reason. Throws an InputError if the data cannot be split.
ModelComparison CompareModels(const Dataset& data, std::span<const CandidateModel> candidates,
                              const CompareControl& control = {});

// Returns the models that ChooseModel compares, in the order in which it tries them, or none if the
// options of ChooseOptions, `chosen`, are to be used as they are. Models are compared if the
// function is a Gaussian process without inputs, the trajectories together have more than 100 times
// and at most 3000 values of states, and the caller has set no option of training (`given` names
// the options that were set). The candidates are joint (up to 600 times and 6 states), then
// shooting and gpode, the latter first if no trajectory has 100 times.
std::vector<CandidateModel> ModelsToTry(const Dataset& data, const FitOptions& chosen,
                                        const std::vector<std::string>& given = {});

struct ModelChoice {
  FitOptions options;
  ModelComparison comparison = {};  // has no ranking if nothing was compared
  std::string reason = {};          // a sentence for people; empty if nothing was compared
};

// Chooses the first of ModelsToTry whose forecasts of held-back data are better than the simple
// forecasts, or as good as the noise allows. Returns `chosen` if there is nothing to try, if there
// is no such model, or if the comparison was interrupted.
ModelChoice ChooseModel(const Dataset& data, const FitOptions& chosen,
                        const std::vector<std::string>& given = {},
                        const CompareControl& control = {});

}  // namespace gpode
