#include "gpode/explain.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "analyse/subset_average.h"
#include "gpode/error.h"
#include "gpode/summary.h"
#include "sample/chain_statistics.h"

namespace gpode {
namespace {

constexpr std::size_t kMostTerms = 60, kLongestWindow = 48, kGridPoints = 2000, kLeastDraws = 8;

// The paths of all draws through one trajectory, and its observations.
struct ObservedPaths {
  std::size_t pieces = 0;         // intervals of the grid between two observations, an even number
  std::vector<double> grid = {};  // (G): times
  Matrix inputs = {};             // (G, measured inputs)
  MatrixStack states = {};        // one (G, D) for each draw
  Matrix seen = {};               // (T, D): the observed states, NaN where missing
};

// Returns times that divide each gap between observations into equal pieces.
std::vector<double> DivideGaps(const std::vector<double>& times, std::size_t pieces) {
  std::vector<double> grid = {times.front()};
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    for (std::size_t k = 1; k <= pieces; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(pieces);
      grid.push_back(k == pieces ? times[i + 1] : times[i] + share * (times[i + 1] - times[i]));
    }
  }
  return grid;
}

ObservedPaths PathsOf(const Posterior& posterior, const Dataset& data, std::size_t trajectory,
                      const ExplainOptions& options) {
  const Model& model = posterior.model();
  const Trajectory& seen = data.trajectories[trajectory];
  ObservedPaths paths;
  const std::size_t wanted = kGridPoints / std::max<std::size_t>(1, seen.times.size());
  paths.pieces = std::clamp<std::size_t>(wanted / 2 * 2, 4, 16);
  paths.grid = DivideGaps(seen.times, paths.pieces);
  const Forecast forecast = posterior.Trajectory(trajectory, paths.grid,
                                                 {.draws = options.draws,
                                                  .seed = options.seed,
                                                  .threads = options.threads,
                                                  .from = Origin::kLatestState,
                                                  .states = true});
  for (const auto& draw : forecast.states) {
    if (draw.allFinite()) paths.states.push_back(draw);
  }
  const InputRule rule = model.input_rule();
  if (!rule.names.empty()) {
    paths.inputs = InputsAt(rule, posterior.SamplesOf(trajectory), paths.grid)
                       .leftCols(std::ssize(rule.names));
  }
  paths.seen = model.ObservedStates(seen.values);
  return paths;
}

// Returns the integrals (T, K), from the first observation to each of them, of values (G, K) on the
// grid, by Simpson's rule.
Matrix Integrate(const ObservedPaths& paths, const Matrix& values) {
  const auto pieces = static_cast<Eigen::Index>(paths.pieces);
  Matrix sums = Matrix::Zero(paths.seen.rows(), values.cols());
  for (Eigen::Index i = 1; i < sums.rows(); ++i) {
    const Eigen::Index first = (i - 1) * pieces;
    const double h = (paths.grid[static_cast<std::size_t>(first + pieces)] -
                      paths.grid[static_cast<std::size_t>(first)]) /
                     static_cast<double>(pieces);
    sums.row(i) = sums.row(i - 1);
    for (Eigen::Index k = 0; k < pieces; k += 2) {
      sums.row(i) +=
          h / 3 *
          (values.row(first + k) + 4 * values.row(first + k + 1) + values.row(first + k + 2));
    }
  }
  return sums;
}

// The regressions of all states, with one row for each time of observation.
struct Problem {
  Matrix regressors = {};  // (N, K): the terms integrated along the paths, mean over draws
  // For each state (N, draws): the mean field integrated along the path of each draw.
  std::vector<Matrix> spread = {};
  Matrix seen = {};                      // (N, D): the observed states, NaN where missing
  std::vector<std::size_t> window = {};  // (N): the number of the window that the row belongs to
  Matrix support = {};  // (N, variables): mean states and inputs at the observations
  Matrix field = {};    // (N, D): the mean field there, at the inputs of these times
};

class ProblemBuilder {
 public:
  ProblemBuilder(const Posterior& posterior, const TermLibrary& library)
      : posterior_(posterior), library_(library), mean_field_(posterior.MeanField()) {}

  // Returns those rows of the regressions that come from one trajectory.
  Problem Build(const ObservedPaths& paths) const {
    const auto rows = paths.seen.rows(), terms = std::ssize(library_.names);
    const std::size_t draws = paths.states.size();
    const auto dim = static_cast<Eigen::Index>(posterior_.dim());
    Problem problem;
    problem.regressors = Matrix::Zero(rows, terms);
    problem.spread.assign(posterior_.dim(), Matrix(rows, static_cast<Eigen::Index>(draws)));
    problem.seen = paths.seen;
    Matrix mean = Matrix::Zero(std::ssize(paths.grid), dim);
    for (std::size_t s = 0; s < draws; ++s) {
      const Matrix states = paths.states[s];
      mean += states / static_cast<double>(draws);
      problem.regressors += Integrate(paths, library_.evaluate(Variables(states, paths.inputs))) /
                            static_cast<double>(draws);
      const Matrix field = Integrate(paths, FieldAt(states, paths));
      for (Eigen::Index d = 0; d < dim; ++d) {
        problem.spread[static_cast<std::size_t>(d)].col(static_cast<Eigen::Index>(s)) =
            field.col(d);
      }
    }
    const auto step = static_cast<Eigen::Index>(paths.pieces);
    const Matrix variables = Variables(mean, paths.inputs);
    problem.support.resize(rows, variables.cols());
    const Matrix field = FieldAt(mean, paths);
    problem.field.resize(rows, dim);
    for (Eigen::Index i = 0; i < rows; ++i) {
      problem.support.row(i) = variables.row(i * step);
      problem.field.row(i) = field.row(i * step);
    }
    const auto count = static_cast<std::size_t>(rows);
    const std::size_t windows = (count + kLongestWindow - 1) / kLongestWindow;
    for (std::size_t i = 0; i < count; ++i) problem.window.push_back(i * windows / count);
    return problem;
  }

  static Matrix Variables(const Matrix& states, const Matrix& inputs) {
    if (inputs.size() == 0) return states;
    Matrix both(states.rows(), states.cols() + inputs.cols());
    both << states, inputs;
    return both;
  }

  // Returns the mean field (n, D) at states; `all` are all inputs (n, U).
  Matrix MeanAt(const Matrix& states, const Matrix& all) const {
    return Evaluate(mean_field_, states, 0, all);
  }

 private:
  Matrix FieldAt(const Matrix& states, const ObservedPaths& paths) const {
    const Model& model = posterior_.model();
    if (model.coordinates.inputs() == 0) return MeanAt(states, Matrix(states.rows(), 0));
    const InputRule rule = model.input_rule();
    InputSamples samples{paths.grid, paths.inputs};
    if (rule.names.empty()) samples = {};
    return MeanAt(states, InputsAt(rule, samples, paths.grid));
  }

  const Posterior& posterior_;
  const TermLibrary& library_;
  PosteriorField mean_field_;
};

// Appends the rows of `more`, whose windows get new numbers.
void Append(const Problem& more, Problem* all) {
  const auto stack = [](Matrix* above, const Matrix& below) {
    Matrix both(above->rows() + below.rows(), below.cols());
    if (above->rows() > 0) both.topRows(above->rows()) = *above;
    both.bottomRows(below.rows()) = below;
    *above = both;
  };
  const std::size_t next = all->window.empty() ? 0 : all->window.back() + 1;
  for (std::size_t w : more.window) all->window.push_back(next + w);
  stack(&all->regressors, more.regressors);
  stack(&all->seen, more.seen);
  stack(&all->support, more.support);
  stack(&all->field, more.field);
  all->spread.resize(more.spread.size());
  for (std::size_t d = 0; d < more.spread.size(); ++d) {
    const Matrix& other = more.spread[d];
    // A trajectory may have lost some draws, so only the number that all trajectories have is kept.
    const auto columns =
        all->spread[d].rows() > 0 ? std::min(all->spread[d].cols(), other.cols()) : other.cols();
    Matrix above = all->spread[d].leftCols(std::min(all->spread[d].cols(), columns));
    stack(&above, other.leftCols(columns));
    all->spread[d] = above;
  }
}

// The rows of one state whose observation is not missing, centred within each window.
struct StateProblem {
  Matrix regressors = {};
  Matrix spread = {};
  Vector seen = {};
  double freedom = 0;  // the number of rows minus the number of windows
};

StateProblem CentreRows(const Problem& problem, std::size_t state) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < problem.seen.rows(); ++i) {
    if (std::isfinite(problem.seen(i, static_cast<Eigen::Index>(state)))) rows.push_back(i);
  }
  StateProblem own{problem.regressors(rows, Eigen::all), problem.spread[state](rows, Eigen::all),
                   problem.seen.col(static_cast<Eigen::Index>(state))(rows),
                   static_cast<double>(rows.size())};
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    const auto window = [&](std::size_t i) {
      return problem.window[static_cast<std::size_t>(rows[i])];
    };
    while (last < rows.size() && window(last) == window(first)) ++last;
    const auto from = static_cast<Eigen::Index>(first),
               count = static_cast<Eigen::Index>(last - first);
    const auto centre = [&](auto block) { block.rowwise() -= block.colwise().mean().eval(); };
    centre(own.regressors.middleRows(from, count));
    centre(own.spread.middleRows(from, count));
    const double mean = own.seen.segment(from, count).mean();
    own.seen.segment(from, count).array() -= mean;
    own.freedom -= 1;
    first = last;
  }
  return own;
}

// Returns the variance of the noise of an observed state, in the user's units.
double NoiseVariance(const Model& model, std::size_t state) {
  if (model.map.IsDiagonal()) {
    const double deviation = model.noise_on_link_scale().Deviation(state);
    return std::max(deviation * deviation, 1e-300);
  }
  const auto channels = static_cast<Eigen::Index>(model.channels.size());
  Matrix covariance = Matrix::Zero(channels, channels);
  for (Eigen::Index c = 0; c < channels; ++c) {
    const double deviation = model.noise_on_link_scale().Deviation(static_cast<std::size_t>(c));
    covariance(c, c) = deviation * deviation;
  }
  const std::vector<double> values(model.channels.size(), 0);
  const auto estimate = model.map.StateOf(values, covariance);
  const auto d = static_cast<Eigen::Index>(state);
  const double scale = model.coordinates.state_scale[d];
  return estimate ? std::max(estimate->covariance(d, d) * scale * scale, 1e-300) : 1;
}

// Whitens the rows: multiplies them by the inverse Cholesky factor of the observations' covariance
// given the formula.
void Whiten(double noise, StateProblem* problem) {
  const Matrix away = problem->spread.colwise() - problem->spread.rowwise().mean();
  Matrix covariance = away * away.transpose() / std::max(1.0, static_cast<double>(away.cols() - 1));
  covariance.diagonal().array() += noise;
  const Eigen::LLT<Eigen::MatrixXd> factors{Eigen::MatrixXd(covariance)};
  problem->regressors = factors.matrixL().solve(problem->regressors);
  problem->seen = factors.matrixL().solve(problem->seen);
}

EquationSummary Summarise(const SubsetAverage& average, double level) {
  EquationSummary equation;
  const double z = NormalQuantile(0.5 + level / 2);
  equation.terms.resize(static_cast<std::size_t>(average.probabilities.size()));
  for (std::size_t k = 0; k < equation.terms.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double mean = average.means[i], deviation = std::sqrt(average.variances[i]);
    equation.terms[k].probability = average.probabilities[i];
    equation.terms[k].band = {mean, mean - z * deviation, mean + z * deviation};
  }
  for (std::size_t j = 0; j < average.chosen.size(); ++j) {
    TermSummary& term = equation.terms[static_cast<std::size_t>(average.chosen[j])];
    const auto i = static_cast<Eigen::Index>(j);
    term.chosen = true;
    term.coefficient = average.coefficients[i];
    term.standard_error = std::sqrt(std::max(0.0, average.covariance(i, i)));
  }
  return equation;
}

// Returns the share of the variance of `values` that the formula explains.
double ExplainedShare(const EquationSummary& equation, const Matrix& terms, const Vector& values) {
  Vector left = values;
  for (std::size_t k = 0; k < equation.terms.size(); ++k) {
    left -= equation.terms[k].coefficient * terms.col(static_cast<Eigen::Index>(k));
  }
  const double total = (values.array() - values.mean()).square().sum();
  return total > 0 ? 1 - left.squaredNorm() / total : 0;
}

// Throws for a term such as log(x) that is not finite on the paths.
void CheckTermsFinite(const Matrix& regressors, const Matrix& values, const TermLibrary& library) {
  for (Eigen::Index k = 0; k < regressors.cols(); ++k) {
    if (regressors.col(k).allFinite() && values.col(k).allFinite()) continue;
    ThrowInput("explain", "the library",
               fmt::format("has the term {}, which is not finite along the model's paths",
                           library.names[static_cast<std::size_t>(k)]));
  }
}

}  // namespace

std::vector<std::string> ExplainVariables(const Model& model) {
  std::vector<std::string> names = StateNames(model);
  for (const std::string& input : model.inputs) names.push_back(input);
  return names;
}

Explanation ExplainModel(const Posterior& posterior, const Dataset& data,
                         const TermLibrary& library, const ExplainOptions& options) {
  constexpr char kWhere[] = "explain";
  CheckAtLeast(kWhere, "draws", static_cast<std::ptrdiff_t>(options.draws), kLeastDraws);
  CheckAtLeast(kWhere, "the number of terms", std::ssize(library.names), 1);
  if (library.names.size() > kMostTerms) {
    ThrowInput(kWhere, "the library",
               fmt::format("has {} terms, must have at most {}; give a lower degree or fewer terms",
                           library.names.size(), kMostTerms));
  }
  if (data.trajectories.empty()) ThrowInput(kWhere, "the model", "has no data, must have some");
  const ProblemBuilder builder(posterior, library);
  Problem problem;
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    if (data.trajectories[n].times.size() < 3) continue;
    const ObservedPaths paths = PathsOf(posterior, data, n, options);
    if (paths.states.size() < kLeastDraws) continue;
    Append(builder.Build(paths), &problem);
  }
  if (problem.seen.rows() == 0) {
    ThrowInput(kWhere, "the model", "has no path through its data that could be followed");
  }
  Explanation result{.library = library,
                     .states = StateNames(posterior.model()),
                     .inputs = posterior.model().inputs,
                     .level = options.level};
  const auto dim = static_cast<Eigen::Index>(posterior.dim());
  const Matrix terms = library.evaluate(problem.support);
  CheckTermsFinite(problem.regressors, terms, library);
  const Matrix field = posterior.model().coordinates.inputs() > 0
                           ? problem.field
                           : posterior.FieldMean(problem.support.leftCols(dim));
  for (std::size_t d = 0; d < posterior.dim(); ++d) {
    StateProblem own = CentreRows(problem, d);
    if (!(own.freedom > 2)) {
      ThrowInput(kWhere, "the data",
                 fmt::format("have too few observations of {}", result.states[d]));
    }
    Whiten(NoiseVariance(posterior.model(), d), &own);
    EquationSummary equation = Summarise(
        AverageSubsets(own.regressors, own.seen, own.freedom, options.seed), options.level);
    equation.state = result.states[d];
    equation.observations = static_cast<std::size_t>(own.seen.size());
    equation.explained = ExplainedShare(equation, terms, field.col(static_cast<Eigen::Index>(d)));
    result.equations.push_back(std::move(equation));
  }
  return result;
}

}  // namespace gpode
