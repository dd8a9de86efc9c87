// Matrix products on the CPU. Floats and complex numbers use BLAS, which reads transposed operands
// without copies. 16-bit floats use oneDNN if it is faster, else float32. Bool and integers use our
// own blocked loop, because BLAS does not support them. Integers wrap on overflow.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <type_traits>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/matmul_errors.h"
#include "aten/kernels/cpu/linalg/matmul_one.h"
#include "aten/kernels/cpu/linalg/matmul_operands.h"
#include "aten/kernels/cpu/linalg/matmul_symmetric.h"
#include "aten/kernels/cpu/linalg/matmul_vectors.h"
#include "aten/kernels/cpu/linalg/matmul_widened.h"
#include "aten/kernels/cpu/linalg/onednn_matmul.h"
#include "aten/kernels/cpu/linalg/product_loops.h"
#include "aten/kernels/cpu/linalg/product_tiles.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"

namespace tnp::native {

namespace {

Stack make_stack(const Tensor& t, bool vector_is_row) {
  if (t.dim() == 1) {
    int64_t n = t.size(0), s = t.stride(0);
    return vector_is_row ? Stack{t, 1, n, s * n, s, {}} : Stack{t, n, 1, s, 1, {}};
  }
  return {t, t.size(-2), t.size(-1), t.stride(-2), t.stride(-1), {}};
}

// The bias that `linear` adds to each row of a product, a tile at a time while the tile is in the
// cache. If `row` is null, nothing is added.
template <class T>
struct Bias {
  const T* row = nullptr;
  void add(T* c, int64_t ldc, int64_t first_col, int64_t height, int64_t width) const {
    if (!row) return;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j) c[i * ldc + j] = static_cast<T>(c[i * ldc + j] + row[first_col + j]);
  }
};

constexpr int64_t kLines = 32;  // minimum number of lines in a block

// Whether our threads share a product although BLAS has threads of its own. Small products always
// run here, on one thread. Larger ones are shared here only if floating-point errors are watched
// (`watched`; see Note [Errors of products]), with these exceptions: very large products, which
// BLAS shares best; products with too few lines for the threads; and products with long sums, for
// which checking the results costs next to nothing.
bool is_shared_out(int64_t rows, int64_t cols, int64_t depth, bool watched) {
  constexpr int64_t kLargeWork = 1 << 27, kWorkOfThread = 1 << 21, kLongSum = 1000;
  const int64_t work = rows * cols * depth;
  if (work <= kWorkOfOne) return true;
  return watched && work <= kLargeWork && depth < kLongSum &&
         std::max(rows, cols) / kLines >= std::min<int64_t>(get_num_threads(), work / kWorkOfThread);
}

// Computes blocks of rows, or of columns if there are more columns than rows, with BLAS on one
// thread per block. For small products, BLAS's own threads cost more than they save.
template <class T>
void multiply_blocks(const blas::Library& lib, const Matrix<T>& a, const Matrix<T>& b, T* c, Bias<T> bias) {
  int64_t lda = 0, ldb = 0;
  const bool ta = transposed(a, lda), tb = transposed(b, ldb), by_rows = a.rows >= b.cols;
  const int64_t lines = by_rows ? a.rows : b.cols, work_of_line = a.cols * (by_rows ? b.cols : a.rows);
  const bool split = lines * work_of_line > kWorkOfOne;
  auto multiply_lines = [&](int64_t begin, int64_t end) {
    const blas::OneThread one(lib, true);
    if (by_rows) {
      blas::gemm(lib, ta, tb, end - begin, b.cols, a.cols, a.data + begin * a.row_stride, lda, b.data, ldb,
                 c + begin * b.cols, b.cols);
      bias.add(c + begin * b.cols, b.cols, 0, end - begin, b.cols);
    } else {
      blas::gemm(lib, ta, tb, a.rows, end - begin, a.cols, a.data, lda, b.data + begin * b.col_stride, ldb, c + begin,
                 b.cols);
      bias.add(c + begin, b.cols, begin, a.rows, end - begin);
    }
  };
  if (!split) return multiply_lines(0, lines);
  // BLAS packs the operand that all blocks share once per block, so there are only as many blocks
  // as threads.
  const int64_t blocks =
      std::min<int64_t>({get_num_threads(), 2 * lines * work_of_line / kWorkOfOne, (lines + kLines - 1) / kLines});
  const int64_t block = ((lines + blocks - 1) / blocks + 3) / 4 * 4;
  std::optional<LongWork> long_work;
  if (blocks == 1) long_work.emplace();
  parallel_for(0, (lines + block - 1) / block, 1,
               [&](int64_t first, int64_t last) { multiply_lines(first * block, std::min(last * block, lines)); });
}

// Computes tiles with a library without threads. The tiles depend on the sizes only, not on the
// number of threads. This makes the bits independent of the threads, because kernels add the
// remainder of a line in another order and the tiles determine the remainders.
template <class T>
void multiply_tiles(const blas::Library& lib, const Matrix<T>& a, const Matrix<T>& b, T* c, Bias<T> bias) {
  int64_t lda = 0, ldb = 0;
  const bool ta = transposed(a, lda), tb = transposed(b, ldb);
  const int64_t work = a.rows * b.cols * a.cols;
  if (work <= kWorkOfOne) {
    blas::gemm(lib, ta, tb, a.rows, b.cols, a.cols, a.data, lda, b.data, ldb, c, b.cols);
    return bias.add(c, b.cols, 0, a.rows, b.cols);
  }
  // 2 tiles from 2^20 multiplications on, and twice as many for each factor of 8 from 2^21 on.
  const int64_t wanted =
      int64_t{1} << std::max(0, (static_cast<int>(std::bit_width(static_cast<uint64_t>(work))) - 18) / 3);
  for_each_tile(a.rows, b.cols, tiles_of(a.rows, b.cols, wanted, 16, 16),
                [&](int64_t row, int64_t col, int64_t height, int64_t width) {
                  blas::gemm(lib, ta, tb, height, width, a.cols, a.data + row * a.row_stride, lda,
                             b.data + col * b.col_stride, ldb, c + row * b.cols + col, b.cols);
                  bias.add(c + row * b.cols + col, b.cols, col, height, width);
                });
}

// Our own loops, or null if there are none for this type or instruction set.
template <class T>
const ProductLoop<T>* product_loop() {
  if constexpr (!std::is_floating_point_v<T>) {
    return nullptr;
  } else {
    using namespace product_loops;
    static constexpr LoopVariants<ProductLoops> variants = TNP_LOOP_VARIANTS(loops);
    static const std::span<const ProductLoops> chosen = variants.choose();
    if (chosen.empty()) return blas::warn_of_missing_loops(), nullptr;
    return &loops_of_type<T>(chosen[0]);
  }
}

// Uses the loops of Note [Products by loops], whose bits do not depend on the tiles. There are as
// many tiles as threads, or up to four times as many if the tiles are so large that this costs
// nothing.
template <class T>
void multiply_by_loops(const ProductLoop<T>& loop, const Matrix<T>& a, const Matrix<T>& b, T* c, Bias<T> bias) {
  constexpr int64_t kLargeTile = 1 << 29;  // multiplications
  const int64_t work = a.rows * b.cols * a.cols, threads = get_num_threads();
  const int64_t wanted =
      std::clamp<int64_t>(2 * work / kWorkOfOne, 1, threads) * std::clamp<int64_t>(work / (threads * kLargeTile), 1, 4);
  for_each_tile(a.rows, b.cols, tiles_of(a.rows, b.cols, wanted, loop.rows, loop.cols),
                [&](int64_t row, int64_t col, int64_t height, int64_t width) {
                  const Tensor buffer = empty_tensor({loop.buffer_size(height, width, a.cols)}, scalar_type_of<T>);
                  loop.multiply(height, width, a.cols, a.data + row * a.row_stride, a.row_stride, a.col_stride,
                                b.data + col * b.col_stride, b.col_stride, b.row_stride, nullptr,
                                c + row * b.cols + col, b.cols, buffer.data_ptr<T>());
                  bias.add(c + row * b.cols + col, b.cols, col, height, width);
                });
}

// Uses the loops of Note [Products of few rows]. Returns false if they do not suit this product.
template <class T>
bool multiply_few_rows(const Matrix<T>& a, const Matrix<T>& b, T* c, Bias<T> bias) {
  if constexpr (std::is_floating_point_v<T>) {
    const ProductLoop<T>* loop = product_loop<T>();
    if (!loop || b.col_stride != 1 || a.rows > loop->most_rows) return false;
    if (!blas::prefers_loops_for_few_rows<T>(b.cols, a.cols)) return false;
    for_each_tile(a.rows, b.cols, {a.rows, loop->few_rows_cols}, [&](int64_t, int64_t col, int64_t, int64_t width) {
      loop->multiply_few_rows(a.rows, width, a.cols, a.data, a.row_stride, a.col_stride, b.data + col, b.row_stride,
                              c + col, b.cols);
      bias.add(c + col, b.cols, col, a.rows, width);
    });
    return true;
  } else {
    return false;
  }
}

// `finite` is null if floating-point errors are not watched.
template <class T>
void multiply_any(const Matrix<T>& a, const Matrix<T>& b, T* c, FiniteResults* finite, Bias<T> bias = {}) {
  int64_t lda = 0, ldb = 0;
  if (a.rows == 1 && b.cols == 1 && a.col_stride != 0 && b.row_stride != 0) {
    *c = dot(a.cols, a.data, a.col_stride, b.data, b.row_stride);
    if (finite) finite->look_at(c, 1);
    return bias.add(c, 1, 0, 1, 1);
  }
  bool ta = transposed(a, lda), tb = transposed(b, ldb);
  if (b.cols == 1 && b.row_stride > 0) {
    gemv(ta, ta ? a.cols : a.rows, ta ? a.rows : a.cols, a.data, lda, b.data, b.row_stride, c, finite);
    bias.add(c, 1, 0, a.rows, 1);
  } else if (a.rows == 1 && a.col_stride > 0) {
    gemv(!tb, tb ? b.cols : b.rows, tb ? b.rows : b.cols, b.data, ldb, a.data, a.col_stride, c, finite);
    bias.add(c, b.cols, 0, 1, b.cols);
  } else if (multiply_few_rows(a, b, c, bias)) {
    return;
  } else if (const ProductLoop<T>* loop = product_loop<T>(); loop && blas::prefers_loops<T>(a.rows, b.cols, a.cols)) {
    multiply_by_loops(*loop, a, b, c, bias);
  } else {
    const blas::Library& lib = blas::library_for<T>(blas::Work::Product, a.rows * b.cols * a.cols);
    if (!lib.has_threads()) return multiply_tiles(lib, a, b, c, bias);
    if (is_shared_out(a.rows, b.cols, a.cols, finite != nullptr)) return multiply_blocks(lib, a, b, c, bias);
    {
      const LongWork long_work;
      blas::gemm(lib, ta, tb, a.rows, b.cols, a.cols, a.data, lda, b.data, ldb, c, b.cols);
    }
    if (finite) finite->look_at(c, a.rows * b.cols);
    bias.add(c, b.cols, 0, a.rows, b.cols);
  }
}

template <class T>
void multiply_blas(const Matrix<T>& a, const Matrix<T>& b, T* c, FiniteResults* finite) {
  const bool symmetric = is_symmetric_product(a, b);
  if (symmetric && pays_to_halve(a.rows)) return multiply_symmetric(a, c, finite);
  multiply_any(a, b, c, finite);
  if (symmetric) mirror(c, a.rows);
}

// Note [Integer products]: row i of C accumulates multiples of the rows of B. B is read in panels
// (kDepth x kWidth elements) that stay in L2, so the inner loop is contiguous and vectorises. Sums
// wrap modulo 2^bits, so their order does not matter.
constexpr int64_t kDepth = 128, kWidth = 512;
// The maximum number of multiplications of a small product: in a stack, and alone.
constexpr int64_t kSmallWork = 1000, kSmallWorkOfOne = 64;
// Below this number of terms, a sum takes less time than a call of BLAS.
constexpr int64_t kShortSum = 16;

template <class T>
void multiply_loop(const Matrix<T>& a, const Matrix<T>& b, T* c, int64_t row_begin, int64_t row_end) {
  using Word = std::conditional_t<std::is_same_v<T, bool>, uint8_t,
                                  std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;
  // Avoids signed overflow after promotion to int.
  using Wide = std::conditional_t<(sizeof(Word) < 4), uint32_t, Word>;
  const int64_t n = b.cols, depth = a.cols;
  for (int64_t i = row_begin; i < row_end; ++i) std::fill(c + i * n, c + (i + 1) * n, T(0));
  for (int64_t j0 = 0; j0 < n; j0 += kWidth) {
    int64_t width = std::min(kWidth, n - j0);
    for (int64_t k0 = 0; k0 < depth; k0 += kDepth) {
      int64_t k1 = std::min(depth, k0 + kDepth);
      for (int64_t i = row_begin; i < row_end; ++i) {
        auto* out = reinterpret_cast<Word*>(c + i * n + j0);
        for (int64_t k = k0; k < k1; ++k) {
          // Reads bools as bytes.
          Wide x = *reinterpret_cast<const Word*>(a.data + i * a.row_stride + k * a.col_stride);
          if (x == 0) continue;
          auto* row = reinterpret_cast<const Word*>(b.data + k * b.row_stride + j0);
          if constexpr (std::is_same_v<T, bool>) {
            for (int64_t j = 0; j < width; ++j) out[j] |= row[j] != 0;
          } else {
            for (int64_t j = 0; j < width; ++j) out[j] = static_cast<Word>(out[j] + static_cast<Word>(x * row[j]));
          }
        }
      }
    }
  }
}

// Computes products so small that calling BLAS costs more than computing them. B's rows are dense.
// Eight columns at a time stay in registers.
template <class T>
void multiply_small(const Matrix<T>& a, const Matrix<T>& b, T* c) {
  constexpr int64_t kColumns = 8;
  for (int64_t j0 = 0; j0 < b.cols; j0 += kColumns) {
    const int64_t width = std::min(kColumns, b.cols - j0);
    for (int64_t i = 0; i < a.rows; ++i) {
      T sum[kColumns] = {};
      const T *left = a.data + i * a.row_stride, *right = b.data + j0;
      if (width == kColumns) {
        for (int64_t k = 0; k < a.cols; ++k, left += a.col_stride, right += b.row_stride) {
          for (int64_t j = 0; j < kColumns; ++j) sum[j] += *left * right[j];
        }
      } else {
        for (int64_t k = 0; k < a.cols; ++k, left += a.col_stride, right += b.row_stride) {
          for (int64_t j = 0; j < width; ++j) sum[j] += *left * right[j];
        }
      }
      std::copy_n(sum, width, c + i * b.cols + j0);
    }
  }
}

template <class T>
constexpr bool kHasBlas = std::is_floating_point_v<T> || is_complex_v<T>;

template <class T>
void multiply_single(const Matrix<T>& a, const Matrix<T>& b, T* c, FiniteResults* finite) {
  const bool small = b.col_stride == 1 && a.rows * a.cols * b.cols <= kSmallWorkOfOne && a.rows > 1 && b.cols > 1;
  small ? multiply_small(a, b, c) : multiply_blas(a, b, c, finite);
}

template <class T>
void run_batches(const Stack& a, const Stack& b, const Tensor& out, IntList batch, FiniteResults* finite) {
  const int64_t count = numel_of(batch), m = a.rows, n = b.cols, k = a.cols;
  const int64_t work = std::max<int64_t>(m * n, 1) * std::max<int64_t>(k, 1);
  auto matrices = [&](int64_t index, Matrix<T>& x, Matrix<T>& y) {
    int64_t offset_a = 0, offset_b = 0;
    for (size_t d = batch.size(); d-- > 0; index /= batch[d]) {
      offset_a += index % batch[d] * a.batch_strides[d];
      offset_b += index % batch[d] * b.batch_strides[d];
    }
    x = {a.tensor.data_ptr<T>() + offset_a, m, k, a.row_stride, a.col_stride};
    y = {b.tensor.data_ptr<T>() + offset_b, k, n, b.row_stride, b.col_stride};
  };
  T* c = out.data_ptr<T>();
  if constexpr (kHasBlas<T>) {
    // BLAS or multiply_single() splits one large product. Many small products are shared among
    // threads here.
    // One column leaves multiply_small() with one sum, whose additions wait for each other.
    const bool small = count > 1 && b.col_stride == 1 && work <= kSmallWork && (n > 1 || k < kShortSum);
    int64_t grain = std::max<int64_t>(1, 10 * kParallelWork / work);
    parallel_for(0, count, count > 1 ? grain : count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Matrix<T> x, y;
        matrices(i, x, y);
        if (small)
          multiply_small(x, y, c + i * m * n);
        else if (count == 1)
          multiply_single(x, y, c, finite);
        else
          multiply_blas(x, y, c + i * m * n, finite);
      }
    });
  } else {
    int64_t row_work = std::max<int64_t>(n, 1) * std::max<int64_t>(k, 1);
    parallel_for(0, count * m, std::max<int64_t>(1, 4 * kParallelWork / row_work), [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t i = begin / m, first = begin % m, last = std::min(m, first + end - begin);
        Matrix<T> x, y;
        matrices(i, x, y);
        multiply_loop(x, y, c + i * m * n, first, last);
        begin += last - first;
      }
    });
  }
}

// Copies an operand into a layout that the kernel of its dtype reads: the whole stack, or nothing.
void make_readable(Stack& s, ScalarType dtype, bool vector_is_row, bool rows_dense) {
  bool vector = s.tensor.dim() == 1;
  bool fits = s.tensor.dtype() == dtype;
  if (fits && rows_dense)
    fits = s.cols <= 1 || s.col_stride == 1;
  else if (fits && vector)
    fits = s.tensor.numel() <= 1 || s.tensor.stride(0) > 0;
  else if (fits)
    fits = readable(s.rows, s.cols, s.row_stride, s.col_stride);
  if (!fits) s = make_stack(dense_copy(s.tensor, dtype), vector_is_row);
}

struct Product {
  Stack a, b;
  DimVector batch;
};

// Returns the same product with operands that the kernel of `dtype` can read.
Product arrange(Stack a, Stack b, DimVector batch, ScalarType dtype, bool b_rows_dense) {
  make_readable(a, dtype, true, false);
  make_readable(b, dtype, false, b_rows_dense);
  // A stack times one matrix is one tall matrix times that matrix.
  if (a.tensor.dim() > 2 && b.tensor.dim() <= 2 && a.tensor.is_contiguous()) {
    a = {a.tensor, numel_of(batch) * a.rows, a.cols, a.cols, 1, {}};
    batch.clear();
  }
  broadcast_batch(a, batch);
  broadcast_batch(b, batch);
  return {std::move(a), std::move(b), std::move(batch)};
}

// Empty if oneDNN cannot express the stack's batch strides (e.g. negative ones).
std::optional<onednn::Operand> onednn_operand(const Stack& s, IntList batch) {
  onednn::Operand operand{s.tensor.data(), {}, {}};
  const bool by_rows = (s.col_stride == 1 || s.cols == 1) && (s.rows == 1 || s.row_stride >= s.cols);
  const int64_t row_stride = !by_rows ? 1 : s.rows == 1 ? s.cols : s.row_stride;
  const int64_t col_stride = by_rows ? 1 : s.cols == 1 ? s.rows : s.col_stride;
  for (size_t d = 0; d < batch.size(); ++d) {
    const int64_t stride = s.batch_strides[d];
    if (stride < 0) return std::nullopt;
    operand.sizes.push_back(stride == 0 ? 1 : batch[d]);
    operand.strides.push_back(stride == 0 ? s.rows * s.cols : stride);
  }
  operand.sizes.append(IntList{s.rows, s.cols});
  operand.strides.append(IntList{row_stride, col_stride});
  return operand;
}

// Writes the product to `out`, which has the operands' 16-bit dtype. Returns false, without
// writing, if oneDNN has no kernel for it.
bool multiply_onednn(const Product& p, const Tensor& out, const void* bias = nullptr) {
  auto a = onednn_operand(p.a, p.batch), b = onednn_operand(p.b, p.batch);
  if (!a || !b) return false;
  DimVector sizes = p.batch;
  sizes.append(IntList{p.a.rows, p.b.cols});
  return onednn::multiply(out.dtype(), *a, *b, out.data(), sizes, bias);
}

}  // namespace

template <class T>
bool multiply_one(const Matrix<T>& a, const Matrix<T>& b, T* c, bool is_watched) {
  FiniteResults finite;
  multiply_single(a, b, c, is_watched ? &finite : nullptr);
  return finite.all();
}
template bool multiply_one(const Matrix<float>&, const Matrix<float>&, float*, bool);
template bool multiply_one(const Matrix<double>&, const Matrix<double>&, double*, bool);

namespace {

// `finite` is null if floating-point errors are not watched.
void multiply(const Tensor& input, const Tensor& other, const Tensor& out, FiniteResults* finite) {
  Stack a = make_stack(input, true), b = make_stack(other, false);
  if (a.cols == 0) return fill_with(out, Scalar(0));
  const auto matrix_axes = static_cast<size_t>((input.dim() > 1) + (other.dim() > 1));
  const DimVector batch(IntList(out.sizes().first(out.sizes().size() - matrix_axes)));
  const ScalarType dtype = out.dtype(), compute = compute_type(dtype);
  if (compute != dtype && onednn::pays(dtype, numel_of(batch), a.rows, b.cols, a.cols) &&
      multiply_onednn(arrange(a, b, batch, dtype, false), out)) {
    if (finite) finite->doubt();
    return;
  }
  if (compute != dtype && multiply_by_widening(a, b, {}, out, batch)) {
    if (finite) finite->doubt();
    return;
  }
  const bool blas = is_floating(compute) || is_complex(compute);
  const Tensor wide = compute == dtype ? out : empty_tensor(out.sizes(), compute);
  const Product p = arrange(std::move(a), std::move(b), batch, compute, !blas);
  visit<ComputeTypes>(compute, [&]<class T>() { run_batches<T>(p.a, p.b, wide, p.batch, finite); });
  if (compute != dtype) copy_into(out, wide);
}

// Whether `test` holds for an element of `t`, which is first made dense.
template <class F>
bool any_element(const Tensor& t, F&& test) {
  const Tensor dense = to_dense(t, compute_type(t.dtype()));
  bool found = false;
  visit<InexactTypes>(dense.dtype(), [&]<class T>() {
    using R = real_t<T>;
    const auto* x = reinterpret_cast<const R*>(dense.data());
    const int64_t n = dense.numel() * (is_complex_v<T> ? 2 : 1);
    constexpr int64_t kPiece = 1024;
    for (int64_t begin = 0; begin < n && !found; begin += kPiece) {
      bool any = false;
      for (int64_t i = begin; i < std::min(begin + kPiece, n); ++i) any |= test(x[i]);
      found = any;
    }
  });
  return found;
}

}  // namespace

FloatingPointErrors errors_of_product(const Tensor& a, const Tensor& b, const Tensor& out) {
  auto not_finite = [](auto x) { return !(x - x == 0); };
  auto nan = [](auto x) { return x != x; };
  if (!any_element(out, not_finite)) return kNoErrors;
  FloatingPointErrors errors = kNoErrors;
  if (any_element(out, nan) && !any_element(a, nan) && !any_element(b, nan)) errors |= kInvalid;
  if (any_element(out, [](auto x) { return !(x - x == 0) && x == x; }) && !any_element(a, not_finite) &&
      !any_element(b, not_finite)) {
    errors |= kOverflow;
  }
  return errors;
}

namespace {

Tensor transposed_view(const Tensor& matrix) {
  return view_of(matrix, {matrix.size(1), matrix.size(0)}, {matrix.stride(1), matrix.stride(0)}, matrix.address());
}
Tensor matrix_of(const Tensor& dense, int64_t rows, int64_t cols) {
  return view_of(dense, {rows, cols}, {cols, 1}, dense.address());
}

// Computes a small product of dense operands. All data is in the cache, so the overhead of a
// library call would dominate.
template <class T>
bool multiply_small_linear(const Matrix<T>& a, const Matrix<T>& b, T* c, Bias<T> bias) {
  if (a.rows * b.cols * a.cols > kSmallWorkOfOne || b.col_stride != 1) return false;
  multiply_small(a, b, c);
  bias.add(c, b.cols, 0, a.rows, b.cols);
  return true;
}

}  // namespace

// `input` (rows, k) and `weight` (n, k) or (k,) with any strides, or `input` dense with more axes.
// `bias` is dense.
void linear_cpu(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t k = input.size(-1), n = weight.dim() == 1 ? 1 : weight.size(0), rows = out.numel() / n;
  const ScalarType dtype = out.dtype(), compute = compute_type(dtype);
  if (k == 0) {
    if (bias.defined()) return copy_into(out, bias);
    return fill_with(out, Scalar(0));
  }
  const Tensor matrix = input.dim() == 2 ? input : view_of(input, {rows, k}, {k, 1}, input.address());
  Stack a = make_stack(matrix, true), b = make_stack(weight, false);
  if (weight.dim() == 2) std::swap(b.rows, b.cols), std::swap(b.row_stride, b.col_stride);
  auto transposed_back = [&](Tensor dense) {
    return weight.dim() == 1 ? make_stack(dense, false) : Stack{dense, k, n, 1, k, {}};
  };
  const auto data = [](const Tensor& t) { return t.defined() ? t.data() : nullptr; };
  if (compute != dtype && onednn::pays(dtype, 1, rows, n, k)) {
    if (!readable(a.rows, a.cols, a.row_stride, a.col_stride)) a = make_stack(dense_copy(matrix, dtype), true);
    if (!readable(b.rows, b.cols, b.row_stride, b.col_stride)) b = transposed_back(dense_copy(weight, dtype));
    if (multiply_onednn({a, b, {}}, out, data(bias))) return;
  }
  if (compute != dtype && multiply_by_widening(a, b, bias, out, {})) return;
  make_readable(a, compute, true, false);
  if (b.tensor.dtype() != compute || !readable(b.rows, b.cols, b.row_stride, b.col_stride))
    b = transposed_back(dense_copy(weight, compute));
  const Tensor wide = compute == dtype ? out : empty_tensor(out.sizes(), compute);
  const Tensor row = bias.defined() ? to_dense(bias, compute) : bias;
  visit<ComputeTypes>(compute, [&]<class T>() {
    const Bias<T> added{reinterpret_cast<const T*>(data(row))};
    const Matrix<T> x{a.tensor.data_ptr<T>(), rows, k, a.row_stride, a.col_stride};
    const Matrix<T> y{b.tensor.data_ptr<T>(), k, n, b.row_stride, b.col_stride};
    T* c = wide.data_ptr<T>();
    if constexpr (kHasBlas<T>) {
      if (!multiply_small_linear(x, y, c, added)) multiply_any(x, y, c, nullptr, added);
    } else {
      const Tensor rows_of_b = weight.dim() == 1 ? weight : dense_copy(transposed_view(weight), compute);
      multiply(matrix, rows_of_b,
               weight.dim() == 1 ? view_of(wide, {rows}, {1}, wide.address()) : matrix_of(wide, rows, n), nullptr);
      added.add(c, n, 0, rows, n);
    }
  });
  if (compute != dtype) copy_into(out, wide);
}

void matmul_cpu(const Tensor& input, const Tensor& other, const Tensor& out) {
  if (out.numel() == 0) return;
  const bool nested = has_error_watch();  // dot() and others report the product's errors as theirs
  const FloatingPointWatch watch("matmul");
  if (!has_error_watch() || is_integral(out.dtype())) return multiply(input, other, out, nullptr);
  const FloatingPointErrors before = nested ? take_floating_point_flags() : kNoErrors;
  FiniteResults finite;
  multiply(input, other, out, &finite);
  FloatingPointErrors errors = take_floating_point_flags();
  if (TNP_UNLIKELY(errors || !finite.all())) {
    errors = errors_of_product(input, other, out);
    take_floating_point_flags();
  }
  if (before | errors) raise_floating_point_flags(before | errors);
}

}  // namespace tnp::native
