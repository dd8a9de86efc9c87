// Running sums and products, and the linear recurrence that their gradients need.
#include <algorithm>

#include "aten/core/parallel.h"
#include "aten/kernels/cpu/dense.h"
#include "aten/kernels/functors/reduction.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions.h"

namespace tnp {

namespace {

// A row-major tensor seen as (outer, n, inner): lines of n elements, `inner` apart.
struct LineBlocks {
  int64_t outer = 1, n = 1, inner = 1;
  LineBlocks(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) (d < dim ? outer : d > dim ? inner : n) *= sizes[static_cast<size_t>(d)];
  }
  // body(first element of a block of lines, number of lines in it)
  void for_each(function_ref<void(int64_t, int64_t)> body) const {
    if (outer * n * inner == 0) return;
    int64_t grain = std::max<int64_t>(kParallelWork / n, 1);
    parallel_for(0, outer * inner, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t row = begin / inner, column = begin % inner, count = std::min(inner - column, end - begin);
        body(row * n * inner + column, count);
        begin += count;
      }
    });
  }
};

// out[k] = combine(out[k - 1], in[k]) along lines, element by element or a row of lines at a time.
template <class T, class Combine>
void scan(const T* in, T* out, const LineBlocks& lines, Combine combine) {
  lines.for_each([&](int64_t first, int64_t count) {
    const T* x = in + first;
    T* y = out + first;
    std::copy_n(x, count, y);
    for (int64_t k = 1; k < lines.n; ++k) {
      x += lines.inner;
      const T* previous = y;
      y += lines.inner;
#pragma GCC ivdep
      for (int64_t j = 0; j < count; ++j) y[j] = combine(previous[j], x[j]);
    }
  });
}

template <template <class> class F>
Tensor running(const char* name, const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  TNP_CHECK(input.device().is_cpu(), ErrorKind::NotImplemented, name, "() of a tensor on ", input.device());
  bool numpy = promotion_rules() == PromotionRules::NumPy;
  ScalarType type = input.dtype();
  if (dtype) type = *dtype;
  else if (is_integral(type)) type = numpy && is_unsigned(type) ? ScalarType::UInt64 : ScalarType::Int64;
  ScalarType compute = is_integral(type) ? (type == ScalarType::UInt64 ? type : ScalarType::Int64) : compute_type(type);
  Tensor x = native::to_dense(input, compute);
  DimVector sizes = input.sizes();
  if (!dim || (input.dim() == 0 && numpy && (*dim == 0 || *dim == -1))) {
    sizes = DimVector{input.numel()};
    dim = 0;
  }
  int64_t axis = wrap_dim(*dim, static_cast<int64_t>(sizes.size()));
  Tensor out = empty_tensor(sizes, compute);
  visit<WideTypes>(compute, [&]<class T>() {
    scan(x.data_ptr<T>(), out.data_ptr<T>(), LineBlocks(sizes, axis), [](T a, T b) { return static_cast<T>(F<T>::combine(a, b)); });
  });
  return native::to_dense(out, type);
}

}  // namespace

Tensor native::cumsum_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  return running<Sum>("cumsum", input, dim, dtype);
}

Tensor native::cumprod_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  return running<Prod>("cumprod", input, dim, dtype);
}

Tensor native::linear_recurrence_cpu(const Tensor& decay, const Tensor& input, int64_t dim, bool reverse) {
  TNP_CHECK(decay.sizes() == input.sizes(), ErrorKind::Shape, "linear_recurrence(): decay of shape ", decay.sizes(),
            " and input of shape ", input.sizes(), " differ");
  ScalarType type = result_type(decay, input), compute = compute_type(type);
  Tensor a = native::to_dense(decay, compute), b = native::to_dense(input, compute), out = empty_tensor(input.sizes(), compute);
  LineBlocks lines(input.sizes(), wrap_dim(dim, input.dim()));
  visit<InexactTypes>(compute, [&]<class T>() {
    lines.for_each([&](int64_t first, int64_t count) {
      int64_t step = reverse ? -lines.inner : lines.inner;
      int64_t at = reverse ? first + (lines.n - 1) * lines.inner : first;
      const T *factor = a.data_ptr<T>() + at, *x = b.data_ptr<T>() + at;
      T* y = out.data_ptr<T>() + at;
      std::copy_n(x, count, y);
      for (int64_t k = 1; k < lines.n; ++k) {
        const T* previous = y;
        factor += step, x += step, y += step;
#pragma GCC ivdep
        for (int64_t j = 0; j < count; ++j) y[j] = factor[j] * previous[j] + x[j];
      }
    });
  });
  return native::to_dense(out, type);
}

}  // namespace tnp
