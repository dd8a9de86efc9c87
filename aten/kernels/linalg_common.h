// What the kernels on LAPACK and, on a GPU, on cuSOLVER share: which dtypes and shapes they take, and walking over a
// stack of matrices.
#pragma once

#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include "aten/core/parallel.h"
#include "aten/core/promotion.h"
#include "aten/iterator/dense.h"

namespace tnp::native {

using BlasTypes = Join<FloatTypes, ComplexTypes>;

// The dtype that LAPACK works in: floats and complex numbers as they are, integers as float64.
inline ScalarType linalg_dtype(ScalarType t) {
  TNP_CHECK(!is_reduced_float(t), ErrorKind::Dtype, "array type ", t, " is unsupported in linalg");
  return is_integral(t) ? ScalarType::Float64 : t;
}

inline void check_matrices(const Tensor& t) {
  TNP_CHECK(t.dim() >= 2, ErrorKind::LinAlg, t.dim(),
            "-dimensional array given. Array must be at least two-dimensional");
}

inline void check_square(const Tensor& t) {
  check_matrices(t);
  TNP_CHECK(t.size(-1) == t.size(-2), ErrorKind::LinAlg, "Last 2 dimensions of the array must be square");
}

inline int64_t stack_size(const Tensor& t) {
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < t.dim(); ++d) count *= t.size(d);
  return count;
}

// The sizes of the stack, followed by `tail`.
inline DimVector stacked(const Tensor& t, IntList tail) {
  DimVector sizes(t.sizes().subspan(0, static_cast<size_t>(t.dim() - 2)));
  sizes.append(tail);
  return sizes;
}

// A X = B of `input` (..., n, n) and `other` (..., n, k): what X is in, and the stack that both broadcast to.
struct System {
  ScalarType dtype;
  DimVector stack;
};
inline System check_system(const Tensor& input, const Tensor& other) {
  check_square(input);
  check_matrices(other);
  const int64_t n = input.size(-1);
  TNP_CHECK(other.size(-2) == n, ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            "signature (m,m),(m,n)->(m,n) (size ",
            other.size(-2), " is different from ", n, ")");
  auto stack_of = [](const Tensor& t) { return t.sizes().subspan(0, static_cast<size_t>(t.dim() - 2)); };
  return {promote_types(linalg_dtype(input.dtype()), linalg_dtype(other.dtype()), PromotionRules::NumPy),
          broadcast_shapes(stack_of(input), stack_of(other))};
}

// The same for least squares: two matrices with as many rows.
inline ScalarType check_least_squares(const Tensor& input, const Tensor& other) {
  TNP_CHECK(input.dim() == 2 && other.dim() == 2, ErrorKind::LinAlg, input.dim() == 2 ? other.dim() : input.dim(),
            "-dimensional array given. Array must be two-dimensional");
  TNP_CHECK(input.size(0) == other.size(0), ErrorKind::LinAlg, "Incompatible dimensions");
  return promote_types(linalg_dtype(input.dtype()), linalg_dtype(other.dtype()), PromotionRules::NumPy);
}

// What went wrong, in the words of NumPy.
namespace linalg_errors {
inline constexpr const char *singular = "Singular matrix", *not_positive_definite = "Matrix is not positive definite",
                            *eigenvalues = "Eigenvalues did not converge", *svd = "SVD did not converge",
                            *least_squares = "SVD did not converge in Linear Least Squares",
                            *not_finite = "Array must not contain infs or NaNs";
}

// Calls body(i) for each matrix of the stack, on several threads if each takes about `work` nanoseconds and they are
// many.
template <class F>
void for_each_matrix(int64_t count, double work, F&& body) {
  std::optional<LongWork> long_work;
  if (work * static_cast<double>(count) > 25.0 * kParallelWork) long_work.emplace();
  auto grain = static_cast<int64_t>(std::max(1.0, 5.0 * kParallelWork / std::max(work, 1.0)));
  parallel_for(0, count, count > 1 ? grain : 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

// Whether there is an infinity, or a NaN, among n numbers. Factorisations that scale their matrix must not see one:
// LAPACK would print an error, and leave the results as they are. By the bits, so that compilers vectorise it.
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

// About the time that a factorisation of an (m, n) matrix takes.
inline double cubic_work(int64_t m, int64_t n) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::min(m, n));
}

template <class T>
std::unique_ptr<T[]> workspace(int64_t n) {
  return std::unique_ptr<T[]>(new T[static_cast<size_t>(std::max<int64_t>(n, 1))]);
}

// Row-major results with the given sizes, of the stack of `like`.
inline Tensor empty_stack(const Tensor& like, IntList tail, ScalarType dtype) {
  return empty_tensor(stacked(like, tail), dtype, like.device());
}

// The same, each matrix column-major.
inline Tensor empty_column_major(const Tensor& like, int64_t rows, int64_t cols, ScalarType dtype) {
  DimVector sizes = stacked(like, {rows, cols}), strides = contiguous_strides(sizes);
  strides[strides.size() - 2] = 1;
  strides[strides.size() - 1] = std::max<int64_t>(rows, 1);
  return empty_strided_tensor(sizes, strides, dtype, like.device());
}

}  // namespace tnp::native
