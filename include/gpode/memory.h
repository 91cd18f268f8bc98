// Vectors whose memory is aligned to cache lines, as vectorised loops prefer.
//
// Thread safety: as that of std::vector.
//
//   AlignedVector<double> features(1024);
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
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) {}  // NOLINT: implicit on purpose

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  // The form without a size is used because clang has the sized one only with a compiler option.
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

  friend bool operator==(const CacheAlignedAllocator&, const CacheAlignedAllocator&) {
    return true;
  }
};

// A std::vector whose first element lies on a 64-byte boundary.
template <typename T>
using AlignedVector = std::vector<T, CacheAlignedAllocator<T>>;

}  // namespace gpode
