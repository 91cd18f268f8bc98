// Model files hold everything needed to forecast and, if they come from a training run, to resume
// the run.
//
// A model file is an .npz archive, so NumPy opens it, with a checksum of all its contents;
// docs/formats.md lists the contents and the versions that can be read. A file is written
// completely or not at all, and reading detects any damage. Every error is an InputError of one
// line that begins with the path.
//
// Thread safety: all functions may be called from any thread.
//
//   SaveModel("vdp.gpode", model);
//   Model model = LoadModel("vdp.gpode");
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "gpode/model.h"
#include "gpode/training.h"

namespace gpode {

void SaveModel(const std::filesystem::path& path, const Model& model);
void SaveModel(const std::filesystem::path& path, const TrainedModel& trained);

Model LoadModel(const std::filesystem::path& path);
// Returns the model and, if they were saved with it, the data, the history and the training state.
TrainedModel LoadTrainedModel(const std::filesystem::path& path);

// ModelFileBytes returns the bytes of a model file; LoadTrainedModel reads such bytes. Errors begin
// with `source_name` instead of a path.
std::vector<std::byte> ModelFileBytes(const TrainedModel& trained);
TrainedModel LoadTrainedModel(std::span<const std::byte> bytes, std::string_view source_name);

}  // namespace gpode
