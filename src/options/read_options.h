// The members of ReadOptions as text, with their names in configuration and model files.
#pragma once

#include "gpode/data_files.h"

namespace gpode::internal {

// Calls visit(name, member) for the members that describe a kind of file. A model keeps them, to
// read later files of the same kind.
template <typename Options, typename Visit>
void ForKindOfFile(Options& options, Visit&& visit) {
  visit("time", options.time_column);
  visit("trajectories_by", options.trajectory_column);
  visit("inputs", options.inputs);
  visit("separator", options.separator);
  visit("decimal", options.decimal);
  visit("missing", options.missing);
  visit("skip", options.skip);
  visit("header", options.header);
  visit("dt", options.dt);
  visit("long_name", options.long_name);
  visit("long_value", options.long_value);
  visit("duplicates", options.duplicates);
  visit("time_format", options.time_format);
  visit("date_order", options.date_order);
  visit("time_unit", options.time_unit);
  visit("frame_rate", options.frame_rate);
}

// Calls visit(name, member) for the members that choose a part of a file.
template <typename Options, typename Visit>
void ForPartOfFile(Options& options, Visit&& visit) {
  visit("channels", options.channels);
  visit("part", options.part);
  visit("after", options.after);
  visit("until", options.until);
  visit("every", options.every);
  visit("only", options.only);
  visit("sample_rows", options.sample_rows);
}

}  // namespace gpode::internal
