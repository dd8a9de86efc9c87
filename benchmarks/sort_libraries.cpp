// C functions for benchmarks/sort_libraries.py that sort `lines` lines of n numbers each in place,
// NaN last. Compiled once per instruction set with -DVQSORT (Google Highway), -DX86_SIMD_SORT
// (Intel) or neither (ours).
#include <cstddef>
#include <cstdint>

#if defined(VQSORT)
#define VQSORT_ONLY_STATIC 1
#include "hwy/contrib/sort/vqsort-inl.h"
HWY_BEFORE_NAMESPACE();
namespace hwy::HWY_NAMESPACE {
template <class T>
void sort_line(T* v, int64_t n) {
  VQSortStatic(v, static_cast<size_t>(n), SortAscending());
}
#elif defined(X86_SIMD_SORT)
#include "x86simdsort-static-incl.h"
template <class T>
void sort_line(T* v, int64_t n) {
  x86simdsortStatic::qsort(v, static_cast<size_t>(n), /*hasnan=*/true);
}
#else
#include <bit>

#include "aten/kernels/cpu/sorting/sort_loops.cpp"

namespace tnp {
void parallel_for(int64_t begin, int64_t end, int64_t, function_ref<void(int64_t, int64_t)> body) { body(begin, end); }
int get_num_threads() { return 1; }
}  // namespace tnp
template <class T>
void sort_line(T* v, int64_t n) {
  const int depth = 2 * std::bit_width(static_cast<uint64_t>(n));
  tnp::sort_loops::TNP_CPU_CAPABILITY::table()[tnp::sort_loops::index_of<T>()].sort(v, n, depth);
}
#endif

#define SORT_LINES(T)                                                                                     \
  extern "C" __attribute__((visibility("default"))) void sort_lines_##T(T* v, int64_t lines, int64_t n) { \
    for (int64_t i = 0; i < lines; ++i) sort_line(v + i * n, n);                                          \
  }
SORT_LINES(int64_t)
SORT_LINES(float)

#if defined(VQSORT)
}  // namespace hwy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
