// Vectorised sorting and partitioning of contiguous numbers, compiled for the instruction sets that
// support it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "aten/core/threads/capability.h"

namespace tnp {

// The loops for one type of number.
struct SortLoops {
  // Sorts, with NaN last. The sort is not stable, which is visible only for NaNs and zeros. After
  // `depth` nested partitions it falls back to heap sort, which has no bad inputs.
  void (*sort)(void* v, int64_t n, int depth);
  // Moves the numbers less than *pivot (or equal to it, if `or_equal`) to the front, and returns
  // their count. The numbers must not contain NaN.
  int64_t (*move_less)(void* v, int64_t n, const void* pivot, bool or_equal);
};

namespace sort_loops {

template <class T>
inline constexpr bool kSorts = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

// The index of a type in the table. Tables are empty for instruction sets without these loops.
template <class T>
constexpr size_t index_of() {
  return (sizeof(T) == 8 ? 3 : 0) + (std::is_floating_point_v<T> ? 2 : std::is_unsigned_v<T> ? 1 : 0);
}

const LoopVariants<SortLoops>& variants();
// The loops for this machine.
std::span<const SortLoops> chosen();

}  // namespace sort_loops

// The loops for numbers of type T, or null if there are none for this machine.
template <class T>
const SortLoops* sort_loops_of() {
  const std::span<const SortLoops> loops = sort_loops::chosen();
  return loops.empty() ? nullptr : &loops[sort_loops::index_of<T>()];
}

}  // namespace tnp
