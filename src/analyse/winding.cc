#include "analyse/winding.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>

namespace gpode {
namespace {

constexpr double kLargestTurn = 0.7;  // the largest turn between neighbouring points, in radians
constexpr int kMostDivisions = 14, kSidePieces = 4;

double Angle(const Vector& a, const Vector& b) {
  return std::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

std::optional<double> Turn(Evaluator& evaluate, const Vector& a, const Vector& b, const Vector& fa,
                           const Vector& fb, int divisions) {
  if (!fa.allFinite() || !fb.allFinite() || fa.isZero(0) || fb.isZero(0)) return {};
  const double direct = Angle(fa, fb);
  if (std::abs(direct) < kLargestTurn) return direct;
  if (divisions == 0) return {};
  const Vector middle = 0.5 * (a + b), f = evaluate.At(middle);
  const std::optional<double> left = Turn(evaluate, a, middle, fa, f, divisions - 1);
  const std::optional<double> right = Turn(evaluate, middle, b, f, fb, divisions - 1);
  if (!left || !right) return {};
  return *left + *right;
}

// Returns the sign with which the triangle of the directions a, b, c covers the direction p: 1 or
// -1 by its orientation, 0 if it does not.
int Covers(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
           const Eigen::Vector3d& p) {
  Eigen::Matrix3d corners;
  corners << a, b, c;
  const double determinant = corners.determinant();
  if (determinant == 0) return 0;
  const auto replaced = [&](int column) {
    Eigen::Matrix3d m = corners;
    m.col(column) = p;
    return m.determinant() / determinant;
  };
  for (int column = 0; column < 3; ++column) {
    if (!(replaced(column) > 0)) return 0;
  }
  return determinant > 0 ? 1 : -1;
}

// Returns the degree that one triangulation of the border gives.
int TriangulatedDegree(Evaluator& evaluate, const StateBox& box, Eigen::Index cells) {
  const Eigen::Vector3d p = Eigen::Vector3d(0.5377, -0.3188, 0.7806).normalized();
  int degree = 0;
  for (int face = 0; face < 6; ++face) {
    const int fixed = face / 2, u = (fixed + 1) % 3, v = (fixed + 2) % 3;
    const bool upper = face % 2 == 1;
    Matrix states((cells + 1) * (cells + 1), 3);
    for (Eigen::Index i = 0; i < states.rows(); ++i) {
      const double a = static_cast<double>(i / (cells + 1)) / static_cast<double>(cells),
                   b = static_cast<double>(i % (cells + 1)) / static_cast<double>(cells);
      states(i, fixed) = upper ? box.upper[fixed] : box.lower[fixed];
      states(i, u) = box.lower[u] + a * (box.upper[u] - box.lower[u]);
      states(i, v) = box.lower[v] + b * (box.upper[v] - box.lower[v]);
    }
    const Matrix f = evaluate.At(states);
    const auto at = [&](Eigen::Index i, Eigen::Index j) -> Eigen::Vector3d {
      return f.row(i * (cells + 1) + j).transpose();
    };
    int covered = 0;
    for (Eigen::Index i = 0; i < cells; ++i) {
      for (Eigen::Index j = 0; j < cells; ++j) {
        covered += Covers(at(i, j), at(i + 1, j), at(i + 1, j + 1), p);
        covered += Covers(at(i, j), at(i + 1, j + 1), at(i, j + 1), p);
      }
    }
    degree += upper ? covered : -covered;
  }
  return degree;
}

}  // namespace

std::optional<double> TurnBetween(Evaluator& evaluate, const Vector& a, const Vector& b,
                                  const Vector& fa, const Vector& fb) {
  return Turn(evaluate, a, b, fa, fb, kMostDivisions);
}

std::optional<int> WindingNumber(Evaluator& evaluate, const StateBox& box) {
  const std::array<Vector, 5> corners = {box.lower, Vector{{box.upper[0], box.lower[1]}}, box.upper,
                                         Vector{{box.lower[0], box.upper[1]}}, box.lower};
  double turned = 0;
  for (std::size_t side = 0; side < 4; ++side) {
    Vector a = corners[side], fa = evaluate.At(a);
    for (int piece = 1; piece <= kSidePieces; ++piece) {
      const double share = static_cast<double>(piece) / kSidePieces;
      const Vector b = (1 - share) * corners[side] + share * corners[side + 1];
      const Vector fb = evaluate.At(b);
      const std::optional<double> turn = TurnBetween(evaluate, a, b, fa, fb);
      if (!turn) return {};
      turned += *turn;
      a = b;
      fa = fb;
    }
  }
  return static_cast<int>(std::lround(turned / (2 * std::numbers::pi)));
}

std::optional<int> BoundaryDegree(Evaluator& evaluate, const StateBox& box, std::size_t cells) {
  const auto count = static_cast<Eigen::Index>(cells);
  const int coarse = TriangulatedDegree(evaluate, box, count),
            fine = TriangulatedDegree(evaluate, box, 2 * count);
  if (coarse == fine) return fine;
  const int finest = TriangulatedDegree(evaluate, box, 4 * count);
  if (finest == fine) return finest;
  return {};
}

}  // namespace gpode
