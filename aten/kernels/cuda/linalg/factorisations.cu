// PyTorch's matrix factorisations on the device, by cuSOLVER. Permutations and triangular systems
// use our own kernels.
#include "aten/cuda/fault.h"
#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/factorisations.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/linalg/hermitian_ldl.h"
#include "aten/kernels/cuda/linalg/linalg.h"
#include "aten/kernels/ldl_pivots.h"
#include "aten/kernels/linalg_stacks.h"

namespace tnp {

namespace gpu {
namespace {

// Converts pivots to permutations. One thread per matrix.
struct PermutationOfPivots {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const int32_t* pivots;
  int64_t* out;
  int64_t count, k, rows;
  IndexFault* fault;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      int64_t* order = out + i * rows;
      for (int64_t j = 0; j < rows; ++j) order[j] = j;
      for (int64_t j = 0; j < k; ++j) {
        const int64_t other = int64_t{pivots[i * k + j]} - 1;
        if (other < 0 || other >= rows) {
          fault->report_pivot(other + 1, rows);
          continue;
        }
        const int64_t held = order[j];
        order[j] = order[other];
        order[other] = held;
      }
    });
  }
};

// Pivots that exchange each row with itself.
struct NoExchanges {
  int32_t* pivots;
  int64_t count;  // number of pivots per matrix
  TNP_HOST_DEVICE void operator()(int64_t i) const { pivots[i] = static_cast<int32_t>(i % count + 1); }
};

// LAPACK's info of an L D L^T factorisation: the first pivot of one row that is zero or NaN.
// cuSOLVER's info differs from that, and is never set for a matrix with one row. One thread per
// matrix.
template <class T>
struct FirstZeroPivot {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* a;
  const int64_t* pivots;
  int32_t* info;
  int64_t count, n;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      info[i] = 0;
      for (int64_t k = n - 1; k >= 0; --k) {
        const T pivot = a[(i * n + k) * n + k];
        if (pivots[i * n + k] > 0 && (pivot == T(0) || pivot != pivot)) info[i] = static_cast<int32_t>(k + 1);
      }
    });
  }
};

// Solves in place. One thread per column of the right sides.
template <class T>
struct SolveTriangular {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* a;
  T* x;
  // count: columns of all right sides; k: columns of one right side; step: distance between
  // matrices
  int64_t count, n, k, step;
  bool upper, unit;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t c) {
      const T* matrix = a + c / k * step;
      T* column = x + c / k * n * k + c % k;
      for (int64_t place_in_order = 0; place_in_order < n; ++place_in_order) {
        const int64_t i = upper ? n - 1 - place_in_order : place_in_order;
        T sum = column[i * k];
        for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) sum = sum - matrix[i * n + j] * column[j * k];
        column[i * k] = unit ? sum : sum / matrix[i * n + i];
      }
    });
  }
};

}  // namespace
}  // namespace gpu

namespace native {

using namespace gpu;

void linalg_lu_factor_cuda(const Tensor& input, bool pivot, const Tensor& LU, const Tensor& pivots,
                           const Tensor& info) {
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (LU.numel() == 0) return;
  const Tensor a = columns_of(input, LU.dtype());
  const solver::Lu lu = solver::getrf(gpu::stack_of(a), pivot);
  if (pivot) {
    copy_into(pivots, view_of(lu.pivots, pivots.sizes(), contiguous_strides(pivots.sizes()), lu.pivots.address()));
  } else {
    for_each(pivots.numel(), NoExchanges{reinterpret_cast<int32_t*>(pivots.address()), pivots.size(-1)},
             pivots.device());
  }
  copy_into(info, view_of(lu.info, info.sizes(), contiguous_strides(info.sizes()), lu.info.address()));
  copy_into(LU, transposed(a));
}

void lu_permutation_cuda(const Tensor& pivots, int64_t rows, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t count = out.numel() / rows;
  launch(
      PermutationOfPivots{reinterpret_cast<const int32_t*>(pivots.address()), reinterpret_cast<int64_t*>(out.address()),
                          count, pivots.size(-1), rows, gpu::fault_of(out.device())},
      grid_stride_blocks(count), out.device());
  gpu::check_fault(out.device());
}

void linalg_solve_triangular_cuda(const Tensor& A, const Tensor& B, bool upper, bool unitriangular, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = A.size(-1), k = B.size(-1);
  copy_into(out, B);
  const bool alone = stack_size(A) == 1;
  const Tensor a = alone ? dense_copy(A, out.dtype()) : dense_stack(A, stack_sizes(out), 2, out.dtype());
  visit<BlasTypes>(out.dtype(), [&]<class T>() {
    const int64_t count = out.numel() / n;
    launch(SolveTriangular<T>{reinterpret_cast<const T*>(a.address()), reinterpret_cast<T*>(out.address()), count, n, k,
                              alone ? 0 : n * n, upper, unitriangular},
           grid_stride_blocks(count), out.device());
  });
}

void linalg_cholesky_ex_cuda(const Tensor& input, bool upper, const Tensor& L, const Tensor& info) {
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (L.numel() == 0) return;
  const Tensor found = gpu::cholesky(input, upper, L);
  copy_into(info, view_of(found, info.sizes(), contiguous_strides(info.sizes()), found.address()));
}

void linalg_ldl_factor_cuda(const Tensor& input, bool hermitian, const Tensor& LD, const Tensor& pivots,
                            const Tensor& info) {
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (LD.numel() == 0) return;
  const Tensor a = columns_of(input, LD.dtype()), stack = gpu::stack_of(a);
  const Tensor rows = empty_tensor({stack.size(0), stack.size(1)}, ScalarType::Int64, a.device());
  const Tensor found = hermitian && is_complex(a.dtype()) ? hetrf(stack, rows) : solver::sytrf(stack, rows);
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    const int64_t count = stack.size(0);
    launch(gpu::FirstZeroPivot<T>{reinterpret_cast<const T*>(a.address()),
                                  reinterpret_cast<const int64_t*>(rows.address()),
                                  reinterpret_cast<int32_t*>(found.address()), count, stack.size(1)},
           grid_stride_blocks(count), a.device());
  });
  copy_into(pivots, view_of(rows, pivots.sizes(), contiguous_strides(pivots.sizes()), rows.address()));
  copy_into(info, view_of(found, info.sizes(), contiguous_strides(info.sizes()), found.address()));
  copy_into(LD, transposed(a));
  keep_triangle(LD, false);
}

void linalg_ldl_solve_cuda(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = LD.size(-1);
  const IntList sizes = stack_sizes(out);
  const Tensor rows = dense_stack(pivots, sizes, 1, ScalarType::Int64);
  // The CPU checks the pivots, because the solvers use them as indices without a check.
  Tensor host = empty_tensor(rows.sizes(), ScalarType::Int64);
  copy_into(host, rows);
  for (int64_t i = 0; i < host.numel(); i += n) check_ldl_pivots(host.data_ptr<int64_t>() + i, n);
  const Tensor factors = dense_stack(transposed(LD), sizes, 2, out.dtype());
  copy_into(out, B);
  const Tensor x = columns_of(out, out.dtype()), stack = gpu::stack_of(x);
  if (hermitian && is_complex(out.dtype()))
    hetrs(gpu::stack_of(factors), rows, stack);
  else
    solver::sytrs(gpu::stack_of(factors), rows_of(rows), stack);
  copy_into(out, transposed(x));
}

}  // namespace native

}  // namespace tnp
