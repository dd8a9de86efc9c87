// Where the elements are that are not zero.
#include "aten/autograd/variable.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/layout.h"

namespace tnp::native {

namespace {

template <class T>
bool is_nonzero(T v) {
  if constexpr (is_reduced_float_v<T>) return static_cast<float>(v) != 0;
  else return v != T(0);
}

// Calls f(index) at each element that is not zero, in row-major order; index: one number per axis.
template <class T, class F>
void for_each_nonzero(const Tensor& t, F&& f) {
  if (t.numel() == 0) return;
  DimVector index(static_cast<size_t>(t.dim()));
  int64_t inner = t.dim() == 0 ? 1 : t.size(-1), stride = t.dim() == 0 ? 0 : t.stride(-1);
  const T* row = t.data_ptr<T>();
  while (true) {
    for (int64_t i = 0; i < inner; ++i) {
      if (!is_nonzero(row[i * stride])) continue;
      if (!index.empty()) index.back() = i;
      f(index);
    }
    int64_t d = t.dim() - 2;
    for (; d >= 0; --d) {
      int64_t& at = index[static_cast<size_t>(d)];
      row += t.stride(d);
      if (++at < t.size(d)) break;
      row -= at * t.stride(d);
      at = 0;
    }
    if (d < 0) return;
  }
}

// One row per axis.
Tensor nonzero_rows(const Tensor& input) {
  TNP_CHECK(input.device().is_cpu(), ErrorKind::NotImplemented, "nonzero() of tensors on ", input.device());
  Tensor out;
  visit_dtype(input.dtype(), [&]<class T>() {
    int64_t count = 0, dims = input.dim(), found = 0;
    for_each_nonzero<T>(input, [&](const DimVector&) { ++count; });
    out = empty_tensor({dims, count}, ScalarType::Int64, input.device());
    int64_t* to = out.data_ptr<int64_t>();
    for_each_nonzero<T>(input, [&](const DimVector& index) {
      for (int64_t d = 0; d < dims; ++d) to[d * count + found] = index[static_cast<size_t>(d)];
      ++found;
    });
  });
  return out;
}

}  // namespace

Tensor nonzero(const Tensor& input) {
  Tensor rows = nonzero_rows(input);
  Tensor out = empty_tensor({rows.size(1), rows.size(0)}, ScalarType::Int64, input.device());
  copy_into(out, native::permute(rows, {1, 0}));
  return out;
}

std::vector<Tensor> nonzero_tuple(const Tensor& input) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Value, "Calling nonzero on 0d arrays is not allowed. "
            "Use np.atleast_1d(scalar).nonzero() instead.");
  Tensor rows = nonzero_rows(input);
  std::vector<Tensor> out;
  for (int64_t d = 0; d < input.dim(); ++d) out.push_back(native::select(rows, 0, d));
  return out;
}

Tensor flatnonzero(const Tensor& input) {
  NoGradGuard guard;
  return native::select(nonzero_rows(tnp::reshape(input, {-1})), 0, 0);
}

}  // namespace tnp::native
