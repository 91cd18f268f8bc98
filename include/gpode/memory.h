// Vectors whose memory is aligned to cache lines, which makes vectorised loops faster.
//
// Thread safety: as for std::vector.
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
  // The operator delete without a size is used, because clang has the one with a size only if a
  // compiler option asks for it.
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

  friend bool operator==(const CacheAlignedAllocator&, const CacheAlignedAllocator&) {
    return true;
  }
};

// A std::vector whose first element lies on a 64-byte boundary.
template <typename T>
using AlignedVector = std::vector<T, CacheAlignedAllocator<T>>;

}  // namespace gpode
