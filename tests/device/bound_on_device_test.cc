// Compares the bound and its gradient on a device with those of the CPU and of the golden files.
#include <gtest/gtest.h>

#include <cmath>

#include "device/devices.h"
#include "gpode/gpode.h"
#include "gpode/simulate.h"
#include "model/bound.h"
#include "support/golden.h"
#include "support/noise.h"
#include "train/device_steps.h"
#include "train/start_values.h"

namespace gpode {
namespace {

using testing_support::OnDevice;
using testing_support::WithNoise;

Dataset Oscillations(std::size_t points, std::size_t trajectories) {
  const std::vector<double> times = RegularTimes(0, 0.14 * static_cast<double>(points), points);
  Dataset data{.channels = {"x1", "x2"}, .trajectories = {}};
  for (std::size_t n = 0; n < trajectories; ++n) {
    const std::vector<double> start = {-1.5 + 0.4 * static_cast<double>(n), 2.5};
    data.trajectories.push_back(
        {"", times, WithNoise(SolveSystem("vdp", start, times), 0.1, 7 + n), {}});
  }
  return data;
}

// A phase of training, whose bound can be evaluated on the CPU and on a device.
class Phase {
 public:
  Phase(const Dataset& data, const FitOptions& options)
      : options_(options), start_(Initialise(data, options)) {
    std::vector<TimedValues> timed = InModelTime(data, start_.coordinates);
    Segmentation cut =
        CutIntoSegments(timed, options.bound == BoundKind::kShooting ? options.segment : 0);
    parts_ =
        std::make_unique<ModelParts>(options_, ModelShape{.dim = start_.map.dim(),
                                                          .channels = start_.map.channels(),
                                                          .trajectories = data.trajectories.size(),
                                                          .shooting_states = cut.shooting_states});
    values_ = StartValues(*parts_, start_, cut);
    bound_ = MakeBound(options_, start_, *parts_, std::move(timed), std::move(cut));
    counts_.assign(start_.map.channels(), 17.0);
    noise_ = StartNoise(parts_->likelihood(), start_.noise_variance);
  }

  const ParameterLayout& layout() const { return parts_->layout(); }
  device::Problem Problem() const {
    return DeviceProblem({options_, *parts_, *bound_, counts_, noise_});
  }
  device::EngineState State() {
    device::EngineState state;
    state.flat.resize(layout().flat_size());
    layout().Unconstrain(values_, state.flat);
    state.first.assign(state.flat.size(), 0);
    state.second = state.first;
    state.log_tolerance = std::log(options_.loose_tolerance);
    state.step_sizes = bound_->Checkpoint();
    return state;
  }

  // Compares one evaluation on the CPU with one on the engine.
  void Compare(device::Engine& engine, std::uint64_t step, double term, double gradient) {
    engine.SetState(State());
    const double scale =
        options_.tolerance == ToleranceRule::kLearnt ? options_.loose_tolerance : 0.05;
    const device::Evaluation actual = engine.Evaluate({.step = step, .tolerance = scale});
    ThreadPool pool(1);
    bound_->Choose(bound_->AllSegments());
    bound_->SampleNormals(options_.seed, step, pool);
    std::vector<double> bvalues(layout().value_size(), 0.0), expected(layout().flat_size(), 0.0);
    const BoundTerms terms = bound_->Evaluate(
        values_, {.prior = options_.tolerance_prior, .scale = scale}, bvalues, pool);
    layout().ConstrainPullback(values_, bvalues, expected);
    const auto near = [&](const char* name, double a, double b) {
      EXPECT_NEAR(a, b, term * std::max(1.0, std::fabs(b))) << name;
    };
    near("loglik", actual.result.loglik, terms.loglik);
    near("constraint", actual.result.constraint, terms.constraint);
    near("entropy", actual.result.entropy, terms.entropy);
    near("kl_u", actual.result.kl_u, terms.kl_u);
    near("kl_x0", actual.result.kl_x0, terms.kl_x0);
    near("gap", actual.result.gap, terms.gap);
    EXPECT_EQ(actual.result.diverged, static_cast<double>(terms.diverged));
    // In single precision, a step may be accepted on one of them and rejected on the other.
    const double steps = options_.precision == FeaturePrecision::kFloat ? 0.05 : 0;
    EXPECT_NEAR(actual.result.evaluations, static_cast<double>(terms.evaluations),
                steps * static_cast<double>(terms.evaluations));
    for (const ParameterBlock& block : layout().blocks()) {
      double largest = 0;
      for (std::size_t i = 0; i < block.flat_size; ++i) {
        largest = std::max(largest, std::fabs(expected[block.flat_offset + i]));
      }
      for (std::size_t i = 0; i < block.flat_size; ++i) {
        ASSERT_NEAR(actual.gradient[block.flat_offset + i], expected[block.flat_offset + i],
                    gradient * std::max(largest, 1e-6))
            << block.name << "[" << i << "]";
      }
    }
  }

  FitOptions options_;
  Start start_;
  std::unique_ptr<ModelParts> parts_;
  std::unique_ptr<Bound> bound_;
  std::vector<double> values_, counts_, noise_;
};

FitOptions Options() {
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.inducing = 12;
  options.features = 64;
  options.seed = 5;
  options.draws = 3;
  options.threads = 1;
  return options;
}

class BoundOnDevice : public OnDevice {
 protected:
  static void Compare(const Dataset& data, const FitOptions& options) {
    Phase phase(data, options);
    const auto engine = Make(phase.Problem());
    const bool single = options.precision == FeaturePrecision::kFloat;
    for (std::uint64_t step : {0, 1}) {
      SCOPED_TRACE(step);
      phase.Compare(*engine, step, single ? 1e-5 : 1e-9, single ? 3e-4 : 1e-7);
    }
  }
};

TEST_P(BoundOnDevice, MatchesTheCpu) { Compare(Oscillations(25, 2), Options()); }

TEST_P(BoundOnDevice, MatchesTheCpuInSinglePrecision) {
  FitOptions options = Options();
  options.precision = FeaturePrecision::kFloat;
  Compare(Oscillations(25, 2), options);
}

TEST_P(BoundOnDevice, MatchesTheCpuOnWholeTrajectories) {
  FitOptions options = Options();
  options.bound = BoundKind::kVanilla;
  Compare(Oscillations(25, 3), options);
}

TEST_P(BoundOnDevice, MatchesTheCpuOnLongSegments) {
  FitOptions options = Options();
  options.segment = 4;
  options.tolerance_prior = TolerancePrior::kLaplace;
  Compare(Oscillations(30, 1), options);
}

TEST_P(BoundOnDevice, MatchesTheCpuWithSharedHyperparametersAndMissingValues) {
  FitOptions options = Options();
  options.shared_hyperparameters = true;
  options.tolerance = ToleranceRule::kLearnt;
  Dataset data = Oscillations(25, 2);
  data.trajectories[0].values(3, 1) = NAN;
  data.trajectories[1].values(7, 0) = NAN;
  data.trajectories[1].values(8, 0) = NAN;
  Compare(data, options);
}

TEST_P(BoundOnDevice, MatchesTheCpuWithPrincipalComponents) {
  Dataset data = Oscillations(25, 2);
  data.channels = {"a", "b", "c", "d"};
  Matrix mixing(2, 4);
  mixing << 1, 0.3, -0.7, 2, 0.2, -1, 0.4, 0.5;
  for (std::size_t n = 0; n < 2; ++n) {
    data.trajectories[n].values = WithNoise(data.trajectories[n].values * mixing, 0.05, 3 + n);
  }
  for (std::size_t states : {1, 2, 3}) {
    FitOptions options = Options();
    options.observation = Observation::kPca;
    options.states = states;
    Compare(data, options);
  }
}

TEST_P(BoundOnDevice, MatchesTheGoldenFiles) {
  const auto files = golden::Files();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const Archive c = ReadNpz(file);
    const auto count = static_cast<std::size_t>(c.at("trajectories").Scalar("trajectories"));
    std::vector<TimedValues> trajectories;
    for (std::size_t n = 0; n < count; ++n) {
      trajectories.push_back({c.at("times_" + std::to_string(n)).values,
                              golden::AsMatrix(c.at("y_" + std::to_string(n)))});
    }
    const auto all = [&](const std::string& prefix) {
      std::vector<double> joined;
      for (std::size_t n = 0; n < count; ++n) {
        const auto& part = c.at(prefix + std::to_string(n)).values;
        joined.insert(joined.end(), part.begin(), part.end());
      }
      return joined;
    };
    for (const bool shooting : {false, true}) {
      SCOPED_TRACE(shooting ? "shooting" : "vanilla");
      FitOptions options;
      options.inducing = c.at("Z").shape[0];
      options.jitter = c.at("jitter").Scalar("jitter");
      options.features = golden::Features(c);
      const std::size_t dim = c.at("Z").shape[1];
      const Segmentation cut = CutIntoSegments(trajectories, shooting ? 1 : 0);
      const ModelParts parts(options, ModelShape{.dim = dim,
                                                 .channels = dim,
                                                 .trajectories = count,
                                                 .shooting_states = cut.shooting_states});
      const Bound bound(parts, ObservationMap::Identity(dim), trajectories, cut,
                        SolverOptions{.rtol = 1e-11, .atol = 1e-11, .max_steps = 100000}, 1);
      const ParameterLayout& layout = parts.layout();
      const GpParameters gp = golden::Parameters(c);
      std::vector<double> values(layout.value_size()), flat(layout.flat_size());
      const auto put = [&](std::string_view name, const auto* from) {
        const std::span<double> to = layout.Values(layout.Index(name), std::span(values));
        std::copy_n(from, to.size(), to.begin());
      };
      put("inducing_locations", gp.inducing_locations.data());
      put("inducing_mean", gp.inducing_mean.data());
      std::vector<double> chol;
      for (const Matrix& m : gp.inducing_chol)
        chol.insert(chol.end(), m.data(), m.data() + m.size());
      put("inducing_chol", chol.data());
      put("lengthscales", gp.lengthscales.data());
      put("variances", gp.variances.data());
      put("noise_variance", c.at("noise_variance").values.data());
      put("x0_mean", c.at("x0_mean").values.data());
      put("x0_chol", c.at("x0_chol").values.data());
      const GpNormals noise = golden::Noise(c);
      device::GivenNormals normals{.omega = noise.eps_omega,
                                   .weight = noise.w_cos,
                                   .u = noise.eps_u,
                                   .x = c.at("eps_x0").values};
      normals.weight.insert(normals.weight.end(), noise.w_sin.begin(), noise.w_sin.end());
      if (shooting) {
        put("state_mean", all("state_mean_").data());
        put("state_chol", all("state_chol_").data());
        const std::vector<double> more = all("eps_state_");
        normals.x.insert(normals.x.end(), more.begin(), more.end());
      }
      layout.Unconstrain(values, flat);
      const std::vector<double> counts(dim, 1.0), start(dim, 1.0);
      const auto engine = Make(DeviceProblem({options, parts, bound, counts, start}));
      engine->SetState({.flat = flat,
                        .first = std::vector<double>(flat.size()),
                        .second = std::vector<double>(flat.size()),
                        .step_sizes = std::vector<double>(cut.segments.size() + 1)});
      const device::Evaluation actual =
          engine->Evaluate({.tolerance = c.at("sigma_xi").Scalar("sigma_xi")}, &normals);
      const std::string name = shooting ? "shooting" : "vanilla";
      const device::StepResult& r = actual.result;
      const auto expect_term = [&](const std::string& term, double value) {
        const double expected = c.at(name + "_" + term).Scalar(term);
        EXPECT_NEAR(value, expected, 1e-6 * std::max(1.0, std::fabs(expected))) << term;
      };
      expect_term("loglik", r.loglik);
      expect_term("kl_u", r.kl_u);
      expect_term("kl_x0", r.kl_x0);
      expect_term("elbo", r.loglik + r.constraint + r.entropy - r.kl_u - r.kl_x0);
      // The gradient with respect to the constrained values, of which the golden files have some
      // that are not in the flat vector (upper triangles, which are zero).
      std::vector<double> gradient(layout.value_size(), 0.0), one(layout.flat_size());
      std::vector<double> unit(layout.value_size());
      const auto expect_gradient = [&](const std::string& of, const std::string& key) {
        const ParameterBlock& block = layout.Find(of);
        const std::vector<double>& expected = c.at(name + "_grad_" + key).values;
        if (expected.size() != block.value_size) return;
        double largest = 0;
        for (double v : expected) largest = std::max(largest, std::fabs(v));
        std::size_t at = block.flat_offset;
        const std::size_t n =
            block.transform == Transform::kLowerTriangular ? block.shape.back() : 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const bool upper = n > 0 && i % n > i / n % n;
          if (upper) continue;
          const bool is_log =
              block.transform == Transform::kPositive || (n > 0 && i % n == i / n % n);
          const double value = values[block.value_offset + i];
          const double own = actual.gradient[at++] / (is_log ? value : 1);
          ASSERT_NEAR(own, expected[i], 1e-5 * largest) << of << "[" << i << "]";
        }
      };
      expect_gradient("inducing_locations", "Z");
      expect_gradient("inducing_mean", "q_mean");
      expect_gradient("inducing_chol", "q_chol");
      expect_gradient("lengthscales", "lengthscale");
      expect_gradient("variances", "variance");
      expect_gradient("noise_variance", "noise_variance");
      expect_gradient("x0_mean", "x0_mean");
      expect_gradient("x0_chol", "x0_chol");
      if (shooting && count == 1) {
        expect_gradient("state_mean", "state_mean_0");
        expect_gradient("state_chol", "state_chol_0");
      }
    }
  }
}

TEST_P(BoundOnDevice, KernelsMatchTheirTwinsOnTheCpu) {
  for (const FeaturePrecision precision : {FeaturePrecision::kDouble, FeaturePrecision::kFloat}) {
    FitOptions options = Options();
    options.precision = precision;
    Phase phase(Oscillations(25, 2), options);
    const auto engine = Make(phase.Problem());
    engine->SetState(phase.State());
    const bool single = precision == FeaturePrecision::kFloat;
    const auto differences = engine->Compare({.step = 3, .rate = 0.01, .tolerance = 0.05});
    EXPECT_GT(differences.size(), 20u);
    for (const device::KernelDifference& d : differences) {
      // Step sizes are partly computed in single precision. If features have single precision, too,
      // a step may be accepted on one machine and rejected on the other.
      const bool has_steps = d.kernel == "Integrate" && d.array != "out_state";
      if (has_steps && single) continue;
      EXPECT_LT(d.difference, single      ? 1e-4
                              : has_steps ? 1e-5
                                          : 1e-9)
          << d.kernel << " " << d.array;
    }
  }
}

GPODE_ON_DEVICES(BoundOnDevice);

}  // namespace
}  // namespace gpode
