// Remarks about unusual data, and an assessment of how well a model fits its training data.
//
// A remark is a sentence about one thing. It names channels and trajectories and says what could be
// done. A remark is not an error.
//
// Thread safety: all functions may be called from any thread; results have the same bits for any
// number of threads.
//
//   for (const std::string& remark : DataRemarks(data)) std::cout << remark << '\n';
//   FitQuality quality = AssessFit(trained);
#pragma once

#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/forecast.h"
#include "gpode/training.h"

namespace gpode {

std::vector<std::string> DataRemarks(const Dataset& data);

struct ChannelFit {
  std::string name;
  std::size_t values = 0;
  std::size_t missed = 0;  // number of values at whose times too many draws are lost (kMostLost)
  double spread = 0;       // standard deviation of the observations
  // Root mean square of the observations minus the median of the forecast's draws. For a missed
  // value the channel's mean replaces the median, so that a model that misses every value explains
  // nothing.
  double residual = 0;
  double noise = 0;  // standard deviation of the learnt noise
  // Share of observations outside the 90 % band that includes the noise; missed ones are outside.
  double outside = 0;

  // Returns the share of the variance that the model explains: NaN if no value could be compared, 0
  // if the observations do not vary.
  double Explained() const;
};

struct FitQuality {
  std::vector<ChannelFit> channels;
  std::size_t trajectories = 0;  // number assessed: all, or evenly chosen ones if there are many
  LostDraws lost;
  std::vector<std::string> remarks;

  std::size_t reached = 0;  // number of values after the start of a trajectory that were not missed

  // Returns true if values were missed, and none after the start of a trajectory was reached.
  bool IsAllMissed() const;
};

// Integrates training trajectories from their learnt states and compares them with the data at a
// few thousand time points at most.
FitQuality AssessFit(const TrainedModel& trained, const ForecastOptions& options = {.draws = 64});

// Returns a text for the label "bands:" that says whether the bands of a model can be trusted, and
// why. If the model explains too little of a channel, the text says so; otherwise it goes by
// held-back data if there were enough, or else by the sampler's diagnostics or the kind of
// posterior.
std::string BandVerdict(const TrainedModel& trained, const FitQuality& quality);

}  // namespace gpode
