// Compares the ends of trajectories of the No-U-Turn sampler with the definition. For the
// definition, the states of a trajectory are computed one after the other and numbered from its
// start, and the criterion is evaluated for ranges of these numbers.
#include "sample/nuts_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace gpode {
namespace {

constexpr double kStep = 0.21;

// The log density of two coupled oscillators of different frequencies.
double Oscillators(std::span<const double> q, std::span<double> gradient) {
  gradient[0] = -q[0] - 0.3 * q[1];
  gradient[1] = -0.15 * q[1] - 0.3 * q[0] - 0.1 * q[1] * q[1] * q[1];
  return -0.5 * q[0] * q[0] - 0.3 * q[0] * q[1] - 0.075 * q[1] * q[1] - 0.025 * std::pow(q[1], 4);
}

class Trajectory {
 public:
  explicit Trajectory(const PhasePoint& start)
      : hamiltonian_(2, MassMatrix::kIdentity, Oscillators) {
    points_.emplace(0, start);
  }

  const PhasePoint& At(int i) {
    const auto known = points_.find(i);
    if (known != points_.end()) return known->second;
    PhasePoint point = At(i > 0 ? i - 1 : i + 1);
    hamiltonian_.Leapfrog(i > 0 ? kStep : -kStep, point);
    return points_.emplace(i, point).first->second;
  }

  // Returns true if the momenta of the states a and b both point in the direction of the sum of the
  // momenta first .. last.
  bool Apart(int a, int b, int first, int last) {
    Vector sum = Vector::Zero(2);
    for (int i = first; i <= last; ++i) sum += At(i).momentum;
    return At(a).momentum.dot(sum) > 0 && At(b).momentum.dot(sum) > 0;
  }

  // Returns true if the neighbouring ranges first .. middle and middle + 1 .. last meet the
  // criterion for continuing.
  bool MayContinue(int first, int middle, int last) {
    return Apart(first, last, first, last) && Apart(first, middle + 1, first, middle + 1) &&
           Apart(middle, last, middle, last);
  }

  // Extends the trajectory in the direction `sign` by 2^depth states, the first of which is `at`.
  // Adds the number of states that are computed to `count`. Returns false if the criterion ends the
  // extension.
  bool Extend(int at, int sign, int depth, int& count) {
    if (depth == 0) {
      ++count;
      return true;
    }
    const int half = 1 << (depth - 1), next = at + sign * half, end = at + sign * (2 * half - 1);
    if (!Extend(at, sign, depth - 1, count) || !Extend(next, sign, depth - 1, count)) return false;
    return sign > 0 ? MayContinue(at, next - 1, end) : MayContinue(end, next, at);
  }

 private:
  Hamiltonian hamiltonian_;
  std::map<int, PhasePoint> points_;
};

// The positions that a transition evaluates, in order.
using Log = std::vector<Vector>;

// Returns how many states a transition must compute by the definition, or -1 if the log ends too
// early, and sets the depth of its tree. The direction of each doubling is taken from the log.
// Checks that the log holds just these states.
int CountByDefinition(Trajectory& trajectory, const Log& log, int& depth) {
  int first = 0, last = 0, count = 0;
  for (depth = 0; depth < 10; ++depth) {
    if (count >= static_cast<int>(log.size())) return -1;  // The transition stopped too early.
    const bool forwards = log[count] == trajectory.At(last + 1).position;
    const int at = forwards ? last + 1 : first - 1, size = 1 << depth;
    const int before = count;
    const bool valid = trajectory.Extend(at, forwards ? 1 : -1, depth, count);
    for (int i = before; i < count && i < static_cast<int>(log.size()); ++i) {
      EXPECT_EQ(log[i], trajectory.At(forwards ? at + i - before : at - i + before).position);
    }
    if (!valid) break;
    const int middle = forwards ? last : first - 1;
    (forwards ? last : first) += forwards ? size : -size;
    if (!trajectory.MayContinue(first, middle, last)) {
      ++depth;
      break;
    }
  }
  return count;
}

TEST(NutsTreeTest, TrajectoriesEndByTheDefinition) {
  Log log;
  Hamiltonian hamiltonian(2, MassMatrix::kIdentity,
                          [&](std::span<const double> q, std::span<double> gradient) {
                            log.push_back(Eigen::Map<const Vector>(q.data(), 2));
                            return Oscillators(q, gradient);
                          });
  NutsTree tree(hamiltonian, 10);
  PhasePoint current(2);
  current.position << 0.5, -1;
  hamiltonian.Evaluate(current);
  std::map<std::size_t, int> depths;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const IterationNumbers numbers(RandomStream(5, i, 0, Purpose::kTest));
    PhasePoint start = current;
    numbers.Normals(start.momentum);
    Trajectory trajectory(start);
    log.clear();
    const TransitionStatistics statistics = tree.Move(kStep, numbers, current);
    int depth = 0;
    EXPECT_EQ(CountByDefinition(trajectory, log, depth), static_cast<int>(log.size())) << i;
    EXPECT_EQ(statistics.leapfrogs, log.size());
    EXPECT_EQ(statistics.depth, static_cast<std::size_t>(depth));
    ++depths[statistics.depth];
  }
  EXPECT_GE(depths.size(), 3u);  // The trajectories have several depths.
}

}  // namespace
}  // namespace gpode
