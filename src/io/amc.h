// Motion capture: skeletons (.asf) and motions (.amc) of Acclaim. See gpode/data_files.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text_records.h"

namespace gpode::internal {

// A bone and what of it moves: "rx", "ry", ...
struct Bone {
  std::string name;
  std::vector<std::string> freedoms;
};

// All bones that move, the root among them.
struct Skeleton {
  std::string file;
  std::vector<Bone> bones;

  const Bone* Find(std::string_view name) const;
};

Skeleton ParseAsf(TextRecords* lines);

// The words of a line, separated by spaces and tabs.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace gpode::internal
