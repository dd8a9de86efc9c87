// bincount: counts how often each small integer occurs.
#include <algorithm>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sorting.h"

namespace tnp::native {

namespace {

// Adds the counts of values[0, n) to counts[0, size). If four tables fit in L1, consecutive values
// use different tables, so that runs of equal values do not wait for one counter.
void count(const int64_t* values, int64_t n, int64_t* counts, int64_t size) {
  // Another thread may change a value after it was checked (Note [Changing indices]). Each value is
  // therefore read once, and skipped if it is out of range.
  auto count_one = [&](int64_t* table, int64_t i) {
    const auto value = static_cast<uint64_t>(__atomic_load_n(values + i, __ATOMIC_RELAXED));
    if (TNP_LIKELY(value < static_cast<uint64_t>(size))) ++table[value];
  };
  if (size > 1024 || n < 4 * size) {
    for (int64_t i = 0; i < n; ++i) count_one(counts, i);
    return;
  }
  Scratch<int64_t> others(3 * size);
  int64_t* table[] = {counts, others.data(), others.data() + size, others.data() + 2 * size};
  std::fill_n(others.data(), 3 * size, 0);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) count_one(table[k], i + k);
  }
  for (; i < n; ++i) count_one(counts, i);
  for (int64_t v = 0; v < size; ++v) counts[v] += table[1][v] + table[2][v] + table[3][v];
}

}  // namespace

// Counts the values. Each thread has its own table if adding the tables up takes less time than
// counting.
void count_values_cpu(const Tensor& input, int64_t size, const Tensor& out) {
  const int64_t n = input.numel(), *from = input.data_ptr<int64_t>();
  const int64_t pieces = std::clamp<int64_t>(n / std::max<int64_t>(4 * size, kParallelWork), 1, get_num_threads());
  int64_t* counts = out.data_ptr<int64_t>();
  std::fill_n(counts, size, 0);
  if (pieces == 1) return count(from, n, counts, size);
  Scratch<int64_t> tables(pieces * size);
  std::fill_n(tables.data(), pieces * size, 0);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      count(from + n * p / pieces, n * (p + 1) / pieces - n * p / pieces, tables.data() + p * size, size);
    }
  });
  for (int64_t p = 0; p < pieces; ++p) {
    for (int64_t v = 0; v < size; ++v) counts[v] += tables[p * size + v];
  }
}

}  // namespace tnp::native
