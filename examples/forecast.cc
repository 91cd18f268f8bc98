// Learns a pendulum from three noisy recordings with missing values, then forecasts.
#include <gpode/gpode.h>

#include <cstdio>

int main() {
  const gpode::Simulation seen = gpode::Simulate({.system = "pendulum",
                                                  .span = 10,
                                                  .points = 40,
                                                  .noise_share = 0.05,
                                                  .trajectories = 3,
                                                  .missing = 0.1});
  gpode::FitOptions options;
  options.steps = 1000;  // fewer than by default, to save time
  const gpode::Posterior posterior(gpode::Fit(seen.data, options));

  // Forecast the time after the first recording, with 90 % bands, and score the forecast.
  const std::vector<double> later = gpode::RegularTimes(10.5, 15, 10);
  const gpode::Forecast forecast =
      posterior.Trajectory(0, later, {.from = gpode::Origin::kLatestState});
  const gpode::Matrix low = forecast.Quantile(0.05), high = forecast.Quantile(0.95);
  const gpode::Matrix truth = gpode::SolveSystem("pendulum", seen.start(0), later);
  for (std::size_t i = 0; i < later.size(); ++i) {
    std::printf("t %4.1f: angle %6.3f to %6.3f, in truth %6.3f\n", later[i], low(i, 0), high(i, 0),
                truth(i, 0));
  }
  const gpode::Scores scores = gpode::Score(forecast, forecast.noise, truth);
  std::printf("MNLL %.2f, MSE %.4f, %zu draws diverged\n", scores.mnll, scores.mse,
              scores.diverged);

  // Forecast from another start with a standard deviation of 0.1, and evaluate the field there.
  const gpode::Vector state{{1.0, 0.0}};
  const gpode::Matrix covariance = 0.01 * gpode::Matrix::Identity(2, 2);
  const gpode::Matrix mean = posterior.From({state, covariance}, 0.0, later).Mean();
  const gpode::Matrix slope = posterior.FieldMean(state.transpose());
  std::printf("from (1, 0): angle %.3f at %.0f; acceleration there %.3f\n", mean(9, 0), later[9],
              slope(0, 1));
}
