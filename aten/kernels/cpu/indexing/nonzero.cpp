// Indices of the elements that are not zero.
#include <algorithm>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cpu/indexing/nonzero_loops.h"

namespace tnp {

namespace nonzero_loops {
namespace {
const NonzeroLoops& of(ScalarType dtype) {
  static const std::span<const NonzeroLoops> chosen = LoopVariants<NonzeroLoops> TNP_LOOP_VARIANTS(loops).choose();
  return chosen[static_cast<size_t>(dtype)];
}
}  // namespace
}  // namespace nonzero_loops

namespace native {

namespace {

template <class T>
bool is_nonzero(T v) {
  if constexpr (is_reduced_float_v<T>)
    return static_cast<float>(v) != 0;
  else
    return v != T(0);
}

// Visits elements [begin, end) of `t` in row-major order, in pieces of rows. Calls f(first element,
// column, number of elements, indices of the row along the axes before the last).
template <class T, class F>
void for_each_piece(const Tensor& t, int64_t begin, int64_t end, F&& f) {
  const int64_t width = t.dim() == 0 ? 1 : t.size(-1), stride = t.dim() == 0 ? 0 : t.stride(-1);
  DimVector at(static_cast<size_t>(std::max<int64_t>(t.dim() - 1, 0)));
  const T* row = t.data_ptr<T>();
  int64_t number = begin / width, column = begin % width;
  for (int64_t d = t.dim() - 2; d >= 0; --d) {
    at[static_cast<size_t>(d)] = number % t.size(d);
    row += number % t.size(d) * t.stride(d);
    number /= t.size(d);
  }
  for (int64_t left = end - begin; left > 0;) {
    int64_t n = std::min(width - column, left);
    f(row + column * stride, column, n, at);
    left -= n;
    column = 0;
    for (int64_t d = t.dim() - 2; d >= 0; --d) {
      int64_t& i = at[static_cast<size_t>(d)];
      row += t.stride(d);
      if (++i < t.size(d)) break;
      row -= i * t.stride(d);
      i = 0;
    }
  }
}

// Counts the nonzero elements of a strided line.
template <class T>
int64_t count_nonzero(const NonzeroLoops& loops, const T* v, int64_t stride, int64_t n) {
  if (stride == 1) return loops.count(v, n);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += is_nonzero(v[i * stride]);
  return count;
}

template <class T>
int64_t places_of_nonzero(const NonzeroLoops& loops, const T* v, int64_t stride, int64_t n, int64_t first, int64_t* to,
                          int64_t room) {
  if (stride == 1) return loops.places(v, n, first, to, room);
  // Stores every index and keeps it if its element is not zero, because a branch on the element
  // would be mispredicted.
  int64_t found = 0;
  for (int64_t i = 0; i < n && found < room; ++i) {
    to[found] = first + i;
    found += is_nonzero(v[i * stride]);
  }
  return found;
}

constexpr int64_t kBlock = 16384;  // elements that one thread processes at a time

}  // namespace

// Returns one row of indices per axis. First counts the nonzero elements of each block, so that
// each block knows the position of its indices.
Tensor nonzero_rows_cpu(const Tensor& input) {
  Tensor out;
  const NonzeroLoops& loops = nonzero_loops::of(input.dtype());
  visit_dtype(input.dtype(), [&]<class D>() {
    using T = stored_t<D>;
    const int64_t n = input.numel(), dims = input.dim(), blocks = (n + kBlock - 1) / kBlock;
    const int64_t stride = dims == 0 ? 0 : input.stride(-1);
    std::vector<int64_t> starts(static_cast<size_t>(blocks) + 1);
    auto for_each_block = [&](auto body) {
      parallel_for(0, blocks, std::max<int64_t>(1, kParallelWork / kBlock), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) body(static_cast<size_t>(b), b * kBlock, std::min(n, (b + 1) * kBlock));
      });
    };
    for_each_block([&](size_t block, int64_t begin, int64_t end) {
      int64_t count = 0;
      for_each_piece<T>(input, begin, end, [&](const T* v, int64_t, int64_t length, const DimVector&) {
        count += count_nonzero(loops, v, stride, length);
      });
      starts[block + 1] = count;
    });
    for (size_t b = 0; b < static_cast<size_t>(blocks); ++b) starts[b + 1] += starts[b];
    const int64_t count = starts.back();
    out = empty_tensor({dims, count}, ScalarType::Int64, input.device());
    if (dims == 0) return;
    int64_t *rows = out.data_ptr<int64_t>(), *columns = rows + (dims - 1) * count;
    for_each_block([&](size_t block, int64_t begin, int64_t end) {
      int64_t found = starts[block];
      const int64_t stop = starts[block + 1];
      for_each_piece<T>(input, begin, end, [&](const T* v, int64_t column, int64_t length, const DimVector& row) {
        const int64_t before = found;
        found += places_of_nonzero(loops, v, stride, length, column, columns + found, stop - found);
        for (size_t d = 0; d < row.size(); ++d)
          std::fill_n(rows + static_cast<int64_t>(d) * count + before, found - before, row[d]);
      });
      // If another thread has zeroed elements since they were counted, the remaining indices are 0.
      for (int64_t d = 0; d < dims; ++d) std::fill_n(rows + d * count + found, stop - found, 0);
    });
  });
  return out;
}

}  // namespace native
}  // namespace tnp
