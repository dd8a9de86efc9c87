// Whether a product overflowed or had no value, where flags of the processor do not tell.
#pragma once

#include <atomic>
#include <cstdint>

#include "aten/core/numbers/complex.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/pointwise/finite_loops.h"

namespace tnp::native {

// Note [Errors of products] Flags tell of an error in a product where all threads that compute it are ours:
// parallel_for collects theirs. BLAS has threads of its own, whose flags nobody sees. So what is not very large is
// shared out here, among calls that BLAS computes on one thread, and costs nothing more. Where there are few results of
// long sums, in products with vectors and in large ones, they are looked at: as long as they are finite, there is no
// error.
class FiniteResults {
 public:
  // False: some are not, or nobody has looked at them.
  bool all() const { return all_.load(std::memory_order_relaxed); }
  void doubt() { all_.store(false, std::memory_order_relaxed); }

  template <class T>
  void look_at(const T* x, int64_t n) {
    constexpr int64_t kPiece = 1 << 16, kFew = 4;
    if (n <= kFew) {  // a call of the loop would cost as much as a product of so few
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
