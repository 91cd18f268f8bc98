// The bytes of a model file. See gpode/model_file.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/model_file.h"

namespace gpode::internal {

// The version of the format that is written. The major number changes when older programs cannot
// read the new files, the minor number when something is added that older programs can ignore.
inline constexpr unsigned kFormatMajor = 2, kFormatMinor = 2;
// The oldest major version that can be read. Since version 2, parameters are stored by the names of
// their blocks (parameters.h).
inline constexpr unsigned kOldestMajor = 1;

std::vector<std::byte> ModelBytes(const TrainedModel& trained);

// Error messages begin with `name`, the name of the file.
TrainedModel ParseModel(std::span<const std::byte> bytes, std::string_view name);

// Throws an InputError unless the state can be that of a run on this data with these options.
void CheckTrainingState(const TrainingState& state, const Dataset& data, const Model& model);

// Throws an InputError unless the arrays of each chain fit together. Whether they fit the sampler
// is checked when it is resumed.
void CheckSampling(const SamplingState& state);

// Throws an InputError unless the trajectories of the held-back data can follow those of the run.
void CheckHoldout(const Holdout& holdout, const Dataset& data);

// Every model file ends with the seal "gpode model 2.2 crc32 89abcdef", which is the comment of the
// zip archive. The eight digits are the checksum of all bytes before them.
std::string SealWithoutDigits();
std::string SealDigits(std::span<const std::byte> bytes_before);

// Returns the eight digits at the end of a model file.
std::string ChecksumOf(std::span<const std::byte> model_bytes);

struct Sealed {
  unsigned major, minor;
};
// Throws an InputError unless the bytes are a whole, undamaged model file of a known version.
Sealed CheckSeal(std::span<const std::byte> bytes, std::string_view name);

}  // namespace gpode::internal
