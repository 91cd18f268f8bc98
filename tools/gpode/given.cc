#include "given.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpode/condition.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/reading.h"
#include "model_input.h"
#include "output.h"

namespace gpode::tool {
namespace {

// Reads the given data with their inputs.
Dataset ReadGiven(const std::string& command, const TrainedModel& trained,
                  const GivenArguments& arguments, const ReadChanges& changes,
                  const InputArguments& inputs, bool quiet) {
  Dataset given = ReadTestData(arguments.files, TestOptions(trained, changes), quiet);
  given.inputs = trained.model.inputs;
  if (given.inputs.empty()) return given;
  const bool missing =
      std::ranges::any_of(given.trajectories, [](const Trajectory& t) { return t.inputs.empty(); });
  if (!missing) return given;
  if (inputs.from.empty()) {
    throw InputError(fmt::format(
        "{}: {} has no inputs, must have columns {}, or give them with "
        "--inputs-from",
        command, internal::Quote(arguments.files.front()), internal::ListOf(trained.model.inputs)));
  }
  SetInputs(ReadInputs(inputs.from, trained.model.inputs, OptionsLike(trained.data)), inputs.from,
            &given);
  return given;
}

}  // namespace

void AddGivenOption(CLI::App* command, GivenArguments* arguments) {
  command
      ->add_option("--given", arguments->files,
                   "new observations: infer the start of their trajectories, without learning the "
                   "field again, and go on from their end")
      ->type_name("FILE");
}

TrainedModel LoadConditioned(const std::string& command, const std::string& file, bool raw,
                             const GivenArguments& given, const ReadChanges& changes,
                             const InputArguments& inputs, std::size_t draws,
                             const CommonOptions& common) {
  TrainedModel trained = LoadForBands(file, raw);
  if (given.files.empty()) return trained;
  Dataset data = ReadGiven(command, trained, given, changes, inputs, common.quiet);
  Conditioned conditioned =
      Condition(trained.model, data, trained.data,
                {.draws = draws, .seed = common.seed, .threads = common.threads});
  if (!common.quiet) {
    PrintRemark(fmt::format("{}: {}", given.files.front(), conditioned.Describe()));
  }
  if (const std::string warning = conditioned.Warning(); !warning.empty()) {
    PrintRemark(fmt::format("warning: {}", warning));
  }
  trained.model = std::move(conditioned.model);
  data.reading = trained.data.reading;
  trained.data = std::move(data);
  return trained;
}

}  // namespace gpode::tool
