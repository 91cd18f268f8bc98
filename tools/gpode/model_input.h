// Turns words of the command line into the trajectories, states and starts of a model that they
// name.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "commands.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"

namespace gpode::tool {

// Returns the options for test data of a model: those of its training data, with these changes, and
// the model's channels.
ReadOptions TestOptions(const TrainedModel& trained, const ReadChanges& changes);
// Reads test data of a model. Prints remarks about what was left out, unless `quiet`.
Dataset ReadTestData(const std::vector<std::string>& files, const ReadOptions& options, bool quiet);
// Removes those rows of the test data that were training data, because a forecast must not be judged
// by them. If all rows were training data, removes none. Prints a note on standard error, unless
// `quiet` is true.
void LeaveOutTrainingRows(const TrainedModel& trained, const std::string& file, bool quiet,
                          Dataset* tests);

// Reads a model. With `raw` its bands are not widened.
TrainedModel LoadForBands(const std::string& file, bool raw);

// Returns the index of the trajectory with this name, or with this number counted from 1. Throws an
// InputError if there is none.
std::size_t FindTrajectory(const Place& place, std::string_view word, const TrainedModel& trained);

// Returns the model's trajectory that test trajectory n continues: the one with the same name or,
// if there is none, the one with the same index, provided that the model and the tests have the
// same number of trajectories. Throws an InputError that begins with `file` if neither exists.
std::size_t MatchTrajectory(const Dataset& tests, std::size_t n, const TrainedModel& trained,
                            std::string_view file);

// Returns the index of the state `name`; `word` is the whole word of the option, for the message.
std::size_t FindState(const Place& place, std::string_view word, const std::string& name,
                      const std::vector<std::string>& names);

// Returns the rows with times later than `after` and not later than `until`.
Trajectory RowsBetween(const Trajectory& all, const std::optional<double>& after,
                       const std::optional<double>& until);

// Keeps the rows later than `after`; returns false if no trajectory has one.
bool KeepRowsAfter(const std::optional<double>& after, Dataset* data);

// Parses "x=1,y=2" and returns the values of all channels in the model's order, NaN for channels
// that are not named.
std::vector<double> ChannelValues(const Place& place, std::string_view word, const Model& model);

// Returns the state that the values of channels determine; throws InputError(complaint) if they do
// not determine it.
StartState StateFromChannels(const Posterior& posterior, std::span<const double> values,
                             const std::string& complaint);

// Returns the number of lost draws in words, such as "3 diverged".
std::string DescribeLost(const LostDraws& lost);
// Prints a warning on standard error, even with --quiet, if so many draws are lost that quantiles
// are empty. Throws ForecastFailed if all draws of a forecast are lost.
void CheckLostDraws(std::string_view command, const LostDraws& lost);

// Parses the start of a forecast, "latest" or "initial".
Origin ParseOrigin(std::string_view word);

}  // namespace gpode::tool
