// Memory aligned to cache lines, for arrays that vectorised loops run over.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace gpode {

template <typename T>
struct CacheAlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheAlignedAllocator() = default;
  template <typename U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) {}  // NOLINT: conversion is meant

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  // Without the size, which clang has no operator for unless asked.
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

  friend bool operator==(const CacheAlignedAllocator&, const CacheAlignedAllocator&) {
    return true;
  }
};

// A std::vector whose first element lies on a 64-byte boundary.
template <typename T>
using AlignedVector = std::vector<T, CacheAlignedAllocator<T>>;

}  // namespace gpode
