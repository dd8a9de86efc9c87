// Products of cache-sized blocks on one thread, for kernels that share out the blocks themselves.
#pragma once

#include <vector>

#include "aten/core/tensor.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/product_loops.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"

namespace tnp::native {

// A matrix inside a block: stride `line` between rows, `step` between columns.
template <class T>
struct Block {
  const T* data;
  int64_t line, step;
  Block transposed() const { return {data, step, line}; }
};

// Computes such products. Reuses its buffer between calls.
template <class T>
class BlockProducts {
 public:
  BlockProducts() {
    using namespace product_loops;
    static constexpr LoopVariants<ProductLoops> variants = TNP_LOOP_VARIANTS(loops);
    static const std::span<const ProductLoops> chosen = variants.choose();
    if (chosen.empty()) return;
    loop_ = &loops_of_type<T>(chosen[0]);
  }

  // Whether our own loops compute the products. If not, a BLAS library does.
  static bool has_loops() { return BlockProducts().loop_ != nullptr; }

  // C (m, n), with row stride `ldc`, = A (m, k) @ B (k, n) + `added` (m, 1). `added` may be null.
  void multiply(int64_t m, int64_t n, int64_t k, Block<T> a, Block<T> b, T* c, int64_t ldc, const T* added = nullptr) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
      for (int64_t i = 0; i < m; ++i) std::fill_n(c + i * ldc, n, added ? added[i] : T(0));
      return;
    }
    if (loop_) {
      const int64_t size = loop_->buffer_size(m, n, k);
      if (!buffer_.defined() || buffer_.numel() < size) buffer_ = empty_tensor({size}, scalar_type_of<T>);
      loop_->multiply(m, n, k, a.data, a.line, a.step, b.data, b.step, b.line, added, c, ldc, buffer_.data_ptr<T>());
      return;
    }
    const blas::Library& lib = blas::library_for<T>(blas::Work::Product, m * n * k);
    const blas::OneThread one(lib, true);
    bool ta = false, tb = false;
    int64_t lda = 0, ldb = 0;
    const T *x = readable(a, m, k, left_, ta, lda), *y = readable(b, k, n, right_, tb, ldb);
    blas::gemm(lib, ta, tb, m, n, k, x, lda, y, ldb, c, ldc);
    for (int64_t i = 0; added && i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] += added[i];
  }

 private:
  static const T* readable(Block<T> a, int64_t rows, int64_t cols, std::vector<T>& copy, bool& transposed,
                           int64_t& ld) {
    if ((a.step == 1 || cols == 1) && (a.line >= cols || rows == 1)) {
      ld = std::max<int64_t>(rows == 1 ? cols : a.line, 1);
      return a.data;
    }
    if ((a.line == 1 || rows == 1) && (a.step >= rows || cols == 1)) {
      transposed = true, ld = std::max<int64_t>(cols == 1 ? rows : a.step, 1);
      return a.data;
    }
    copy.resize(static_cast<size_t>(rows * cols));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) copy[static_cast<size_t>(i * cols + j)] = a.data[i * a.line + j * a.step];
    ld = cols;
    return copy.data();
  }

  const ProductLoop<T>* loop_ = nullptr;
  Tensor buffer_;
  std::vector<T> left_, right_;
};

}  // namespace tnp::native
