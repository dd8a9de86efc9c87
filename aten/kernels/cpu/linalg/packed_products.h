// Products of a few rows by a matrix that is packed once and multiplied often, on one thread at a
// time.
#pragma once

#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/linalg/block_products.h"
#include "aten/kernels/cpu/linalg/packed_product_loops.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"

namespace tnp::native {

// B (k, n), packed. The memory of `b` must outlive this object, because BLAS reads it if there are
// no loops.
template <class T>
class PackedMatrix {
 public:
  PackedMatrix(int64_t k, int64_t n, Block<T> b) : k_(k), n_(n), b_(b) {
    using namespace packed_product_loops;
    static constexpr LoopVariants<PackedProductLoops> variants = TNP_LOOP_VARIANTS(loops);
    static const std::span<const PackedProductLoops> chosen = variants.choose();
    if (chosen.empty() || k == 0) return;
    loop_ = &loops_of_type<T>(chosen[0]);
    const int64_t panels = (n + loop_->cols - 1) / loop_->cols, panel = k * loop_->cols;
    packed_ = empty_tensor({panels * panel}, scalar_type_of<T>);
    T* to = packed_.data_ptr<T>();
    parallel_for(0, panels, kParallelWork / panel + 1,
                 [&](int64_t begin, int64_t end) { loop_->pack(k, n, b.data, b.step, b.line, begin, end, to); });
  }

  // C (m, n) = start + A (m, k) @ B, with row strides `lda`, `start_line` and `ldc`. `start`: null,
  // C itself, or memory that does not alias C. Each thread passes its own `library`.
  void multiply(int64_t m, const T* a, int64_t lda, const T* start, int64_t start_line, T* c, int64_t ldc,
                BlockProducts<T>& library) const {
    if (m == 0 || n_ == 0) return;
    if (loop_) return loop_->multiply(m, n_, k_, a, lda, packed_.data_ptr<T>(), start, start_line, c, ldc);
    const Tensor memory = empty_tensor({m * n_}, scalar_type_of<T>);
    T* product = memory.data_ptr<T>();
    library.multiply(m, n_, k_, {a, lda, 1}, b_, product, n_);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n_; ++j)
        c[i * ldc + j] = start ? start[i * start_line + j] + product[i * n_ + j] : product[i * n_ + j];
    }
  }

 private:
  const PackedProductLoop<T>* loop_ = nullptr;
  const int64_t k_, n_;
  const Block<T> b_;
  Tensor packed_;
};

}  // namespace tnp::native
