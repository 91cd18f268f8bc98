// The bytes of a model file. See gpode/model_file.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/model_file.h"

namespace gpode::internal {

// The first number changes when older programs cannot read what is written, the second when
// something is added that they may pass over.
inline constexpr unsigned kFormatMajor = 2, kFormatMinor = 1;
// The oldest major version that can be read. Since version 2, parameters have the names of their
// blocks.
inline constexpr unsigned kOldestMajor = 1;

std::vector<std::byte> ModelBytes(const TrainedModel& trained);

// `name` stands for the file in messages.
TrainedModel ParseModel(std::span<const std::byte> bytes, std::string_view name);

// Throws an InputError unless the state can be that of a run on this data with these options.
void CheckTrainingState(const TrainingState& state, const Dataset& data, const Model& model);

// Throws an InputError unless the held-back data can continue those of the run.
void CheckHoldout(const Holdout& holdout, const Dataset& data);

// "gpode model 2.1 crc32 89abcdef" ends every model file, as the archive's comment. The checksum is
// that of all bytes before its eight digits.
std::string SealWithoutDigits();
std::string SealDigits(std::span<const std::byte> bytes_before);

struct Sealed {
  unsigned major, minor;
};
// Throws an InputError unless the bytes are a whole, undamaged model file of a known version.
Sealed CheckSeal(std::span<const std::byte> bytes, std::string_view name);

}  // namespace gpode::internal
