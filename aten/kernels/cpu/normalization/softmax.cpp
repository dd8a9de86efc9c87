// Softmax and log-softmax on the CPU.
#include "aten/kernel_functions/nn.h"
#include "aten/kernels/cpu/copying/share_lines.h"
#include "aten/kernels/cpu/reduction/row_loops.h"

namespace tnp {

namespace {

void softmax_along(const Tensor& x, int64_t dim, bool logarithm, const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(x.sizes(), dim);
  visit<FloatTypes>(x.dtype(), [&]<class T>() {
    const RowLoops<T>& loops = row_loops::of<T>();
    const T* from = x.data_ptr<T>();
    T* to = out.data_ptr<T>();
    share_lines(
        lines, 2,
        [&](int64_t first, int64_t count) {
          loops.softmax(from + first * lines.n, to + first * lines.n, count, lines.n, logarithm);
        },
        [&](int64_t first, int64_t count) {
          loops.softmax_columns(from + first, to + first, lines.n, lines.inner, count, logarithm);
        });
  });
}

}  // namespace

void native::softmax_cpu(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  softmax_along(input, dim, false, out);
}
void native::log_softmax_cpu(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  softmax_along(input, dim, true, out);
}

void native::softmax_gradient_cpu(const Tensor& grad, const Tensor& output, int64_t dim, bool logarithm,
                                  const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(output.sizes(), dim);
  visit<FloatTypes>(output.dtype(), [&]<class T>() {
    const RowLoops<T>& loops = row_loops::of<T>();
    const T *g = grad.data_ptr<T>(), *from = output.data_ptr<T>();
    T* to = out.data_ptr<T>();
    share_lines(
        lines, 2,
        [&](int64_t first, int64_t count) {
          const int64_t at = first * lines.n;
          loops.softmax_backward(g + at, from + at, to + at, count, lines.n, logarithm);
        },
        [&](int64_t at, int64_t count) {
          loops.softmax_columns_backward(g + at, from + at, to + at, lines.n, lines.inner, count, logarithm);
        });
  });
}

}  // namespace tnp
