// The tables of a model file's contents. For each struct that is stored, ForMembers calls visit
// with the name (in the file) and a reference to every member.
//
// Each table lists the members in a structured binding, so that the code does not compile if a
// member was added to the struct but not here. docs/formats.md lists the names.
#pragma once

#include <fmt/format.h>

#include "gpode/model.h"
#include "gpode/training.h"
#include "io/struct_arrays.h"
#include "train/sampling_state.h"
#include "train/trainer_state.h"

namespace gpode::internal {

// The types T and const T.
template <typename S, typename T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// Visits the members of the struct `s`, which is the member `name` of another struct: their names
// become "name/...".
template <typename Struct, typename Visit>
void ForNested(std::string_view name, Struct& s, const Visit& visit) {
  ForMembers(s, [&](std::string_view own, auto&& member) {
    visit(fmt::format("{}/{}", name, own), std::forward<decltype(member)>(member));
  });
}

template <Is<ObservationMap> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [matrix, offset] = s;
  visit("matrix", matrix);
  visit("offset", offset);
}

// The names of these members have no prefix: they are among those of the struct that contains the
// coordinates.
template <Is<Coordinates> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [state_scale, state_offset, time_scale, input_scale, input_offset] = s;
  visit("state_scale", state_scale);
  visit("state_offset", state_offset);
  visit("time_scale", time_scale);
  visit("input_scale", input_scale);
  visit("input_offset", input_offset);
}

template <Is<SamplerSummary> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [worst_rhat, least_bulk_ess, least_tail_ess, pareto_k, divergent, at_max_depth,
         failed_chains, evaluations] = s;
  visit("worst_rhat", worst_rhat);
  visit("least_bulk_ess", least_bulk_ess);
  visit("least_tail_ess", least_tail_ess);
  visit("pareto_k", pareto_k);
  visit("divergences", divergent);
  visit("at_max_depth", at_max_depth);
  visit("failed_chains", failed_chains);
  visit("evaluations", evaluations);
}

template <Is<BandWidening> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [horizons, variance, limits, values, inside, inside_widened, gap_trajectory, gap_channel,
         gap_from, gap_to] = s;
  visit("horizons", horizons);
  visit("variance", variance);
  visit("limits", limits);
  visit("values", values);
  visit("inside", inside);
  visit("inside_widened", inside_widened);
  visit("gap_trajectory", gap_trajectory);
  visit("gap_channel", gap_channel);
  visit("gap_from", gap_from);
  visit("gap_to", gap_to);
}

template <Is<Model> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  // Six members are stored elsewhere: the options as text (options/fit_options.h), the parameters
  // as one array per block, the widening, if there is one, under the prefix "widening/", the
  // measured inputs, if there are any, as InputColumns, and noise_pieces, if there is process
  // noise. `given` is not stored, because a conditioned model cannot be saved.
  auto& [options, channels, map, coordinates, start_times, end_times, inputs, input_samples,
         warning, parameters, draws, sampler, shooting_trajectory, shooting_times, noise_pieces,
         widening, given] = s;
  visit("channels", channels);
  ForNested("map", map, visit);
  ForMembers(coordinates, visit);
  visit("start_times", start_times);
  visit("end_times", end_times);
  visit("warning", warning);
  visit("draws", draws);
  ForNested("sampler", sampler, visit);
  visit("shooting_trajectory", shooting_trajectory);
  visit("shooting_times", shooting_times);
}

template <Is<FunctionStart> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [hyperparameters, latent] = s;
  visit("hyperparameters", hyperparameters);
  visit("latent", latent);
}

template <Is<Start> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [map, coordinates, spread, states, x0, function, noise_variance, channel_weights] = s;
  ForNested("map", map, visit);
  ForMembers(coordinates, visit);
  visit("spread", spread);
  visit("states", Ragged(states));
  visit("x0", x0);
  ForNested("function", function, visit);
  visit("noise_variance", noise_variance);
  visit("channel_weights", channel_weights);
}

template <Is<Plateau> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [sum, squares, count, best, best_error, windows, stale] = s;
  visit("sum", sum);
  visit("squares", squares);
  visit("count", count);
  visit("best", best);
  visit("best_error", best_error);
  visit("windows", windows);
  visit("stale", stale);
}

template <Is<Adam> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [first_moment, second_moment, steps] = s;
  visit("first_moment", first_moment);
  visit("second_moment", second_moment);
  visit("adam_steps", steps);
}

template <Is<ValidationState> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [best_flat, best_score, stale_checks] = s;
  visit("best_flat", best_flat);
  visit("best_score", best_score);
  visit("stale_checks", stale_checks);
}

template <Is<TrainerState> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [phase, step, cooling_from, plateau, log_tolerance, keeps_shooting, skipped,
         skipped_in_a_row, flat, adam, state_updates, objective, validation, settling_from] = s;
  visit("phase", phase);
  visit("step", step);
  visit("cooling_from", cooling_from);
  ForNested("plateau", plateau, visit);
  visit("log_tolerance", log_tolerance);
  visit("keeps_shooting", keeps_shooting);
  visit("skipped", skipped);
  visit("skipped_in_a_row", skipped_in_a_row);
  visit("flat", flat);
  ForMembers(adam, visit);
  visit("state_updates", state_updates);
  visit("step_hints", objective);
  ForMembers(validation, visit);
  visit("settling_from", settling_from);
}

// The target acceptance and the kind of mass matrix are not stored: they come from the options.
template <Is<NutsChainState> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [iteration, position, further, step_size, inverse_mass, averaging, moments, trial_steps,
         divergent, warm_up_divergent, evaluations, draws, further_draws, statistics] = s;
  auto& [target, centre, error, log_average, count] = averaging;
  auto& [kind, moments_count, mean, squares] = moments;
  visit("iteration", iteration);
  visit("position", position);
  visit("further", further);
  visit("step_size", step_size);
  visit("inverse_mass", inverse_mass);
  visit("averaging/centre", centre);
  visit("averaging/error", error);
  visit("averaging/log_average", log_average);
  visit("averaging/count", count);
  visit("moments/count", moments_count);
  visit("moments/mean", mean);
  visit("moments/squares", squares);
  visit("trial_steps", trial_steps);
  visit("divergent", divergent);
  visit("warm_up_divergent", warm_up_divergent);
  visit("evaluations", evaluations);
  visit("draws", draws);
  visit("further_draws", further_draws);
  // The statistics are stored as a matrix, see ToColumns.
}

// Statistics of transitions as a matrix with a column for each member.
Matrix ToColumns(const std::vector<TransitionStatistics>& statistics);
std::vector<TransitionStatistics> FromColumns(const Matrix& statistics);

// All members are stored as numbers. An enumerator is its index, from 0.
template <Is<Progress> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [step, steps, phase, bound, loglik, constraint, kl_u, tolerance, gap, noise, lengthscale,
         diverged, evaluations, skipped] = s;
  visit("step", step);
  visit("steps", steps);
  visit("phase", phase);
  visit("bound", bound);
  visit("loglik", loglik);
  visit("constraint", constraint);
  visit("kl_u", kl_u);
  visit("tolerance", tolerance);
  visit("gap", gap);
  visit("noise", noise);
  visit("lengthscale", lengthscale);
  visit("diverged", diverged);
  visit("evaluations", evaluations);
  visit("skipped", skipped);
}

// A Holdout as arrays, without its data and its widening, which are stored elsewhere. The rows of
// the report are one matrix with a column for each member of HoldoutRow.
struct HoldoutColumns {
  double share = 0, after = 0;  // `after` is NaN if it is not set
  bool refit = false;
  std::size_t seen_times = 0, held_times = 0, diverged = 0, unfinished = 0;
  Matrix rows = {};  // (n, 9)
};

template <Is<HoldoutColumns> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [share, after, refit, seen_times, held_times, diverged, unfinished, rows] = s;
  visit("share", share);
  visit("after", after);
  visit("refit", refit);
  visit("seen_times", seen_times);
  visit("held_times", held_times);
  visit("diverged", diverged);
  visit("unfinished", unfinished);
  visit("rows", rows);
}

HoldoutColumns ToColumns(const Holdout& holdout);
// Throws an InputError unless the rows are possible for this number of channels.
Holdout FromColumns(const HoldoutColumns& columns, std::size_t channels);

// Measured inputs as arrays, in which trajectories follow one another. They are stored only if
// there are any.
struct InputColumns {
  std::vector<std::string> names = {};
  std::vector<std::size_t> lengths = {};  // (trajectories)
  std::vector<double> times = {};         // (sum of lengths)
  Matrix values = {};                     // (sum of lengths, names)
};

template <Is<InputColumns> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [names, lengths, times, values] = s;
  visit("inputs", names);
  visit("input_lengths", lengths);
  visit("input_times", times);
  visit("input_values", values);
}

InputColumns ToInputColumns(const std::vector<std::string>& names,
                            const std::vector<InputSamples>& samples);
InputColumns ToInputColumns(const Dataset& data);
// These functions convert inputs back from columns. They throw an InputError unless the sizes of
// the columns agree, and do not check the values.
std::vector<InputSamples> FromColumns(const InputColumns& columns);
void SetInputs(const InputColumns& columns, Dataset* data);

// A data set as arrays, in which trajectories follow one another.
struct DataColumns {
  std::vector<std::string> names;
  std::vector<double> start_times;   // (trajectories), NaN if start_time is not set
  std::vector<std::size_t> lengths;  // (trajectories)
  std::vector<double> times;         // (sum of lengths)
  Matrix values;                     // (sum of lengths, channels)
  std::string time_name;
  std::vector<double> calendar;  // unit, origin, 1 for UTC, DateOrder; empty for plain numbers
  std::string reading;
};

template <Is<DataColumns> S, typename Visit>
void ForMembers(S& s, const Visit& visit) {
  auto& [names, start_times, lengths, times, values, time_name, calendar, reading] = s;
  visit("names", names);
  visit("start_times", start_times);
  visit("lengths", lengths);
  visit("times", times);
  visit("values", values);
  visit("time_name", time_name);
  visit("calendar", calendar);
  visit("reading", reading);
}

DataColumns ToColumns(const Dataset& data);
// Throws an InputError unless the sizes of the columns agree. It does not check the values: the
// caller has to call CheckDataset.
Dataset FromColumns(const DataColumns& columns, const std::vector<std::string>& channels);

}  // namespace gpode::internal
