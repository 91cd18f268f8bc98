#include "predict/channel_scores.h"

#include <cmath>
#include <utility>

#include "gpode/error.h"

namespace gpode {
namespace {

// Returns the observations of one channel; all others are missing.
Matrix OnlyChannel(const Matrix& observed, Eigen::Index channel) {
  Matrix only = Matrix::Constant(observed.rows(), observed.cols(), NAN);
  only.col(channel) = observed.col(channel);
  return only;
}

}  // namespace

double ChannelScore::Error() const { return std::sqrt(scores.mse); }

double ChannelScore::Skill() const { return 1 - scores.mse / (persistence * persistence); }

ChannelScoring::ChannelScoring(std::vector<double> edges, std::vector<double> spread)
    : edges_(std::move(edges)), spread_(std::move(spread)) {
  CheckAtLeast("ChannelScoring", "edges", std::ssize(edges_), 2);
  scores_.resize(spread_.size() * (edges_.size() - 1));
  persistence_.resize(scores_.size());
}

void ChannelScoring::Add(const Forecast& forecast, const ObservationNoise& noise,
                         const Matrix& observed, double start, std::span<const double> last,
                         std::size_t threads) {
  CheckSize("ChannelScoring::Add", "last", last.size(), spread_.size());
  CheckSize("ChannelScoring::Add", "observed", observed.cols(), std::ssize(spread_));
  const std::size_t horizons = edges_.size() - 1;
  for (std::size_t c = 0; c < spread_.size(); ++c) {
    const auto column = static_cast<Eigen::Index>(c);
    const std::vector<HorizonScores> rows =
        ScoreByHorizon(forecast, noise, OnlyChannel(observed, column), start, edges_, threads);
    for (std::size_t h = 0; h < horizons; ++h) {
      scores_[c * horizons + h].push_back(rows[h].scores);
      for (std::size_t i = 0; i < forecast.times.size(); ++i) {
        const double y = observed(static_cast<Eigen::Index>(i), column);
        const double horizon = forecast.times[i] - start;
        if (std::isnan(y) || horizon < edges_[h] || horizon >= edges_[h + 1]) continue;
        persistence_[c * horizons + h] += (y - last[c]) * (y - last[c]);
      }
    }
  }
}

std::vector<ChannelScore> ChannelScoring::Rows(bool total) const {
  const std::size_t horizons = edges_.size() - 1;
  std::vector<ChannelScore> rows;
  for (std::size_t c = 0; c < spread_.size(); ++c) {
    for (std::size_t first = 0; first < horizons; first += total ? horizons : 1) {
      const std::size_t end = total ? horizons : first + 1;
      std::vector<Scores> parts;
      double squares = 0;
      for (std::size_t h = first; h < end; ++h) {
        const std::vector<Scores>& some = scores_[c * horizons + h];
        parts.insert(parts.end(), some.begin(), some.end());
        squares += persistence_[c * horizons + h];
      }
      ChannelScore row{
          .channel = c, .from = edges_[first], .to = edges_[end], .spread = spread_[c]};
      row.scores = Pool(parts);
      if (row.scores.values == 0) continue;
      row.persistence = std::sqrt(squares / static_cast<double>(row.scores.values));
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<double> EdgesOfThirds(double longest) {
  if (!(longest > 0)) return {};
  return {0, longest / 3, 2 * longest / 3, longest * (1 + 1e-9)};
}

}  // namespace gpode
