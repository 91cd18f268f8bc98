// What the scores of docs/results.md are measured on: data to learn from, and tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpode/model.h"

namespace gpode::experiments {

// What a forecast is compared with.
struct TestSequence {
  std::vector<double> start_values;  // channels at the first of the times; empty: the learnt
                                     // initial state of the training trajectory
  std::vector<double> times;         // (T)
  Matrix values;                     // (T, channels)
};

struct Task {
  Dataset data;
  std::vector<TestSequence> tests;
  std::vector<TestSequence> validation = {};  // the noise is calibrated on them, if there are any
  std::vector<double> noise_variance;         // (channels) where it is known
  FitOptions options;                         // sizes only; the rest is default
};

// One line of a table: its tasks differ in their noise only.
struct Row {
  std::string name;
  std::vector<Task> tasks;
};

std::vector<Row> PaperRows();                   // Van der Pol and FitzHugh-Nagumo
std::vector<Row> LongRows();                    // long Van der Pol series, nine settings
std::vector<Row> FreshRows(std::size_t draws);  // three systems, fresh noise
// Motion capture; the folder holds mocap09.npz, mocap35.npz and mocap39.npz.
std::vector<Row> MocapRows(const std::filesystem::path& folder);

}  // namespace gpode::experiments
