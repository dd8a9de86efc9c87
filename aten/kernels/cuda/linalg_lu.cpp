// Solving, inverting and Cholesky factorisation. As on the CPU, matrices are copied but not transposed: see Note
// [Row-major LAPACK] in aten/kernels/cpu/linalg_lu.cpp.
#include "aten/functions/creation.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/linalg.h"

namespace tnp::native {

using namespace gpu;

// Note [Right sides together] A is factorised once per matrix it has, and solved for once: axes of the stack along
// which it is broadcast lie innermost in the memory of X, where they are further columns of the same right side.
Tensor linalg_solve_cuda(const Tensor& input, const Tensor& other) {
  const System system = check_system(input, other);
  const int64_t n = input.size(-1), k = other.size(-1), depth = static_cast<int64_t>(system.stack.size());
  auto varies = [&](int64_t d) {
    const int64_t own = d + input.dim() - 2 - depth;
    return own >= 0 && input.size(own) != 1;
  };
  DimVector sizes = system.stack, memory, strides(system.stack.size());
  std::vector<int64_t> order;
  for (bool first : {true, false}) {
    for (int64_t d = 0; d < depth; ++d)
      if (varies(d) == first) order.push_back(d), memory.push_back(system.stack[static_cast<size_t>(d)]);
  }
  memory.append({k, n});
  sizes.append({n, k});
  const DimVector steps = contiguous_strides(memory);
  for (size_t i = 0; i < order.size(); ++i) strides[static_cast<size_t>(order[i])] = steps[i];
  strides.append({1, std::max<int64_t>(n, 1)});

  Tensor a = dense_copy(input, system.dtype), x = empty_strided_tensor(sizes, strides, system.dtype, input.device());
  if (a.numel() == 0) return empty_tensor(sizes, system.dtype, input.device());
  const solver::Lu lu = solver::getrf(stack_of(a));
  if (x.numel() > 0) {
    copy_into(x, other);
    const int64_t count = stack_size(a);
    const DimVector columns{count, x.numel() / (count * n), n};
    solver::getrs('T', stack_of(a), lu.pivots, view_of(x, columns, contiguous_strides(columns), x.address()));
  }
  check_info(lu.info, linalg_errors::singular);
  return x.is_contiguous() ? x : dense_copy(x, system.dtype);
}

// The transpose's inverse, column-major, is ours.
Tensor linalg_inv_cuda(const Tensor& input) {
  check_square(input);
  const int64_t n = input.size(-1);
  Tensor a = dense_copy(input, linalg_dtype(input.dtype())), inverse = empty_tensor(a.sizes(), a.dtype(), a.device());
  if (a.numel() == 0) return inverse;
  const solver::Lu lu = solver::getrf(stack_of(a));
  fill_with(inverse, Scalar(0));
  fill_with(view_of(inverse, DimVector{stack_size(a), n}, DimVector{n * n, n + 1}, inverse.address()), Scalar(1));
  solver::getrs('N', stack_of(a), lu.pivots, stack_of(inverse));
  check_info(lu.info, linalg_errors::singular);
  return inverse;
}

Tensor linalg_cholesky_cuda(const Tensor& input, bool upper) {
  check_square(input);
  const Tensor a = dense_copy(input, linalg_dtype(input.dtype()));
  if (a.numel() == 0) return a;
  check_info(solver::potrf(upper ? 'L' : 'U', stack_of(a)), linalg_errors::not_positive_definite);
  return upper ? tnp::triu(a) : tnp::tril(a);
}

}  // namespace tnp::native
