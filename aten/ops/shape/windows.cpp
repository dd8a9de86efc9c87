// Operators of the torch-style face: unfold, swapaxes, sum_to_size, tril_indices and triu_indices.
#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/shape_in_place.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/shape_in_place.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor swapaxes(const Tensor& input, int64_t axis0, int64_t axis1) { return tnp::transpose(input, axis0, axis1); }
Tensor swapdims(const Tensor& input, int64_t dim0, int64_t dim1) { return tnp::transpose(input, dim0, dim1); }

Tensor unfold(const Tensor& input, int64_t dimension, int64_t size, int64_t step) {
  const int64_t axis = wrap_dim(dimension, input.dim(), "dimension");
  const int64_t n = input.dim() == 0 ? 1 : input.size(axis);
  TNP_CHECK(size >= 0, ErrorKind::Shape, "{size} is ", size, " but must be >= 0");
  TNP_CHECK(size <= n, ErrorKind::Shape, "maximum size for tensor at dimension ", axis, " is ", n, " but {size} is ",
            size);
  TNP_CHECK(step > 0, ErrorKind::Shape, "{step} is ", step, " but must be > 0");
  DimVector sizes(input.sizes()), strides(input.strides());
  if (input.dim() > 0) {
    const auto at = static_cast<size_t>(axis);
    sizes[at] = (n - size) / step + 1;
    strides.push_back(strides[at]);
    // The stride between windows only matters if there are several.
    if (sizes[at] > 1) strides[at] *= step;
  } else {
    strides.push_back(1);
  }
  sizes.push_back(size);
  return view_of(input, sizes, strides, input.address());
}

std::vector<Tensor> split_with_sizes(const Tensor& input, IntList split_sizes, int64_t dim) {
  return tnp::split(input, split_sizes, dim);
}

Tensor sum_to_size(const Tensor& input, IntList size) {
  if (size.empty()) return tnp::sum(input, std::nullopt, false, std::nullopt);  // a sum even of one number, as PyTorch
  const int64_t lead = input.dim() - static_cast<int64_t>(size.size());
  DimVector axes;
  bool fits = lead >= 0;
  for (int64_t d = 0; fits && d < input.dim(); ++d) {
    const int64_t wanted = d < lead ? 1 : size[static_cast<size_t>(d - lead)];
    fits = wanted == 1 || wanted == input.size(d);
    if (d < lead || (wanted == 1 && input.size(d) != 1)) axes.push_back(d);
  }
  TNP_CHECK(fits, ErrorKind::Shape, "{size} ", size, " does not broadcast to the shape ", input.sizes(), " of {input}");
  if (axes.empty()) return input;
  return tnp::reshape(tnp::sum(input, OptIntList(IntList(axes)), true, std::nullopt), size);
}

namespace {

// The indices of the columns `begin(i)` to `end(i)` of each row i. They are written by the CPU.
template <class Begin, class End>
Tensor triangle(int64_t row, int64_t col, std::optional<ScalarType> dtype, std::optional<Device> device, Begin begin,
                End end) {
  TNP_CHECK(row >= 0 && col >= 0, ErrorKind::Shape, "{row} and {col} must not be negative, but are ", row, " and ",
            col);
  const ScalarType type = dtype.value_or(ScalarType::Int64);
  TNP_CHECK(type == ScalarType::Int64 || type == ScalarType::Int32, ErrorKind::NotImplemented, "not implemented for ",
            type, ": indices are of int32 or int64");
  int64_t count = 0;
  for (int64_t i = 0; i < row; ++i) count += end(i) - begin(i);
  const Device wanted = device.value_or(default_device());
  if (wanted.is_meta()) return empty_tensor(IntList{2, count}, type, wanted);
  const Tensor places = empty_tensor(IntList{2, count}, type);
  auto write = [&]<class T>(T* rows) {
    T* columns = rows + count;
    for (int64_t i = 0; i < row; ++i)
      for (int64_t j = begin(i); j < end(i); ++j) *rows++ = static_cast<T>(i), *columns++ = static_cast<T>(j);
  };
  if (type == ScalarType::Int64)
    write(places.data_ptr<int64_t>());
  else
    write(places.data_ptr<int32_t>());
  return beside(wanted, places);
}

// `a + b` within the range of int64.
int64_t bounded_sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

}  // namespace

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Device> device) {
  return triangle(
      row, col, dtype, device, [](int64_t) { return int64_t{0}; },
      [=](int64_t i) { return std::clamp<int64_t>(bounded_sum(bounded_sum(i, 1), offset), 0, col); });
}
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Device> device) {
  return triangle(
      row, col, dtype, device, [=](int64_t i) { return std::clamp<int64_t>(bounded_sum(i, offset), 0, col); },
      [=](int64_t) { return col; });
}

}  // namespace tnp::native
