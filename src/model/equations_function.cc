#include "model/equations_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "data/thin.h"
#include "field/equation_field.h"
#include "gpode/error.h"
#include "kernel/kernel_sum.h"
#include "model/equations_start.h"
#include "model/process_draw.h"
#include "model/process_function.h"

namespace gpode {
namespace {

constexpr double kStartDeviation = 0.05;
// The most points from which the start is computed.
constexpr std::size_t kMostPoints = 600;
// The spread of an argument below which it counts as constant, as a share of its size.
constexpr double kRounding = 1e-9;
// Unknown functions have different random numbers: the seed of each is larger by this.
constexpr std::uint64_t kSeedStep = 0x9E3779B97F4A7C15;

Eigen::Index Index(std::size_t n) { return static_cast<Eigen::Index>(n); }

std::span<const double> SpanOf(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

// One unknown function: a process with one output, with a layout of its own.
struct Unknown {
  std::unique_ptr<UnknownFunction> function;
  ParameterLayout layout;
  std::size_t hyper_blocks = 0;
  std::vector<double> values, bvalues;
  std::vector<std::size_t> blocks;  // the blocks of its hyperparameters in the model's layout
  // The place and number of its weights among the residual's weights of all functions, and those of
  // its latent variables among all latent variables.
  std::size_t weights_at = 0, weights = 0;
  std::size_t latent_at = 0, latent = 0;
  bool has_derivatives = false;
};

// Returns the draw's process as a function of all its arguments.
const Function& FunctionOf(const FunctionDraw& draw) {
  return static_cast<const FunctionField&>(draw.field()).function();
}

const Function& GradientOf(const FunctionDraw& draw) {
  return *static_cast<const ProcessDraw&>(draw).gradient();
}

class EquationsDraw final : public FunctionDraw {
 public:
  EquationsDraw(std::shared_ptr<const EquationSystem> system, const EquationUnits& units,
                std::vector<std::unique_ptr<FunctionDraw>> draws,
                std::vector<std::size_t> latent_at)
      : system_(std::move(system)),
        units_(units),
        draws_(std::move(draws)),
        latent_at_(std::move(latent_at)),
        field_(system_) {
    for (std::size_t k = 0; k < draws_.size(); ++k) {
      auto& draw = static_cast<ProcessDraw&>(*draws_[k]);
      if (system_->processes[k].has_derivatives) draw.KeepGradient();
      functions_.push_back({.value = &FunctionOf(draw), .gradient = draw.gradient()});
    }
    SetField(std::vector<double>(system_->LearntParameters().size(), 0.0));
  }

  void Sample(std::uint64_t seed, std::uint64_t step, std::uint64_t sample) override {
    for (std::size_t k = 0; k < draws_.size(); ++k) {
      draws_[k]->Sample(seed + k * kSeedStep, step, sample);
    }
  }
  void Set(std::span<const double> z) override {
    for (std::size_t k = 0; k < draws_.size(); ++k) {
      draws_[k]->Set(z.subspan(latent_at_[k], latent_at_[k + 1] - latent_at_[k]));
    }
    SetField(z);
  }
  const Field& field() const override { return field_; }

  const EquationField& equations() const { return field_; }
  // The derivatives of the learnt parameters with respect to their latent variables.
  std::span<const double> slopes() const { return slopes_; }
  const std::unique_ptr<FunctionDraw>& draw(std::size_t k) const { return draws_[k]; }

 private:
  void SetField(std::span<const double> z) {
    slopes_.clear();
    for (const EquationParameter& own : system_->parameters) {
      if (own.prior.kind == EquationPrior::Kind::kFixed) continue;
      slopes_.push_back(own.prior.Slope(z[slopes_.size()]));
    }
    field_.Set(units_, ParametersAt(*system_, z), functions_);
  }

  std::shared_ptr<const EquationSystem> system_;
  const EquationUnits& units_;  // the function's units, which depend on its hyperparameters
  std::vector<std::unique_ptr<FunctionDraw>> draws_;
  std::vector<std::size_t> latent_at_;
  std::vector<EquationField::Unknown> functions_;
  std::vector<double> slopes_;
  EquationField field_;
};

// See the header for the formula.
class EquationsPoint final : public LinearisationPoint {
 public:
  Vector constant;    // (D n): f0 - (df/dz_p) z_p0 - sum (df/dg_u) g_u0
  Matrix parameters;  // (D n, P): df/dz_p
  struct Use {
    std::size_t process = 0;
    Matrix arguments;  // (n, arguments), scaled
    // (D n, outputs): df/dg_u, where g_u is the function's value, if that is used, then its
    // gradient, if that is used
    Matrix weights;
    bool has_value = false, has_gradient = false;
  };
  std::vector<Use> uses;
};

class EquationsFunction final : public UnknownFunction {
 public:
  explicit EquationsFunction(const FunctionSetting& setting)
      : options_(setting.options),
        system_(std::make_shared<EquationSystem>(
            ParseEquations(setting.options.equations, "equations"))),
        learnt_(system_->LearntParameters()),
        units_(*system_) {
    CheckShape(setting);
    std::size_t latent = learnt_.size(), weights = 0;
    for (std::size_t k = 0; k < system_->processes.size(); ++k) {
      Unknown own = MakeUnknown(setting, k);
      own.latent_at = latent;
      own.weights_at = weights;
      latent += own.latent;
      weights += own.weights;
      unknown_.push_back(std::move(own));
    }
    latent_ = latent;
    weights_ = weights;
  }

  LatentPart latent() const override { return {.name = "equation", .items = 1, .size = latent_}; }
  double start_deviation() const override { return kStartDeviation; }

  void AddParameters(ParameterLayout& layout) override {
    units_block_ = layout.Add("equation_units", {units_.count()}, Transform::kFree);
    for (std::size_t k = 0; k < unknown_.size(); ++k) {
      Unknown& own = unknown_[k];
      own.blocks.clear();
      for (std::size_t b = 0; b < own.hyper_blocks; ++b) {
        const ParameterBlock& block = own.layout.blocks()[b];
        own.blocks.push_back(
            layout.Add(fmt::format("gp{}.{}", k + 1, block.name), block.shape, block.transform));
      }
    }
    layout_ = layout;
  }
  void AddResidual(ParameterLayout& layout) override {
    if (weights_ == 0) return;
    weights_block_ = layout.Add("residual_weights", {weights_}, Transform::kFree);
    layout_ = layout;
  }
  std::optional<std::size_t> ResidualBlock() const override {
    return weights_ > 0 ? std::optional(weights_block_) : std::nullopt;
  }
  std::vector<std::size_t> SampledBlocks() const override {
    std::vector<std::size_t> blocks;
    for (const Unknown& own : unknown_) {
      for (std::size_t b : own.function->SampledBlocks()) blocks.push_back(own.blocks[b]);
    }
    return blocks;
  }

  void SetCoordinates(const Coordinates& coordinates) override {
    const auto copy = [](const Vector& from, std::vector<double>& to) {
      std::copy(from.begin(), from.end(), to.begin());
    };
    CheckSize("Fit", "the number of inputs", coordinates.inputs(), system_->inputs.size());
    copy(coordinates.state_scale, units_.state_scale);
    copy(coordinates.state_offset, units_.state_offset);
    copy(coordinates.input_scale, units_.input_scale);
    copy(coordinates.input_offset, units_.input_offset);
    units_.time_scale = coordinates.time_scale;
  }

  std::optional<StateFrame> FrameStates(const Matrix& points, const Matrix& slopes,
                                        std::size_t seen) const override {
    const Eigen::Index dim = slopes.cols();
    return FrameOfStates(
        system_, {points.leftCols(dim), points.rightCols(points.cols() - dim), slopes}, seen);
  }

  FunctionStart Start(const Matrix& points, const Matrix& slopes,
                      const Vector& spread) const override;

  void SetStart(const FunctionStart& start) override {
    for (Unknown& own : unknown_) own.function->SetStart(StartOf(own, start));
  }

  void Moderate(std::span<double> values) const override {
    for (const Unknown& own : unknown_) {
      std::vector<double> inner = InnerValues(own, values);
      own.function->Moderate(inner);
      for (std::size_t b = 0; b < own.hyper_blocks; ++b) {
        std::ranges::copy(own.layout.Values(b, std::span(inner)),
                          layout_.Values(own.blocks[b], values).begin());
      }
    }
  }

  FactorStatus Set(std::span<const double> values, ThreadPool& pool) override {
    units_.Take(layout_.Values(units_block_, values));
    for (Unknown& own : unknown_) {
      own.values = InnerValues(own, values);
      const FactorStatus status = own.function->Set(own.values, pool);
      if (status != FactorStatus::kOk) return status;
    }
    return FactorStatus::kOk;
  }

  std::unique_ptr<FunctionDraw> MakeDraw() const override {
    std::vector<std::unique_ptr<FunctionDraw>> draws;
    std::vector<std::size_t> latent_at;
    for (const Unknown& own : unknown_) {
      draws.push_back(own.function->MakeDraw());
      latent_at.push_back(own.latent_at);
    }
    latent_at.push_back(latent_);
    return std::make_unique<EquationsDraw>(system_, units_, std::move(draws), std::move(latent_at));
  }

  void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws, std::span<const double> sums,
                std::size_t stride, std::span<double> bz, std::size_t stride_z,
                std::span<double> bvalues, ThreadPool& pool) override {
    for (std::size_t s = 0; s < draws.size(); ++s) {
      const auto& draw = static_cast<const EquationsDraw&>(*draws[s]);
      const std::span<const double> own_sums = sums.subspan(s * stride);
      const std::span<double> own_bz = bz.subspan(s * stride_z, latent_);
      const std::span<const double> slopes = draw.slopes();
      for (std::size_t i = 0; i < learnt_.size(); ++i) own_bz[i] = own_sums[i] * slopes[i];
      for (std::size_t k = 0; k < unknown_.size(); ++k) {
        PullUnknown(k, draw, own_sums, own_bz, pool);
      }
    }
    AddGradients(bvalues);
  }

  std::shared_ptr<const LinearisationPoint> Linearise(const Matrix& points,
                                                      std::span<const double> z) const override;
  Matrix LinearBasis(const LinearisationPoint& at) const override;
  Vector LinearOffset(const LinearisationPoint& at, bool with_residual) const override;
  void LinearPullback(const LinearisationPoint& at, const Matrix& bbasis, const Vector& boffset,
                      std::span<double> bvalues) override;

  double HyperparameterCost(double b, std::span<double> bvalues) const override {
    double sum = 0;
    for (const Unknown& own : unknown_) {
      std::vector<double> inner(bvalues.empty() ? 0 : own.layout.value_size(), 0.0);
      sum += own.function->HyperparameterCost(b, inner);
      for (std::size_t block = 0; block < own.hyper_blocks && !bvalues.empty(); ++block) {
        const std::span<const double> from =
            own.layout.Values(block, std::span<const double>(inner));
        const std::span<double> to = layout_.Values(own.blocks[block], bvalues);
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
      }
    }
    return sum;
  }

  std::vector<std::string> QuantityNames() const override {
    std::vector<std::string> names;
    for (std::size_t i : learnt_) names.push_back(system_->parameters[i].name);
    return names;
  }
  std::vector<double> Quantities(std::span<const double> z) const override {
    std::vector<double> values;
    for (std::size_t i = 0; i < learnt_.size(); ++i) {
      values.push_back(system_->parameters[learnt_[i]].prior.Value(z[i]));
    }
    return values;
  }

  std::vector<std::pair<std::string, std::string>> Facts() const override {
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<std::string> names;
    for (const EquationProcess& own : system_->processes) {
      names.push_back(fmt::format("{} of {} argument{}", own.name, own.arguments,
                                  own.arguments == 1 ? "" : "s"));
    }
    if (names.empty()) {
      facts.emplace_back("equations", "known up to parameters");
      return facts;
    }
    facts.emplace_back("unknown functions", fmt::format("{}", fmt::join(names, ", ")));
    facts.emplace_back("kernel", options_.kernel);
    facts.emplace_back("inducing points", std::to_string(options_.inducing));
    return facts;
  }
  std::string Summary() const override {
    const auto plural = [](std::size_t n, std::string_view what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    if (unknown_.empty()) return plural(learnt_.size(), "parameter");
    return fmt::format("{}, {}", plural(unknown_.size(), "unknown function"),
                       plural(learnt_.size(), "parameter"));
  }

 private:
  void CheckShape(const FunctionSetting& setting) const {
    if (system_->states.size() != setting.dim || system_->inputs.size() != setting.inputs) {
      ThrowInput(
          "equations", "states and inputs",
          fmt::format("are {} and {}, must be {} and {} as in the data", system_->states.size(),
                      system_->inputs.size(), setting.dim, setting.inputs));
    }
    if (learnt_.empty() && system_->processes.empty()) {
      ThrowInput(
          "equations", "have",
          "nothing to learn: let a parameter vary, as in param k = 1 in [0.5, 2], or add gp()");
    }
  }

  static Unknown MakeUnknown(const FunctionSetting& setting, std::size_t k,
                             const EquationProcess& process) {
    FunctionSetting own = setting;
    own.options.function = "process";
    own.options.seed += k * kSeedStep;
    if (process.has_derivatives) {
      own.options.kernel = GetKernelSum(own.options.kernel).stationary->name();
    }
    own.dim = 1;
    own.inputs = process.arguments - 1;
    Unknown unknown;
    unknown.has_derivatives = process.has_derivatives;
    unknown.function = MakeProcessFunction(own);
    unknown.function->AddParameters(unknown.layout);
    unknown.hyper_blocks = unknown.layout.blocks().size();
    unknown.function->AddResidual(unknown.layout);
    if (const auto block = unknown.function->ResidualBlock()) {
      unknown.weights = unknown.layout.blocks()[*block].value_size;
    }
    unknown.latent = unknown.function->latent().count();
    unknown.values.assign(unknown.layout.value_size(), 0.0);
    unknown.bvalues = unknown.values;
    return unknown;
  }
  Unknown MakeUnknown(const FunctionSetting& setting, std::size_t k) const {
    return MakeUnknown(setting, k, system_->processes[k]);
  }

  // Returns the parameters of an unknown function's own layout.
  std::vector<double> InnerValues(const Unknown& own, std::span<const double> values) const {
    std::vector<double> inner(own.layout.value_size(), 0.0);
    for (std::size_t b = 0; b < own.hyper_blocks; ++b) {
      std::ranges::copy(layout_.Values(own.blocks[b], values),
                        own.layout.Values(b, std::span(inner)).begin());
    }
    if (own.weights > 0) {
      const std::span<const double> weights = layout_.Values(weights_block_, values);
      std::ranges::copy(
          weights.subspan(own.weights_at, own.weights),
          own.layout.Values(*own.function->ResidualBlock(), std::span(inner)).begin());
    }
    return inner;
  }

  // Adds the cotangents in own.bvalues of all functions to bvalues, and sets them to zero.
  void AddGradients(std::span<double> bvalues) {
    for (Unknown& own : unknown_) {
      const auto add = [](std::span<const double> from, std::span<double> to) {
        for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
      };
      const std::span<const double> inner(own.bvalues);
      for (std::size_t b = 0; b < own.hyper_blocks; ++b) {
        add(own.layout.Values(b, inner), layout_.Values(own.blocks[b], bvalues));
      }
      if (own.weights > 0) {
        add(own.layout.Values(*own.function->ResidualBlock(), inner),
            layout_.Values(weights_block_, bvalues).subspan(own.weights_at, own.weights));
      }
      std::ranges::fill(own.bvalues, 0.0);
    }
  }

  // Pulls back the raw sums of one draw of one unknown function.
  void PullUnknown(std::size_t k, const EquationsDraw& draw, std::span<const double> sums,
                   std::span<double> bz, ThreadPool& pool) {
    Unknown& own = unknown_[k];
    const std::unique_ptr<FunctionDraw>& inner = draw.draw(k);
    const std::size_t count = FunctionOf(*inner).parameter_count();
    own.function->Pullback({&inner, 1}, sums.subspan(draw.equations().SumsOf(k), count), count,
                           bz.subspan(own.latent_at, own.latent), own.latent, own.bvalues, pool);
  }

  // Returns the part of a start that belongs to one unknown function.
  FunctionStart StartOf(const Unknown& own, const FunctionStart& start) const {
    std::size_t at = units_.count();
    for (const Unknown& other : unknown_) {
      std::size_t size = 0;
      for (std::size_t b = 0; b < other.hyper_blocks; ++b) {
        size += other.layout.blocks()[b].value_size;
      }
      if (&other == &own) {
        const auto first = start.hyperparameters.begin() + static_cast<std::ptrdiff_t>(at);
        return {{first, first + static_cast<std::ptrdiff_t>(size)}, {}};
      }
      at += size;
    }
    return {};
  }

  // Returns one matrix (n, latent) for each output of a use: that output without its residual is
  // the matrix times the latent variables of the function.
  static std::vector<Matrix> BasisOf(const Unknown& own, const EquationsPoint::Use& use) {
    std::vector<Matrix> basis;
    if (use.has_value) basis = own.function->Basis(use.arguments);
    if (use.has_gradient) {
      for (Matrix& slope : GradientBasis(*own.function, use.arguments)) {
        basis.push_back(std::move(slope));
      }
    }
    return basis;
  }

  // Reverses BasisOf.
  static void PullBasis(Unknown& own, const EquationsPoint::Use& use,
                        std::span<const Matrix> bbasis) {
    const std::vector<Matrix> basis = BasisOf(own, use);
    const std::span<const Matrix> all(basis);
    const std::size_t values = use.has_value ? 1 : 0;
    if (use.has_value) {
      own.function->BasisPullback(use.arguments, all.first(1), bbasis.first(1), own.bvalues);
    }
    if (use.has_gradient) {
      GradientBasisPullback(*own.function, use.arguments, all.subspan(values),
                            bbasis.subspan(values), own.bvalues);
    }
  }

  // Pulls back the cotangents of the outputs of a use with latent variables of zero.
  void PullResidual(Unknown& own, const EquationsPoint::Use& use, const Matrix& boutputs,
                    ThreadPool& pool) {
    const std::unique_ptr<FunctionDraw>& draw = residual_[use.process];
    std::vector<double> sums(FunctionOf(*draw).parameter_count(), 0.0), bz(own.latent);
    const auto pull = [&](const Function& function, const Matrix& b) {
      const auto n = static_cast<std::size_t>(b.rows());
      AlignedVector<double> record(n * function.record_size());
      std::vector<double> f(n * function.outputs()), bx(n * function.inputs(), 0.0);
      function.Record(SpanOf(use.arguments), f, record);
      function.Pullback(SpanOf(use.arguments), record, SpanOf(b), bx, sums);
    };
    if (use.has_value) pull(FunctionOf(*draw), boutputs.leftCols(1));
    if (use.has_gradient) pull(GradientOf(*draw), boutputs.rightCols(use.arguments.cols()));
    own.function->Pullback({&draw, 1}, sums, sums.size(), bz, bz.size(), own.bvalues, pool);
  }

  // Sets the units of an unknown function and returns its start.
  FunctionStart StartUnknownFunction(const Unknown& own, const UnknownValues& values,
                                     EquationUnits::Process& units) const;

  static void RegressGradients(const Unknown& own, const Matrix& arguments, const Matrix& gradients,
                               const EquationUnits::Process& units, FunctionStart& start);

  FitOptions options_;
  std::shared_ptr<const EquationSystem> system_;
  std::vector<std::size_t> learnt_;
  EquationUnits units_;
  std::vector<Unknown> unknown_;
  std::size_t latent_ = 0, weights_ = 0;
  ParameterLayout layout_;
  std::size_t units_block_ = 0, weights_block_ = 0;
  // The values of the unknown functions with latent variables of zero, for LinearOffset.
  mutable std::vector<std::unique_ptr<FunctionDraw>> residual_;
};

// Sets the latent variables so that the derivatives of an unknown function are about `gradients`,
// by a regression with their standard normal prior.
void EquationsFunction::RegressGradients(const Unknown& own, const Matrix& arguments,
                                         const Matrix& gradients,
                                         const EquationUnits::Process& units,
                                         FunctionStart& start) {
  constexpr double kNoise = 0.1;  // of derivatives of about unit size
  std::vector<double> inner(own.layout.value_size(), 0.0);
  std::ranges::copy(start.hyperparameters, inner.begin());
  ThreadPool pool(1);
  std::ranges::fill(start.latent, 0.0);
  if (own.function->Set(inner, pool) != FactorStatus::kOk) return;
  const std::vector<Matrix> basis = GradientBasis(*own.function, arguments);
  const auto count = std::ssize(start.latent);
  Eigen::MatrixXd square = kNoise * kNoise * Eigen::MatrixXd::Identity(count, count);
  Vector right = Vector::Zero(count);
  for (std::size_t k = 0; k < basis.size(); ++k) {
    square += basis[k].transpose() * basis[k];
    right += basis[k].transpose() * gradients.col(Index(k)) * (units.scale[k] / units.output);
  }
  const Vector latent = square.llt().solve(right);
  if (latent.allFinite()) std::ranges::copy(latent, start.latent.begin());
}

FunctionStart EquationsFunction::StartUnknownFunction(const Unknown& own,
                                                      const UnknownValues& values,
                                                      EquationUnits::Process& units) const {
  const Eigen::Index count = values.arguments.cols();
  Matrix arguments = values.arguments;
  for (Eigen::Index k = 0; k < count && options_.scale; ++k) {
    const auto column = arguments.col(k);
    const double mean = column.mean();
    const double size = std::sqrt((column.array() - mean).square().mean());
    const bool varies = size > kRounding * std::fabs(mean) && std::isfinite(size);
    units.offset[static_cast<std::size_t>(k)] = mean;
    units.scale[static_cast<std::size_t>(k)] = varies ? size : mean != 0 ? std::fabs(mean) : 1.0;
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    arguments.col(k) = (arguments.col(k).array() - units.offset[i]) / units.scale[i];
  }
  if (options_.scale) {
    double size = std::sqrt(values.values.squaredNorm() /
                            static_cast<double>(std::max<Eigen::Index>(values.values.size(), 1)));
    size = std::max(size, values.usual_size);
    for (Eigen::Index k = 0; k < count && own.has_derivatives; ++k) {
      const double slope = std::sqrt(values.gradients.col(k).squaredNorm() /
                                     static_cast<double>(values.gradients.rows()));
      const double unit = units.scale[static_cast<std::size_t>(k)];
      size = std::max(k == 0 ? 0.0 : size, std::max(slope, values.usual_size) * unit);
    }
    units.output = std::isfinite(size) && size > 0 ? size : 1.0;
  }
  const Matrix targets = values.values / units.output;
  FunctionStart start = own.function->Start(arguments, targets, Vector::Ones(count));
  if (own.has_derivatives) RegressGradients(own, arguments, values.gradients, units, start);
  return start;
}

FunctionStart EquationsFunction::Start(const Matrix& points, const Matrix& slopes,
                                       const Vector& /*spread*/) const {
  const Matrix some = Thin(points, kMostPoints), rates = Thin(slopes, kMostPoints);
  const Eigen::Index dim = slopes.cols();
  EquationData data{some.leftCols(dim), some.rightCols(some.cols() - dim), rates};
  for (Eigen::Index d = 0; d < dim; ++d) {
    const auto i = static_cast<std::size_t>(d);
    data.states.col(d) =
        units_.state_offset[i] + units_.state_scale[i] * data.states.col(d).array();
    data.slopes.col(d) *= units_.state_scale[i] / units_.time_scale;
  }
  for (Eigen::Index u = 0; u < data.inputs.cols(); ++u) {
    const auto i = static_cast<std::size_t>(u);
    data.inputs.col(u) =
        units_.input_offset[i] + units_.input_scale[i] * data.inputs.col(u).array();
  }
  FunctionStart start;
  EquationUnits units = units_;
  start.latent = StartParameters(system_, data);
  if (!HaveFiniteValue(system_, data, start.latent)) {
    ThrowInput("Fit", "equations",
               "have no finite value at any observation: look for logarithms and square roots of "
               "negative numbers and for divisions by zero");
  }
  const std::vector<UnknownValues> values = StartUnknown(system_, data, start.latent);
  std::vector<double> hyper;
  for (std::size_t k = 0; k < unknown_.size(); ++k) {
    const FunctionStart own = StartUnknownFunction(unknown_[k], values[k], units.processes[k]);
    start.latent.insert(start.latent.end(), own.latent.begin(), own.latent.end());
    hyper.insert(hyper.end(), own.hyperparameters.begin(), own.hyperparameters.end());
  }
  start.hyperparameters = units.ToVector();
  start.hyperparameters.insert(start.hyperparameters.end(), hyper.begin(), hyper.end());
  return start;
}

std::shared_ptr<const LinearisationPoint> EquationsFunction::Linearise(
    const Matrix& points, std::span<const double> z) const {
  const std::unique_ptr<FunctionDraw> made = MakeDraw();
  made->Set(z);
  const auto& draw = static_cast<const EquationsDraw&>(*made);
  const EquationField& field = draw.equations();
  const std::size_t dim = field.dim(), n = static_cast<std::size_t>(points.rows());
  std::size_t outputs = 0;
  auto place = std::make_shared<EquationsPoint>();
  for (std::size_t use = 0; use < system_->uses.size(); ++use) {
    const ProcessUse& own = system_->uses[use];
    place->uses.push_back({own.process, Matrix(Index(n), std::ssize(own.arguments)),
                           Matrix(Index(dim * n), Index(field.OutputsOf(use))), own.has_value,
                           own.has_gradient});
    outputs += field.OutputsOf(use);
  }
  place->constant.resize(Index(dim * n));
  place->parameters.resize(Index(dim * n), std::ssize(learnt_));
  AlignedVector<double> record(field.record_size());
  std::vector<double> f(dim), unit(dim), bx(dim), sums(field.parameter_count()), buses(outputs),
      values(outputs);
  for (std::size_t p = 0; p < n; ++p) {
    const auto row = points.row(Index(p));
    const FieldPoints at{0, {row.data(), dim}, {row.data() + dim, field.inputs()}};
    field.Record(at, f, record);
    field.UseOutputs(record, values);
    for (std::size_t use = 0; use < place->uses.size(); ++use) {
      std::ranges::copy(field.ArgumentsOf(use, record),
                        place->uses[use].arguments.row(Index(p)).begin());
    }
    for (std::size_t d = 0; d < dim; ++d) {
      const Eigen::Index i = Index(d * n + p);
      std::ranges::fill(unit, 0.0);
      std::ranges::fill(bx, 0.0);
      std::ranges::fill(sums, 0.0);
      unit[d] = 1;
      field.PullbackToUses(at, record, unit, bx, sums, buses);
      double constant = f[d];
      for (std::size_t k = 0; k < learnt_.size(); ++k) {
        const double slope = sums[k] * draw.slopes()[k];
        place->parameters(i, Index(k)) = slope;
        constant -= slope * z[k];
      }
      std::size_t output = 0;
      for (EquationsPoint::Use& use : place->uses) {
        for (Eigen::Index o = 0; o < use.weights.cols(); ++o, ++output) {
          use.weights(i, o) = buses[output];
          constant -= buses[output] * values[output];
        }
      }
      place->constant[i] = constant;
    }
  }
  return place;
}

Matrix EquationsFunction::LinearBasis(const LinearisationPoint& at) const {
  const auto& place = static_cast<const EquationsPoint&>(at);
  Matrix basis = Matrix::Zero(place.constant.size(), Index(latent_));
  basis.leftCols(std::ssize(learnt_)) = place.parameters;
  for (const EquationsPoint::Use& use : place.uses) {
    const Unknown& own = unknown_[use.process];
    const std::vector<Matrix> inner = BasisOf(own, use);
    const Eigen::Index n = use.arguments.rows();
    for (Eigen::Index first = 0; first < basis.rows(); first += n) {
      for (std::size_t o = 0; o < inner.size(); ++o) {
        basis.block(first, Index(own.latent_at), n, Index(own.latent)) +=
            use.weights.col(Index(o)).segment(first, n).asDiagonal() * inner[o];
      }
    }
  }
  return basis;
}

Vector EquationsFunction::LinearOffset(const LinearisationPoint& at, bool with_residual) const {
  const auto& place = static_cast<const EquationsPoint&>(at);
  Vector offset = place.constant;
  if (!with_residual || weights_ == 0) return offset;
  if (residual_.empty()) {
    for (const Unknown& own : unknown_) {
      residual_.push_back(own.function->MakeDraw());
      if (own.has_derivatives) static_cast<ProcessDraw&>(*residual_.back()).KeepGradient();
    }
  }
  for (std::size_t k = 0; k < unknown_.size(); ++k) {
    residual_[k]->Set(std::vector<double>(unknown_[k].latent, 0.0));
  }
  for (const EquationsPoint::Use& use : place.uses) {
    Matrix values(use.arguments.rows(), use.weights.cols());
    if (use.has_value) {
      values.leftCols(1) = Evaluate(FunctionOf(*residual_[use.process]), use.arguments);
    }
    if (use.has_gradient) {
      values.rightCols(use.arguments.cols()) =
          Evaluate(GradientOf(*residual_[use.process]), use.arguments);
    }
    const Eigen::Index n = values.rows();
    for (Eigen::Index first = 0; first < offset.size(); first += n) {
      offset.segment(first, n) +=
          use.weights.middleRows(first, n).cwiseProduct(values).rowwise().sum();
    }
  }
  return offset;
}

void EquationsFunction::LinearPullback(const LinearisationPoint& at, const Matrix& bbasis,
                                       const Vector& boffset, std::span<double> bvalues) {
  const auto& place = static_cast<const EquationsPoint&>(at);
  ThreadPool pool(1);
  for (const EquationsPoint::Use& use : place.uses) {
    Unknown& own = unknown_[use.process];
    const Eigen::Index n = use.arguments.rows();
    const Eigen::Index outputs = use.weights.cols();
    std::vector<Matrix> binner(static_cast<std::size_t>(outputs),
                               Matrix::Zero(n, Index(own.latent)));
    Matrix bresidual = Matrix::Zero(n, outputs);
    for (Eigen::Index first = 0; first < bbasis.rows(); first += n) {
      for (Eigen::Index o = 0; o < outputs; ++o) {
        const auto weights = use.weights.col(o).segment(first, n);
        binner[static_cast<std::size_t>(o)] +=
            weights.asDiagonal() * bbasis.block(first, Index(own.latent_at), n, Index(own.latent));
        if (boffset.size() > 0) {
          bresidual.col(o) += weights.cwiseProduct(boffset.segment(first, n));
        }
      }
    }
    PullBasis(own, use, binner);
    if (boffset.size() > 0 && weights_ > 0) PullResidual(own, use, bresidual, pool);
  }
  AddGradients(bvalues);
}

}  // namespace

std::unique_ptr<UnknownFunction> MakeEquationsFunction(const FunctionSetting& setting) {
  return std::make_unique<EquationsFunction>(setting);
}

}  // namespace gpode
