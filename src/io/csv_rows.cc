#include "io/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/csv_cells.h"
#include "io/files.h"
#include "io/reading.h"

namespace gpode::internal {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string_view DescribeJoining(DuplicateTimes how) {
  return how == DuplicateTimes::kAverage ? "averaged"
         : how == DuplicateTimes::kFirst ? "left out but the first"
                                         : "left out but the last";
}

}  // namespace

void RowTable::SetTrajectory(const std::string& name) {
  const auto [found, is_new] = indices_.try_emplace(name, tables_.size());
  if (is_new) tables_.emplace_back().trajectory.name = name;
  current_ = &tables_[found->second];
}

void RowTable::Grow() {
  Matrix& matrix = current_->trajectory.values;
  // realloc moves the pages of a large matrix instead of copying them, so that the old and the new
  // matrix do not need memory at the same time.
  matrix.conservativeResize(std::max<Eigen::Index>(16, matrix.rows() + matrix.rows() / 2),
                            static_cast<Eigen::Index>(channels_));
}

bool RowTable::CheckOrder(double time, const std::vector<double>& values) {
  const std::vector<double>& times = current_->trajectory.times;
  if (time == times.back() && options_.duplicates != DuplicateTimes::kRefuse) {
    Join(values);
    return false;
  }
  current_->joined.clear();
  if (time < times.back() && rows() == 1) current_->falls = true;
  if (!(current_->falls ? time < times.back() : time > times.back())) FailOrder(time);
  return true;
}

void RowTable::Join(const std::vector<double>& values) {
  Matrix& matrix = current_->trajectory.values;
  const auto row = static_cast<Eigen::Index>(current_->trajectory.times.size()) - 1;
  ++joined_rows_;
  if (options_.duplicates == DuplicateTimes::kFirst) return;
  std::vector<std::size_t>& joined = current_->joined;
  // The counts of joined values belong to one row, whose number is the last entry. They start anew
  // if that is an earlier row.
  if (joined.empty() || current_->trajectory.times.size() != joined.back()) {
    joined.assign(channels_ + 1, 0);
    for (std::size_t c = 0; c < channels_; ++c) {
      joined[c] = std::isnan(matrix(row, static_cast<Eigen::Index>(c))) ? 0 : 1;
    }
    joined.back() = current_->trajectory.times.size();
  }
  for (std::size_t c = 0; c < channels_; ++c) {
    double& mean = matrix(row, static_cast<Eigen::Index>(c));
    if (std::isnan(values[c])) continue;
    if (options_.duplicates == DuplicateTimes::kLast || joined[c] == 0) {
      mean = values[c];
      joined[c] = 1;
    } else {
      mean += (values[c] - mean) / static_cast<double>(++joined[c]);
    }
  }
}

void RowTable::FailOrder(double time) const {
  const std::string& name = current_->trajectory.name;
  const double before = current_->trajectory.times.back();
  const std::string where = name.empty() ? "" : fmt::format(" of trajectory {}", Quote(name, 40));
  if (time == before) {
    records_.Fail(records_.text().data(),
                  fmt::format("time {}{} is repeated from line {}, times must increase; see "
                              "--duplicates, --trajectories-by and --long",
                              time, where, current_->last_line));
  }
  records_.Fail(
      records_.text().data(),
      fmt::format("time {}{} comes after {} on line {}, times must {}{}; see "
                  "--trajectories-by and --long",
                  time, where, before, current_->last_line, current_->falls ? "fall" : "increase",
                  current_->falls ? " as in the rows before" : ""));
}

// Offers the first rows of a table to the sample, and removes them from the table.
void RowTable::Cut(std::size_t rows, Table* table) {
  Trajectory& t = table->trajectory;
  const auto end = static_cast<Eigen::Index>(rows);
  const auto left = static_cast<Eigen::Index>(t.times.size()) - end;
  RowWindow window{.trajectory = static_cast<std::size_t>(table - tables_.data()),
                   .number = table->windows++,
                   .first_row = table->cut_rows,
                   .times = {t.times.begin(), t.times.begin() + end},
                   .values = t.values.topRows(end)};
  sample_->Offer(std::move(window));
  t.times.erase(t.times.begin(), t.times.begin() + end);
  t.values.topRows(left) = t.values.middleRows(end, left).eval();  // there is room for more rows
  table->cut_rows += rows;
  table->joined.clear();
  buffered_ -= rows;
}

// Cuts a window off the current table as soon as the table has two rows more than a window, so that
// the last window of a trajectory has at least two rows. If too many rows are in memory, because
// many trajectories have ended or are interleaved, cuts shorter windows off all other tables.
void RowTable::CutIfFull() {
  constexpr std::size_t kMostBuffered = 1'000'000;
  ++buffered_;
  if (current_->trajectory.times.size() == WindowSample::kWindow + 2) {
    Cut(WindowSample::kWindow, current_);
  }
  if (buffered_ <= least_buffered_ + kMostBuffered) return;
  for (Table& table : tables_) {
    const std::size_t rows = table.trajectory.times.size();
    if (&table == current_ || rows < 2) continue;
    Cut(rows, &table);
    table.trajectory.times.shrink_to_fit();
    table.trajectory.values.resize(0, table.trajectory.values.cols());
  }
  least_buffered_ = buffered_;
}

Trajectory RowTable::TrajectoryOf(RowWindow window) {
  const Table& table = tables_[window.trajectory];
  const std::string& name = table.trajectory.name;
  Trajectory t;
  t.name = name.empty() ? NameOf(records_.name()) : name;
  t.times = std::move(window.times);
  t.values = std::move(window.values);
  if (t.times.size() < table.cut_rows) {
    t.name +=
        fmt::format(" rows {} to {}", window.first_row + 1, window.first_row + t.times.size());
  }
  if (table.falls) {
    std::reverse(t.times.begin(), t.times.end());
    t.values.colwise().reverseInPlace();
  }
  return t;
}

std::vector<Trajectory> RowTable::FinishSample(std::vector<std::string>* notes) {
  std::size_t all = 0, kept = 0;
  for (Table& table : tables_) {
    const std::size_t rows = table.trajectory.times.size();
    if (rows > 1 || table.cut_rows == 0) {
      Cut(rows, &table);
    } else {
      table.cut_rows += rows;  // a single row at the end says nothing about the dynamics
    }
    all += table.cut_rows;
  }
  std::vector<Trajectory> trajectories;
  for (RowWindow& window : std::move(*sample_).Take()) {
    trajectories.push_back(TrajectoryOf(std::move(window)));
    kept += trajectories.back().times.size();
  }
  if (kept < all) {
    notes->push_back(fmt::format("kept a random sample: {} of {} rows, in {} windows", kept, all,
                                 trajectories.size()));
  }
  return trajectories;
}

std::vector<Trajectory> RowTable::Finish(std::vector<std::string>* notes) {
  if (sample_) return FinishSample(notes);
  std::vector<Trajectory> trajectories;
  bool reversed = false;
  for (Table& table : tables_) {
    Trajectory& t = table.trajectory;
    t.values.conservativeResize(static_cast<Eigen::Index>(t.times.size()), t.values.cols());
    t.times.shrink_to_fit();
    if (table.falls) {
      std::reverse(t.times.begin(), t.times.end());
      t.values.colwise().reverseInPlace();
      reversed = true;
    }
    trajectories.push_back(std::move(t));
  }
  if (reversed) notes->push_back("sorted the rows, which begin with the newest");
  if (joined_rows_ > 0) {
    notes->push_back(fmt::format("{} with a repeated time {}",
                                 joined_rows_ == 1 ? "1 row" : fmt::format("{} rows", joined_rows_),
                                 DescribeJoining(options_.duplicates)));
  }
  return trajectories;
}

std::size_t LongTable::IndexOf(const std::string& name,
                               std::unordered_map<std::string, std::size_t>* known,
                               std::size_t count) const {
  return known->try_emplace(name, count).first->second;
}

void LongTable::Add(const std::string& trajectory, double time, const std::string& channel,
                    double value) {
  const std::size_t t = IndexOf(trajectory, &table_of_, tables_.size());
  if (t == tables_.size()) tables_.push_back({trajectory, {}});
  const std::size_t c = IndexOf(channel, &channel_of_, channels_.size());
  if (c == channels_.size()) {
    if (c == kMostColumns) {
      records_.FailFile(
          fmt::format("has more than {0} channels, must be at most {0}", kMostColumns));
    }
    channels_.push_back(channel);
  }
  Cell& cell = tables_[t].rows[time][c];
  if (cell.line == 0) {
    cell = {value, std::isnan(value) ? std::size_t{0} : 1, records_.line()};
  } else {
    Join(value, time, channel, &cell);
  }
}

void LongTable::Join(double value, double time, const std::string& channel, Cell* cell) {
  if (options_.duplicates == DuplicateTimes::kRefuse) {
    records_.Fail(records_.text().data(),
                  fmt::format("{} at time {} is repeated from line {}, must be there once; see "
                              "--duplicates and --trajectories-by",
                              Quote(channel, 40), time, cell->line));
  }
  ++joined_values_;
  if (std::isnan(value) || (options_.duplicates == DuplicateTimes::kFirst && cell->count > 0)) {
    return;
  }
  if (options_.duplicates == DuplicateTimes::kLast || cell->count == 0) {
    cell->value = value;
    cell->count = 1;
  } else {
    cell->value += (value - cell->value) / static_cast<double>(++cell->count);
  }
}

Dataset LongTable::Finish(std::vector<std::string>* notes) {
  Dataset data{.channels = channels_, .trajectories = {}};
  for (Table& table : tables_) {
    Trajectory& t = data.trajectories.emplace_back();
    t.name = table.name;
    t.values = Matrix::Constant(static_cast<Eigen::Index>(table.rows.size()),
                                static_cast<Eigen::Index>(channels_.size()), kNan);
    Eigen::Index row = 0;
    for (const auto& [time, cells] : table.rows) {
      t.times.push_back(time);
      for (const auto& [channel, cell] : cells) {
        t.values(row, static_cast<Eigen::Index>(channel)) = cell.value;
      }
      ++row;
    }
    table.rows.clear();
  }
  if (joined_values_ > 0) {
    notes->push_back(
        fmt::format("{} at a repeated time {}",
                    joined_values_ == 1 ? "1 value" : fmt::format("{} values", joined_values_),
                    DescribeJoining(options_.duplicates)));
  }
  return data;
}

}  // namespace gpode::internal
