// Motion capture: skeletons (.asf) and motions (.amc) of Acclaim. See gpode/data_files.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text_records.h"

namespace gpode::internal {

// A bone and its degrees of freedom: "rx", "ry", ...
struct Bone {
  std::string name;
  std::vector<std::string> freedoms;
};

// A skeleton with all bones that move, including the root.
struct Skeleton {
  std::string file;
  std::vector<Bone> bones;

  // Returns nullptr if there is no such bone.
  const Bone* Find(std::string_view name) const;
};

Skeleton ParseAsf(TextRecords* lines);

// Returns the words of a line, which are separated by spaces and tabs.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace gpode::internal
