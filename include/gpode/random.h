// Counter-based random numbers: they are addressed, not consumed.
//
// A stream is identified by (seed, step, sample, purpose); its i-th number is a pure function of
// these and i (Philox 4x64-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011). Because there is no state, numbers have the same bits for any number of threads or
// processes and any order of evaluation, and a resumed run uses the numbers that an uninterrupted
// one would have used. Normals are computed with correctly rounded operations only, so that their
// bits are the same on every machine.
//
// Thread safety: a stream is immutable; any thread may read any part of it.
//
//   RandomStream stream(seed, step, sample, Purpose::kInducing);
//   stream.Normals(eps);           // numbers 0 .. n-1
//   stream.Normals(more, n);       // numbers n, n+1, ...
#pragma once

#include <cstdint>
#include <span>

namespace gpode {

// The use of a stream's numbers. Streams of different purposes are independent. The values below
// determine the random numbers, so they must never change. The value 10 was used by an earlier
// version and stays unused.
//
// Forecasts have no purpose of their own: they use the purposes of training with step 2^62
// (kForecastStep in src/model/model_draws.h), which no training run reaches.
enum class Purpose : std::uint64_t {
  kFrequencies = 1,
  kFourierWeights = 2,
  kInducing = 3,
  kInitialState = 4,
  kShootingState = 5,
  kMinibatch = 6,
  kInitialisation = 7,
  kObservationNoise = 8,
  kSimulation = 9,
  kSampler = 11,
  kProcessNoise = 12,
  kTest = 1000,
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t step, std::uint64_t sample, Purpose purpose)
      : seed_(seed), step_(step), sample_(sample), purpose_(static_cast<std::uint64_t>(purpose)) {}

  // Each function fills `out` with numbers first, first + 1, ... of the stream. Word i, uniform i
  // and normal i come from the same random bits, so they must not be used together.
  void Words(std::span<std::uint64_t> out, std::uint64_t first = 0) const;
  void Uniforms(std::span<double> out, std::uint64_t first = 0) const;  // [0, 1), 53 bits
  void Normals(std::span<double> out, std::uint64_t first = 0) const;   // mean 0, variance 1

 private:
  std::uint64_t seed_, step_, sample_, purpose_;
};

}  // namespace gpode
