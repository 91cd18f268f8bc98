// Lists of objects that users select by name: kernels, steppers, unknown functions, posterior
// families, likelihoods.
//
// A registry is created with the library's own entries; programs and tests can add more. Entries
// are never removed, so references to them stay valid.
//
// Thread safety: all functions may be called from any thread.
//
//   Registry<Likelihood> registry("likelihood", "GetLikelihood", "RegisterLikelihood");
//   registry.Add(std::make_unique<GaussianLikelihood>());
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
  // All arguments are for error messages: what an entry is called, and the names of the public
  // functions that look an entry up and that add one.
  Registry(std::string kind, std::string get, std::string add)
      : kind_(std::move(kind)), get_(std::move(get)), add_(std::move(add)) {}

  // Throws an InputError if the name is empty or taken.
  void Add(std::shared_ptr<const T> entry) {
    const std::string argument = fmt::format("the {}'s name", kind_);
    if (entry->name().empty()) ThrowInput(add_, argument, "is empty");
    const std::lock_guard lock(mutex_);
    if (FindLocked(entry->name()) != nullptr) {
      ThrowInput(add_, argument, fmt::format("'{}' is taken", entry->name()));
    }
    entries_.push_back(std::move(entry));
  }
  // Adds an entry that lives as long as the program.
  void AddStatic(const T& entry) { Add({std::shared_ptr<const T>(), &entry}); }

  // Throws an InputError that lists the known names if there is no such entry.
  const T& Get(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    if (const T* entry = FindLocked(name)) return *entry;
    ThrowInput(get_, "name",
               fmt::format("is '{}', must be one of {}", name, fmt::join(NamesLocked(), ", ")));
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

  std::string kind_, get_, add_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const T>> entries_;
};

}  // namespace gpode
