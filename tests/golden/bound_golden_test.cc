// Compares both bounds, term by term, and every gradient with an independent implementation.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/gpode.h"
#include "model/bound.h"
#include "model/process_function.h"
#include "support/golden.h"

namespace gpode {
namespace {

constexpr double kTermTolerance = 1e-6;      // relative to the term
constexpr double kGradientTolerance = 1e-5;  // relative to the largest entry of the same array

struct Case {
  Archive file;
  std::vector<TimedValues> trajectories;

  explicit Case(const std::filesystem::path& path) : file(ReadNpz(path)) {
    const auto count = static_cast<std::size_t>(file.at("trajectories").Scalar("trajectories"));
    for (std::size_t n = 0; n < count; ++n) {
      trajectories.push_back({file.at("times_" + std::to_string(n)).values,
                              golden::AsMatrix(file.at("y_" + std::to_string(n)))});
    }
  }

  std::vector<double> Concatenated(const std::string& prefix) const {
    std::vector<double> all;
    for (std::size_t n = 0; n < trajectories.size(); ++n) {
      const auto& part = file.at(prefix + std::to_string(n)).values;
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
};

class BoundCase {
 public:
  BoundCase(const Case& c, bool shooting)
      : case_(c), shooting_(shooting), name_(shooting ? "shooting" : "vanilla") {
    const std::size_t dim = c.file.at("Z").shape[1];
    Segmentation cut = CutIntoSegments(c.trajectories, shooting ? 1 : 0);
    FitOptions options;
    options.inducing = c.file.at("Z").shape[0];
    options.jitter = c.file.at("jitter").Scalar("jitter");
    options.features = golden::Features(c.file);
    parts_ =
        std::make_unique<ModelParts>(options, ModelShape{.dim = dim,
                                                         .channels = dim,
                                                         .trajectories = c.trajectories.size(),
                                                         .shooting_states = cut.shooting_states});
    bound_ = std::make_unique<Bound>(
        *parts_, ObservationMap::Identity(dim), c.trajectories, cut,
        SolverOptions{.method = Method::kDop853, .rtol = 1e-10, .atol = 1e-10}, 1);
    bound_->Choose(bound_->AllSegments());
  }

  void Check(ThreadPool& pool) {
    const ParameterLayout& layout = parts_->layout();
    std::vector<double> values(layout.value_size()), gradient(layout.value_size());
    const GpParameters gp = golden::Parameters(case_.file);
    const auto entries = [](const auto& m) {
      return std::vector<double>(m.data(), m.data() + m.size());
    };
    Put("inducing_locations", entries(gp.inducing_locations), values);
    Put("inducing_mean", entries(gp.inducing_mean), values);
    std::vector<double> chol;
    for (const Matrix& m : gp.inducing_chol) chol.insert(chol.end(), m.data(), m.data() + m.size());
    Put("inducing_chol", chol, values);
    Put("lengthscales", entries(gp.lengthscales), values);
    Put("variances", entries(gp.variances), values);
    Put("noise_variance", case_.file.at("noise_variance").values, values);
    Put("x0_mean", case_.file.at("x0_mean").values, values);
    Put("x0_chol", case_.file.at("x0_chol").values, values);
    const GpNormals normals = golden::Noise(case_.file);
    SetPriorNormals(bound_->draw(0), normals);
    PutNormals(ModelParts::kFunction, normals.eps_u);
    PutNormals(ModelParts::kInitial, case_.file.at("eps_x0").values);
    if (shooting_) {
      Put("state_mean", case_.Concatenated("state_mean_"), values);
      Put("state_chol", case_.Concatenated("state_chol_"), values);
      PutNormals(ModelParts::kShooting, case_.Concatenated("eps_state_"));
    }
    const BoundTerms terms = bound_->Evaluate(
        values, {.scale = case_.file.at("sigma_xi").Scalar("sigma_xi")}, gradient, pool);
    EXPECT_EQ(terms.diverged, 0u);
    ExpectTerm("loglik", terms.loglik);
    ExpectTerm("kl_u", terms.kl_u);
    ExpectTerm("kl_x0", terms.kl_x0);
    ExpectTerm("elbo", terms.Total());
    if (shooting_) {
      ExpectTerm("constraint", terms.constraint);
      ExpectTerm("entropy", terms.entropy);
    }
    const auto gradient_of = [&](std::string_view name) {
      return layout.Values(layout.Index(name), std::span<const double>(gradient));
    };
    ExpectGradient("Z", gradient_of("inducing_locations"));
    ExpectGradient("q_mean", gradient_of("inducing_mean"));
    ExpectGradient("q_chol", gradient_of("inducing_chol"));
    ExpectGradient("lengthscale", gradient_of("lengthscales"));
    ExpectGradient("variance", gradient_of("variances"));
    ExpectGradient("noise_variance", gradient_of("noise_variance"));
    ExpectGradient("x0_mean", gradient_of("x0_mean"));
    ExpectGradient("x0_chol", gradient_of("x0_chol"));
    if (shooting_) {
      ExpectParts("state_mean_", gradient_of("state_mean"));
      ExpectParts("state_chol_", gradient_of("state_chol"));
    }
  }

 private:
  void Put(std::string_view name, const std::vector<double>& from, std::span<double> values) {
    const ParameterLayout& layout = parts_->layout();
    const std::span<double> to = layout.Values(layout.Index(name), values);
    ASSERT_EQ(from.size(), to.size());
    std::copy(from.begin(), from.end(), to.begin());
  }

  void PutNormals(std::size_t part, const std::vector<double>& from) {
    const std::span<double> to = parts_->latent().Part(part, bound_->normals(0));
    ASSERT_EQ(from.size(), to.size());
    std::copy(from.begin(), from.end(), to.begin());
  }

  void ExpectTerm(const std::string& term, double actual) {
    const double expected = case_.file.at(name_ + "_" + term).Scalar(term);
    EXPECT_NEAR(actual, expected, kTermTolerance * std::max(1.0, std::fabs(expected)))
        << name_ << " " << term;
  }

  void ExpectGradient(const std::string& of, std::span<const double> actual) {
    const std::vector<double>& expected = case_.file.at(name_ + "_grad_" + of).values;
    ASSERT_EQ(actual.size(), expected.size()) << of;
    double largest = 0;
    for (double v : expected) largest = std::max(largest, std::fabs(v));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], kGradientTolerance * largest)
          << name_ << " gradient of " << of << "[" << i << "]";
    }
  }

  void ExpectParts(const std::string& prefix, std::span<const double> actual) {
    std::size_t at = 0;
    for (std::size_t n = 0; n < case_.trajectories.size(); ++n) {
      const std::string key = prefix + std::to_string(n);
      const std::size_t size = case_.file.at(name_ + "_grad_" + key).size();
      ExpectGradient(key, actual.subspan(at, size));
      at += size;
    }
  }

  const Case& case_;
  bool shooting_;
  std::string name_;
  std::unique_ptr<ModelParts> parts_;
  std::unique_ptr<Bound> bound_;
};

TEST(Golden, BoundsAndTheirGradientsMatch) {
  const auto files = golden::Files();
  ASSERT_FALSE(files.empty()) << "no case_*.npz found";
  ThreadPool pool(2);
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const Case c(file);
    BoundCase(c, false).Check(pool);
    BoundCase(c, true).Check(pool);
  }
}

}  // namespace
}  // namespace gpode
