// Model files: everything needed to forecast and, if they come from a training run, to resume it.
//
// A model file is an .npz archive, so NumPy opens it, with a checksum over all of it;
// docs/formats.md lists what is inside and which versions can be read. It appears complete or not
// at all, and any damage to it is found. What goes wrong is an InputError of one line that begins
// with the path.
//
// Thread safety: all functions may be called from any thread.
//
//   SaveModel("vdp.gpode", model);
//   Model model = LoadModel("vdp.gpode");
#pragma once

#include <filesystem>

#include "gpode/model.h"
#include "gpode/training.h"

namespace gpode {

void SaveModel(const std::filesystem::path& path, const Model& model);
void SaveModel(const std::filesystem::path& path, const TrainedModel& trained);

Model LoadModel(const std::filesystem::path& path);
// Returns the model with data, history and training state, as far as they were saved.
TrainedModel LoadTrainedModel(const std::filesystem::path& path);

}  // namespace gpode
