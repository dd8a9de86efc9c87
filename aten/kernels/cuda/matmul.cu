// Matrix product: cuBLAS, which is told of transposed operands instead of being given copies; bool and integers, which it does not
// know, have a kernel of their own, wrapping as their dtype does.
#include <algorithm>
#include <optional>

#include "aten/core/promotion.h"
#include "aten/functions.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/blas.h"
#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/launch.h"
#include "aten/native_functions.h"

namespace tnp {

namespace gpu {
namespace {

constexpr const char* kSignature = "(n?,k),(k,m?)->(n?,m?)";

// One operand: (count, rows, cols) as the kernels see it, of any strides.
struct Matrices {
  Tensor tensor;
  int64_t rows, cols, row_stride, col_stride, step;  // step: from one matrix to the next; 0 where it is always the same one
};

template <class T>
struct Product {
  static constexpr uint32_t kThreads = 256;
  const T *a, *b;
  T* out;
  int64_t a_row, a_col, a_step, b_row, b_col, b_step, m, n, k, total;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i >= total) return;
    const int64_t col = i % n, row = i / n % m, matrix = i / n / m;
    const T *x = a + matrix * a_step + row * a_row, *y = b + matrix * b_step + col * b_col;
    T sum = T(0);
    for (int64_t j = 0; j < k; ++j, x += a_col, y += b_row) {
      if constexpr (std::is_same_v<T, bool>) sum = sum || (load(x) && load(y));
      else if constexpr (std::is_integral_v<T>) sum = sum_of(sum, static_cast<T>(static_cast<uint64_t>(*x) * static_cast<uint64_t>(*y)));
      else sum = sum + *x * *y;
    }
    out[i] = sum;
  }
  TNP_HOST_DEVICE static bool load(const T* p) { return *reinterpret_cast<const stored_t<T>*>(p) != stored_t<T>(0); }
};

Tensor dense(const Tensor& t, ScalarType dtype) {
  Tensor out = empty_tensor(t.sizes(), dtype, t.device());
  copy_into(out, t);
  return out;
}

// How cuBLAS reads a stack where it lies, if it can: rows or columns dense, and no overlap.
std::optional<MatrixStack> stack_of(const Matrices& s) {
  const bool by_rows = (s.col_stride == 1 || s.cols == 1) && (s.rows == 1 || s.row_stride >= s.cols);
  const bool by_cols = (s.row_stride == 1 || s.rows == 1) && (s.cols == 1 || s.col_stride >= s.rows);
  if (s.step < 0 || (!by_rows && !by_cols)) return std::nullopt;
  if (by_rows) return MatrixStack{s.tensor.address(), s.rows == 1 ? std::max<int64_t>(s.cols, 1) : s.row_stride, s.step, false};
  return MatrixStack{s.tensor.address(), s.cols == 1 ? std::max<int64_t>(s.rows, 1) : s.col_stride, s.step, true};
}

// `t` (two axes at least) with the axes before the matrix broadcast to `batch` and seen as one, which may need a copy.
Matrices matrices_of(const Tensor& t, IntList batch) {
  const size_t own = t.sizes().size() - 2;
  int64_t step = 0, covered = 1;
  bool one_step = true;
  for (size_t d = batch.size(); d-- > 0;) {
    const size_t from_end = batch.size() - d;
    const int64_t stride = from_end > own || t.sizes()[own - from_end] == 1 ? 0 : t.strides()[own - from_end];
    if (batch[d] == 1) continue;
    if (covered == 1) step = stride;
    else one_step = one_step && stride == step * covered;
    covered *= batch[d];
  }
  if (one_step) return {t, t.size(-2), t.size(-1), t.stride(-2), t.stride(-1), step};
  DimVector sizes = batch;
  sizes.append(IntList{t.size(-2), t.size(-1)});
  const Tensor copy = dense(tnp::expand(t, sizes), t.dtype());
  return {copy, t.size(-2), t.size(-1), t.size(-1), 1, t.size(-2) * t.size(-1)};
}

}  // namespace
}  // namespace gpu

Tensor native::matmul_cuda(const Tensor& input, const Tensor& other) {
  using namespace gpu;
  for (int i = 0; i < 2; ++i) {
    TNP_CHECK((i == 0 ? input : other).dim() > 0, ErrorKind::Shape, "Input operand ", i,
              " does not have enough dimensions (has 0, gufunc core with signature ", kSignature, " requires 1)");
  }
  const ScalarType dtype = result_type(input, other);
  const Tensor left = input.dim() == 1 ? tnp::unsqueeze(input, 0) : input, right = other.dim() == 1 ? tnp::unsqueeze(other, 1) : other;
  const int64_t m = left.size(-2), k = left.size(-1), n = right.size(-1);
  TNP_CHECK(k == right.size(-2), ErrorKind::Shape, "Input operand 1 has a mismatch in its core dimension 0, with gufunc signature ", kSignature,
            " (size ", right.size(-2), " is different from ", k, ")");
  auto batch_of = [](const Tensor& t) { return IntList(t.sizes().subspan(0, static_cast<size_t>(t.dim() - 2))); };
  const DimVector batch = broadcast_shapes(batch_of(left), batch_of(right));
  DimVector sizes = batch;
  if (input.dim() > 1) sizes.push_back(m);
  if (other.dim() > 1) sizes.push_back(n);
  Tensor out = empty_tensor(sizes, dtype, input.device());
  if (out.numel() == 0) return out;
  if (k == 0) return fill_with(out, Scalar(0)), out;

  auto as = [&](const Tensor& t) { return t.dtype() == dtype ? t : dense(t, dtype); };
  Matrices a = matrices_of(as(left), batch), b = matrices_of(as(right), batch);
  int64_t count = numel_of(batch);
  auto readable = [&](Matrices& s) {
    if (!stack_of(s)) s = matrices_of(dense(s.tensor, dtype), batch);
    return *stack_of(s);
  };
  const MatrixStack x = readable(a), y = readable(b);
  int64_t rows = m;
  if (count > 1 && b.step == 0 && !x.transposed && a.step == m * x.leading) rows = m * count, count = 1;  // one tall matrix
  if (multiply(dtype, rows, n, k, x, y, out.address(), count, out.device())) return out;

  const ScalarType compute = compute_type(dtype);
  if (compute != dtype) return tnp::cast(native::matmul_cuda(dense(input, compute), dense(other, compute)), dtype);
  visit<ComputeTypes>(compute, [&]<class T>() {
    Product<T> kernel{reinterpret_cast<const T*>(a.tensor.address()), reinterpret_cast<const T*>(b.tensor.address()), reinterpret_cast<T*>(out.address()),
                      a.row_stride, a.col_stride, a.step, b.row_stride, b.col_stride, b.step, m, n, k, out.numel()};
    const int64_t blocks = (out.numel() + Product<T>::kThreads - 1) / Product<T>::kThreads;
    TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "a product of ", out.numel(), " elements of ", dtype, " on ", out.device());
    launch(kernel, static_cast<uint32_t>(blocks), out.device());
  });
  return out;
}

}  // namespace tnp
