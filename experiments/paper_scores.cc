#include "experiments/paper_scores.h"

#include <array>
#include <cmath>
#include <iterator>

namespace gpode::experiments {
namespace {

constexpr PaperScore kNone{NAN, NAN};
constexpr PaperScore Only(double mean) { return {mean, NAN}; }

constexpr const char* kHmc = "Bayesian NeuralODE (HMC)";
constexpr const char* kVi = "Bayesian NeuralODE (VI)";
constexpr const char* kFlows = "GPODE with double normalising flows (2025)";
constexpr const char* kFim = "FIM-ODE, fine-tuned (2026)";

// Returns the scores of tables 1 and 2. Those of FIM-ODE belong to a checkpoint that was selected
// on the test window.
std::vector<PaperRow> Simulated() {
  return {{"vdp-regular", "neural-hmc", kHmc, {0.82, 0.01}, {1.45, 0.04}},
          {"vdp-regular", "neural", "NeuralODE", kNone, {0.29, 0.11}},
          {"vdp-regular", "npode", "npODE", {1.47, 0.59}, {0.16, 0.05}},
          {"vdp-regular", "gpode", "GPODE", {0.60, 0.03}, {0.13, 0.01}},
          {"vdp-regular", "", kFlows, kNone, Only(0.03)},
          {"vdp-regular", "", kFim, kNone, Only(0.028)},
          {"vdp-irregular", "neural-hmc", kHmc, {0.88, 0.01}, {1.68, 0.04}},
          {"vdp-irregular", "neural", "NeuralODE", kNone, {0.55, 0.07}},
          {"vdp-irregular", "npode", "npODE", {8.89, 3.06}, {2.08, 0.78}},
          {"vdp-irregular", "gpode", "GPODE", {0.41, 0.18}, {0.21, 0.07}},
          {"vdp-irregular", "", kFlows, kNone, Only(0.04)},
          {"vdp-irregular", "", kFim, kNone, Only(0.022)},
          {"fhn", "neural-hmc", kHmc, {0.77, 0.12}, {0.24, 0.03}},
          {"fhn", "neural", "NeuralODE", kNone, {0.18, 0.00}},
          {"fhn", "npode", "npODE", {6.49, 1.49}, {0.08, 0.01}},
          {"fhn", "gpode", "GPODE", {0.09, 0.05}, {0.07, 0.02}},
          {"fhn", "", kFlows, kNone, Only(0.04)},
          {"fhn", "", kFim, kNone, Only(0.030)}};
}

constexpr std::array kMocapTasks = {"mocap-09-short", "mocap-09-long",  "mocap-35-short",
                                    "mocap-35-long",  "mocap-39-short", "mocap-39-long"};
using SixScores = std::array<PaperScore, 6>;

struct MocapRow {
  const char *method, *title;
  SixScores mnll, mse;
};

constexpr SixScores kSixNone = {kNone, kNone, kNone, kNone, kNone, kNone};

// The scores of table 3. FIM-ODE's MSE is converted to the original scale of the channels.
const std::array kMocapRows = {
    MocapRow{"neural-vi",
             kVi,
             {{{2.03, 0.10}, {1.50, 0.05}, {1.42, 0.05}, {1.37, 0.06}, {1.61, 0.07}, {1.45, 0.03}}},
             {{{25.50, 1.70},
               {21.32, 2.58},
               {23.09, 3.95},
               {20.86, 2.95},
               {53.34, 5.31},
               {39.66, 6.82}}}},
    MocapRow{"neural",
             "NeuralODE",
             kSixNone,
             {{{27.53, 2.87},
               {33.83, 2.46},
               {36.50, 3.86},
               {23.54, 0.56},
               {115.38, 10.96},
               {53.51, 2.98}}}},
    MocapRow{"npode",
             "npODE",
             {{{2.09, 0.01}, {1.78, 0.08}, {1.67, 0.02}, {1.66, 0.04}, {2.06, 0.05}, {1.78, 0.04}}},
             {{{17.91, 1.62},
               {19.76, 4.29},
               {26.24, 2.88},
               {22.83, 3.91},
               {92.80, 15.74},
               {55.94, 4.63}}}},
    MocapRow{"gpode",
             "GPODE-vanilla",
             {{{1.30, 0.02}, {1.26, 0.02}, {1.27, 0.04}, {1.39, 0.04}, {1.29, 0.01}, {1.13, 0.01}}},
             {{{15.78, 0.67},
               {12.62, 1.14},
               {16.14, 0.99},
               {15.53, 0.76},
               {20.71, 1.25},
               {23.64, 1.94}}}},
    MocapRow{
        "shooting",
        "GPODE-shooting",
        {{{1.19, 0.02}, {1.14, 0.02}, {1.25, 0.06}, {1.08, 0.02}, {1.25, 0.01}, {1.36, 0.02}}},
        {{{9.11, 0.37}, {8.38, 1.23}, {10.11, 0.79}, {11.66, 0.73}, {26.72, 0.63}, {21.17, 2.88}}}},
    MocapRow{"",
             kFim,
             kSixNone,
             {{Only(11.97), Only(9.77), Only(9.48), Only(14.3), Only(20.2), Only(24.6)}}}};

std::vector<PaperRow> MakePaperRows() {
  std::vector<PaperRow> figures = Simulated();
  for (std::size_t task = 0; task < kMocapTasks.size(); ++task) {
    for (const MocapRow& row : kMocapRows) {
      figures.push_back({kMocapTasks[task], row.method, row.title, row.mnll[task], row.mse[task]});
    }
  }
  return figures;
}

}  // namespace

const std::vector<PaperRow>& AllPaperRows() {
  static const std::vector<PaperRow> figures = MakePaperRows();
  return figures;
}

std::vector<PaperRow> PaperRowsOf(std::string_view task) {
  std::vector<PaperRow> figures;
  for (const PaperRow& figure : AllPaperRows()) {
    if (figure.task == task) figures.push_back(figure);
  }
  return figures;
}

}  // namespace gpode::experiments
