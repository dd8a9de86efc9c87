// Helpers of the linear algebra kernels that use LAPACK and, on a GPU, cuSOLVER. aten/meta checks
// their operands and describes their results.
#pragma once

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "aten/core/dialect.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"

namespace tnp::native {

using BlasTypes = Join<FloatTypes, ComplexTypes>;

// The number of matrices in the stack `t`.
inline int64_t stack_size(const Tensor& t) {
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < t.dim(); ++d) count *= t.size(d);
  return count;
}

// Error messages, with NumPy's texts.
namespace linalg_errors {
inline constexpr const char *singular = "Singular matrix", *not_positive_definite = "Matrix is not positive definite",
                            *eigenvalues = "Eigenvalues did not converge", *svd = "SVD did not converge",
                            *least_squares = "SVD did not converge in Linear Least Squares",
                            *not_finite = "Array must not contain infs or NaNs";
// The error kind for the message not_finite. NumPy's face has a separate exception class for it.
inline ErrorKind not_finite_kind() { return dialect().errors_are_numpys() ? ErrorKind::LinAlg : ErrorKind::Domain; }
}  // namespace linalg_errors

// Calls body(i) for each matrix of the stack. Several threads share a large stack. `work`: the
// approximate nanoseconds per matrix.
template <class F>
void for_each_matrix(int64_t count, double work, F&& body) {
  std::optional<LongWork> long_work;
  if (work * static_cast<double>(count) > 25.0 * kParallelWork) long_work.emplace();
  auto grain = static_cast<int64_t>(std::max(1.0, 5.0 * kParallelWork / std::max(work, 1.0)));
  parallel_for(0, count, count > 1 ? grain : 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

// Whether n numbers include an infinity or a NaN. Factorisations that scale their matrix must not
// see one: LAPACK would print an error and leave the results unset. The test uses integer
// operations so that compilers vectorise it.
struct NotFinite {
  bool infinity = false, nan = false;
  explicit operator bool() const { return infinity || nan; }
};
template <class T>
NotFinite not_finite(const T* x, int64_t n) {
  using Real = real_t<T>;
  using Bits = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;
  constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  const auto* parts = reinterpret_cast<const Real*>(x);
  const int64_t count = n * static_cast<int64_t>(sizeof(T) / sizeof(Real));
  Bits infinities = 0, nans = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Bits magnitude = std::bit_cast<Bits>(parts[i]) & (~Bits(0) >> 1);
    infinities |= Bits(magnitude == kInfinity);
    nans |= Bits(magnitude > kInfinity);
  }
  return {infinities != 0, nans != 0};
}

// The approximate time to factorise an (m, n) matrix: one nanosecond per multiplication.
inline double cubic_work(int64_t m, int64_t n) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

template <class T>
std::unique_ptr<T[]> workspace(int64_t n) {
  return std::unique_ptr<T[]>(new T[static_cast<size_t>(std::max<int64_t>(n, 1))]);
}

// Strides of a dense stack of column-major matrices of these sizes.
inline DimVector column_major_strides(IntList sizes) {
  DimVector strides = contiguous_strides(sizes);
  const size_t n = strides.size();
  strides[n - 2] = 1;
  strides[n - 1] = std::max<int64_t>(sizes[n - 2], 1);
  return strides;
}
inline Tensor empty_column_major(IntList sizes, ScalarType dtype) {
  return empty_strided_tensor(sizes, column_major_strides(sizes), dtype);
}

// Fills each matrix with zeros, and ones on the diagonal.
inline void fill_with_identity(const Tensor& t) {
  if (t.numel() == 0) return;
  const int64_t rows = t.size(-2), cols = t.size(-1);
  fill_with(t, Scalar(0));
  fill_with(view_of(t, DimVector{stack_size(t), std::min(rows, cols)}, DimVector{rows * cols, cols + 1}, t.address()),
            Scalar(1));
}

}  // namespace tnp::native
