#include <gtest/gtest.h>

#include <cmath>

#include "gpode/fit_quality.h"

namespace gpode {
namespace {

// Returns the verdict on a model that explains the given share of its only channel.
std::string VerdictOn(const std::string& posterior, double rhat, double explained = 0.99) {
  TrainedModel trained;
  trained.model.options.posterior = posterior;
  trained.model.sampler.worst_rhat = rhat;
  FitQuality quality;
  quality.channels = {
      {.name = "x", .values = 50, .spread = 1, .residual = std::sqrt(1 - explained)}};
  return BandVerdict(trained, quality);
}

void ExpectBegins(const std::string& text, const std::string& beginning) {
  EXPECT_TRUE(text.starts_with(beginning)) << text;
}

TEST(BandVerdict, FollowsTheDiagnosticsOfTheSampler) {
  ExpectBegins(VerdictOn("joint", 1.2), "can be trusted");
  ExpectBegins(VerdictOn("joint", 1.7), "approximate: short chains of draws differ, R-hat 1.70");
  ExpectBegins(VerdictOn("joint", 3), "to be taken with care");
  ExpectBegins(VerdictOn("nuts", 1.005), "can be trusted");
  ExpectBegins(VerdictOn("nuts", 1.05), "approximate: chains differ, R-hat 1.050");
  ExpectBegins(VerdictOn("nuts", 1.4), "to be taken with care");
}

TEST(BandVerdict, OfTrainedPosteriors) {
  ExpectBegins(VerdictOn("blocks", 0), "often too narrow");
  ExpectBegins(VerdictOn("point", 0), "of the noise alone");
}

TEST(BandVerdict, NamesAChannelThatIsNotExplained) {
  ExpectBegins(VerdictOn("joint", 1.2, 0.3),
               "say little about 'x', of which the model explains 30 %");
}

}  // namespace
}  // namespace gpode
