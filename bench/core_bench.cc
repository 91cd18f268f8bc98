// Measures the speed of the numerical core, as ratios of times in one run, which vary less between
// runs than the times themselves.
//
// Every benchmark is repeated in random order, and the smallest time of the repetitions counts. The
// program prints the table of docs/performance.md.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/cpu_name.h"
#include "gpode/gpode.h"
#include "simd/simd.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

constexpr std::size_t kElements = 1024;
constexpr std::size_t kFeatures = 256;
constexpr std::size_t kBatch = 64;

template <typename Real>
std::vector<Real> Phases(std::size_t n) {
  std::vector<Real> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<Real>(100 * std::sin(1.7 * i));
  return x;
}

template <typename Real>
void StandardSinCos(benchmark::State& state) {
  const auto x = Phases<Real>(kElements);
  std::vector<Real> s(kElements), c(kElements);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kElements; ++i) s[i] = std::sin(x[i]);
    benchmark::ClobberMemory();
    for (std::size_t i = 0; i < kElements; ++i) c[i] = std::cos(x[i]);
    benchmark::ClobberMemory();
  }
}

template <typename Real>
void OurSinCos(benchmark::State& state) {
  const auto x = Phases<Real>(kElements);
  AlignedVector<Real> in(x.begin(), x.end()), s(kElements), c(kElements);
  for (auto _ : state) {
    simd::SinCos(in, s, c);
    benchmark::ClobberMemory();
  }
}

// A draw with D inputs and outputs and M inducing points.
struct Model {
  SparseGp gp;
  GpNormals normals;
  GpDraw draw;
  AlignedVector<double> points;

  Model(std::size_t dim, std::size_t inducing, FeaturePrecision precision)
      : gp(MakeGp(dim, inducing)),
        normals(SampleGpNormals(gp, kFeatures, 1, 2, 3)),
        draw(gp, kFeatures, precision),
        points(kBatch * dim) {
    draw.Set(gp, normals);
    const Matrix numbers = testing_support::Numbers(9).Normals(kBatch, dim);
    std::copy_n(numbers.data(), numbers.size(), points.begin());
  }

  static SparseGp MakeGp(std::size_t dim, std::size_t inducing) {
    SparseGp gp(GetKernel("squared-exponential"));
    gp.Set(testing_support::RandomGp(4, dim, inducing));
    return gp;
  }
};

// Makes the sine, cosine and exponential calls that one evaluation of a draw cannot do without.
void BareCalls(benchmark::State& state, std::size_t dim, std::size_t inducing, bool single) {
  const std::size_t n = dim * kFeatures, m = dim * inducing;
  const auto phases = Phases<double>(n);
  AlignedVector<double> x(phases.begin(), phases.end()), s(n), c(n), e(m, -0.7);
  AlignedVector<float> xf(phases.begin(), phases.end()), sf(n), cf(n);
  for (auto _ : state) {
    if (single) {
      simd::SinCos(xf, sf, cf);
    } else {
      simd::SinCos(x, s, c);
    }
    benchmark::ClobberMemory();
    simd::Exp(e, std::span<double>(s).first(m));
    benchmark::ClobberMemory();
  }
}

// Computes value and Jacobian of a draw at kBatch points, one by one or as batches.
void ValueAndJacobian(benchmark::State& state, std::size_t dim, std::size_t inducing,
                      FeaturePrecision precision, std::size_t batch) {
  const Model model(dim, inducing, precision);
  AlignedVector<double> f(batch * dim), record(batch * model.draw.record_size());
  std::size_t at = 0;
  for (auto _ : state) {
    model.draw.Record(std::span(model.points).subspan(at * dim, batch * dim), f, record);
    at = (at + batch) % kBatch;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * batch);
}

// One recorded integration and its pullback. With two states, it goes over [0, 7], with five states
// over the length of a shooting segment.
struct Integration {
  Model model;
  Solver solver{{.rtol = 1e-5, .atol = 1e-5}};
  SolveRecord record;
  std::vector<double> x0, times, states, bstates, bx0, sums;

  Integration(std::size_t dim, std::size_t inducing, double span)
      : model(dim, inducing, FeaturePrecision::kDouble), x0(dim, 0.3) {
    for (int i = 1; i <= 50; ++i) times.push_back(span * i / 50);
    states.resize(times.size() * dim);
    bstates.assign(states.size(), 0.1);
    bx0.resize(dim);
    sums.resize(model.draw.parameter_count());
    Forward();
  }

  void Forward() { solver.SolveRecorded(model.draw, x0, 0, times, states, record); }
  void Backward() { solver.Pullback(model.draw, record, bstates, bx0, sums); }
};

void Forward(benchmark::State& state, std::size_t dim, std::size_t inducing, double span) {
  Integration integration(dim, inducing, span);
  for (auto _ : state) integration.Forward();
  state.counters["steps"] = static_cast<double>(integration.record.steps());
}

void Backward(benchmark::State& state, std::size_t dim, std::size_t inducing, double span) {
  Integration integration(dim, inducing, span);
  for (auto _ : state) integration.Backward();
}

void NormalNumbers(benchmark::State& state) {
  std::vector<double> z(kElements);
  std::uint64_t step = 0;
  for (auto _ : state) RandomStream(1, step++, 0, Purpose::kTest).Normals(z);
}

// Keeps the smallest time of each benchmark instead of printing the times.
class Collector : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.run_name.function_name;
      const double time = run.GetAdjustedRealTime();
      const auto [it, fresh] = best_.emplace(name, time);
      if (!fresh) it->second = std::min(it->second, time);
    }
  }
  double operator[](const std::string& name) const { return best_.at(name); }

 private:
  std::map<std::string, double> best_;
};

void PrintRow(const std::string& what, double time, const std::string& against, double reference,
              const std::string& wanted) {
  fmt::print("| {} | {:.0f} ns | {} | {:.0f} ns | {:.2f} | {} |\n", what, time, against, reference,
             time / reference, wanted);
}

void PrintSpeedup(const std::string& what, double ours, double standard,
                  const std::string& wanted) {
  fmt::print("| {} | {:.3f} ns | std::sin and std::cos | {:.2f} ns | 1/{:.1f} | {} |\n", what,
             ours / kElements, standard / kElements, standard / ours, wanted);
}

void PrintTable(const Collector& t) {
  fmt::print("\n{}, instruction set {}, one thread\n\n", internal::CpuName(),
             simd::Name(simd::ActiveIsa()));
  fmt::print("| what | time | against | time | ratio | wanted |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  PrintSpeedup("sine and cosine, double, per element", t["sincos/double"], t["std/double"],
               "1/10 or less (AVX-512)");
  PrintSpeedup("sine and cosine, float, per element", t["sincos/float"], t["std/float"],
               "1/20 or less (AVX-512)");
  for (const std::string d : {"D2_M16", "D5_M100"}) {
    PrintRow("value and Jacobian, " + d + ", F 256", t["point/" + d], "bare sincos and exp",
             t["bare/" + d], "1.8 or less");
    PrintRow("the same with float features", t["point_float/" + d], "bare float sincos and exp",
             t["bare_float/" + d], "");
    PrintRow("batch of 64, per point, " + d, t["batch/" + d] / kBatch, "one by one",
             t["point/" + d], d == "D5_M100" ? "below 1" : "");
    PrintRow("pullback of an integration, " + d, t["backward/" + d], "the integration",
             t["forward/" + d], "0.5 or less");
  }
  fmt::print("\n1024 standard normals: {:.2f} ns each\n", t["normals"] / kElements);
}

void RegisterAll() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("std/double", StandardSinCos<double>);
  RegisterBenchmark("std/float", StandardSinCos<float>);
  RegisterBenchmark("sincos/double", OurSinCos<double>);
  RegisterBenchmark("sincos/float", OurSinCos<float>);
  RegisterBenchmark("normals", NormalNumbers);
  struct Size {
    const char* name;
    std::size_t dim, inducing;
    double span;
  };
  for (const Size s : {Size{"D2_M16", 2, 16, 7.0}, Size{"D5_M100", 5, 100, 1.0}}) {
    const std::string name = s.name;
    const auto add = [&](const std::string& what, auto function, auto... arguments) {
      RegisterBenchmark((what + "/" + name).c_str(), [=](benchmark::State& state) {
        function(state, s.dim, s.inducing, arguments...);
      });
    };
    add("bare", BareCalls, false);
    add("bare_float", BareCalls, true);
    add("point", ValueAndJacobian, FeaturePrecision::kDouble, std::size_t{1});
    add("point_float", ValueAndJacobian, FeaturePrecision::kFloat, std::size_t{1});
    add("batch", ValueAndJacobian, FeaturePrecision::kDouble, kBatch);
    add("forward", Forward, s.span);
    add("backward", Backward, s.span);
  }
}

}  // namespace
}  // namespace gpode

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  std::vector<std::string> defaults = {"--benchmark_min_time=0.05", "--benchmark_repetitions=15",
                                       "--benchmark_enable_random_interleaving=true"};
  for (std::string& option : defaults) arguments.insert(arguments.begin() + 1, option.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  gpode::RegisterAll();
  gpode::Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  gpode::PrintTable(collector);
  return 0;
}
