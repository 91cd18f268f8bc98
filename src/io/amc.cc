// The reader of motion files (.amc). A motion consists of frames: a line with the frame's number,
// followed by one line "BONE number ..." per bone.
#include "io/amc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "gpode/data_files.h"
#include "gpode/error.h"
#include "io/csv_cells.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/utf8.h"

namespace gpode {
namespace internal {
namespace {

class AmcParser {
 public:
  AmcParser(TextRecords* lines, const std::optional<Skeleton>& skeleton, const ReadOptions& options)
      : lines_(*lines), skeleton_(skeleton), options_(options) {}

  Dataset Parse() {
    while (lines_.Next()) {
      const std::vector<std::string_view> words = Words(lines_.text());
      if (words.empty() || words[0][0] == '#') continue;
      if (words[0][0] == ':') {
        CheckDirective(words[0]);
      } else if (IsFrame(words)) {
        BeginFrame(words[0]);
      } else {
        TakeBone(words);
      }
    }
    if (frames_ == 0) lines_.FailFile("has no frame, must have at least one");
    EndFrame(nullptr);
    return Result();
  }

 private:
  using Line = std::vector<std::string_view>;

  void CheckDirective(std::string_view word) const {
    static constexpr std::array<std::string_view, 3> kKnown = {":fully-specified", ":degrees",
                                                               ":radians"};
    if (std::none_of(kKnown.begin(), kKnown.end(),
                     [&](std::string_view known) { return SameWord(word, known); })) {
      lines_.Fail(
          word.data(),
          fmt::format("{} found, must be :FULLY-SPECIFIED, :DEGREES or :RADIANS", Quote(word, 40)));
    }
  }

  static bool IsFrame(const Line& words) {
    return words.size() == 1 && ToNumber(words[0]).has_value();
  }

  void BeginFrame(std::string_view word) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    constexpr std::int64_t kMost = std::int64_t{1} << 53;  // doubles hold integers up to here
    if (error != std::errc() || stop != word.data() + word.size() || number < 0 || number > kMost) {
      lines_.Fail(word.data(),
                  fmt::format("frame {} found, must be a whole number", Quote(word, 40)));
    }
    if (frames_ > 0) {
      EndFrame(word.data());
      if (number <= frame_) {
        lines_.Fail(word.data(),
                    fmt::format("frame {} comes after {}, frames must increase", number, frame_));
      }
    }
    frame_ = number;
    ++frames_;
    bone_ = 0;
    row_.clear();
  }

  // Checks the current frame and stores it. `at` is the place of the next frame's number in the
  // text, for messages, or nullptr at the end of the file.
  void EndFrame(const char* at) {
    if (frames_ == 1 && bone_ > 0) first_is_whole_ = true;
    if (!first_is_whole_ || bone_ < bones_.size()) {
      const std::string message =
          fmt::format("frame {} ends after {} bones, must have {}", frame_, bone_,
                      first_is_whole_ ? std::to_string(bones_.size()) : "at least one");
      if (at == nullptr) lines_.FailFile(message);
      lines_.Fail(at, message);
    }
    times_.push_back(static_cast<double>(frame_) / options_.frame_rate);
    values_.insert(values_.end(), row_.begin(), row_.end());
  }

  void TakeBone(const Line& words) {
    if (frames_ == 0) {
      lines_.Fail(
          words[0].data(),
          fmt::format("{} found before the first frame, must be its number", Quote(words[0], 40)));
    }
    if (!first_is_whole_) {
      AddBone(words);
    } else if (bone_ == bones_.size() || words[0] != bones_[bone_].name) {
      lines_.Fail(
          words[0].data(),
          fmt::format("{} found, must be {} as in the first frame", Quote(words[0], 40),
                      bone_ == bones_.size() ? "a frame's number" : Quote(bones_[bone_].name, 40)));
    }
    CheckCount(words, bones_[bone_].freedoms.size(), "in the first frame");
    for (std::size_t i = 1; i < words.size(); ++i) row_.push_back(TakeNumber(words[i]));
    ++bone_;
  }

  double TakeNumber(std::string_view word) const {
    const std::optional<double> value = ToNumber(word);
    if (!value || !std::isfinite(*value)) {
      lines_.Fail(word.data(), fmt::format("{} found, must be a finite number", Quote(word, 40)));
    }
    return *value;
  }

  void CheckCount(const Line& words, std::size_t expected, std::string_view where) const {
    if (words.size() - 1 == expected) return;
    lines_.Fail(words[0].data(),
                fmt::format("{} numbers found for bone {}, must be {} as {}", words.size() - 1,
                            Quote(words[0], 40), expected, where));
  }

  // Adds a bone of the first frame, which defines the bones of all frames.
  void AddBone(const Line& words) {
    const std::string name(words[0]);
    if (!IsPrintableUtf8(name)) {
      lines_.Fail(words[0].data(),
                  fmt::format("bone {} found, must be printable UTF-8", Quote(name, 40)));
    }
    if (words.size() == 1) lines_.Fail(words[0].data(), "no number found, must have at least one");
    if (!names_.insert(name).second) {
      lines_.Fail(words[0].data(), fmt::format("bone {} found twice in a frame, must be there once",
                                               Quote(name, 40)));
    }
    Bone bone{name, {}};
    if (skeleton_) {
      const Bone* const known = skeleton_->Find(name);
      if (known == nullptr) {
        lines_.Fail(words[0].data(), fmt::format("bone {} found, must be one that moves in {}",
                                                 Quote(name, 40), skeleton_->file));
      }
      CheckCount(words, known->freedoms.size(), "in " + skeleton_->file);
      bone = *known;
    } else {
      for (std::size_t i = 1; i < words.size(); ++i) bone.freedoms.push_back(std::to_string(i));
    }
    channels_ += bone.freedoms.size();
    if (channels_ > kMostColumns) {
      lines_.Fail(
          words[0].data(),
          fmt::format("more than {0} numbers found in a frame, must be at most {0}", kMostColumns));
    }
    bones_.push_back(std::move(bone));
  }

  Dataset Result() {
    Dataset data;
    for (const Bone& bone : bones_) {
      for (const std::string& freedom : bone.freedoms) {
        data.channels.push_back(fmt::format("{}.{}", bone.name, freedom));
      }
    }
    Trajectory& t = data.trajectories.emplace_back();
    t.name = NameOf(lines_.name());
    t.values = Eigen::Map<const Matrix>(values_.data(), static_cast<Eigen::Index>(times_.size()),
                                        static_cast<Eigen::Index>(channels_));
    t.times = std::move(times_);
    return data;
  }

  TextRecords& lines_;
  const std::optional<Skeleton>& skeleton_;
  const ReadOptions& options_;
  std::vector<Bone> bones_;
  std::unordered_set<std::string> names_;
  std::size_t channels_ = 0;
  bool first_is_whole_ = false;        // true once the first frame has ended
  std::size_t frames_ = 0, bone_ = 0;  // frames so far, and bones so far in the current frame
  std::int64_t frame_ = 0;             // the number of the current frame
  std::vector<double> row_, times_, values_;
};

bool IsSkeleton(const std::filesystem::path& path) {
  return SameWord(path.extension().string(), ".asf");
}

std::optional<Skeleton> ReadSkeleton(std::span<const std::filesystem::path> files) {
  std::optional<Skeleton> skeleton;
  for (const std::filesystem::path& path : files) {
    if (!IsSkeleton(path)) continue;
    if (skeleton) ThrowAt(path.string(), "is a second skeleton, there must be one at most");
    TextRecords lines(path, Quoting::kNone);
    skeleton = ParseAsf(&lines);
  }
  return skeleton;
}

void Append(Dataset motion, const std::filesystem::path& path, Dataset* data) {
  if (data->trajectories.empty()) data->channels = motion.channels;
  if (motion.channels != data->channels) {
    ThrowAt(path.string(), fmt::format("channels {} found, must be those of the first motion: {}",
                                       ListOf(motion.channels), ListOf(data->channels)));
  }
  data->trajectories.push_back(std::move(motion.trajectories[0]));
}

void Finish(std::string_view file, const ReadOptions& options, Dataset* data) {
  if (!options.channels.empty()) {
    SelectChannels(ColumnsToRead(options, data->channels), file, data);
  }
  FinishReading(file, options, data, nullptr);
}

}  // namespace
}  // namespace internal

Dataset ReadAmc(std::span<const std::filesystem::path> files, const ReadOptions& options) {
  internal::CheckReadOptions(options);
  const std::optional<internal::Skeleton> skeleton = internal::ReadSkeleton(files);
  Dataset data;
  for (const std::filesystem::path& path : files) {
    if (internal::IsSkeleton(path)) continue;
    internal::TextRecords lines(path, internal::Quoting::kNone);
    internal::Append(internal::AmcParser(&lines, skeleton, options).Parse(), path, &data);
  }
  if (data.trajectories.empty()) {
    ThrowInput("ReadAmc", "files", "have no motion, must have at least one .amc file");
  }
  internal::Finish(files[0].string(), options, &data);
  return data;
}

Dataset ReadAmcText(std::string_view motion, std::string_view motion_name,
                    std::string_view skeleton, std::string_view skeleton_name,
                    const ReadOptions& options) {
  internal::CheckReadOptions(options);
  std::optional<internal::Skeleton> known;
  if (!skeleton.empty()) {
    internal::TextRecords lines(skeleton, skeleton_name, internal::Quoting::kNone);
    known = internal::ParseAsf(&lines);
  }
  internal::TextRecords lines(motion, motion_name, internal::Quoting::kNone);
  Dataset data = internal::AmcParser(&lines, known, options).Parse();
  internal::Finish(motion_name, options, &data);
  return data;
}

}  // namespace gpode
