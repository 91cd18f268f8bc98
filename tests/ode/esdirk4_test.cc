// Tests of the implicit method on stiff systems: its solutions are compared with those of SUNDIALS
// and its adjoint with finite differences. Also tests the detection of explicit steps that are
// limited by stability. order_test.cc, inputs_test.cc and adjoint_test.cc test this and all other
// methods on other systems.
#include "ode/esdirk4.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpode/gradient_check.h"
#include "gpode/ode.h"
#include "gpode/systems.h"

#ifdef GPODE_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

namespace gpode {
namespace {

#ifdef GPODE_SUNDIALS
int SundialsField(realtype t, N_Vector x, N_Vector f, void* field) {
  const auto& own = *static_cast<const Field*>(field);
  const std::size_t dim = own.dim();
  own.Value({t, std::span<const double>(N_VGetArrayPointer(x), dim)}, {N_VGetArrayPointer(f), dim},
            {});
  return 0;
}

// Returns the states at these times by CVODE's BDF method with tight tolerances.
std::vector<double> SolveBySundials(const Field& field, const std::vector<double>& x0,
                                    const std::vector<double>& times, double atol) {
  SUNContext context = nullptr;
  EXPECT_EQ(SUNContext_Create(nullptr, &context), 0);
  const auto dim = static_cast<sunindextype>(x0.size());
  N_Vector x = N_VNew_Serial(dim, context);
  std::copy(x0.begin(), x0.end(), N_VGetArrayPointer(x));
  void* solver = CVodeCreate(CV_BDF, context);
  CVodeInit(solver, SundialsField, 0.0, x);
  CVodeSStolerances(solver, 1e-12, atol);
  CVodeSetMaxNumSteps(solver, 10000000);
  CVodeSetUserData(solver, const_cast<Field*>(&field));
  SUNMatrix matrix = SUNDenseMatrix(dim, dim, context);
  SUNLinearSolver linear = SUNLinSol_Dense(x, matrix, context);
  CVodeSetLinearSolver(solver, linear, matrix);
  std::vector<double> states;
  for (double time : times) {
    realtype reached = 0;
    EXPECT_GE(CVode(solver, time, x, &reached, CV_NORMAL), 0);
    states.insert(states.end(), N_VGetArrayPointer(x), N_VGetArrayPointer(x) + dim);
  }
  CVodeFree(&solver);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return states;
}
#endif

// Compares each state with SUNDIALS', relative to its size.
void ExpectLikeSundials([[maybe_unused]] const Field& field,
                        [[maybe_unused]] const std::vector<double>& x0,
                        [[maybe_unused]] const std::vector<double>& times,
                        [[maybe_unused]] double rtol, [[maybe_unused]] double atol) {
#ifndef GPODE_SUNDIALS
  GTEST_SKIP() << "SUNDIALS is not installed (libsundials-dev)";
#else
  std::vector<double> states(times.size() * x0.size());
  Solver solver({.method = Method::kEsdirk4, .rtol = rtol, .atol = atol, .max_steps = 1000000});
  const SolveResult result = solver.Solve(field, x0, 0, times, states);
  ASSERT_TRUE(result.ok()) << Message(result.status) << " at " << result.reached;
  EXPECT_LT(result.statistics.accepted, 50000u);
  const std::vector<double> right = SolveBySundials(field, x0, times, atol);
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_NEAR(states[i], right[i], 1e-6 * std::fabs(right[i])) << "state " << i;
  }
#endif
}

TEST(Esdirk4, RobertsonIsSundials) {
  ExpectLikeSundials(Robertson(), {1, 0, 0}, {0.4, 4, 40, 4e3, 4e5, 4e7}, 1e-9, 1e-15);
}

TEST(Esdirk4, OregonatorIsSundials) {
  ExpectLikeSundials(Oregonator(), {1, 2, 3}, {30, 90, 180, 300, 360}, 1e-9, 1e-9);
}

TEST(Esdirk4, VanDerPolWithMu1000IsSundials) {
  ExpectLikeSundials(VanDerPol(1000), {2, 0}, {1, 200, 700, 1000, 1500, 2000}, 1e-9, 1e-12);
}

// With the default tolerances, an explicit method would need about 3e5 steps for stability.
TEST(Esdirk4, TakesFewStepsOnAStiffSystem) {
  std::vector<double> states(2);
  const std::vector<double> x0 = {2, 0}, times = {500};
  const SolveResult implicit =
      Solver({.method = Method::kEsdirk4}).Solve(VanDerPol(1000), x0, 0, times, states);
  ASSERT_TRUE(implicit.ok());
  EXPECT_LT(implicit.statistics.accepted, 200u);
  EXPECT_FALSE(implicit.statistics.stiff);
  const SolveResult explicit_result = Solver().Solve(VanDerPol(1000), x0, 0, times, states);
  EXPECT_EQ(explicit_result.status, SolveStatus::kTooManySteps);
  EXPECT_TRUE(explicit_result.statistics.stiff);
}

TEST(Esdirk4, SystemsThatAreNotStiffAreNotCalledSo) {
  for (const char* name : {"vdp", "fhn", "lorenz63", "sir", "repressilator"}) {
    const SystemInfo info = DescribeSystem(name);
    std::vector<double> states(info.dim);
    for (const char* method : {"dopri5", "tsit5"}) {
      const SolveResult result = Solver({.method = MethodFromName(method)})
                                     .Solve(*MakeSystem(name), info.default_start, 0,
                                            std::vector<double>{info.default_span}, states);
      EXPECT_TRUE(result.ok() && !result.statistics.stiff) << name << " " << method;
    }
  }
}

// Returns the check of the gradient of a sum of states with respect to start and logarithms of
// parameters, with the steps held fixed.
template <typename MakeField>
GradientCheck CheckAdjoint(const MakeField& make, const std::vector<double>& x0,
                           const std::vector<double>& parameters, const std::vector<double>& times,
                           const GradientCheckOptions& options) {
  const SolverOptions solver{.method = Method::kEsdirk4, .rtol = 1e-6, .atol = 1e-10};
  const std::size_t dim = x0.size();
  const auto field = make(parameters);
  std::vector<double> states(times.size() * dim), weights(states.size());
  SolveRecord record;
  Solver own(solver);
  EXPECT_TRUE(own.SolveRecorded(field, x0, 0, times, states, record).ok());
  for (std::size_t i = 0; i < states.size(); ++i) {
    weights[i] = (1 + 0.3 * std::sin(3.0 * static_cast<double>(i))) / (1e-3 + std::fabs(states[i]));
  }
  std::vector<double> bx0(dim), bparameters(parameters.size());
  own.Pullback(field, record, weights, bx0, bparameters);
  std::vector<double> point = x0, gradient = bx0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    point.push_back(std::log(parameters[i]));
    gradient.push_back(bparameters[i] * parameters[i]);
  }
  return CheckGradient(
      [&](std::span<const double> at) {
        std::vector<double> p(parameters.size());
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::exp(at[dim + i]);
        const auto other = make(p);
        std::vector<double> replayed(states.size());
        Solver(solver).Replay(other, record, at.first(dim), replayed);
        double sum = 0;
        for (std::size_t i = 0; i < replayed.size(); ++i) sum += weights[i] * replayed[i];
        return sum;
      },
      point, gradient, options);
}

TEST(Esdirk4, AdjointOfAStiffVanDerPol) {
  const GradientCheck check =
      CheckAdjoint([](const std::vector<double>& p) { return VanDerPol(p[0]); }, {2, 0}, {1000},
                   {0.3, 40, 41.5, 300}, {.initial_step = 1e-3});
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

TEST(Esdirk4, AdjointOfTheOregonator) {
  const GradientCheck check =
      CheckAdjoint([](const std::vector<double>& p) { return Oregonator(p[0], p[1], p[2]); },
                   {1, 2, 3}, {77.27, 8.375e-6, 0.161}, {1, 7, 20}, {.initial_step = 1e-3});
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

}  // namespace
}  // namespace gpode
