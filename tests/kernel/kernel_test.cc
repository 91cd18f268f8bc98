// One suite for all kernels: profile, slope and spectral density of a kernel must agree.
#include "gpode/kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "gpode/random.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using Values = std::vector<double>;

constexpr double kGradientTolerance = 1e-8;

// Returns phi(r) from the table of kernel.h.
double ClosedForm(const std::string& name, double r) {
  const double a3 = std::sqrt(3.0) * r, a5 = std::sqrt(5.0) * r;
  const std::map<std::string, double> forms = {
      {"squared-exponential", std::exp(-r * r / 2)},
      {"matern32", (1 + a3) * std::exp(-a3)},
      {"matern52", (1 + a5 + 5 * r * r / 3) * std::exp(-a5)},
  };
  return forms.at(name);  // This throws for a new kernel, whose closed form must be added here.
}

// Returns psi(0) = -2 dphi/ds at s = r^2 = 0.
double SlopeAtZero(const std::string& name) {
  const std::map<std::string, double> slopes = {
      {"squared-exponential", 1.0}, {"matern32", 3.0}, {"matern52", 5.0 / 3}};
  return slopes.at(name);
}

Matrix RandomPoints(Eigen::Index n, Eigen::Index dim, std::uint64_t seed) {
  Matrix points(n, dim);
  RandomStream(seed, 0, 0, Purpose::kTest)
      .Normals({points.data(), static_cast<std::size_t>(points.size())});
  return points;
}

Hyperparameters Hyper() { return {.lengthscales = Vector{{0.8, 1.9, 1.3}}, .variance = 1.7}; }

class KernelTest : public testing::TestWithParam<std::string> {
 protected:
  const Kernel& kernel() const { return GetKernel(GetParam()); }

  double Phi(double s) const {
    kernel().Profile({&s, 1}, {&s, 1}, {});
    return s;
  }
  double Psi(double s) const {
    double psi = 0;
    kernel().Profile({&s, 1}, {&s, 1}, {&psi, 1});
    return psi;
  }
};

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

TEST_P(KernelTest, IsZeroInfinitelyFarAway) {
  const std::vector<double> s = {1e300, INFINITY};
  std::vector<double> phi(2, NAN), psi(2, NAN);
  GetKernel(GetParam()).Profile(s, phi, psi);
  EXPECT_EQ(phi, (std::vector<double>{0, 0}));
  EXPECT_EQ(psi, (std::vector<double>{0, 0}));
}

INSTANTIATE_TEST_SUITE_P(AllKernels, KernelTest, testing::ValuesIn(KernelNames()), TestName);

TEST(KernelNamesTest, AreThoseOfTheHeader) {
  std::vector<std::string> names = KernelNames();
  names.resize(3);  // The built-in kernels come first; other tests register more.
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"matern32", "matern52", "squared-exponential"}));
}

TEST(KernelNamesTest, UnknownNameListsTheKnownOnes) {
  try {
    GetKernel("matern12");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "GetKernel: name is 'matern12', must be one of matern32, matern52, "
                 "squared-exponential");
  }
}

TEST_P(KernelTest, NameFindsTheKernel) {
  EXPECT_EQ(kernel().name(), GetParam());
  EXPECT_EQ(&GetKernel(GetParam()), &kernel());
}

TEST_P(KernelTest, IsOneAtZeroDistance) { EXPECT_EQ(Phi(0.0), 1.0); }

TEST_P(KernelTest, ProfileIsTheClosedForm) {
  for (double r = 0; r < 30; r += 0.37) {
    const double expected = ClosedForm(GetParam(), r);
    EXPECT_NEAR(Phi(r * r), expected, 1e-13 * expected) << "r = " << r;
  }
}

TEST_P(KernelTest, PsiIsMinusTwiceTheSlope) {
  for (const double s : {1e-3, 0.02, 0.3, 1.0, 2.5, 9.0, 40.0}) {
    const auto phi = [&](std::span<const double> point) { return Phi(point[0]); };
    GradientCheckOptions options;
    options.initial_step = std::min(0.1, s / 4);
    const GradientCheck check = CheckGradient(phi, Values{s}, Values{-Psi(s) / 2}, options);
    EXPECT_TRUE(check.ok(kGradientTolerance)) << "s = " << s << ", " << check.message;
  }
}

TEST_P(KernelTest, PsiAtZeroDistance) {
  EXPECT_DOUBLE_EQ(Psi(0.0), SlopeAtZero(GetParam()));
  EXPECT_NEAR(Psi(1e-12), Psi(0.0), 1e-5);
  // The difference is one-sided because distances are not negative.
  const double h = 1e-8;
  EXPECT_NEAR(2 * (1 - Phi(h)) / h, Psi(0.0), 1e-3);
}

TEST_P(KernelTest, SlopeIsValueExactlyWhereTheKernelSaysSo) {
  bool same = true;
  for (double s = 0; s < 20; s += 0.13) same = same && Psi(s) == Phi(s);
  EXPECT_EQ(kernel().slope_is_value(), same);
}

// The lengths lie around multiples of the chunk size of profiles. Every length is tried out of
// place and in place, with and without psi.
TEST_P(KernelTest, ProfileOfManyIsTheProfileOfEach) {
  for (const std::size_t n : {0, 1, 7, 63, 64, 65, 127, 128, 200}) {
    Values s(n), phi(n), psi(n), expected_phi(n), expected_psi(n);
    for (std::size_t i = 0; i < n; ++i) {
      s[i] = 0.11 * static_cast<double>(i);
      expected_phi[i] = Phi(s[i]);
      expected_psi[i] = Psi(s[i]);
    }
    kernel().Profile(s, phi, psi);
    EXPECT_EQ(phi, expected_phi) << n;
    EXPECT_EQ(psi, expected_psi) << n;
    phi.assign(n, -1.0);
    kernel().Profile(s, phi, {});
    EXPECT_EQ(phi, expected_phi) << n << ", without psi";
    phi = s;
    psi.assign(n, 1.0);
    kernel().Profile(phi, phi, psi);
    EXPECT_EQ(phi, expected_phi) << n << ", in place";
    EXPECT_EQ(psi, expected_psi) << n << ", in place";
    kernel().Profile(s, s, {});
    EXPECT_EQ(s, expected_phi) << n << ", in place without psi";
  }
}

TEST_P(KernelTest, MatrixIsTheFormula) {
  const Hyperparameters hyper = Hyper();
  const Matrix x = RandomPoints(4, 3, 1), z = RandomPoints(70, 3, 2);
  const Matrix k = KernelMatrix(kernel(), hyper, x, z);
  ASSERT_EQ(k.rows(), 4);
  ASSERT_EQ(k.cols(), 70);
  for (Eigen::Index i = 0; i < k.rows(); ++i) {
    for (Eigen::Index j = 0; j < k.cols(); ++j) {
      const Vector scaled = (x.row(i) - z.row(j)).transpose().cwiseQuotient(hyper.lengthscales);
      const double expected = hyper.variance * ClosedForm(GetParam(), scaled.norm());
      EXPECT_NEAR(k(i, j), expected, 1e-13) << i << ", " << j;
    }
  }
}

TEST_P(KernelTest, MatrixMayBeEmpty) {
  EXPECT_EQ(KernelMatrix(kernel(), Hyper(), Matrix(0, 3), Matrix(2, 3)).rows(), 0);
  EXPECT_EQ(KernelMatrix(kernel(), Hyper(), Matrix(2, 3), Matrix(0, 3)).cols(), 0);
}

TEST_P(KernelTest, MatricesAreSymmetricAndPositiveDefinite) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Eigen::Index n = 5 + static_cast<Eigen::Index>(seed) * 2;
    // The points come closer with each seed, so that the matrices become nearly singular.
    const Matrix x = RandomPoints(n, 3, seed) * std::pow(0.9, static_cast<double>(seed));
    const Matrix k = KernelMatrix(kernel(), Hyper(), x, x);
    EXPECT_EQ(k, k.transpose());
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues();
    EXPECT_GT(eigenvalues.minCoeff(), -1e-14 * eigenvalues.maxCoeff()) << n << " points";
    if (seed < 3) {
      EXPECT_GT(eigenvalues.minCoeff(), 1e-6) << n << " points";
    }
  }
}

// The arguments of KernelMatrix. Flat puts all of them into one vector.
struct Inputs {
  Matrix x, z;
  Hyperparameters hyper;

  Values Flat() const {
    Values flat(x.data(), x.data() + x.size());
    flat.insert(flat.end(), z.data(), z.data() + z.size());
    flat.insert(flat.end(), hyper.lengthscales.begin(), hyper.lengthscales.end());
    flat.push_back(hyper.variance);
    return flat;
  }
  Inputs At(std::span<const double> flat) const {
    Inputs moved = *this;
    const double* next = flat.data();
    std::copy_n(next, x.size(), moved.x.data());
    std::copy_n(next += x.size(), z.size(), moved.z.data());
    std::copy_n(next += z.size(), hyper.lengthscales.size(), moved.hyper.lengthscales.data());
    moved.hyper.variance = flat.back();
    return moved;
  }
};

// Returns the cotangents of all arguments. They have the value `start` before the pullback, which
// must add to them.
Inputs Pullback(const Kernel& kernel, const Inputs& at, const Matrix& bk, double start) {
  Inputs b = at.At(Values(at.Flat().size(), start));
  KernelMatrixPullback(kernel, at.hyper, at.x, at.z, bk, b.x, b.z, b.hyper);
  return b;
}

double Contract(const Kernel& kernel, const Inputs& at, const Matrix& bk) {
  return KernelMatrix(kernel, at.hyper, at.x, at.z).cwiseProduct(bk).sum();
}

TEST_P(KernelTest, PullbackIsTheGradient) {
  const Inputs at = {RandomPoints(4, 3, 3), RandomPoints(5, 3, 4), Hyper()};
  const Matrix bk = RandomPoints(4, 5, 5);
  const Values gradient = Pullback(kernel(), at, bk, 0.0).Flat();
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> flat) { return Contract(kernel(), at.At(flat), bk); }, at.Flat(),
      gradient);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;

  const Values added = Pullback(kernel(), at, bk, 2.5).Flat();
  for (std::size_t i = 0; i < added.size(); ++i) EXPECT_NEAR(added[i], 2.5 + gradient[i], 1e-14);
}

TEST_P(KernelTest, PullbackToPointsThatAreBothSides) {
  const Hyperparameters hyper = Hyper();
  const Matrix x = RandomPoints(5, 3, 6), bk = RandomPoints(5, 5, 7);
  Matrix bx = Matrix::Zero(5, 3);
  Hyperparameters bhyper = {.lengthscales = Vector::Zero(3), .variance = 0};
  KernelMatrixPullback(kernel(), hyper, x, x, bk, bx, bx, bhyper);
  const auto scalar = [&](std::span<const double> flat) {
    const Matrix moved = Eigen::Map<const Matrix>(flat.data(), 5, 3);
    return Contract(kernel(), {moved, moved, hyper}, bk);
  };
  const std::size_t size = static_cast<std::size_t>(x.size());
  const GradientCheck check = CheckGradient(scalar, {x.data(), size}, {bx.data(), size});
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
  EXPECT_NEAR(bhyper.variance, Contract(kernel(), {x, x, hyper}, bk) / hyper.variance, 1e-13);
}

TEST_P(KernelTest, ShapesAreChecked) {
  const Matrix two = Matrix::Zero(4, 2), three = Matrix::Zero(4, 3);
  const auto message = [&](const Matrix& x, const Matrix& z) -> std::string {
    try {
      KernelMatrix(kernel(), Hyper(), x, z);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(two, three), "KernelMatrix: a row of x has 2 values, must have 3");
  EXPECT_EQ(message(three, two), "KernelMatrix: a row of z has 2 values, must have 3");
  EXPECT_EQ(message(three, three), "");
}

// By Bochner's theorem, phi is the mean of cos(w . (x - z)) over the spectral density. The standard
// error is estimated from the same numbers.
TEST_P(KernelTest, SpectralDrawsGiveTheKernelBack) {
  constexpr std::size_t kDraws = 40000, kDim = 2;
  const std::size_t more = kernel().spectral_normals(), size = kDim + more;
  Values normals(kDraws * size);
  RandomStream(11, 0, 0, Purpose::kTest).Normals(normals);
  const Values direction = {0.6, -0.8};  // a unit vector
  for (const double distance : {0.0, 0.2, 0.7, 1.5, 3.0}) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double* draw = normals.data() + i * size;
      const double factor = kernel().SpectralFactor({draw + kDim, more});
      const double phase = factor * distance * (draw[0] * direction[0] + draw[1] * direction[1]);
      sum += std::cos(phase);
      squares += std::cos(phase) * std::cos(phase);
    }
    const double mean = sum / kDraws;
    const double error = std::sqrt(std::max(0.0, squares / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, Phi(distance * distance), 5 * error) << "distance " << distance;
  }
}

// For a multivariate Student t with n degrees of freedom the factor is sqrt(n / chi^2).
TEST_P(KernelTest, SpectralFactorOfGivenNormals) {
  const std::size_t n = kernel().spectral_normals();
  Values normals(n);
  double chi_square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    normals[i] = 0.5 + 0.25 * static_cast<double>(i);
    chi_square += normals[i] * normals[i];
  }
  const double expected = n == 0 ? 1.0 : std::sqrt(static_cast<double>(n) / chi_square);
  EXPECT_DOUBLE_EQ(kernel().SpectralFactor(normals), expected);
}

// The rational quadratic kernel with alpha = 1: phi(s) = 1 / (1 + s / 2).
class RationalQuadratic final : public Kernel {
 public:
  explicit RationalQuadratic(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  void Profile(std::span<const double> s, std::span<double> phi,
               std::span<double> psi) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      phi[i] = 1 / (1 + s[i] / 2);
      if (!psi.empty()) psi[i] = phi[i] * phi[i];
    }
  }

 private:
  std::string name_;
};

TEST(RegisterKernelTest, ARegisteredKernelIsFoundByName) {
  RegisterKernel(std::make_unique<RationalQuadratic>("rational-quadratic"));
  const Kernel& kernel = GetKernel("rational-quadratic");
  EXPECT_EQ(KernelNames().back(), "rational-quadratic");
  const Matrix x{{0.0}, {1.0}};
  const Hyperparameters hyper{.lengthscales = Vector{{1.0}}, .variance = 3.0};
  EXPECT_DOUBLE_EQ(KernelMatrix(kernel, hyper, x, x)(0, 1), 2.0);
  EXPECT_EQ(
      MessageOf([] { RegisterKernel(std::make_unique<RationalQuadratic>("rational-quadratic")); }),
      "RegisterKernel: the kernel's name 'rational-quadratic' is taken");
  EXPECT_EQ(MessageOf([] { RegisterKernel(std::make_unique<RationalQuadratic>("matern32")); }),
            "RegisterKernel: the kernel's name 'matern32' is taken");
  EXPECT_EQ(MessageOf([] { RegisterKernel(std::make_unique<RationalQuadratic>("")); }),
            "RegisterKernel: the kernel's name is empty");
}

TEST(RegisterKernelTest, ThreadsMayRegisterAndLookUpAtOnce) {
  const std::size_t before = KernelNames().size();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int j = 0; j < 20; ++j) {
        const std::string name = "thread-" + std::to_string(i) + "-" + std::to_string(j);
        RegisterKernel(std::make_unique<RationalQuadratic>(name));
        EXPECT_EQ(GetKernel(name).name(), name);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(KernelNames().size(), before + 80);
}

}  // namespace
}  // namespace gpode
