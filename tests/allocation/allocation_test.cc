// Tests that integration and its adjoint, draws, bounds and training steps allocate nothing after
// set-up. This file replaces the global allocator by one that counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "gpode/gpode.h"
#include "gpode/simulate.h"
#include "support/driven_field.h"
#include "support/random_gp.h"
#include "train/trainer.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* Counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return Counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t a) {
  return Counted(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a) {
  return Counted(size, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace gpode {
namespace {

// Eigen allocates with malloc and not with operator new, so that malloc is counted, too.
extern "C" void* __libc_malloc(std::size_t size);
thread_local bool count_malloc = false;

}  // namespace
}  // namespace gpode

extern "C" void* malloc(std::size_t size) {
  if (gpode::count_malloc) ++allocations;
  return gpode::__libc_malloc(size);
}

namespace gpode {
namespace {

// Returns the number of allocations that `work` makes.
template <typename Work>
std::size_t AllocationsOf(Work work) {
  const std::size_t before = allocations;
  count_malloc = true;
  work();
  count_malloc = false;
  return allocations - before;
}

TEST(AllocationTest, TheCountersCount) {
  EXPECT_EQ(AllocationsOf([] {
              int* volatile p =
                  new int(3);  // volatile, because the compiler may otherwise remove the allocation
              delete p;
            }),
            1u);
  EXPECT_EQ(AllocationsOf([] { AlignedVector<double> v(10); }), 1u);
  EXPECT_EQ(AllocationsOf([] {
              void* volatile p = std::malloc(10);
              std::free(p);
            }),
            1u);
}

// Expects no allocations in integrations from several starts and in their reverse passes, after one
// round of set-up.
void ExpectNoneIn(const Field& field, Method method, std::size_t n,
                  const InputSignal* inputs = nullptr) {
  SolverOptions options{.method = method};
  if (!GetStepper(method).has_error_estimate()) options.fixed_step = 0.05;
  Solver solver(options);
  SolveRecord record;
  record.Reserve(field, method, n, 400);
  const std::vector<double> times = {0.3, 0.31, 1.0, 1.5};
  std::vector<double> x0(n * field.dim(), 0.4), states(times.size() * x0.size());
  std::vector<double> bx0(x0.size()), bparameters(field.parameter_count());
  const auto round = [&] {
    solver.Solve(field, x0, 0, times, states, 0, inputs);
    const SolveResult result = solver.SolveRecorded(field, x0, 0, times, states, record, 0, inputs);
    if (result.ok()) solver.Pullback(field, record, states, bx0, bparameters);
  };
  round();
  EXPECT_EQ(AllocationsOf([&] {
              for (int i = 0; i < 5; ++i) {
                for (double& v : x0) v += 0.1;
                round();
              }
              // A failed integration does not allocate either.
              x0[0] = NAN;
              round();
            }),
            0u)
      << Name(method);
}

TEST(AllocationTest, NoneInIntegrationAndAdjoint) {
  const testing_support::Cosines two_inputs(2);
  for (const std::string& name : MethodNames()) {
    const Method method = MethodFromName(name);
    // The implicit method is left out, since fields allocate memory to compute their Jacobian.
    if (method == Method::kEsdirk4) continue;
    ExpectNoneIn(VanDerPol(0.5), method, 1);
    Mlp network(2, {8, 8});
    ExpectNoneIn(network, method, 3);
    ExpectNoneIn(testing_support::DrivenOscillator(1.3, 0.2, 0.7), method, 2, &two_inputs);
    ExpectNoneIn(Mlp(4, {8}, 2), method, 2, &two_inputs);
    for (const std::string& kernel : KernelNames()) {
      SparseGp gp(GetKernel(kernel));
      ASSERT_EQ(gp.Set(testing_support::RandomGp(1, 3, 20)), FactorStatus::kOk);
      GpDraw draw(gp, 32);
      draw.Set(gp, SampleGpNormals(gp, 32, 1, 2, 3));
      ExpectNoneIn(draw, method, 2);
    }
  }
}

TEST(AllocationTest, NoneWhenADrawIsSetAgain) {
  SparseGp gp(GetKernel("squared-exponential"));
  ASSERT_EQ(gp.Set(testing_support::RandomGp(1, 5, 100)), FactorStatus::kOk);
  GpDraw draw(gp, 256);
  GpNormals normals = SampleGpNormals(gp, 256, 1, 2, 3);
  EXPECT_EQ(AllocationsOf([&] {
              SampleGpNormals(gp, 256, 1, 2, 4, normals);
              draw.Set(gp, normals);
            }),
            0u);
}

TEST(AllocationTest, NoneInDrawsAndTheirPullbacks) {
  for (bool shared : {false, true}) {
    const GpParameters parameters = testing_support::RandomGpOf(1, 3, 2, 40, shared);
    SparseGp gp(GetKernel("matern52"));
    ASSERT_EQ(gp.Set(parameters), FactorStatus::kOk);
    GpDraw draw(gp, 64);
    const GpNormals normals = SampleGpNormals(gp, 64, 1, 2, 3);
    GpGradient gradient(parameters);
    std::vector<double> white(2 * 40, 0.3), bwhite(white.size());
    const std::vector<double> sums(draw.parameter_count(), 0.1);
    EXPECT_EQ(AllocationsOf([&] {
                draw.Set(gp, normals);
                draw.PullbackToGp(gp, normals, sums, gradient);
                draw.Set(gp, white, normals);
                for (std::size_t row = 0; row < gp.hyper_rows(); ++row) {
                  draw.PullbackRow(gp, sums, row, gradient, bwhite);
                }
              }),
              0u);
  }
}

TEST(AllocationTest, NoneInAThreadPoolsLoop) {
  ThreadPool pool(2);
  std::vector<double> out(100);
  pool.For(out.size(), [&](std::size_t i) { out[i] = 1; });
  EXPECT_EQ(AllocationsOf([&] {
              pool.For(out.size(), [&](std::size_t i) { out[i] += static_cast<double>(i); });
            }),
            0u);
}

// Expects no allocations in the steps of a training run. The first steps do not count, since they
// allocate the memory for the longest integration.
void ExpectNoneInSteps(const FitOptions& options) {
  using namespace testing_support;
  const std::vector<double> times = RegularTimes(0, 5, 25);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  for (double x : {-1.5, 1.0}) {
    data.trajectories.push_back(
        {"", times, SolveSystem("vdp", std::vector<double>{x, 1.0}, times), {}});
  }
  Trainer trainer(data, options);
  for (int i = 0; i < 60; ++i) trainer.Step();
  EXPECT_EQ(AllocationsOf([&] {
              for (int i = 0; i < 20; ++i) trainer.Step();
            }),
            0u)
      << (options.bound == BoundKind::kVanilla ? "vanilla" : "shooting") << ", " << options.inducing
      << " inducing points, batch " << options.batch << ", kernel " << options.kernel;
}

TEST(AllocationTest, NoneInTrainingSteps) {
  FitOptions options;
  options.approach = 0;
  options.features = 32;
  options.draws = 2;
  // With more threads, chance decides when each thread has had its longest integration.
  options.threads = 1;
  for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
    options.bound = bound;
    options.inducing = 8;
    for (std::size_t batch : {0, 1}) {
      options.batch = batch;
      ExpectNoneInSteps(options);
    }
    options.batch = 0;
    options.kernel = "se + polynomial2";
    ExpectNoneInSteps(options);
    options.kernel = "se";
    options.inducing = 100;
    ExpectNoneInSteps(options);
  }
}

}  // namespace
}  // namespace gpode
