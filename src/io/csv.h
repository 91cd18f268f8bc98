// Reading CSV, one record after the other. See gpode/data_files.h.
#pragma once

#include "gpode/data_files.h"
#include "io/text_records.h"

namespace gpode::internal {

// Without the checks of a whole data set, which may have more files.
Dataset ParseCsv(TextRecords* records, const ReadOptions& options);

}  // namespace gpode::internal
