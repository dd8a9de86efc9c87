// Solvers, inverses and determinants by LU factorisation with partial pivoting; Cholesky
// factorisation.
//
// Note [Row-major LAPACK]: LAPACK sees a row-major matrix as its transpose. Inverses and
// determinants are the same either way, and LAPACK can solve with the transpose of a factorisation.
// So matrices are copied but never transposed.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/lu_factorisation.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::native {

namespace {

void check_singular(int64_t info) { TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::singular); }

// Note [Small systems]: below about 16 unknowns, the overhead of LAPACK's calls exceeds its
// arithmetic. Small systems use row-major elimination with partial pivoting, in place. It
// eliminates B's columns along with A and then substitutes back.
constexpr int64_t kSmallSystem = 16;

// b has k columns of n elements. Returns false if A is singular.
template <class T>
bool solve_small(int64_t n, int64_t k, T* a, T* b) {
  auto size = [](T v) {
    if constexpr (is_complex_v<T>)
      return std::abs(v.re) + std::abs(v.im);
    else
      return std::abs(v);
  };
  for (int64_t j = 0; j < n; ++j) {
    int64_t pivot = j;
    auto best = size(a[j * n + j]);
    for (int64_t i = j + 1; i < n; ++i) {
      // As in LAPACK, a NaN is not chosen as pivot unless it comes first.
      if (size(a[i * n + j]) > best) best = size(a[i * n + j]), pivot = i;
    }
    if (best == 0) return false;
    if (pivot != j) {
      std::swap_ranges(a + j * n + j, a + (j + 1) * n, a + pivot * n + j);
      for (int64_t c = 0; c < k; ++c) std::swap(b[c * n + j], b[c * n + pivot]);
    }
    const T* row = a + j * n;
    for (int64_t i = j + 1; i < n; ++i) {
      T* other = a + i * n;
      const T factor = other[j] / row[j];
      for (int64_t l = j + 1; l < n; ++l) other[l] -= factor * row[l];
      for (int64_t c = 0; c < k; ++c) b[c * n + i] -= factor * b[c * n + j];
    }
  }
  for (int64_t c = 0; c < k; ++c) {
    T* x = b + c * n;
    for (int64_t i = n; i-- > 0;) {
      T sum = x[i];
      for (int64_t l = i + 1; l < n; ++l) sum -= a[i * n + l] * x[l];
      x[i] = sum / a[i * n + i];
    }
  }
  return true;
}

}  // namespace

// Solves A X = B: `input` (..., n, n), `other` (..., n, k); the stacks broadcast.
void linalg_solve_cpu(const Tensor& input, const Tensor& other, const Tensor& out) {
  const int64_t n = input.size(-1), k = other.size(-1);
  const IntList sizes = out.sizes().subspan(0, out.sizes().size() - 2);
  const size_t depth = sizes.size();
  // B is broadcast by copying it into X, which is solved in place. X is `out` itself if its columns
  // are contiguous. Each matrix A is factorised once.
  const Tensor columns = view_of(out, out.sizes(), column_major_strides(out.sizes()), out.address());
  const Tensor x = columns.is_contiguous() ? columns : empty_column_major(out.sizes(), out.dtype());
  if (x.numel() > 0) copy_into(x, other);
  const Tensor a = dense_copy(input, out.dtype());
  const int64_t count = stack_size(a), right_sides = numel_of(sizes);
  visit<BlasTypes>(out.dtype(), [&]<class T>() {
    T* factors = a.data_ptr<T>();
    // There is one right-hand side for each matrix, in the same order.
    if (n <= kSmallSystem && k <= kSmallSystem && count == right_sides) {
      for_each_matrix(n > 0 ? count : 0, 2 * cubic_work(n, n), [&](int64_t i) {
        check_singular(solve_small(n, k, factors + i * n * n, x.data_ptr<T>() + i * n * k) ? 0 : 1);
      });
      return;
    }
    auto pivots = workspace<lapack::Int>(count * n);
    for_each_matrix(n > 0 ? count : 0, cubic_work(n, n), [&](int64_t i) {
      check_singular(factorise_lu(n, factors + i * n * n, pivots.get() + i * n, count));
    });
    if (x.numel() == 0) return;
    for_each_matrix(right_sides, static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k),
                    [&](int64_t i) {
                      int64_t which = 0, rest = i, step = 1;
                      for (size_t d = depth; d-- > 0;) {
                        int64_t index = rest % sizes[d];
                        rest /= sizes[d];
                        int64_t own = input.dim() - 2 - static_cast<int64_t>(depth - d);
                        if (own < 0) continue;
                        if (input.size(own) != 1) which += index * step;
                        step *= input.size(own);
                      }
                      lapack::getrs('T', n, k, factors + which * n * n, n, pivots.get() + which * n,
                                    x.data_ptr<T>() + i * n * k, n);
                    });
  });
  if (!x.is_same(columns) && out.numel() > 0) copy_into(out, x);
}

namespace {

// Note [Inverse by rows]: in row-major terms, A with the column exchanges of getrf is L U with a
// unit upper U. The rows of its inverse are those of inverse(U) inverse(L), permuted. Each row is
// computed from a row of the identity independently, so that threads share them. Row j of
// inverse(U) begins with j zeros, which saves as much work as LAPACK's getri saves. But getri
// computes columns that depend on each other, on one thread.
constexpr int64_t kRowsTogether = 128;

template <class T>
void invert_factors(int64_t n, const T* factors, const lapack::Int* pivots, T* inverse) {
  auto rows = workspace<int64_t>(n);
  for (int64_t j = 0; j < n; ++j) rows[j] = j;
  for (int64_t j = 0; j < n; ++j) std::swap(rows[j], rows[pivots[j] - 1]);
  // Uses several blocks per thread, because the first blocks have the longest rows and take longer.
  const int64_t together = std::clamp<int64_t>(n / (int64_t{4} * get_num_threads()), 32, kRowsTogether);
  const int64_t grain = std::max<int64_t>(20 * kParallelWork / (together * n * n), 1);
  parallel_for(0, (n + together - 1) / together, grain, [&](int64_t begin, int64_t end) {
    auto block = workspace<T>(together * n);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t j = i * together, count = std::min(together, n - j);
      std::fill_n(block.get(), count * n, T(0));
      for (int64_t k = 0; k < count; ++k) block[k * n + j + k] = T(1);
      blas::trsm_right(true, true, count, n - j, factors + j * n + j, n, block.get() + j, n);
      blas::trsm_right(false, false, count, n, factors, n, block.get(), n);
      for (int64_t k = 0; k < count; ++k) std::copy_n(block.get() + k * n, n, inverse + rows[j + k] * n);
    }
  });
}

}  // namespace

void linalg_inv_cpu(const Tensor& input, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = input.size(-1);
  const Tensor a = dense_copy(input, out.dtype());
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    const int64_t count = stack_size(a);
    for_each_matrix(count, 3 * cubic_work(n, n), [&](int64_t i) {
      auto pivots = workspace<lapack::Int>(n);
      T* matrix = a.data_ptr<T>() + i * n * n;
      check_singular(factorise_lu(n, matrix, pivots.get(), count));
      invert_factors(n, matrix, pivots.get(), out.data_ptr<T>() + i * n * n);
    });
  });
}

// The sign of the determinant (of modulus 1; 0 if singular), and the logarithm of its absolute
// value.
void linalg_slogdet_cpu(const Tensor& input, const Tensor& sign, const Tensor& logabsdet) {
  const int64_t n = input.size(-1);
  const Tensor a = dense_copy(input, sign.dtype());
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    using R = real_t<T>;
    const int64_t count = stack_size(a);
    for_each_matrix(count, cubic_work(n, n), [&](int64_t i) {
      auto pivots = workspace<lapack::Int>(n);
      T* matrix = a.data_ptr<T>() + i * n * n;
      T& s = sign.data_ptr<T>()[i];
      R& log = logabsdet.data_ptr<R>()[i];
      s = T(1), log = 0;
      if (n > 0 && factorise_lu(n, matrix, pivots.get(), count) > 0) {
        s = T(0), log = -std::numeric_limits<R>::infinity();
        return;
      }
      for (int64_t j = 0; j < n; ++j) {
        T diagonal = matrix[j * n + j];
        R size;
        if constexpr (is_complex_v<T>) {
          size = std::hypot(diagonal.re, diagonal.im);
          s *= diagonal / T(size);
        } else {
          size = std::abs(diagonal);
          if (diagonal < 0) s = -s;
        }
        if (pivots[static_cast<size_t>(j)] != static_cast<lapack::Int>(j) + 1) s = -s;
        log += std::log(size);
      }
    });
  });
}

// The product of the pivots, with a separate exponent to avoid intermediate overflow.
void linalg_det_cpu(const Tensor& input, const Tensor& out) {
  const int64_t n = input.size(-1);
  const Tensor a = dense_copy(input, out.dtype());
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    using Wide = std::conditional_t<is_complex_v<T>, Complex<double>, double>;
    const int64_t count = stack_size(a);
    for_each_matrix(count, cubic_work(n, n), [&](int64_t i) {
      auto pivots = workspace<lapack::Int>(n);
      T* matrix = a.data_ptr<T>() + i * n * n;
      T& result = out.data_ptr<T>()[i];
      result = T(0);
      if (n > 0 && factorise_lu(n, matrix, pivots.get(), count) > 0) return;
      Wide product(1);
      int exponent = 0;
      auto shift = [](Wide v, int by) {
        if constexpr (is_complex_v<T>)
          return Wide(std::ldexp(v.re, by), std::ldexp(v.im, by));
        else
          return std::ldexp(v, by);
      };
      for (int64_t j = 0; j < n; ++j) {
        product *= static_cast<Wide>(matrix[j * n + j]);
        if (pivots[static_cast<size_t>(j)] != static_cast<lapack::Int>(j) + 1) product = -product;
        int size = 0;
        if constexpr (is_complex_v<T>)
          std::frexp(std::max(std::fabs(product.re), std::fabs(product.im)), &size);
        else
          std::frexp(product, &size);
        product = shift(product, -size);
        exponent += size;
      }
      result = static_cast<T>(shift(product, exponent));
    });
  });
}

// Lower triangular L with A = L L^H, or upper triangular U with A = U^H U if `upper`. Only that
// triangle of A is read.
void linalg_cholesky_cpu(const Tensor& input, bool upper, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = input.size(-1);
  copy_into(out, input);
  visit<BlasTypes>(out.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(out), cubic_work(n, n) / 3, [&](int64_t i) {
      T* matrix = out.data_ptr<T>() + i * n * n;
      TNP_CHECK(lapack::potrf(upper ? 'L' : 'U', n, matrix, n) == 0, ErrorKind::LinAlg,
                linalg_errors::not_positive_definite);
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) {
          if (upper ? c < r : c > r) matrix[r * n + c] = T(0);
        }
      }
    });
  });
}

}  // namespace tnp::native
