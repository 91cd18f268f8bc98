// Shorter lists of remarks: those that say the same about many channels become one.
//
// Thread safety: any thread may call this function.
//
//   for (const std::string& line : SummariseRemarks(AllRemarks(trained, quality))) ...
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpode {

// Returns the remarks themselves if there are at most `most`. Otherwise remarks that begin with
// "channel 'NAME'" and differ only in the name and in numbers become one, which counts the
// channels, names a few, and gives the range of each number. The order is that of the first remark
// of a kind.
std::vector<std::string> SummariseRemarks(const std::vector<std::string>& remarks,
                                          std::size_t most = 6);

}  // namespace gpode
