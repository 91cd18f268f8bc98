#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "experiments/mocap.h"
#include "gpode/data_files.h"
#include "gpode/error.h"
#include "gpode/npz.h"
#include "io/files.h"

namespace gpode::experiments {
namespace {

constexpr Eigen::Index kChannels = 50;
constexpr std::array<std::string_view, 8> kLeftOut = {"rhand",    "rfingers", "rthumb", "lhand",
                                                      "lfingers", "lthumb",   "rtoes",  "ltoes"};

// The split of a subject's motions (paper, tables S1 and S2).
struct Split {
  std::string_view subject;
  Eigen::Index frames;
  std::vector<int> train, validation, test;
};

const Split& SplitOf(std::string_view subject) {
  static const std::array<Split, 3> splits = {
      Split{"09", 120, {5, 6, 7, 8, 9, 11}, {1, 2}, {3, 4}},
      Split{"35",
            300,
            {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
            {28, 29, 30},
            {31, 32, 33, 34}},
      Split{"39", 300, {1, 2, 7, 8, 9, 10}, {3, 4}, {5, 6}}};
  const auto found = std::find_if(splits.begin(), splits.end(),
                                  [&](const Split& s) { return s.subject == subject; });
  GPODE_CHECK(found != splits.end());
  return *found;
}

std::vector<Matrix> SequencesOf(const Archive& archive, const char* part, Eigen::Index frames,
                                const std::string& file) {
  const auto found = archive.find(part);
  if (found == archive.end()) {
    internal::ThrowAt(file,
                      fmt::format("has no array '{}', must have train, validation and test", part));
  }
  const Array& array = found->second;
  if (array.shape.size() != 3 || array.shape[0] == 0 ||
      static_cast<Eigen::Index>(array.shape[1]) != frames ||
      static_cast<Eigen::Index>(array.shape[2]) != kChannels) {
    internal::ThrowAt(file, fmt::format("array '{}' is of shape ({}), must be (sequences, {}, {})",
                                        part, fmt::join(array.shape, ", "), frames, kChannels));
  }
  CheckFinite(file, part, array.values);
  std::vector<Matrix> sequences;
  for (std::size_t n = 0; n < array.shape[0]; ++n) {
    const double* const first =
        array.values.data() + n * static_cast<std::size_t>(frames * kChannels);
    sequences.emplace_back(Eigen::Map<const Matrix>(first, frames, kChannels));
  }
  return sequences;
}

MocapSequences FromArchive(const std::filesystem::path& path, const Split& split) {
  const Archive archive = ReadNpz(path);
  const auto part = [&](const char* name) {
    return SequencesOf(archive, name, split.frames, path.string());
  };
  return {part("train"), part("validation"), part("test")};
}

std::filesystem::path ArchiveIn(const std::filesystem::path& folder, std::string_view subject) {
  return folder / fmt::format("mocap{}.npz", subject);
}

// Returns the folder of the subject's motions, or nothing if there are none.
std::optional<std::filesystem::path> MotionFolder(const std::filesystem::path& folder,
                                                  const Split& split) {
  const std::string subject(split.subject);
  const std::string first = fmt::format("{}_{:02}.amc", subject, split.train[0]);
  for (const std::filesystem::path& candidate :
       {folder / subject, folder / "subjects" / subject, folder}) {
    std::error_code error;
    if (std::filesystem::exists(candidate / first, error)) return candidate;
  }
  return std::nullopt;
}

Matrix ReadMotion(const std::filesystem::path& path, Eigen::Index frames) {
  const Dataset motion = ReadAmc(std::array{path});
  const Matrix& all = motion.trajectories[0].values;
  std::vector<Eigen::Index> kept;
  for (std::size_t c = 0; c < motion.channels.size(); ++c) {
    const std::string& name = motion.channels[c];
    const std::string_view bone = std::string_view(name).substr(0, name.rfind('.'));
    if (std::find(kLeftOut.begin(), kLeftOut.end(), bone) == kLeftOut.end()) {
      kept.push_back(static_cast<Eigen::Index>(c));
    }
  }
  if (static_cast<Eigen::Index>(kept.size()) != kChannels) {
    internal::ThrowAt(path.string(),
                      fmt::format("has {} channels besides hands, fingers, thumbs and toes, "
                                  "must have {}",
                                  kept.size(), kChannels));
  }
  if (all.rows() < frames) {
    internal::ThrowAt(path.string(),
                      fmt::format("has {} frames, must have at least {}", all.rows(), frames));
  }
  Matrix values = all.topRows(frames)(Eigen::all, kept);
  const Matrix place = values.leftCols(3);
  values.topLeftCorner(frames - 1, 3) = place.bottomRows(frames - 1) - place.topRows(frames - 1);
  values.row(frames - 1).head(3) = values.row(frames - 2).head(3);
  return values;
}

MocapSequences FromMotions(const std::filesystem::path& folder, const Split& split) {
  const auto read = [&](const std::vector<int>& numbers) {
    std::vector<Matrix> sequences;
    for (int number : numbers) {
      sequences.push_back(
          ReadMotion(folder / fmt::format("{}_{:02}.amc", split.subject, number), split.frames));
    }
    return sequences;
  };
  MocapSequences all{read(split.train), read(split.validation), read(split.test)};
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(kChannels);
  double count = 0;
  for (const auto* part : {&all.train, &all.validation, &all.test}) {
    for (const Matrix& values : *part) {
      sum += values.colwise().sum();
      count += static_cast<double>(values.rows());
    }
  }
  for (auto* part : {&all.train, &all.validation, &all.test}) {
    for (Matrix& values : *part) values.rowwise() -= sum / count;
  }
  return all;
}

}  // namespace

std::string MocapSources() {
  return "mocap09.npz, mocap35.npz and mocap39.npz "
         "(data/mocap of github.com/hegdepashupati/gaussian-process-odes), "
         "or the .amc files of subjects 09, 35 and 39 (mocap.cs.cmu.edu) as 09/09_01.amc, ...";
}

bool HasMocap(const std::filesystem::path& folder, std::string_view subject) {
  std::error_code error;
  return std::filesystem::exists(ArchiveIn(folder, subject), error) ||
         MotionFolder(folder, SplitOf(subject)).has_value();
}

MocapSequences ReadMocap(const std::filesystem::path& folder, std::string_view subject) {
  const Split& split = SplitOf(subject);
  const std::filesystem::path archive = ArchiveIn(folder, subject);
  std::error_code error;
  if (std::filesystem::exists(archive, error)) return FromArchive(archive, split);
  const std::optional<std::filesystem::path> motions = MotionFolder(folder, split);
  if (!motions) {
    internal::ThrowAt(folder.string(), fmt::format("holds neither mocap{0}.npz nor "
                                                   "{0}/{0}_{1:02}.amc, must hold {2}",
                                                   subject, split.train[0], MocapSources()));
  }
  return FromMotions(*motions, split);
}

}  // namespace gpode::experiments
