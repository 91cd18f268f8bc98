// The reader of skeleton files (.asf). A skeleton consists of sections that begin with ":name". The
// section :root lists the root's degrees of freedom in order; :bonedata has one "begin ... end" per
// bone, with its name and its degrees of freedom.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/amc.h"
#include "io/number_text.h"
#include "io/utf8.h"

namespace gpode::internal {
namespace {

constexpr std::size_t kMostBones = 4096;

std::string Lower(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

class AsfParser {
 public:
  explicit AsfParser(TextRecords* lines) : lines_(*lines) {}

  Skeleton Parse() {
    skeleton_.file = lines_.name();
    while (lines_.Next()) {
      const std::vector<std::string_view> words = Words(lines_.text());
      if (!words.empty() && words[0][0] != '#') TakeLine(words);
    }
    if (in_bone_) lines_.FailFile("ends inside a bone, must have 'end'");
    if (skeleton_.bones.empty()) lines_.FailFile("has no bone that moves, must have at least one");
    return std::move(skeleton_);
  }

 private:
  using Line = std::vector<std::string_view>;

  void TakeLine(const Line& words) {
    if (words[0][0] == ':') {
      section_ = Lower(words[0]);
    } else if (section_ == ":root" && SameWord(words[0], "order")) {
      AddBone({"root", Freedoms(words)});
    } else if (section_ == ":bonedata") {
      TakeBoneLine(words);
    }
  }

  void TakeBoneLine(const Line& words) {
    if (SameWord(words[0], "begin")) {
      if (in_bone_)
        lines_.Fail(words[0].data(), "'begin' found inside a bone, must be 'end' first");
      in_bone_ = true;
      bone_ = {};
    } else if (SameWord(words[0], "end")) {
      if (!in_bone_) lines_.Fail(words[0].data(), "'end' found without 'begin'");
      in_bone_ = false;
      if (bone_.name.empty())
        lines_.Fail(words[0].data(), "a bone without name ends, must have one");
      if (!bone_.freedoms.empty()) AddBone(bone_);
    } else if (SameWord(words[0], "name")) {
      if (words.size() != 2 || !IsPrintableUtf8(words[1])) {
        lines_.Fail(words[0].data(), "'name' must be followed by one word");
      }
      bone_.name = words[1];
    } else if (SameWord(words[0], "dof")) {
      bone_.freedoms = Freedoms(words);
    }
  }

  std::vector<std::string> Freedoms(const Line& words) const {
    static constexpr std::array<std::string_view, 7> kKnown = {"tx", "ty", "tz", "rx",
                                                               "ry", "rz", "l"};
    std::vector<std::string> freedoms;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string word = Lower(words[i]);
      if (std::find(kKnown.begin(), kKnown.end(), word) == kKnown.end() ||
          std::find(freedoms.begin(), freedoms.end(), word) != freedoms.end()) {
        lines_.Fail(words[i].data(),
                    fmt::format("{} found, must be each of tx, ty, tz, rx, ry, rz, l once at most",
                                Quote(words[i], 40)));
      }
      freedoms.push_back(word);
    }
    return freedoms;
  }

  void AddBone(Bone bone) {
    if (skeleton_.Find(bone.name) != nullptr) {
      lines_.Fail(lines_.text().data(),
                  fmt::format("bone {} found twice, names must differ", Quote(bone.name, 40)));
    }
    if (skeleton_.bones.size() == kMostBones) {
      lines_.Fail(lines_.text().data(),
                  fmt::format("more than {0} bones found, must be at most {0}", kMostBones));
    }
    skeleton_.bones.push_back(std::move(bone));
  }

  TextRecords& lines_;
  Skeleton skeleton_;
  std::string section_;
  Bone bone_;
  bool in_bone_ = false;
};

}  // namespace

const Bone* Skeleton::Find(std::string_view name) const {
  const auto found =
      std::find_if(bones.begin(), bones.end(), [&](const Bone& b) { return b.name == name; });
  return found == bones.end() ? nullptr : &*found;
}

Skeleton ParseAsf(TextRecords* lines) { return AsfParser(lines).Parse(); }

std::vector<std::string_view> Words(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

}  // namespace gpode::internal
