// Motion capture in the formats of Acclaim, as in the CMU database of the paper (section S2.3):
// skeletons (.asf) and motions (.amc). See gpode/data_files.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text_records.h"

namespace gpode::internal {

// A bone and the names of its degrees of freedom: "rx" is a rotation about the x axis, and so on.
struct Bone {
  std::string name;
  std::vector<std::string> freedoms;
};

// A skeleton: the bones that have degrees of freedom, including the root.
struct Skeleton {
  std::string file;
  std::vector<Bone> bones;

  // Returns nullptr if there is no such bone.
  const Bone* Find(std::string_view name) const;
};

Skeleton ParseAsf(TextRecords* lines);

// Returns the words of a line, which are separated by white space.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace gpode::internal
