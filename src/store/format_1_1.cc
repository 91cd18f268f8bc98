#include "store/format_1_1.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpode/error.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/zip.h"
#include "model/check_shapes.h"
#include "model/model_draws.h"
#include "model/network_function.h"
#include "store/model_members.h"

namespace gpode::internal {
namespace {

// The name of a block of parameters, and of the array that held it in the old format. kOldNames has
// the blocks in the order of the old flat vectors.
struct OldName {
  std::string_view block, array;
};
constexpr std::array<OldName, 12> kOldNames = {{{"inducing_locations", "gp/inducing_locations"},
                                                {"inducing_mean", "gp/inducing_mean"},
                                                {"inducing_chol", "gp/inducing_chol"},
                                                {"lengthscales", "gp/lengthscales"},
                                                {"variances", "gp/variances"},
                                                {"noise_variance", "noise_variance"},
                                                {"x0_mean", "x0_mean"},
                                                {"x0_chol", "x0_chol"},
                                                {"state_mean", "shooting_mean"},
                                                {"state_chol", "shooting_chol"},
                                                {"weight_mean", "network/mean"},
                                                {"weight_deviation", "network/deviation"}}};

bool IsWeights(std::string_view block) { return block.starts_with("weight_"); }

// Divides weights by their prior standard deviations, as format 2 stores them.
void ToPriorUnits(const Model& model, std::span<double> weights) {
  const NeuralOptions& neural = model.options.neural;
  const Vector scale = WeightScales(model.dim(), neural.hidden, model.dim(), neural.prior_scale);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] /= scale[static_cast<Eigen::Index>(i % static_cast<std::size_t>(scale.size()))];
  }
}

const Array& Find(const Archive& archive, std::string_view file, const std::string& name,
                  std::size_t size) {
  const auto found = archive.find(name);
  if (found == archive.end()) ThrowAt(EntryPlace(file, name), "is missing, must be there");
  if (found->second.size() != size) {
    ThrowAt(EntryPlace(file, name),
            fmt::format("has {} values, must have {}", found->second.size(), size));
  }
  return found->second;
}

void ReadParameters(const Archive& archive, std::string_view file, Model& model) {
  const ModelParts parts(model.options, ShapeOf(model));
  model.parameters.layout = parts.layout();
  for (const ParameterBlock& block : parts.layout().blocks()) {
    const auto old = std::ranges::find(kOldNames, block.name, &OldName::block);
    if (old == kOldNames.end()) ThrowAt(file, fmt::format("cannot hold '{}'", block.name));
    std::vector<double> values =
        Find(archive, file, fmt::format("model/{}", old->array), block.value_size).values;
    if (IsWeights(block.name)) ToPriorUnits(model, values);
    std::vector<double>& all = model.parameters.values;
    all.insert(all.end(), values.begin(), values.end());
  }
}

// Reads the draws of a sampled model. In the old format, a row of the array "field" had the latent
// variables of the function, then its sampled hyperparameters.
void ReadDraws(const Archive& archive, std::string_view file, Model& model) {
  if (!IsSampled(model.options)) return;
  const ModelParts parts(model.options, ShapeOf(model));
  const bool network = parts.layout().Has("weight_mean");
  const std::vector<std::string> of_function =
      network ? std::vector<std::string>{"weight_mean"}
              : std::vector<std::string>{"inducing_mean", "lengthscales", "variances"};
  Matrix function, x0, noise;
  const MemberReader read(archive, "model/draws/", file);
  read("field", function);
  read("x0", x0);
  read("noise_variance", noise);
  // A file can declare any number of rows without columns, so the widths are checked before memory
  // for the rows is allocated.
  NamedValues row = model.parameters;
  Eigen::Index width = 0;
  for (const std::string& block : of_function) width += std::ssize(row[block]);
  if (function.cols() != width || x0.cols() != std::ssize(row["x0_mean"]) ||
      noise.cols() != std::ssize(row["noise_variance"]) || x0.rows() != function.rows() ||
      noise.rows() != function.rows()) {
    ThrowAt(file, "has draws of another shape than its options ask for");
  }
  const std::vector<double>& constant = model.parameters.values;
  model.draws = Eigen::Map<const Matrix>(constant.data(), 1, std::ssize(constant))
                    .replicate(function.rows(), 1);
  for (Eigen::Index s = 0; s < function.rows(); ++s) {
    const auto take = [&](const std::string& block, const Matrix& from, Eigen::Index& at) {
      const std::span<double> to = row[block];
      std::copy_n(from.row(s).data() + at, to.size(), to.begin());
      at += std::ssize(to);
    };
    Eigen::Index at = 0, none = 0, first = 0;
    for (const std::string& block : of_function) take(block, function, at);
    if (network) ToPriorUnits(model, row["weight_mean"]);
    take("x0_mean", x0, none);
    take("noise_variance", noise, first);
    std::ranges::copy(row.values, model.draws.row(s).begin());
  }
}

// Returns the sizes of the blocks in an old flat vector, in the order of kOldNames. Every model had
// all blocks. A block that a model did not need had size zero, except for the chol and deviation
// blocks of point estimates, which had their full size although they were not used.
std::vector<std::size_t> OldFlatSizes(const Model& model) {
  const FitOptions& o = model.options;
  const bool network = o.function == "network";
  const std::size_t d = model.dim(), n = model.start_times.size();
  const std::size_t k = model.shooting_times.size(), m = network ? 0 : o.inducing;
  const std::size_t outputs = network ? 0 : d;
  const std::size_t rows = network ? 0 : o.shared_hyperparameters ? 1 : d;
  const std::size_t weights = network ? model.parameters["weight_mean"].size() : 0;
  const auto triangle = [](std::size_t size) { return size * (size + 1) / 2; };
  return {m * d,
          outputs * m,
          outputs * triangle(m),
          rows * d,
          rows,
          model.channels.size(),
          n * d,
          n * triangle(d),
          k * d,
          k * triangle(d),
          weights,
          weights};
}

std::vector<double> Reordered(const Model& model, std::span<const double> old,
                              std::string_view name) {
  const ParameterLayout& layout = model.parameters.layout;
  const std::vector<std::size_t> sizes = OldFlatSizes(model);
  std::vector<double> flat(layout.flat_size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < kOldNames.size(); at += sizes[i], ++i) {
    if (at + sizes[i] > old.size()) CheckSize("training", name, old.size(), at + sizes[i]);
    if (!layout.Has(kOldNames[i].block)) continue;
    const ParameterBlock& block = layout.Find(kOldNames[i].block);
    CheckSize("training", block.name, sizes[i], block.flat_size);
    std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(at), sizes[i],
                flat.begin() + static_cast<std::ptrdiff_t>(block.flat_offset));
  }
  CheckSize("training", name, old.size(), at);
  return flat;
}

}  // namespace

void ReadModelBeforeNames(const Archive& archive, std::string_view file, Model& model) {
  const MemberReader read(archive, "model/", file);
  ForMembers(model, [&](std::string_view name, auto&& member) {
    if (name != "draws") read(name, std::forward<decltype(member)>(member));
  });
  CheckMap("model", model.map, model.coordinates, model.channels.size());
  ReadParameters(archive, file, model);
  ReadDraws(archive, file, model);
}

void ReadTrainingBeforeNames(const Archive& archive, std::string_view file, const Model& model,
                             TrainingState& state) {
  const MemberReader read(archive, "start/", file);
  FunctionStart& function = state.start.function;
  function = {};
  if (model.options.function == "network") {
    read("weights", function.latent);
  } else {
    Matrix locations, mean, lengthscales;
    Vector variances;
    read("gp/inducing_locations", locations);
    read("gp/inducing_mean", mean);
    read("gp/lengthscales", lengthscales);
    read("gp/variances", variances);
    const auto append = [](const auto& from, std::vector<double>& to) {
      to.insert(to.end(), from.data(), from.data() + from.size());
    };
    append(locations, function.hyperparameters);
    append(lengthscales, function.hyperparameters);
    append(variances, function.hyperparameters);
    append(mean, function.latent);
  }
  TrainerState& t = state.trainer;
  t.flat = Reordered(model, t.flat, "flat");
  t.adam.first_moment = Reordered(model, t.adam.first_moment, "first_moment");
  t.adam.second_moment = Reordered(model, t.adam.second_moment, "second_moment");
  std::vector<double>& best = t.validation.best_flat;
  if (!best.empty()) best = Reordered(model, best, "best_flat");
}

}  // namespace gpode::internal
