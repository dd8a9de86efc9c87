// Linear systems, inverses and Cholesky factorisation. As on the CPU, matrices are copied but not
// transposed: see Note [Row-major LAPACK] in aten/kernels/cpu/linalg/linalg_lu.cpp.
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp::native {

using namespace gpu;

// Note [Right sides together] Each matrix of A is factorised once, and one call solves for all of
// its right sides. If A is broadcast along axes of the stack, these axes are innermost in the
// memory of X, where they become further columns of one right side.
void linalg_solve_cuda(const Tensor& input, const Tensor& other, const Tensor& out) {
  if (input.numel() == 0) return;
  const int64_t n = input.size(-1), k = other.size(-1), depth = out.dim() - 2;
  auto varies = [&](int64_t d) {
    const int64_t own = d + input.dim() - 2 - depth;
    return own >= 0 && input.size(own) != 1;
  };
  DimVector memory, strides(static_cast<size_t>(depth));
  std::vector<int64_t> order;
  for (bool first : {true, false}) {
    for (int64_t d = 0; d < depth; ++d)
      if (varies(d) == first) order.push_back(d), memory.push_back(out.size(d));
  }
  memory.append({k, n});
  const DimVector steps = contiguous_strides(memory);
  for (size_t i = 0; i < order.size(); ++i) strides[static_cast<size_t>(order[i])] = steps[i];
  strides.append({1, n});

  const Tensor a = dense_copy(input, out.dtype());
  const solver::Lu lu = solver::getrf(stack_of(a));
  if (out.numel() > 0) {
    const Tensor in_place = view_of(out, out.sizes(), strides, out.address());
    const Tensor x =
        in_place.is_contiguous() ? in_place : empty_strided_tensor(out.sizes(), strides, out.dtype(), out.device());
    copy_into(x, other);
    const int64_t count = stack_size(a);
    const DimVector columns{count, x.numel() / (count * n), n};
    solver::getrs('T', stack_of(a), lu.pivots, view_of(x, columns, contiguous_strides(columns), x.address()));
    if (!x.is_same(in_place)) copy_into(out, x);
  }
  check_info(lu.info, linalg_errors::singular);
}

// The column-major inverse of the transpose is the row-major inverse of A.
void linalg_inv_cuda(const Tensor& input, const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor a = dense_copy(input, out.dtype());
  const solver::Lu lu = solver::getrf(stack_of(a));
  fill_with_identity(out);
  solver::getrs('N', stack_of(a), lu.pivots, stack_of(out));
  check_info(lu.info, linalg_errors::singular);
}

void linalg_cholesky_cuda(const Tensor& input, bool upper, const Tensor& out) {
  if (out.numel() == 0) return;
  check_info(cholesky(input, upper, out), linalg_errors::not_positive_definite);
}

}  // namespace tnp::native
