// The rows of a CSV file as trajectories: one row per time, or in long format one value per row.
//
// Thread safety: an object belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpode/data_files.h"
#include "io/text_records.h"
#include "io/window_sample.h"

namespace gpode::internal {

// Collects the rows of trajectories whose times rise or, if the file begins with the newest row,
// fall. Other orders are errors; equal times are treated as the options say. If the options ask for
// a sample of the rows, only that is kept in memory.
class RowTable {
 public:
  RowTable(const TextRecords* records, const ReadOptions& options, std::size_t channels)
      : records_(*records), options_(options), channels_(channels) {
    if (options.sample_rows > 0) sample_.emplace(options.sample_rows);
  }

  // Chooses the trajectory of the rows to come.
  void SetTrajectory(const std::string& name);
  // Returns the number of rows that the current trajectory has.
  std::size_t rows() const {
    return current_ == nullptr ? 0 : current_->cut_rows + current_->trajectory.times.size();
  }
  // Adds a row of the current record.
  void Add(double time, const std::vector<double>& values) {
    if (current_ == nullptr) SetTrajectory("");
    const std::vector<double>& times = current_->trajectory.times;
    if (!times.empty() && !(time > times.back() && !current_->falls)) [[unlikely]] {
      if (!CheckOrder(time, values)) return;
    }
    Append(time, values);
  }

  bool empty() const { return tables_.empty(); }
  // Returns the trajectories. Adds to `notes` what was reordered or joined.
  std::vector<Trajectory> Finish(std::vector<std::string>* notes);

 private:
  // A trajectory that is being read. Its matrix has room for more rows than were read so far.
  struct Table {
    Trajectory trajectory;
    std::size_t last_line = 0;
    bool falls = false;  // true if times decrease from row to row
    // The number of values of each channel that were joined in one row, then the number of that
    // row. Empty if no rows were joined.
    std::vector<std::size_t> joined = {};
    // The numbers of earlier rows and windows, which were cut off and offered to the sample.
    std::size_t cut_rows = 0, windows = 0;
  };

  void Append(double time, const std::vector<double>& values) {
    Matrix& matrix = current_->trajectory.values;
    std::vector<double>& times = current_->trajectory.times;
    const auto row = static_cast<Eigen::Index>(times.size());
    if (row == matrix.rows()) Grow();
    std::copy(values.begin(), values.end(), matrix.data() + row * matrix.cols());
    times.push_back(time);
    current_->last_line = records_.line();
    if (sample_) [[unlikely]]
      CutIfFull();
  }
  void Grow();
  void CutIfFull();
  void Cut(std::size_t rows, Table* table);
  std::vector<Trajectory> FinishSample(std::vector<std::string>* notes);
  Trajectory TrajectoryOf(RowWindow window);
  // Handles a row that is not later than the one before: returns true if it is to be added, and
  // false if it was joined with the one before.
  bool CheckOrder(double time, const std::vector<double>& values);
  void Join(const std::vector<double>& values);
  [[noreturn]] void FailOrder(double time) const;

  const TextRecords& records_;
  const ReadOptions& options_;
  std::size_t channels_;
  Table* current_ = nullptr;
  std::vector<Table> tables_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::size_t joined_rows_ = 0;
  std::optional<WindowSample> sample_;
  // The number of rows in tables_ if there is a sample, and that number after all tables were last
  // cut.
  std::size_t buffered_ = 0, least_buffered_ = 0;
};

// Collects values in long format: a trajectory, a time and a channel for each.
class LongTable {
 public:
  LongTable(const TextRecords* records, const ReadOptions& options)
      : records_(*records), options_(options) {}

  void Add(const std::string& trajectory, double time, const std::string& channel, double value);
  bool empty() const { return tables_.empty(); }
  // Returns the data set, with channels in the order of their first values.
  Dataset Finish(std::vector<std::string>* notes);

 private:
  struct Cell {
    double value = 0;
    std::size_t count = 0, line = 0;
  };
  struct Table {
    std::string name;
    std::map<double, std::map<std::size_t, Cell>> rows;  // by time and channel
  };

  std::size_t IndexOf(const std::string& name, std::unordered_map<std::string, std::size_t>* known,
                      std::size_t count) const;
  void Join(double value, double time, const std::string& channel, Cell* cell);

  const TextRecords& records_;
  const ReadOptions& options_;
  std::vector<Table> tables_;
  std::vector<std::string> channels_;
  std::unordered_map<std::string, std::size_t> table_of_, channel_of_;
  std::size_t joined_values_ = 0;
};

}  // namespace gpode::internal
