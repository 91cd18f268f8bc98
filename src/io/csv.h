// The reader of CSV files. See gpode/data_files.h.
#pragma once

#include <string>
#include <vector>

#include "gpode/data_files.h"
#include "io/text_records.h"

namespace gpode::internal {

// Reads one CSV file. The caller ends the reading of the whole data set, which may consist of
// several files, by FinishReading (reading.h).
Dataset ParseCsv(TextRecords* records, const ReadOptions& options,
                 std::vector<std::string>* notes = nullptr);

}  // namespace gpode::internal
