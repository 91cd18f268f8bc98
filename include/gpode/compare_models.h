// Comparing models by forecasts of held-back data, and choosing one of them.
//
// Every candidate is trained without the last rows of each trajectory and forecasts them. The
// models are ranked by their error over the spread,
//   error = sqrt( mean over channels c of MSE_c / v_c ),
// with MSE_c the mean squared error of the median of the forecast and v_c the variance of the
// channel in the rows that are not held back. Beside them stand simple forecasts from the same
// rows: the last value, the value one period before (if there is a period), and a linear model
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

// Returns candidates with the options that `gpode fit` would have for them. `given` are the names
// of options that the caller has set in `options` and that stay. Throws an InputError for an
// unknown name.
std::vector<CandidateModel> MakeCandidates(const std::vector<std::string>& names,
                                           const Dataset& data, const FitOptions& options = {},
                                           const std::vector<std::string>& given = {});

// The forecast of the held-back rows by one model.
struct ModelScore {
  std::string name;        // of the candidate, or "last value", "seasonal value", "linear model"
  bool is_simple = false;  // true for the simple forecasts
  double error = 0;        // over the spread; infinite if a value could not be forecast
  std::vector<double> rmse = {};  // (channels) in their units; NaN if nothing was held back
  // The ratio of the mean squared error and the learnt variance of the noise, averaged over the
  // channels: about 1 if no forecast could be better. NaN for simple forecasts, like the mean
  // negative log likelihood and the share of values inside the 90 % bands of observations.
  double error_over_noise = 0, mnll = 0, inside = 0;
  double seconds = 0;        // the time that training took
  std::string failure = {};  // why there is no forecast; empty if there is one
};

struct ModelComparison {
  std::vector<std::string> channels = {};
  std::size_t seen_times = 0, held_times = 0;  // rows of all trajectories together
  double period = 0;                           // of the seasonal value; 0 if there is none
  std::vector<ModelScore> ranking = {};        // the best first
  bool interrupted = false;                    // true if `report` ended the comparison

  // Returns the best learnt model, or nullptr if none could forecast.
  const ModelScore* Best() const;
  // Returns the least error of a simple forecast.
  double SimpleError() const;
};

struct CompareControl {
  HoldoutOptions holdout = {};
  double period = 0;                        // of the seasonal value; 0: guessed
  std::size_t draws = 256;                  // of each forecast
  std::optional<std::size_t> threads = {};  // if set, replaces FitOptions::threads
  // This function is called after every step of training with the index of the candidate. If it
  // returns false, the comparison ends.
  std::function<bool(std::size_t candidate, const Progress&)> report = {};
  // This function is called with the score of each candidate. If it returns false, the candidates
  // after it are not tried.
  std::function<bool(const ModelScore&)> scored = {};
};

// A candidate that cannot be trained has a score with the reason. Throws an InputError if the data
// cannot be split.
ModelComparison CompareModels(const Dataset& data, std::span<const CandidateModel> candidates,
                              const CompareControl& control = {});

// Returns the models among which measurement should choose, the one that is tried first at the
// front; none if the choice of ChooseOptions, `chosen`, stands. These are systems of one or more
// trajectories with more than 100 times together and at most 3000 values of states, a Gaussian
// process without inputs, and no option of training among those that the caller has set (`given`).
// The candidates are joint (up to 600 times and 6 states), gpode and shooting.
std::vector<CandidateModel> ModelsToTry(const Dataset& data, const FitOptions& chosen,
                                        const std::vector<std::string>& given = {});

struct ModelChoice {
  FitOptions options;
  ModelComparison comparison = {};  // has no ranking if nothing was compared
  std::string reason = {};          // a sentence for people; empty if nothing was compared
};

// Chooses by forecasts of held-back data among ModelsToTry. A model whose forecasts are as good as
// the noise lets them be ends the search. If no model is better than the simple forecasts, the
// choice of ChooseOptions stands. Returns `chosen` if there is nothing to try, or the comparison
// was interrupted.
ModelChoice ChooseModel(const Dataset& data, const FitOptions& chosen,
                        const std::vector<std::string>& given = {},
                        const CompareControl& control = {});

}  // namespace gpode
