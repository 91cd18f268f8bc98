// Compares draws and moments with an independent implementation; see README.md beside this file.
#include "support/golden.h"

#include <gtest/gtest.h>

#include "gpode/gpode.h"
#include "model/gaussian.h"

namespace gpode {
namespace {

// The largest accepted error of an entry, relative to the entry or, if that is larger, to kFloor
// times the largest entry.
constexpr double kTolerance = 1e-9;
constexpr double kFloor = 1e-3;

void ExpectClose(std::span<const double> actual, const Archive& c, const std::string& key) {
  const std::vector<double>& expected = c.at(key).values;
  ASSERT_EQ(actual.size(), expected.size()) << key;
  double largest = 0;
  for (double v : expected) largest = std::max(largest, std::fabs(v));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double scale = std::max(std::fabs(expected[i]), kFloor * largest);
    EXPECT_NEAR(actual[i], expected[i], kTolerance * scale) << key << "[" << i << "]";
  }
}

std::span<const double> Entries(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

std::span<const double> Row(const Matrix& m, std::size_t row) {
  const auto columns = static_cast<std::size_t>(m.cols());
  return Entries(m).subspan(row * columns, columns);
}

TEST(Golden, DrawsAndMomentsMatch) {
  const auto files = golden::Files();
  ASSERT_FALSE(files.empty()) << "no case_*.npz found";
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const Archive c = ReadNpz(file);
    SparseGp gp(GetKernel("squared-exponential"), c.at("jitter").Scalar("jitter"));
    ASSERT_EQ(gp.Set(golden::Parameters(c)), FactorStatus::kOk);
    GpDraw draw(gp, golden::Features(c));
    draw.Set(gp, golden::Noise(c));
    const Matrix points = golden::AsMatrix(c.at("points"));

    ExpectClose(Entries(draw.nu()), c, "nu");
    ExpectClose(Entries(Evaluate(draw, points)), c, "field");
    std::vector<double> jacobian(points.size() * points.cols());
    draw.Jacobian(Entries(points), jacobian);
    ExpectClose(jacobian, c, "field_jacobian");
    ExpectClose(Entries(gp.Mean(points)), c, "marginal_mean");
    ExpectClose(Entries(gp.Variance(points)), c, "marginal_variance");
    double kl = 0;
    for (std::size_t d = 0; d < gp.outputs(); ++d) {
      kl += KlFromStandard(Row(gp.parameters().inducing_mean, d),
                           Entries(gp.parameters().inducing_chol[d]));
    }
    ExpectClose(std::vector<double>{kl}, c, "vanilla_kl_u");
  }
}

}  // namespace
}  // namespace gpode
