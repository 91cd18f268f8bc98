#include "analyse/orbit.h"

#include <algorithm>

namespace gpode {
namespace {

constexpr double kOutside = 3;  // solutions must stay in the box enlarged by this factor

}  // namespace

Orbit::Orbit(const Field& field, const StateBox& box, const Vector& start, double step,
             double tolerance)
    : field_(field),
      outer_(box.Enlarged(kOutside)),
      dim_(field.dim()),
      step_(step),
      solver_({.method = Method::kDormandPrince54,
               .rtol = tolerance,
               .atol = tolerance * box.HalfWidths().minCoeff(),
               .max_steps = 2'000'000}),
      states_(start.begin(), start.end()) {}

bool Orbit::Extend(std::size_t count) {
  constexpr std::size_t kPiece = 64;  // the box is checked after this many samples
  for (std::size_t done = 0; done < count && !has_left_;) {
    const std::size_t piece = std::min(kPiece, count - done);
    std::vector<double> times(piece);
    for (std::size_t i = 0; i < piece; ++i) times[i] = static_cast<double>(i + 1) * step_;
    std::vector<double> states(piece * dim_);
    const std::vector<double> from(states_.end() - static_cast<std::ptrdiff_t>(dim_),
                                   states_.end());
    const SolveResult result = solver_.Solve(field_, from, 0, times, states, step_hint_);
    step_hint_ = result.step_hint;
    states_.insert(states_.end(), states.begin(),
                   states.begin() + static_cast<std::ptrdiff_t>(result.filled * dim_));
    has_left_ = !result.ok() || !outer_.Contains(State(size() - 1));
    done += piece;
  }
  return !has_left_;
}

Matrix Orbit::States(std::size_t first) const {
  return Eigen::Map<const Matrix>(states_.data() + first * dim_,
                                  static_cast<Eigen::Index>(size() - first),
                                  static_cast<Eigen::Index>(dim_));
}

}  // namespace gpode
