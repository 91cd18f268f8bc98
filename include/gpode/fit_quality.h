// What looks odd in data, and how well a model fits what it was trained on.
//
// Remarks are sentences for people, one thing each. They name channels and trajectories, and say
// what could be done; none of them is an error.
//
// Thread safety: plain functions; the same bits for any number of threads.
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
  double spread = 0;    // standard deviation of the observations
  double residual = 0;  // root mean square of observation minus median
  double noise = 0;     // the learnt noise's standard deviation
  double outside = 0;   // share of observations outside the 90 % band with noise
};

struct FitQuality {
  std::vector<ChannelFit> channels;
  std::size_t trajectories = 0;  // looked at: all of them, or evenly chosen ones
  std::size_t diverged = 0;      // draws
  std::vector<std::string> remarks;
};

// Follows training trajectories from their learnt states and compares them with their data, a few
// thousand times at most.
FitQuality AssessFit(const TrainedModel& trained, const ForecastOptions& options = {.draws = 64});

}  // namespace gpode
