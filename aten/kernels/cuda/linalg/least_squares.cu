// Least squares, by the singular value decomposition.
#include <algorithm>
#include <limits>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/linalg/blas.h"
#include "aten/kernels/cuda/linalg/conjugates.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp {

namespace gpu {
namespace {

// Multiplies each row by the inverse of its singular value. Singular values up to `relative` times
// the largest one count as 0, and their rows become 0.
template <class T>
struct DivideRows {
  using R = real_t<T>;
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const R* values;  // singular values in descending order
  R relative, least_size;
  T* rows;
  int64_t count, columns;
  int32_t* rank;  // the caller sets it to 0
  TNP_HOST_DEVICE bool counts(int64_t i) const {
    const R threshold = values[0] * relative;
    return values[i] > (threshold > least_size ? threshold : least_size);
  }
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count * columns, [this](int64_t i) {
      const int64_t row = i / columns;
      rows[i] = counts(row) ? rows[i] * T(R(1) / values[row]) : rows[i] * T(0);
    });
    grid_stride_loop(place, count, [this](int64_t i) {
      if (counts(i) && (i + 1 == count || !counts(i + 1))) *rank = static_cast<int32_t>(i + 1);
    });
  }
};

// Marks right sides that contain infinities or NaNs. Only their own solutions become NaN.
template <class T>
struct FindSpoilt {
  const T* sides;
  int64_t row, column;  // steps between rows, and between columns
  int64_t columns;
  int32_t* spoilt;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const T x = sides[i / columns * row + i % columns * column];
    if (!(x - x == T(0))) spoilt[i % columns] = 1;
  }
};

template <class T>
struct FillSpoilt {
  T* rows;
  int64_t columns;
  const int32_t* spoilt;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    if (spoilt[i % columns]) rows[i] = T(std::numeric_limits<real_t<T>>::quiet_NaN());
  }
};

// out = a @ b for matrices, with a row-major `out`. Always computes in full precision, regardless
// of float32_matmul_precision().
void product_into(const Tensor& out, const MatrixStack& a, const MatrixStack& b, int64_t k) {
  const bool done = multiply(
      {out.dtype(), Float32MatmulPrecision::Highest, out.size(0), out.size(1), k, 1, a, b, out.address(), out.numel()},
      out.device());
  TNP_INTERNAL_ASSERT(done);
}

}  // namespace
}  // namespace gpu

using namespace gpu;

// If A has more rows than columns, a QR factorisation first replaces A by R and the right sides by
// Q^H b. The rows of Q^H b beyond those of R give the residuals. Then x = V S^-1 U^H b by the
// singular value decomposition, without the singular values that count as zero. The products do not
// conjugate: for complex dtypes they compute conj(x) from conj(b).
void native::linalg_lstsq_cuda(const Tensor& input, const Tensor& other, double rcond, const Tensor& solution,
                               const Tensor& rest, const Tensor& rank, const Tensor& singular_values) {
  const ScalarType dtype = solution.dtype(), real = singular_values.dtype();
  const int64_t m = input.size(0), n = input.size(1), k = other.size(1), least = std::min(m, n);
  const Device device = input.device();
  auto empty = [&](IntList sizes) { return empty_tensor(sizes, dtype, device); };
  fill_with(rank, Scalar(0));
  if (least == 0) {
    if (solution.numel() > 0) fill_with(solution, Scalar(0));
    if (rest.numel() > 0) copy_into(rest, other);
    return;
  }
  Tensor a = dense_copy(input, dtype), b;
  MatrixStack sides;
  const Tensor spoilt = empty_tensor({std::max<int64_t>(k, 1)}, ScalarType::Int32, device);
  fill_with(spoilt, Scalar(0));
  auto find_spoilt = [&](int64_t row, int64_t column) {
    visit<BlasTypes>(dtype, [&]<class T>() {
      for_each(m * k,
               FindSpoilt<T>{reinterpret_cast<const T*>(b.address()), row, column, k,
                             reinterpret_cast<int32_t*>(spoilt.address())},
               device);
    });
  };
  check_finite(a, linalg_errors::least_squares);
  if (m > n) {
    const Tensor reflectors = columns_of(a, dtype), tau = empty({{n}});
    solver::geqrf(stack_of(reflectors), rows_of(tau));
    b = columns_of(other, dtype);
    find_spoilt(1, m);
    if (k > 0) {
      solver::ormqr(stack_of(reflectors), rows_of(tau), stack_of(b));
      copy_into(rest, some_rows(transposed(b), n, m - n));
    }
    sides = {b.address(), m, 0, true};
    a = dense_copy(some_rows(transposed(reflectors), 0, n), dtype);
    keep_triangle(a, true);
  } else {
    b = dense_copy(other, dtype);
    find_spoilt(k, 1);
    sides = {b.address(), k, 0, false};
  }
  const Tensor u = empty({{least, least}}), vh = empty({{least, n}});
  linalg_svd_cuda(a, false, true, u, singular_values, vh);
  const Tensor parts = empty({{least, k}});
  if (k > 0) {
    conjugate(b);
    gpu::product_into(parts, {u.address(), least, 0, true}, sides, least);
  }
  // Uses the default of LAPACK's gelsd.
  const bool single = real == ScalarType::Float32;
  const double eps = (single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 2;
  visit<BlasTypes>(dtype, [&]<class T>() {
    using R = real_t<T>;
    const DivideRows<T> divide{reinterpret_cast<const R*>(singular_values.address()),
                               static_cast<R>(rcond < 0 ? eps : rcond),
                               std::numeric_limits<R>::min(),
                               reinterpret_cast<T*>(parts.address()),
                               least,
                               k,
                               reinterpret_cast<int32_t*>(rank.address())};
    launch(divide, grid_stride_blocks(least * std::max<int64_t>(k, 1)), device);
  });
  if (k == 0) return;
  gpu::product_into(solution, {vh.address(), n, 0, true}, {parts.address(), k, 0, false}, least);
  conjugate(solution);
  visit<BlasTypes>(dtype, [&]<class T>() {
    for (const Tensor& result : {solution, rest}) {
      for_each(
          result.numel(),
          FillSpoilt<T>{reinterpret_cast<T*>(result.address()), k, reinterpret_cast<const int32_t*>(spoilt.address())},
          device);
    }
  });
}

}  // namespace tnp
