#include "store/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gpode/error.h"
#include "gpode/version.h"
#include "io/files.h"
#include "io/zip.h"
#include "model/check_shapes.h"
#include "model/model_draws.h"
#include "options/fit_options.h"
#include "store/format_1_1.h"
#include "store/model_members.h"

namespace gpode {
namespace internal {
namespace {

// The columns of a history: one array per member of Progress, one value per record.
using Columns = std::map<std::string, std::vector<double>, std::less<>>;

void WriteHistory(const std::vector<Progress>& history, NpzWriter* out) {
  Columns columns;
  for (const Progress& progress : history) {
    ForMembers(progress, [&](std::string_view name, const auto& member) {
      columns[std::string(name)].push_back(static_cast<double>(member));
    });
  }
  const MemberWriter write(out, "history/");
  for (const auto& [name, values] : columns) write(name, values);
}

void SetMember(double value, std::string_view, double& member) { member = value; }

template <typename T>
void SetMember(double value, std::string_view name, T& member) {
  constexpr double kMost = std::is_enum_v<T> ? 1 : 9007199254740992.0;
  if (!(value >= 0 && value <= kMost)) ThrowInput("history", name, "has an impossible value");
  member = static_cast<T>(static_cast<std::uint64_t>(value));
}

std::vector<Progress> ReadHistory(const Archive& archive, std::string_view file) {
  const MemberReader read(archive, "history/", file);
  std::vector<double> steps;
  read("step", steps);
  std::vector<Progress> history(steps.size());
  Progress names;
  ForMembers(names, [&](std::string_view name, const auto&) {
    std::vector<double> values;
    read(name, values);
    if (values.empty()) return;
    CheckSize("history", name, values.size(), history.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ForMembers(history[i], [&](std::string_view own, auto& member) {
        if (own == name) SetMember(values[i], name, member);
      });
    }
  });
  return history;
}

void WriteInputs(const InputColumns& columns, std::string_view group, NpzWriter* out) {
  if (!columns.names.empty()) ForMembers(columns, MemberWriter(out, group));
}

void WriteData(const Dataset& data, std::string_view group, NpzWriter* out) {
  const DataColumns columns = ToColumns(data);
  ForMembers(columns, MemberWriter(out, group));
  WriteInputs(ToInputColumns(data), group, out);
}

Dataset ReadData(const MemberReader& read, const std::vector<std::string>& channels) {
  DataColumns columns;
  InputColumns inputs;
  ForMembers(columns, read);
  ForMembers(inputs, read);
  Dataset data = FromColumns(columns, channels);
  SetInputs(inputs, &data);
  return data;
}

void WriteParameters(const NamedValues& parameters, NpzWriter* out) {
  for (const ParameterBlock& block : parameters.layout.blocks()) {
    out->Add("model/parameters/" + block.name, block.shape, parameters[block.name]);
  }
}

// Reads the parameters that a model with these options has. Allocates their memory only after
// checking that the file has them, so that a damaged file cannot exhaust the memory.
void ReadParameters(const Archive& archive, std::string_view file, Model& model) {
  const ModelParts parts(model.options, ShapeOf(model));
  model.parameters.layout = parts.layout();
  for (const ParameterBlock& block : parts.layout().blocks()) {
    const std::string name = "model/parameters/" + block.name;
    const auto found = archive.find(name);
    if (found == archive.end()) ThrowAt(EntryPlace(file, name), "is missing, must be there");
    const Array& array = found->second;
    if (array.shape != block.shape || array.size() != block.value_size) {
      ThrowAt(EntryPlace(file, name), fmt::format("has shape {}, must have {}",
                                                  ShapeText(array.shape), ShapeText(block.shape)));
    }
    std::vector<double>& values = model.parameters.values;
    values.insert(values.end(), array.values.begin(), array.values.end());
  }
}

Model ReadModel(const Archive& archive, std::string_view file, unsigned major) {
  Model model;
  std::string options;
  MemberReader(archive, "", file)("options", options);
  model.options =
      ReadOptions(options, fmt::format("{}: options", file), {}, UnknownOptions::kIgnore);
  CheckRanges(model.options, "options");
  if (major < kFormatMajor) {
    ReadModelBeforeNames(archive, file, model);
  } else {
    ForMembers(model, MemberReader(archive, "model/", file));
    InputColumns samples;
    ForMembers(samples, MemberReader(archive, "model/", file));
    model.inputs = samples.names;
    model.input_samples = FromColumns(samples);
    CheckMap("model", model.map, model.coordinates, model.channels.size());
    MemberReader(archive, "model/", file)("noise_pieces", model.noise_pieces);
    CheckNoisePieces("model", model.noise_pieces, model.start_times, model.end_times);
    ReadParameters(archive, file, model);
  }
  ForMembers(model.widening, MemberReader(archive, "widening/", file));
  CheckModel(model);
  return model;
}

void ReadHoldout(const Archive& archive, std::string_view file, TrainedModel* trained) {
  const MemberReader read(archive, "holdout/", file);
  if (!read.Has("share")) return;
  HoldoutColumns columns;
  ForMembers(columns, read);
  trained->holdout = FromColumns(columns, trained->model.channels.size());
  trained->holdout->report.widening = trained->model.widening;
  if (const MemberReader held(archive, "held/", file); held.Has("times")) {
    trained->holdout->held = ReadData(held, trained->model.channels);
  }
  CheckHoldout(*trained->holdout, trained->data);
}

void WriteSampling(const SamplingState& state, NpzWriter* out) {
  MemberWriter(out, "sampling/")("chains", state.chains.size());
  for (std::size_t c = 0; c < state.chains.size(); ++c) {
    if (!state.chains[c]) continue;
    const MemberWriter write(out, fmt::format("sampling/{}/", c));
    ForMembers(*state.chains[c], write);
    write("statistics", ToColumns(state.chains[c]->statistics));
  }
}

// Reads the states of chains. SampleNuts checks that they fit its sampler.
void ReadSampling(const Archive& archive, std::string_view file, TrainedModel* trained) {
  constexpr std::size_t kMostChains = 100000;
  const MemberReader read(archive, "sampling/", file);
  if (!read.Has("chains")) return;
  std::size_t chains = 0;
  read("chains", chains);
  if (chains > kMostChains) ThrowInput("sampling", "chains", "has an impossible value");
  auto state = std::make_shared<SamplingState>();
  state->chains.resize(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    const MemberReader own(archive, fmt::format("sampling/{}/", c), file);
    if (!own.Has("position")) continue;
    auto chain = std::make_shared<NutsChainState>();
    ForMembers(*chain, own);
    Matrix statistics;
    own("statistics", statistics);
    chain->statistics = FromColumns(statistics);
    state->chains[c] = std::move(chain);
  }
  CheckSampling(*state);
  trained->sampling = std::move(state);
}

void ReadTraining(const Archive& archive, std::string_view file, unsigned major,
                  TrainedModel* trained) {
  trained->data = ReadData(MemberReader(archive, "data/", file), trained->model.channels);
  CheckDataset(trained->data);
  if (const MemberReader read(archive, "validation/", file); read.Has("times")) {
    trained->validation = ReadData(read, trained->model.channels);
    CheckDataset(trained->validation);
  }
  ReadHoldout(archive, file, trained);
  trained->history = ReadHistory(archive, file);
  ReadSampling(archive, file, trained);
  // The table of draws is written when the sampler has ended.
  trained->finished = trained->model.IsSampled();
  const MemberReader read(archive, "training/", file);
  if (!read.Has("flat")) return;
  auto state = std::make_shared<TrainingState>();
  ForMembers(state->trainer, read);
  ForMembers(state->start, MemberReader(archive, "start/", file));
  if (major < kFormatMajor) ReadTrainingBeforeNames(archive, file, trained->model, *state);
  read("finished", trained->finished);
  CheckTrainingState(*state, trained->data, trained->model);
  trained->state = std::move(state);
}

}  // namespace

std::vector<std::byte> ModelBytes(const TrainedModel& trained) {
  CheckModel(trained.model);
  if (!trained.model.given.empty()) {
    ThrowInput("SaveModel", "model",
               "is conditioned on given data, must be the one it was made from");
  }
  NpzWriter out("SaveModel");
  out.AddText("about", fmt::format("gpode model {}.{}\nwritten by gpode {}\n", kFormatMajor,
                                   kFormatMinor, Version()));
  out.AddText("options", OptionsText(trained.model.options));
  if (!trained.instruction_sets.empty()) {
    out.AddText("instruction_sets", trained.instruction_sets);
  }
  ForMembers(trained.model, MemberWriter(&out, "model/"));
  WriteInputs(ToInputColumns(trained.model.inputs, trained.model.input_samples), "model/", &out);
  if (!trained.model.noise_pieces.empty()) {
    MemberWriter(&out, "model/")("noise_pieces", trained.model.noise_pieces);
  }
  WriteParameters(trained.model.parameters, &out);
  if (trained.model.widening.IsJudged() || !trained.model.widening.IsZero()) {
    ForMembers(trained.model.widening, MemberWriter(&out, "widening/"));
  }
  if (!trained.data.trajectories.empty()) {
    WriteData(trained.data, "data/", &out);
    WriteHistory(trained.history, &out);
  }
  if (!trained.validation.trajectories.empty()) {
    WriteData(trained.validation, "validation/", &out);
  }
  if (trained.holdout && !trained.data.trajectories.empty()) {
    const HoldoutColumns columns = ToColumns(*trained.holdout);
    ForMembers(columns, MemberWriter(&out, "holdout/"));
    if (!trained.holdout->held.trajectories.empty()) {
      WriteData(trained.holdout->held, "held/", &out);
    }
  }
  if (trained.state) {
    const MemberWriter write(&out, "training/");
    write("finished", trained.finished);
    ForMembers(trained.state->trainer, write);
    ForMembers(trained.state->start, MemberWriter(&out, "start/"));
  }
  if (trained.sampling) WriteSampling(*trained.sampling, &out);
  constexpr std::string_view kNoDigits = "00000000";
  std::vector<std::byte> bytes =
      std::move(out).Finish(fmt::format("{}{}", SealWithoutDigits(), kNoDigits));
  const std::string digits = SealDigits(std::span(bytes).first(bytes.size() - kNoDigits.size()));
  std::copy_n(std::as_bytes(std::span(digits)).begin(), digits.size(),
              bytes.end() - static_cast<std::ptrdiff_t>(digits.size()));
  return bytes;
}

TrainedModel ParseModel(std::span<const std::byte> bytes, std::string_view name) {
  const Sealed seal = CheckSeal(bytes, name);
  return NamingFile(name, [&] {
    const Archive archive = ReadNpz(bytes, name);
    TrainedModel trained;
    trained.model = ReadModel(archive, name, seal.major);
    MemberReader(archive, "", name)("instruction_sets", trained.instruction_sets);
    if (MemberReader(archive, "data/", name).Has("times")) {
      ReadTraining(archive, name, seal.major, &trained);
    }
    return trained;
  });
}

}  // namespace internal

void SaveModel(const std::filesystem::path& path, const TrainedModel& trained) {
  internal::WriteFile(path, internal::ModelBytes(trained));
}

void SaveModel(const std::filesystem::path& path, const Model& model) {
  SaveModel(path, TrainedModel{.model = model});
}

TrainedModel LoadTrainedModel(const std::filesystem::path& path) {
  return internal::ParseFile(path, [](std::span<const std::byte> bytes, std::string_view name) {
    return internal::ParseModel(bytes, name);
  });
}

std::vector<std::byte> ModelFileBytes(const TrainedModel& trained) {
  return internal::ModelBytes(trained);
}

TrainedModel LoadTrainedModel(std::span<const std::byte> bytes, std::string_view source_name) {
  return internal::ParseModel(bytes, source_name);
}

Model LoadModel(const std::filesystem::path& path) { return LoadTrainedModel(path).model; }

}  // namespace gpode
