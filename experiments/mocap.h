// Motion capture of the CMU database (mocap.cs.cmu.edu) as the paper takes it: walking or running
// of subjects 09, 35 and 39, 50 channels, split into training, validation and test sequences.
//
// From an archive mocapSUBJECT.npz with arrays train, validation and test (sequences, frames,
// channels), or from the database's motions with the split of the paper's appendix. These have 62
// channels; hands, fingers, thumbs and toes are left out, the root's place is replaced by its
// change to the next frame (the last one repeated), the first frames are taken, and every channel's
// mean over all sequences of the subject is taken off. The paper does not say which 50 channels it
// has; this is how a public script prepares such recordings, and the archives agree with it in what
// they show by themselves: the clavicles, which never move, are their channels 24, 25, 31 and 32,
// the last two rows of their first three channels are equal, and all means are zero. Motions and
// archives were not compared value by value.
//
// Thread safety: all functions may be called from any thread.
//
//   MocapSequences sequences = ReadMocap("data", "35");
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks.h"

namespace gpode::experiments {

// Each (frames, 50), of 120 (subject 09) or 300 frames.
struct MocapSequences {
  std::vector<Matrix> train, validation, test;
};

// The folder holds mocapSUBJECT.npz, or SUBJECT_NN.amc, itself or in a folder SUBJECT or
// subjects/SUBJECT. What is missing or wrong is an InputError of one line.
MocapSequences ReadMocap(const std::filesystem::path& folder, std::string_view subject);

// Whether the folder holds one of these for the subject, as far as names tell.
bool HasMocap(const std::filesystem::path& folder, std::string_view subject);

// Of a task mocap-SUBJECT-...: the subject; its sequences, with the channels that never move set to
// the constant that the paper's experiments have there.
std::string SubjectOf(const TaskInfo& info);
MocapSequences ReadMocapTask(const TaskInfo& info, const std::filesystem::path& folder);

// The times of frames, from 0, in seconds; and the first so many frames as data, whose initial
// states are one frame before them.
std::vector<double> FrameTimes(Eigen::Index frames);
Dataset FirstFrames(const std::vector<Matrix>& sequences, Eigen::Index frames);

// Where the files come from, for messages.
std::string WhereMocapIs();

}  // namespace gpode::experiments
