// Detection of overflow and invalid values in a product for which the processor's flags are no
// evidence.
#pragma once

#include <atomic>
#include <cstdint>

#include "aten/core/numbers/complex.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/pointwise/finite_loops.h"

namespace tnp::native {

// Note [Errors of products] The processor's flags show errors of a product if only our own threads
// compute it: parallel_for collects their flags. BLAS has its own threads, whose flags cannot be
// read. So products that are not very large are shared among our threads as several single-threaded
// BLAS calls, at no extra cost. Products with few results of long sums (products with vectors,
// large products) are checked afterwards instead: if all results are finite, there was no error.
class FiniteResults {
 public:
  // False if some results are not finite or were not checked.
  bool all() const { return all_.load(std::memory_order_relaxed); }
  void doubt() { all_.store(false, std::memory_order_relaxed); }

  template <class T>
  void look_at(const T* x, int64_t n) {
    constexpr int64_t kPiece = 1 << 16, kFew = 4;
    if (n <= kFew) {  // for at most kFew results, calling the loop costs as much as the product
      for (int64_t i = 0; i < n; ++i) {
        if (!(x[i] - x[i] == T(0))) doubt();
      }
      return;
    }
    parallel_for(0, n, kPiece, [&](int64_t begin, int64_t end) {
      if (all() && !is_finite(x + begin, end - begin)) doubt();
    });
  }

 private:
  static const FiniteLoops& loops() {
    using namespace finite_loops;
    static constexpr LoopVariants<FiniteLoops> variants = TNP_LOOP_VARIANTS(loops);
    static const FiniteLoops& chosen = variants.choose()[0];
    return chosen;
  }
  static bool is_finite(const float* x, int64_t n) { return loops().floats(x, n); }
  static bool is_finite(const double* x, int64_t n) { return loops().doubles(x, n); }
  template <class R>
  static bool is_finite(const Complex<R>* x, int64_t n) {
    return is_finite(reinterpret_cast<const R*>(x), 2 * n);
  }

  std::atomic<bool> all_{true};
};

}  // namespace tnp::native
