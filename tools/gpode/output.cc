#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "gpode/npz.h"
#include "io/files.h"
#include "io/number_text.h"
#include "readable.h"

namespace gpode::tool {

void CheckTable(std::string_view name, std::span<const std::string> inputs) {
  CheckOutput(name, inputs);
  const std::string extension = std::filesystem::path(name).extension().string();
  for (const char* other : {".gpode", ".npy", ".amc", ".asf", ".toml"}) {
    if (!internal::SameWord(extension, other)) continue;
    internal::ThrowAt(name, "is not the name of a table, must end in .csv or .npz");
  }
}

void CheckOutput(std::string_view name, std::span<const std::string> inputs) {
  if (name == "-") return;
  const std::filesystem::path path(name);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    internal::ThrowAt(name, "is a directory, must be a file");
  }
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    internal::ThrowAt(name, "is a device or pipe, must be a file, or - for standard output");
  }
  for (const std::string& input : inputs) {
    if (!std::filesystem::equivalent(path, input, error)) continue;
    internal::ThrowAt(name, "is also an input, must be another file");
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    internal::ThrowAt(name, fmt::format("folder {} does not exist, must exist",
                                        internal::Quote(folder.string())));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    internal::ThrowAt(name,
                      fmt::format("cannot be written: {}", std::generic_category().message(errno)));
  }
}

namespace {

void WriteToStandardOutput(std::span<const Column> columns) {
  try {
    WriteCsv(std::cout, columns);
  } catch (const InputError&) {
    if (std::cout) throw;
    throw InputError("standard output cannot be written completely");
  }
}

}  // namespace

void WriteResult(const std::string& path, const Dataset& data) {
  CheckReadable(path, data);
  if (path == "-") {
    WriteToStandardOutput(ColumnsOf(data));
  } else {
    WriteDataset(path, data);
  }
}

void WriteResult(const std::string& path, std::span<const Column> columns) {
  CheckReadable(path, columns);
  if (path == "-") {
    WriteToStandardOutput(columns);
  } else if (internal::SameWord(std::filesystem::path(path).extension().string(), ".npz")) {
    Archive archive;
    for (const Column& column : columns) {
      archive[column.name] = {{column.numbers.size()}, column.numbers};
    }
    WriteNpz(path, archive);
  } else {
    WriteCsv(path, columns);
  }
}

void PrintLine(std::string_view text) { fmt::print("{}\n", text); }

void PrintRemark(std::string_view text) { fmt::print(stderr, "{}\n", text); }

bool Coloured() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

bool ErrorIsTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace gpode::tool
