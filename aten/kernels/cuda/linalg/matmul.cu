// Matrix product on a GPU. cuBLAS reads transposed and broadcast operands in place, without copies.
// For dtypes that cuBLAS does not support (bool and integers), a kernel computes the product with
// one thread per element.
#include <algorithm>
#include <optional>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/cuda/linalg/blas.h"

namespace tnp {

namespace gpu {
namespace {

Tensor dense(const Tensor& t, ScalarType dtype) {
  Tensor out = empty_tensor(t.sizes(), dtype, t.device());
  copy_into(out, t);
  return out;
}

// Describes the matrices of `t` so that cuBLAS reads them in place, or returns nullopt. cuBLAS
// needs dense rows or columns, no overlap, and aligned elements (our complex numbers may be
// unaligned). The caller sets the step.
std::optional<MatrixStack> readable(const Tensor& t) {
  if (reinterpret_cast<uintptr_t>(t.address()) % static_cast<uintptr_t>(t.itemsize()) != 0) return std::nullopt;
  const int64_t rows = t.size(-2), cols = t.size(-1), row_stride = t.stride(-2), col_stride = t.stride(-1);
  if ((col_stride == 1 || cols == 1) && (rows == 1 || row_stride >= cols))
    return MatrixStack{t.address(), rows == 1 ? cols : row_stride, 0, false};
  if ((row_stride == 1 || rows == 1) && (cols == 1 || col_stride >= rows))
    return MatrixStack{t.address(), cols == 1 ? rows : col_stride, 0, true};
  return std::nullopt;
}

// Note [Stacks of products] A BatchAxis holds the steps of both operands and of the result along
// one broadcast batch axis; a step is 0 where the operand is repeated. Adjacent axes along which
// all three have even steps are merged. A call of the library covers one axis, and the remaining
// axes need a call per index. An operand is copied only if there would be too many calls, or if
// cuBLAS cannot read its matrices.
struct BatchAxis {
  int64_t size, a, b, out;
};
constexpr int64_t kMostCalls = 64;

std::vector<BatchAxis> axes_of(const Tensor& a, const Tensor& b, IntList batch, int64_t out_step) {
  auto step = [](const Tensor& t, size_t from_end) {
    const int64_t d = t.dim() - 2 - static_cast<int64_t>(from_end);
    return d < 0 || t.size(d) == 1 ? 0 : t.stride(d);
  };
  std::vector<BatchAxis> axes;  // innermost first
  for (size_t from_end = 1; from_end <= batch.size(); ++from_end) {
    const BatchAxis axis{batch[batch.size() - from_end], step(a, from_end), step(b, from_end), out_step};
    out_step *= axis.size;
    if (axis.size == 1) continue;
    if (!axes.empty()) {
      BatchAxis& inner = axes.back();
      if (axis.a == inner.a * inner.size && axis.b == inner.b * inner.size && axis.out == inner.out * inner.size) {
        inner.size *= axis.size;
        continue;
      }
    }
    axes.push_back(axis);
  }
  return axes;
}

int64_t calls_for(const std::vector<BatchAxis>& axes) {
  int64_t all = 1, most = 1;
  for (const BatchAxis& axis : axes) all *= axis.size, most = std::max(most, axis.size);
  return all / most;
}

// Whether one call can cover all axes for this operand: its steps are even and not negative.
bool in_one_call(const std::vector<BatchAxis>& axes, int64_t BatchAxis::* step) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].*step < 0 || (i > 0 && axes[i].*step != axes[i - 1].*step * axes[i - 1].size)) return false;
  }
  return true;
}

Tensor dense_stack(const Tensor& t, IntList batch) {
  DimVector sizes = batch;
  sizes.append(IntList{t.size(-2), t.size(-1)});
  Tensor out = empty_tensor(sizes, t.dtype(), t.device());
  copy_into(out, t);
  return out;
}

// Views a vector as a row or a column.
Tensor as_matrix(const Tensor& t, bool vector_is_row) {
  if (t.dim() > 1) return t;
  const int64_t n = t.size(0), step = t.stride(0);
  return vector_is_row ? view_of(t, {1, n}, {n * step, step}, t.address()) : view_of(t, {n, 1}, {step, 1}, t.address());
}

// Makes all calls for `axes`. Returns false, without computing, if the library does not support the
// dtype.
template <class Multiply>
bool multiply_along(MatrixProduct p, std::vector<BatchAxis> axes, Multiply&& one_call) {
  // If one matrix of b is multiplied by many matrices of a, their rows become rows of a single
  // larger matrix.
  if (!axes.empty() && axes[0].b == 0 && !p.a.transposed && axes[0].out == p.m * p.n) {
    if (p.m == 1 && axes[0].a >= p.k) p.a.leading = axes[0].a;
    if (axes[0].a == p.m * p.a.leading) p.m *= axes[0].size, axes.erase(axes.begin());
  }
  auto longest = std::max_element(axes.begin(), axes.end(),
                                  [](const BatchAxis& x, const BatchAxis& y) { return x.size < y.size; });
  if (longest != axes.end()) {
    p.count = longest->size, p.a.step = longest->a, p.b.step = longest->b, p.out_step = longest->out;
    axes.erase(longest);
  }
  const int64_t itemsize = element_size(p.dtype);
  int64_t calls = 1;
  for (const BatchAxis& axis : axes) calls *= axis.size;
  for (int64_t call = 0; call < calls; ++call) {
    MatrixProduct part = p;
    int64_t rest = call;
    for (const BatchAxis& axis : axes) {
      const int64_t at = rest % axis.size * itemsize;
      rest /= axis.size;
      part.a.data = static_cast<const char*>(part.a.data) + at * axis.a;
      part.b.data = static_cast<const char*>(part.b.data) + at * axis.b;
      part.out = static_cast<char*>(part.out) + at * axis.out;
    }
    if (!one_call(part)) return false;
  }
  return true;
}

}  // namespace
}  // namespace gpu

void native::matmul_cuda(const Tensor& input, const Tensor& other, const Tensor& out) {
  using namespace gpu;
  if (out.numel() == 0) return;
  const Tensor left = as_matrix(input, true), right = as_matrix(other, false);
  const int64_t m = left.size(-2), k = left.size(-1), n = right.size(-1);
  if (k == 0) return fill_with(out, Scalar(0));
  const auto matrix_axes = static_cast<size_t>((input.dim() > 1) + (other.dim() > 1));
  const DimVector batch(IntList(out.sizes().first(out.sizes().size() - matrix_axes)));
  const Device device = out.device();
  auto product_of = [&](Tensor a, Tensor b, const Tensor& to, auto&& one_call) {
    if (!readable(a)) a = dense(a, a.dtype());
    if (!readable(b)) b = dense(b, b.dtype());
    std::vector<BatchAxis> axes = axes_of(a, b, batch, m * n);
    const bool backwards =
        std::any_of(axes.begin(), axes.end(), [](const BatchAxis& axis) { return axis.a < 0 || axis.b < 0; });
    if (backwards || calls_for(axes) > kMostCalls) {
      const bool keep_a = in_one_call(axes, &BatchAxis::a), keep_b = in_one_call(axes, &BatchAxis::b);
      if (!keep_a) a = dense_stack(a, batch);
      if (!keep_b) b = dense_stack(b, batch);
      axes = axes_of(a, b, batch, m * n);
    }
    const MatrixProduct product{
        to.dtype(), float32_matmul_precision(), m, n, k, 1, *readable(a), *readable(b), to.address(), m * n};
    return multiply_along(product, std::move(axes), one_call);
  };
  auto as = [](const Tensor& t, ScalarType type) { return t.dtype() == type ? t : dense(t, type); };
  if (product_of(left, right, out, [&](const MatrixProduct& p) { return multiply(p, device); })) return;

  const ScalarType compute = compute_type(out.dtype());
  const Tensor wide = compute == out.dtype() ? out : empty_tensor(out.sizes(), compute, device);
  product_of(as(left, compute), as(right, compute), wide,
             [&](const MatrixProduct& p) { return multiply_elements(p, device), true; });
  if (compute != out.dtype()) copy_into(out, wide);
}

}  // namespace tnp
