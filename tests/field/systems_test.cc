#include "gpode/systems.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpode/error.h"
#include "support/field_harness.h"

namespace gpode {
namespace {

using Values = std::vector<double>;
using Parameters = std::span<const double>;

// Returns n points of dimension d around the origin. None of them is a special one such as zero.
Matrix SomePoints(Eigen::Index n, Eigen::Index d) {
  Matrix points(n, d);
  for (Eigen::Index i = 0; i < points.size(); ++i) {
    points.data()[i] = 1.7 * std::sin(1.0 + 1.9 * static_cast<double>(i));
  }
  return points;
}

// Returns f at one point.
Values At(const Field& field, const Values& x) { return harness::ValueOf(field, x); }

void ExpectValues(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(actual[i], expected[i]);
}

TEST(SystemsTest, ConsistentVanDerPol) {
  ExpectFieldConsistent([](Parameters p) { return std::make_unique<VanDerPol>(p[0]); }, {0.5},
                        SomePoints(5, 2));
}

TEST(SystemsTest, ConsistentFitzHughNagumo) {
  ExpectFieldConsistent(
      [](Parameters p) { return std::make_unique<FitzHughNagumo>(p[0], p[1], p[2]); },
      {0.2, 0.3, 3.0}, SomePoints(5, 2));
}

TEST(SystemsTest, ConsistentLotkaVolterra) {
  ExpectFieldConsistent(
      [](Parameters p) { return std::make_unique<LotkaVolterra>(p[0], p[1], p[2], p[3]); },
      {1.5, 1.1, 3.0, 0.9}, SomePoints(5, 2));
}

TEST(SystemsTest, ConsistentLorenz63) {
  ExpectFieldConsistent([](Parameters p) { return std::make_unique<Lorenz63>(p[0], p[1], p[2]); },
                        {10.0, 28.0, 8.0 / 3.0}, SomePoints(5, 3));
}

TEST(SystemsTest, ConsistentDampedPendulum) {
  ExpectFieldConsistent([](Parameters p) { return std::make_unique<DampedPendulum>(p[0], p[1]); },
                        {1.3, 0.1}, SomePoints(5, 2));
}

// Returns n points of dimension d with positive states.
Matrix PositivePoints(Eigen::Index n, Eigen::Index d) {
  return (0.4 * SomePoints(n, d)).array().exp();
}

template <typename System, std::size_t... I>
void ExpectConsistent(const Values& parameters, const Matrix& points, std::index_sequence<I...>) {
  ExpectFieldConsistent([](Parameters p) { return std::make_unique<System>(p[I]...); }, parameters,
                        points);
}

TEST(SystemsTest, ConsistentOscillators) {
  ExpectConsistent<Duffing>({-1, 1.2, 0.2}, SomePoints(5, 2), std::make_index_sequence<3>());
  ExpectConsistent<CubicSpiral>({0.2, 2.1}, SomePoints(5, 2), std::make_index_sequence<2>());
  ExpectConsistent<Brusselator>({1.1, 3}, SomePoints(5, 2), std::make_index_sequence<2>());
  ExpectConsistent<Selkov>({0.1, 0.6}, SomePoints(5, 2), std::make_index_sequence<2>());
  ExpectConsistent<MorrisLecar>({0.2, 1.1, 2.1, 0.6, 0.3}, 0.3 * SomePoints(5, 2),
                                std::make_index_sequence<5>());
  ExpectConsistent<Rossler>({0.2, 0.3, 5.7}, SomePoints(5, 3), std::make_index_sequence<3>());
}

TEST(SystemsTest, ConsistentPopulations) {
  ExpectConsistent<SirEpidemic>({1.5, 0.6}, SomePoints(5, 2), std::make_index_sequence<2>());
  ExpectConsistent<SeirEpidemic>({2, 1.1, 0.6}, SomePoints(5, 4), std::make_index_sequence<3>());
  ExpectConsistent<RosenzweigMacArthur>({1.1, 3, 0.9, 0.4}, PositivePoints(5, 2),
                                        std::make_index_sequence<4>());
  ExpectConsistent<MayLeonard>({0.5, 1.7}, SomePoints(5, 3), std::make_index_sequence<2>());
}

TEST(SystemsTest, ConsistentReactions) {
  ExpectConsistent<ToggleSwitch>({4, 2.5}, PositivePoints(5, 2), std::make_index_sequence<2>());
  ExpectConsistent<Repressilator>({8, 2.5}, PositivePoints(5, 3), std::make_index_sequence<2>());
  ExpectConsistent<Robertson>({0.3, 2, 1.5}, PositivePoints(5, 3), std::make_index_sequence<3>());
  ExpectConsistent<Oregonator>({2.5, 0.1, 0.4}, PositivePoints(5, 3),
                               std::make_index_sequence<3>());
  ExpectConsistent<Compartments>({1.1, 0.5}, PositivePoints(5, 5), std::make_index_sequence<2>());
}

// Seven states are more than the other systems keep on the stack.
TEST(SystemsTest, ConsistentLinearSystemOfAnySize) {
  for (const Eigen::Index d : {1, 2, 7}) {
    const Matrix a = SomePoints(d, d);
    ExpectFieldConsistent(
        [d](Parameters p) {
          return std::make_unique<LinearSystem>(Eigen::Map<const Matrix>(p.data(), d, d));
        },
        Values(a.data(), a.data() + a.size()), SomePoints(4, d));
  }
}

// Returns the velocity of Morris-Lecar's w at (-0.01, 0.5) with the rate 0.5.
double Closed() {
  return 0.5 * std::cosh(-0.11 / 0.29) * (0.5 * (1 + std::tanh(-0.11 / 0.145)) - 0.5);
}

// The values are worked out by hand from the equations in systems.h.
TEST(SystemsTest, ValuesOfTheEquations) {
  ExpectValues(At(VanDerPol(0.5), {2, 3}), {3, -6.5});
  ExpectValues(At(FitzHughNagumo(0.2, 0.2, 3.0), {3, 1}), {-15, -3});
  ExpectValues(At(LotkaVolterra(2, 3, 5, 7), {1, 2}), {-4, 4});
  ExpectValues(At(Lorenz63(10, 28, 3), {1, 2, 3}), {10, 23, -7});
  ExpectValues(At(DampedPendulum(4, 0.5), {std::asin(0.25), 2}), {2, -2});
  ExpectValues(At(Duffing(-1, 2, 0.5), {2, 3}), {3, -15.5});
  ExpectValues(At(CubicSpiral(0.5, 2), {2, 1}), {-2, -16.5});
  ExpectValues(At(Brusselator(1, 3), {2, 5}), {13, -14});
  ExpectValues(At(Selkov(0.5, 2), {2, 4}), {16, -16});
  ExpectValues(At(MorrisLecar(0.25, 1, 2, 0.5, 0.5), {-0.01, 0.5}), {-0.18, Closed()});
  ExpectValues(At(Rossler(0.5, 0.25, 5), {2, 3, 4}), {-7, 3.5, -11.75});
  ExpectValues(At(SirEpidemic(2, 0.5), {0.5, 0.25}), {-0.25, 0.125});
  ExpectValues(At(SeirEpidemic(2, 1, 0.5), {0.5, 2, 0.25, 7}), {-0.25, -1.75, 1.875, 0.125});
  ExpectValues(At(RosenzweigMacArthur(2, 4, 3, 0.5), {1, 2}), {0.5, 2});
  ExpectValues(At(MayLeonard(2, 3), {1, 2, 3}), {-13, -20, -30});
  ExpectValues(At(ToggleSwitch(4, 3), {1, 2}), {4.0 / 9 - 1, 0});
  ExpectValues(At(Repressilator(9, 3), {1, 2, 0}), {8, 2.5, 1});
  ExpectValues(At(Robertson(2, 3, 0.5), {1, 2, 4}), {2, -14, 12});
  ExpectValues(At(Oregonator(2, 0.5, 3), {1, 3, 4}), {1, -1, -9});
  ExpectValues(At(Compartments(2, 1), {1, 0, 3, 1, 1}), {-1, 1, -1.5, 0.5, 0});
  Matrix a(2, 2);
  a << 1, 2, 3, 4;
  ExpectValues(At(LinearSystem(a), {5, 6}), {17, 39});
}

TEST(SystemsTest, FixedPointsStandStill) {
  ExpectValues(At(LotkaVolterra(2, 4, 6, 3), {2, 0.5}), {0, 0});
  const double x = std::sqrt(3.0 * (28.0 - 1.0));
  for (const double f : At(Lorenz63(10, 28, 3), {x, x, 27})) EXPECT_NEAR(f, 0, 1e-13);
  ExpectValues(At(DampedPendulum(4, 0.5), {0, 0}), {0, 0});
}

TEST(SystemsTest, ParametersKeepTheOrderOfTheConstructor) {
  const LotkaVolterra field(2, 3, 5, 7);
  EXPECT_EQ(Values(field.parameters().begin(), field.parameters().end()), (Values{2, 3, 5, 7}));
  EXPECT_EQ(field.parameter_names(), (std::vector<std::string>{"alpha", "beta", "gamma", "delta"}));
  Matrix a(2, 2);
  a << 1, 2, 3, 4;
  const LinearSystem linear(a);
  EXPECT_EQ(linear.parameter_names()[1], "a[0,1]");
  EXPECT_EQ(linear.parameters()[1], 2);
}

TEST(SystemsTest, ParametersThatCannotBeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(VanDerPol{nan}, InputError);
  EXPECT_THROW(FitzHughNagumo(0.2, 0.2, 0.0), InputError);
  EXPECT_THROW(Compartments(1.0, 0.0), InputError);
  EXPECT_THROW(LinearSystem(Matrix::Zero(2, 3)), InputError);
  EXPECT_THROW(LinearSystem(Matrix(0, 0)), InputError);
}

TEST(SystemsTest, EveryNameMakesTheSystemItDescribes) {
  EXPECT_EQ(SystemNames(), (std::vector<std::string>{"vdp",
                                                     "fhn",
                                                     "lotka-volterra",
                                                     "lorenz63",
                                                     "pendulum",
                                                     "duffing",
                                                     "cubic-spiral",
                                                     "brusselator",
                                                     "selkov",
                                                     "morris-lecar",
                                                     "rossler",
                                                     "sir",
                                                     "seir",
                                                     "rosenzweig-macarthur",
                                                     "may-leonard",
                                                     "toggle-switch",
                                                     "repressilator",
                                                     "compartments",
                                                     "robertson",
                                                     "oregonator",
                                                     "linear"}));
  for (const std::string& name : SystemNames()) {
    SCOPED_TRACE(name);
    const SystemInfo info = DescribeSystem(name);
    const std::unique_ptr<System> system = MakeSystem(name);
    EXPECT_EQ(info.name, name);
    EXPECT_FALSE(info.title.empty());
    EXPECT_EQ(info.dim, system->dim());
    EXPECT_EQ(info.state_names.size(), system->dim());
    ASSERT_EQ(info.default_start.size(), system->dim());
    EXPECT_GT(info.default_span, 0);
    double speed = 0;
    for (const double f : At(*system, info.default_start)) speed += std::abs(f);
    EXPECT_GT(speed * info.default_span, 0.1) << "the default start is at rest";
  }
}

TEST(SystemsTest, DefaultsAreThePapers) {
  const std::unique_ptr<Field> vdp = MakeSystem("vdp");
  ExpectValues(At(*vdp, {2, 3}), At(VanDerPol(0.5), {2, 3}));
  EXPECT_EQ(DescribeSystem("vdp").default_start, (Values{-1.5, 2.5}));
  const std::unique_ptr<Field> fhn = MakeSystem("fhn");
  ExpectValues(At(*fhn, {3, 1}), {-15, -3});
  EXPECT_EQ(DescribeSystem("fhn").default_start, (Values{-1, -1}));
}

TEST(SystemsTest, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    MakeSystem("lorentz");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "MakeSystem: name is \"lorentz\", must be one of vdp, fhn, lotka-volterra, "
                 "lorenz63, pendulum, duffing, cubic-spiral, brusselator, selkov, morris-lecar, "
                 "rossler, sir, seir, rosenzweig-macarthur, may-leonard, toggle-switch, "
                 "repressilator, compartments, robertson, oregonator, linear");
  }
}

// Faults of a field, each of which the harness must notice.
enum class Fault {
  kNone,
  kValue,
  kBatch,
  kJacobian,
  kStatePullback,
  kParameterPullback,
  kOverwritesStates,
  kOverwritesParameters,
};

// The field f(x) = (a sin x2, b x1), with one fault.
class Faulty final : public Field {
 public:
  Faulty(Fault fault, Parameters p) : fault_(fault), a_(p[0]), b_(p[1]) {}

  std::size_t dim() const override { return 2; }
  std::size_t parameter_count() const override { return 2; }
  std::size_t record_size() const override { return 0; }

  void Value(const FieldPoints& points, std::span<double> f,
             std::span<double> scratch) const override {
    Record(points, f, scratch);
    if (fault_ == Fault::kValue) f[0] *= 1 + 1e-9;
  }

  void Record(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
    const std::span<const double> x = points.x;
    for (std::size_t p = 0; p < x.size(); p += 2) {
      f[p] = a_ * std::sin(x[p + 1]);
      f[p + 1] = b_ * x[p];
    }
    if (fault_ == Fault::kBatch && f.size() > 2) f[2] = std::nextafter(f[2], 10.0);
  }

  void Pullback(const FieldPoints& points, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double> bparameters) const override {
    const std::span<const double> x = points.x;
    if (fault_ == Fault::kOverwritesStates) std::fill(bx.begin(), bx.end(), 0.0);
    if (fault_ == Fault::kOverwritesParameters && !x.empty()) bparameters[0] = 0.0;
    const double slip_x = fault_ == Fault::kStatePullback ? 1 + 1e-6 : 1;
    const double slip_b = fault_ == Fault::kParameterPullback ? 1 + 1e-6 : 1;
    for (std::size_t p = 0; p < x.size(); p += 2) {
      bx[p] += b_ * g[p + 1] * slip_x;
      bx[p + 1] += a_ * std::cos(x[p + 1]) * g[p];
      bparameters[0] += std::sin(x[p + 1]) * g[p];
      bparameters[1] += x[p] * g[p + 1] * slip_b;
    }
  }

  void Jacobian(const FieldPoints& points, std::span<double> jacobian) const override {
    Field::Jacobian(points, jacobian);
    if (fault_ == Fault::kJacobian) jacobian[0] += 1e-6;
  }

 private:
  Fault fault_;
  double a_, b_;
};

// Returns all failures that the harness reports for a field with this fault.
std::string Complaints(Fault fault) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    ExpectFieldConsistent([&](Parameters p) { return std::make_unique<Faulty>(fault, p); },
                          {1.4, 0.6}, SomePoints(3, 2));
  }
  std::string all;
  for (int i = 0; i < results.size(); ++i) all += results.GetTestPartResult(i).message();
  return all;
}

TEST(FieldHarnessTest, IsSilentAboutARightField) { EXPECT_EQ(Complaints(Fault::kNone), ""); }

TEST(FieldHarnessTest, NoticesEveryBrokenPromise) {
  const std::pair<Fault, const char*> promises[] = {
      {Fault::kValue, "Value against Record [0]"},
      {Fault::kBatch, "Record, point 1, output 0"},
      {Fault::kJacobian, "Jacobian, point 0, output 0"},
      {Fault::kStatePullback, "Pullback to x"},
      {Fault::kParameterPullback, "Pullback to the parameters"},
      {Fault::kOverwritesStates, "Pullback adds to bx"},
      {Fault::kOverwritesParameters, "Pullback adds to bparameters"},
  };
  for (const auto& [fault, words] : promises) {
    const std::string all = Complaints(fault);
    EXPECT_NE(all.find(words), std::string::npos) << "not a word of " << words << " in: " << all;
  }
}

}  // namespace
}  // namespace gpode
