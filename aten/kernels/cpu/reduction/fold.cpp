#include "aten/kernels/cpu/reduction/fold.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/cast.h"

namespace tnp {

void fold_rows_cpu(const PointwiseLoop& loop, double cost, const Tensor& values, const Tensor& mask,
                   const Tensor& total, bool begun) {
  const int64_t columns = total.numel(), rows = columns > 0 ? values.numel() / columns : 0;
  const int64_t itemsize = total.itemsize();
  const int64_t grain =
      std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) /
                                             (cost * static_cast<double>(std::max<int64_t>(rows, 1)))),
                        1);
  parallel_for(0, columns, grain, [&](int64_t begin, int64_t end) {
    const int64_t strides[] = {itemsize, itemsize, itemsize};
    auto step = [&](int64_t row, int64_t from, int64_t to) {
      char* at = total.data() + from * itemsize;
      char* data[] = {at, at, values.data() + (row * columns + from) * itemsize};
      loop.loop(data, strides, to - from);
    };
    int64_t row = 0;
    if (!begun) {
      std::copy_n(values.data() + begin * itemsize, (end - begin) * itemsize, total.data() + begin * itemsize);
      row = 1;
    }
    for (; row < rows; ++row) {
      if (!mask.defined()) {
        step(row, begin, end);
        continue;
      }
      const auto* let = mask.data_ptr<uint8_t>() + row * columns;
      for (int64_t i = begin; i < end; ++i) {
        int64_t from = i;
        while (i < end && let[i]) ++i;
        if (i > from) step(row, from, i);
      }
    }
  });
}

void fold_running_cpu(const PointwiseLoop& loop, const Tensor& rows, ScalarType result) {
  const int64_t n = rows.size(0), columns = n > 0 ? rows.numel() / n : 0, itemsize = rows.itemsize();
  const ScalarType computed = rows.dtype();
  const bool rounds = result != computed;
  const int64_t narrow = element_size(result);
  const Loop down = cast_loop(result, computed), up = cast_loop(computed, result);
  parallel_for(0, columns, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1),
               [&](int64_t begin, int64_t end) {
                 const int64_t strides[] = {itemsize, itemsize, itemsize};
                 const int64_t to_narrow[] = {narrow, itemsize}, from_narrow[] = {itemsize, narrow};
                 std::vector<char> rounded(rounds ? static_cast<size_t>((end - begin) * narrow) : 0);
                 for (int64_t k = 1; k < n; ++k) {
                   char* row = rows.data() + (k * columns + begin) * itemsize;
                   char* data[] = {row, row - columns * itemsize, row};
                   loop.loop(data, strides, end - begin);
                   if (!rounds) continue;
                   char *there[] = {rounded.data(), row}, *back[] = {row, rounded.data()};
                   down(there, to_narrow, end - begin);
                   up(back, from_narrow, end - begin);
                 }
               });
}

// Advances all segments together: the k-th rows of all segments with more than k rows go through
// the loop in one call. The longest segment comes first.
void fold_segments_cpu(const PointwiseLoop& loop, const Tensor& rows, const std::vector<FoldSegment>& segments,
                       const Tensor& out) {
  const int64_t n = rows.size(0), columns = n > 0 ? rows.numel() / n : 0;
  const int64_t itemsize = rows.itemsize(), bytes = columns * itemsize;
  Tensor total = empty_tensor(out.sizes(), out.dtype()), next = empty_tensor(out.sizes(), out.dtype());
  auto copy_row = [bytes](char* to, const char* from) {
    if (bytes == 8)
      std::memcpy(to, from, 8);  // a constant size compiles to one instruction
    else
      std::memcpy(to, from, static_cast<size_t>(bytes));
  };
  const int64_t strides[] = {itemsize, itemsize, itemsize};
  size_t active = segments.size();
  for (int64_t k = 0; active > 0; ++k) {
    char* to = k == 0 ? total.data() : next.data();
    for (size_t i = 0; i < active; ++i, to += bytes) copy_row(to, rows.data() + (segments[i].start + k) * bytes);
    char* data[] = {total.data(), total.data(), next.data()};
    if (k > 0) loop.loop(data, strides, static_cast<int64_t>(active) * columns);
    while (active > 0 && segments[active - 1].length == k + 1) --active;
  }
  for (size_t i = 0; i < segments.size(); ++i)
    copy_row(out.data() + segments[i].place * bytes, total.data() + static_cast<int64_t>(i) * bytes);
}

}  // namespace tnp
