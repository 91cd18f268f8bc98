// Motion capture of the CMU database (mocap.cs.cmu.edu) as the paper uses it: walking or running of
// subjects 09, 35 and 39, 50 channels, split into training, validation and test sequences.
//
// The sequences come from an archive mocapSUBJECT.npz with arrays train, validation and test
// (sequences, frames, channels), or from the database's motions with the split of the paper's
// appendix. The motions have 62 channels; hands, fingers, thumbs and toes are left out, the root's
// position is replaced by its change to the next frame (the last one repeated), only the first
// frames are kept, and every channel is centred by its mean over all sequences of the subject. The
// paper does not say which 50 channels it uses; this is how a public script prepares such
// recordings, and the archives are consistent with it: the clavicles, which never move, are their
// channels 24, 25, 31 and 32, the last two rows of their first three channels are equal, and all
// means are zero. Motions and archives were not compared value by value.
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

// The sequences of a subject. Each is (frames, 50), with 120 frames for subject 09 and 300 for the
// others.
struct MocapSequences {
  std::vector<Matrix> train, validation, test;
};

// Reads the sequences of a subject from a folder that holds mocapSUBJECT.npz or, in itself or in a
// folder SUBJECT or subjects/SUBJECT, the files SUBJECT_NN.amc. Throws an InputError of one line if
// something is missing or wrong.
MocapSequences ReadMocap(const std::filesystem::path& folder, std::string_view subject);

// Returns true if the folder has an archive or motions of the subject, judging by file names.
bool HasMocap(const std::filesystem::path& folder, std::string_view subject);

// Returns the subject of a task mocap-SUBJECT-...
std::string SubjectOf(const TaskInfo& info);
// Reads the sequences of a task. Channels that never move get the same constant value as in the
// paper's data.
MocapSequences ReadMocapTask(const TaskInfo& info, const std::filesystem::path& folder);

// Returns the times of frames in seconds, starting at 0.
std::vector<double> FrameTimes(Eigen::Index frames);
// Returns the first `frames` frames of all sequences as data. Initial states are one frame earlier.
Dataset FirstFrames(const std::vector<Matrix>& sequences, Eigen::Index frames);

// Returns a description of the files and their sources, for messages.
std::string MocapSources();

}  // namespace gpode::experiments
