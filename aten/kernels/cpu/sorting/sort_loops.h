// Sorting and partitioning of contiguous numbers by vectors: compiled for each instruction set that has what it takes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "aten/core/threads/capability.h"

namespace tnp {

// For one type of numbers.
struct SortLoops {
  // NaN last; not stable, which only tells with NaNs and zeros. After `depth` partitions inside one another sorting
  // takes to a method that no input can slow down.
  void (*sort)(void* v, int64_t n, int depth);
  // Moves what is less than *pivot (or equal to it) to the front, and returns how many are. No NaN.
  int64_t (*move_less)(void* v, int64_t n, const void* pivot, bool or_equal);
};

namespace sort_loops {

template <class T>
inline constexpr bool kSorts = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

// Where a type is in a table; tables are empty where an instruction set lacks what it takes.
template <class T>
constexpr size_t index_of() {
  return (sizeof(T) == 8 ? 3 : 0) + (std::is_floating_point_v<T> ? 2 : std::is_unsigned_v<T> ? 1 : 0);
}

const LoopVariants<SortLoops>& variants();
// Those of this machine.
std::span<const SortLoops> chosen();

}  // namespace sort_loops

// Null: there are none.
template <class T>
const SortLoops* sort_loops_of() {
  const std::span<const SortLoops> loops = sort_loops::chosen();
  return loops.empty() ? nullptr : &loops[sort_loops::index_of<T>()];
}

}  // namespace tnp
