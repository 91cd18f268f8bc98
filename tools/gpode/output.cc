#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include "gpode/npz.h"
#include "io/files.h"
#include "io/number_text.h"
#include "readable.h"

namespace gpode::tool {

namespace {

// Throws unless the system lets us write to the path. `name` is its name in the message.
void CheckWritable(std::string_view name, const std::filesystem::path& path) {
  if (access(path.c_str(), W_OK) == 0) return;
  internal::ThrowAt(name,
                    fmt::format("cannot be written: {}", std::generic_category().message(errno)));
}

// Throws if there is something at the path that a file must not replace.
void CheckReplaceable(std::string_view name, const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  if (std::filesystem::is_directory(path, error)) {
    internal::ThrowAt(name, "is a directory, must be a file");
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    internal::ThrowAt(name, "is a device or pipe, must be a file, or - for standard output");
  }
  if (const auto names = std::filesystem::hard_link_count(path, error); !error && names > 1) {
    internal::ThrowAt(name, fmt::format("has {} names (hard links), which would become different "
                                        "files; remove this one first, or choose another",
                                        names));
  }
  CheckWritable(name, path);
}

}  // namespace

void CheckEnding(std::string_view name, OutputKind kind) {
  // Endings that say what a file holds. An output may have an ending of its own kind, or one that
  // is not in this list.
  struct Known {
    std::string_view ending;
    OutputKind kind;
  };
  constexpr Known kKnown[] = {
      {".csv", OutputKind::kTable},  {".tsv", OutputKind::kTable},  {".npz", OutputKind::kTable},
      {".html", OutputKind::kPage},  {".htm", OutputKind::kPage},   {".gpode", OutputKind::kModel},
      {".json", OutputKind::kRuns},  {".toml", OutputKind::kOther}, {".npy", OutputKind::kOther},
      {".amc", OutputKind::kOther},  {".asf", OutputKind::kOther},  {".svg", OutputKind::kOther},
      {".png", OutputKind::kOther},  {".pdf", OutputKind::kOther},  {".md", OutputKind::kOther},
      {".xlsx", OutputKind::kOther}, {".py", OutputKind::kOther}};
  const std::string ending = std::filesystem::path(name).extension().string();
  for (const Known& known : kKnown) {
    if (known.kind == kind || !internal::SameWord(ending, known.ending)) continue;
    // A model file is an archive of NumPy, and may be named so.
    if (kind == OutputKind::kModel && known.ending == ".npz") continue;
    if (kind == OutputKind::kJson && known.ending == ".json") continue;
    const std::string_view right =
        kind == OutputKind::kTable   ? "of a table, must end in .csv or .npz"
        : kind == OutputKind::kPage  ? "of a page, must end in .html"
        : kind == OutputKind::kModel ? "of a model, must end in .gpode"
        : kind == OutputKind::kJson  ? "of results as JSON, must end in .json"
        : kind == OutputKind::kText  ? "of equations, must end in .ode, .txt or .tex"
                                     : "of a file of runs, must end in .json";
    internal::ThrowAt(name, fmt::format("is not the name {}", right));
  }
}

void CheckSecondOutput(std::string_view name, OutputKind kind,
                       std::span<const std::string> inputs) {
  if (name.empty()) return;
  if (name == "-") internal::ThrowAt("-", "is standard output, must be a file");
  CheckOutput(name, inputs);
  CheckEnding(name, kind);
}

void CheckTable(std::string_view name, std::span<const std::string> inputs) {
  CheckOutput(name, inputs);
  CheckEnding(name, OutputKind::kTable);
}

void CheckOutput(std::string_view name, std::span<const std::string> inputs) {
  if (name == "-") return;
  std::error_code error;
  for (const std::string& input : inputs) {
    if (!std::filesystem::equivalent(std::filesystem::path(name), input, error)) continue;
    internal::ThrowAt(name, "is also an input, must be another file");
  }
  const std::filesystem::path path = internal::ResolveTarget(name);
  CheckReplaceable(name, path);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    internal::ThrowAt(name, fmt::format("folder {} does not exist, must exist",
                                        internal::Quote(folder.string())));
  }
  CheckWritable(name, folder);
}

namespace {

void WriteTableToStandardOutput(std::span<const Column> columns) {
  // On a terminal, control characters are escaped. A table for another program is written as it is.
  if (isatty(STDOUT_FILENO) == 1) {
    std::ostringstream table;
    WriteCsv(table, columns);
    return WriteToStandardOutput(SafeText(table.str()));
  }
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
    WriteTableToStandardOutput(ColumnsOf(data));
  } else {
    WriteDataset(path, data);
  }
}

void WriteResult(const std::string& path, std::span<const Column> columns) {
  CheckReadable(path, columns);
  if (path == "-") {
    WriteTableToStandardOutput(columns);
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

void WriteToStandardOutput(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintLine(std::string_view text) { Print("{}\n", text); }

void PrintJson(std::string_view json) {
  WriteToStandardOutput(fmt::format("{}\n", SafeJson(json)));
}

bool StandardOutputIsComplete() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

void WriteToStandardError(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void PrintRemark(std::string_view text) { PrintToError("{}\n", SafeText(text)); }

void OpenStandardDescriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is the one that was found closed. The wrong direction makes
    // reading and writing fail.
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool Coloured() { return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

bool ErrorIsTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace gpode::tool
