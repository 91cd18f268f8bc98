// Round numbers along an axis, and how they are written.
//
//   TicksOf({.from = -0.3, .to = 7.1}, 5);  // 0, 2, 4, 6
#pragma once

#include <string>
#include <vector>

namespace gpode::report {

struct Axis {
  double from = 0, to = 1;  // from < to, and both positive if logarithmic
  std::string label = {};
  bool logarithmic = false;
  bool whole = false;              // ticks at whole numbers only
  std::vector<double> marks = {};  // ticks there, instead of at round numbers
  bool bare = false;               // without numbers and name: another panel's are beside them

  // Where a value is: 0 at `from`, 1 at `to`.
  double Share(double value) const;
};

struct Tick {
  double value;
  std::string text;
};

// At most `most` of them, at least two wherever that is possible.
std::vector<Tick> TicksOf(const Axis& axis, std::size_t most);

// 1, 2 or 5 times a power of ten: the largest such number that is not above `value`, positive.
double RoundDown(double value);

}  // namespace gpode::report
