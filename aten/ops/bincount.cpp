// bincount: how often small numbers occur.
#include <algorithm>

#include "aten/core/parallel.h"
#include "aten/core/promotion.h"
#include "aten/core/scratch.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/layout.h"

namespace tnp::native {

namespace {

// Counts of values[0, n) are added to counts[0, size). Four tables take turns while they fit in L1, so that runs of one
// value do not wait for the same counter.
void count(const int64_t* values, int64_t n, int64_t* counts, int64_t size) {
  // Another thread may change a number after it was checked (Note [Changing indices]): read once, and not followed
  // then.
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

// Each thread counts in a table of its own where adding the tables up costs less than the counting.
Tensor count_values_cpu(const Tensor& values, int64_t size) {
  const int64_t n = values.numel(), *from = values.data_ptr<int64_t>();
  const int64_t pieces = std::clamp<int64_t>(n / std::max<int64_t>(4 * size, kParallelWork), 1, get_num_threads());
  Tensor out = empty_tensor({size}, ScalarType::Int64);
  int64_t* counts = out.data_ptr<int64_t>();
  std::fill_n(counts, size, 0);
  if (pieces == 1) {
    count(from, n, counts, size);
    return out;
  }
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
  return out;
}

namespace {

// The smallest and the largest number, or 0 and -1.
std::pair<int64_t, int64_t> range_of(const Tensor& values) {
  if (values.numel() > 0 && !values.device().is_cpu())
    return {tnp::min(values).item<int64_t>(), tnp::max(values).item<int64_t>()};
  int64_t lowest = 0, highest = -1;
  if (values.numel() == 0) return {lowest, highest};
  const int64_t* v = values.data_ptr<int64_t>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    lowest = std::min(lowest, v[i]);
    highest = std::max(highest, v[i]);
  }
  return {lowest, highest};
}

// The values as int64, row-major, and one more than their largest.
std::pair<Tensor, int64_t> checked_values(const Tensor& input) {
  bool nothing = input.numel() == 0 && is_floating(input.dtype());  // what NumPy makes of an empty list
  TNP_CHECK(nothing || is_integral(input.dtype()), ErrorKind::Type, "Cannot cast array data from dtype('",
            input.dtype(), "') to dtype('int64') according to the rule 'safe'");
  TNP_CHECK(input.dim() <= 1, ErrorKind::Shape, "object too deep for desired array: {input} has shape ", input.sizes());
  TNP_CHECK(input.dim() == 1, ErrorKind::Shape, "object of too small depth for desired array: {input} is 0-d");
  bool ready = input.dtype() == ScalarType::Int64 && input.is_contiguous();
  Tensor values = ready ? input : native::cast(input, ScalarType::Int64, Order::C);
  const auto [lowest, highest] = range_of(values);
  TNP_CHECK(lowest >= 0, ErrorKind::Shape, "{input} must have no negative elements");
  TNP_CHECK(highest < INT64_MAX, ErrorKind::Memory, "no memory for the counts of numbers up to ", highest);
  return {values, highest + 1};
}

}  // namespace

Tensor bincount(const Tensor& input, const Tensor& weights, int64_t minlength) {
  TNP_CHECK(minlength >= 0, ErrorKind::Shape, "{minlength} must not be negative");
  const auto [values, largest] = checked_values(input);
  const int64_t size = std::max(largest, minlength);
  if (!weights.defined()) return tnp::count_values(values, size);
  TNP_CHECK(weights.sizes() == input.sizes(), ErrorKind::Shape, "The weights and list don't have the same length.");
  if (input.numel() == 0) return tnp::count_values(values, size);  // int64, as in NumPy and PyTorch
  bool narrow = dialect().counts_keep_float32_weights() && weights.dtype() == ScalarType::Float32;
  ScalarType dtype = narrow ? ScalarType::Float32 : ScalarType::Float64;
  TNP_CHECK(!weights.is_complex(), ErrorKind::Type, "Cannot cast array data from dtype('", weights.dtype(),
            "') to dtype('float64') according to the rule 'safe'");
  Tensor out = empty_tensor({size}, dtype, input.device());
  fill_with(out, 0);
  return tnp::index_put_(out, TensorList(&values, 1), tnp::cast(weights, dtype), true);
}

}  // namespace tnp::native
