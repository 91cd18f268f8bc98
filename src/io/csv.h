// The reader of CSV files. See gpode/data_files.h.
#pragma once

#include "gpode/data_files.h"
#include "io/text_records.h"

namespace gpode::internal {

// Reads one CSV file. The caller checks the whole data set, which may consist of several files.
Dataset ParseCsv(TextRecords* records, const ReadOptions& options);

}  // namespace gpode::internal
