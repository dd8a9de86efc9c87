// Products of few rows by a matrix that is packed once and multiplied often, by one thread at a time.
#pragma once

#include <initializer_list>
#include <vector>

#include "aten/core/parallel.h"
#include "aten/core/tensor.h"
#include "aten/kernels/cpu/block_products.h"
#include "aten/kernels/cpu/packed_product_loops.h"

namespace tnp::native {

// A matrix of n columns. What it was made of must live as long, for BLAS reads that where there are no loops.
template <class T>
class PackedMatrix {
 public:
  struct Part {
    int64_t rows;
    Block<T> block;
  };
  // Parts lie below each other.
  PackedMatrix(int64_t n, std::initializer_list<Part> parts) : n_(n), parts_(parts) {
    using namespace packed_product_loops;
    for (const Part& part : parts) k_ += part.rows;
    static constexpr LoopVariants<PackedProductLoops> variants = TNP_LOOP_VARIANTS(loops);
    static const std::span<const PackedProductLoops> chosen = variants.choose();
    if (chosen.empty() || k_ == 0) return;
    if constexpr (std::is_same_v<T, float>)
      loop_ = &chosen[0].floats;
    else
      loop_ = &chosen[0].doubles;
    const int64_t panels = (n + loop_->cols - 1) / loop_->cols, panel = k_ * loop_->cols;
    packed_ = empty_tensor({panels * panel}, scalar_type_of<T>);
    parallel_for(0, panels, kParallelWork / panel + 1, [&](int64_t begin, int64_t end) {
      T* to = packed_.data_ptr<T>();
      for (const Part& part : parts_) {
        loop_->pack(part.rows, n, part.block.data, part.block.step, part.block.line, begin, end, to, panel);
        to += part.rows * loop_->cols;
      }
    });
  }

  // C (m, n) = start + A (m, k) @ this, rows `lda`, `start_line` and `ldc` apart. `start`: null, or C itself, or no
  // part of it. `library`: each thread's own.
  void multiply(int64_t m, const T* a, int64_t lda, const T* start, int64_t start_line, T* c, int64_t ldc,
                BlockProducts<T>& library) const {
    if (m == 0 || n_ == 0) return;
    if (loop_) return loop_->multiply(m, n_, k_, a, lda, packed_.data_ptr<T>(), start, start_line, c, ldc);
    const Tensor memory = empty_tensor({m * n_}, scalar_type_of<T>);
    T* product = memory.data_ptr<T>();
    for (const Part& part : parts_) {
      library.multiply(m, n_, part.rows, {a, lda, 1}, part.block, product, n_);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n_; ++j)
          c[i * ldc + j] = start ? start[i * start_line + j] + product[i * n_ + j] : product[i * n_ + j];
      }
      a += part.rows, start = c, start_line = ldc;
    }
  }

 private:
  const PackedProductLoop<T>* loop_ = nullptr;
  int64_t k_ = 0;
  const int64_t n_;
  const std::vector<Part> parts_;
  Tensor packed_;
};

}  // namespace tnp::native
