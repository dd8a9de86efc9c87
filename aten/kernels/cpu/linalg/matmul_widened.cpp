#include "aten/kernels/cpu/linalg/matmul_widened.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/linalg/product_loops.h"
#include "aten/kernels/cpu/linalg/product_tiles.h"

namespace tnp::native {

namespace {

// The loops of Note [Products by loops], or null.
const ProductLoops* loops_of_processor() {
  using namespace product_loops;
  static constexpr LoopVariants<ProductLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const std::span<const ProductLoops> chosen = variants.choose();
  return chosen.empty() ? nullptr : &chosen[0];
}
template <class S>
const WidenedLoop<S>& loops_of(const ProductLoops& loops) {
  if constexpr (std::is_same_v<S, BFloat16>)
    return loops.bfloat16s;
  else
    return loops.halves;
}

// Calls body(row, col, height, width, tile) for tiles of the result, on several threads. The body
// computes a tile in float32, with dense rows; it is rounded to `c` afterwards.
template <class S, class F>
void for_each_rounded_tile(const WidenedLoop<S>& loop, int64_t rows, int64_t cols, Grid grid, const float* bias, S* c,
                           F&& body) {
  for_each_tile(rows, cols, grid, [&](int64_t row, int64_t col, int64_t height, int64_t width) {
    Scratch<float> tile(height * width);
    body(row, col, height, width, tile.data());
    for (int64_t i = 0; i < height; ++i)
      loop.narrow(width, tile.data() + i * width, bias ? bias + col : nullptr, c + (row + i) * cols + col);
  });
}

// Products of few rows read B once, in its 16 bits. Returns false if the strides do not suit.
template <class S>
bool multiply_few_widened(const WidenedLoop<S>& loop, const Matrix<S>& a, const Matrix<S>& b, S* c, const float* bias) {
  constexpr int64_t kMostRows = 8, kCols = 64;
  if (a.rows > kMostRows || (b.col_stride != 1 && b.row_stride != 1)) return false;
  const int64_t m = a.rows, k = a.cols,
                wanted = std::clamp<int64_t>(2 * m * k * b.cols / kWorkOfOne, 1, get_num_threads());
  Scratch<float> wide(m * k);
  for (int64_t i = 0; i < m; ++i) loop.widen(k, a.data + i * a.row_stride, a.col_stride, wide.data() + i * k);
  const int64_t width = ((b.cols + wanted - 1) / wanted + kCols - 1) / kCols * kCols;
  for_each_rounded_tile(
      loop, m, b.cols, {m, width}, bias, c, [&](int64_t, int64_t col, int64_t, int64_t cols, float* tile) {
        const S* from = b.data + col * b.col_stride;
        b.row_stride == 1 ? loop.multiply_by_dots(m, cols, k, wide.data(), k, from, b.col_stride, tile, cols)
                          : loop.multiply_few_rows(m, cols, k, wide.data(), k, 1, from, b.row_stride, tile, cols);
      });
  return true;
}

// Products of 16-bit floats, which are widened to float32 a block at a time, in the cache. The sums
// and `bias` are float32; each element is rounded once.
template <class S>
void multiply_widened(const WidenedLoop<S>& loop, const Matrix<S>& a, const Matrix<S>& b, S* c, const float* bias) {
  if (b.cols == 1 && !bias && a.rows > 1)  // a column is the row of the transposed product
    return multiply_widened(loop, {b.data, 1, b.rows, 1, b.row_stride},
                            {a.data, a.cols, a.rows, a.col_stride, a.row_stride}, c, nullptr);
  if (multiply_few_widened(loop, a, b, c, bias)) return;
  const ProductLoop<float>& wide = loops_of_processor()->floats;
  constexpr int64_t kLargestTile = 1 << 17;  // elements
  const int64_t work = a.rows * b.cols * a.cols, area = a.rows * b.cols;
  const int64_t parts = std::clamp<int64_t>(2 * work / kWorkOfOne, 1, get_num_threads());
  const int64_t wanted = parts * std::max<int64_t>(1, area / (parts * kLargestTile));
  for_each_rounded_tile(loop, a.rows, b.cols, tiles_of(a.rows, b.cols, wanted, wide.rows, wide.cols), bias, c,
                        [&](int64_t row, int64_t col, int64_t height, int64_t width, float* tile) {
                          Scratch<float> buffer(wide.buffer_size(height, width, a.cols));
                          loop.multiply(height, width, a.cols, a.data + row * a.row_stride, a.row_stride, a.col_stride,
                                        b.data + col * b.col_stride, b.col_stride, b.row_stride, nullptr, tile, width,
                                        buffer.data());
                        });
}

// Computes stacks of 16-bit floats. Returns false if there are no loops for this instruction set.
template <class S>
bool run(Stack a, Stack b, const Tensor& bias, const Tensor& out, IntList batch) {
  const ProductLoops* const loops = loops_of_processor();
  if (!loops) return false;
  const WidenedLoop<S>& loop = loops_of<S>(*loops);
  const Tensor row = bias.defined() ? to_dense(bias, ScalarType::Float32) : bias;
  if (a.tensor.dim() > 2 && b.tensor.dim() <= 2 && a.tensor.is_contiguous()) {  // one tall matrix
    a = {a.tensor, numel_of(batch) * a.rows, a.cols, a.cols, 1, {}};
    batch = {};
  }
  broadcast_batch(a, batch);
  broadcast_batch(b, batch);
  const int64_t count = numel_of(batch), m = a.rows, n = b.cols, k = a.cols;
  const int64_t grain = count > 1 ? std::max<int64_t>(1, kWorkOfOne / std::max<int64_t>(m * n * k, 1)) : count;
  parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = i, offset_a = 0, offset_b = 0;
      for (size_t d = batch.size(); d-- > 0; index /= batch[d]) {
        offset_a += index % batch[d] * a.batch_strides[d];
        offset_b += index % batch[d] * b.batch_strides[d];
      }
      multiply_widened<S>(loop, {a.tensor.data_ptr<S>() + offset_a, m, k, a.row_stride, a.col_stride},
                          {b.tensor.data_ptr<S>() + offset_b, k, n, b.row_stride, b.col_stride},
                          out.data_ptr<S>() + i * m * n, row.defined() ? row.data_ptr<float>() : nullptr);
    }
  });
  return true;
}

}  // namespace

bool multiply_by_widening(const Stack& a, const Stack& b, const Tensor& bias, const Tensor& out, IntList batch) {
  if (a.tensor.dtype() != out.dtype() || b.tensor.dtype() != out.dtype()) return false;
  return out.dtype() == ScalarType::BFloat16 ? run<BFloat16>(a, b, bias, out, batch)
                                             : run<Half>(a, b, bias, out, batch);
}

}  // namespace tnp::native
