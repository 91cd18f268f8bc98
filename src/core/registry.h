// Things that are known by their names: kernels, unknown functions, posterior families, likelihoods.
//
// The library's own entries are there from the start; programs and tests add theirs. Entries live
// as long as the program, so references to them stay valid.
//
// Thread safety: all functions may be called from any thread.
//
//   Registry<Likelihood>& registry = ...;
//   const Likelihood& gaussian = registry.Get("gaussian");
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/error.h"

namespace gpode {

// T has a member function name().
template <typename T>
class Registry {
 public:
  // `kind` is what an entry is called in messages: "kernel".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  // Throws an InputError if the name is taken.
  void Add(std::unique_ptr<const T> entry) {
    const std::lock_guard lock(mutex_);
    if (FindLocked(entry->name()) != nullptr) {
      throw InputError(fmt::format("{} '{}' is registered already", kind_, entry->name()));
    }
    entries_.push_back(std::move(entry));
  }

  // Throws an InputError that lists the known names.
  const T& Get(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    if (const T* entry = FindLocked(name)) return *entry;
    throw InputError(
        fmt::format("{} '{}' is unknown, known: {}", kind_, name, fmt::join(NamesLocked(), ", ")));
  }

  std::vector<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    return NamesLocked();
  }

 private:
  const T* FindLocked(std::string_view name) const {
    for (const auto& entry : entries_) {
      if (entry->name() == name) return entry.get();
    }
    return nullptr;
  }

  std::vector<std::string> NamesLocked() const {
    std::vector<std::string> names;
    for (const auto& entry : entries_) names.emplace_back(entry->name());
    return names;
  }

  std::string kind_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const T>> entries_;
};

}  // namespace gpode
