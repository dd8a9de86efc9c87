// Gradient of as_strided.
#include <algorithm>

#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/kernels/cpu/copying/restride.h"
#include "aten/native_functions/shape.h"

namespace tnp::native {

namespace {

// The memory offsets of all elements of a strided layout, relative to `lowest`.
Tensor places_of(IntList sizes, IntList strides, int64_t offset, int64_t lowest, Device device) {
  Tensor places = scalar_tensor(Scalar(offset - lowest), ScalarType::Int64, device);
  const size_t n = sizes.size();
  for (size_t d = 0; d < n; ++d) {
    DimVector along(n, 1);
    along[d] = sizes[d];
    const Tensor steps = tnp::reshape(tnp::arange(Scalar(sizes[d]), ScalarType::Int64, device), along);
    places = tnp::add(places, tnp::mul(steps, scalar_tensor(Scalar(strides[d]), ScalarType::Int64, device)));
  }
  return places;
}

// restride() composed of other operators, for devices other than the CPU.
Tensor restride_by_operators(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                             int64_t to_offset) {
  if (input.numel() == 0 || numel_of(to_size) == 0) return tnp::zeros(to_size, input.dtype(), input.device());
  int64_t lowest = INT64_MAX, highest = INT64_MIN;
  auto widen = [&](IntList sizes, IntList strides, int64_t at) {
    int64_t low = at, high = at;
    for (size_t d = 0; d < sizes.size(); ++d) (strides[d] < 0 ? low : high) += strides[d] * (sizes[d] - 1);
    lowest = std::min(lowest, low), highest = std::max(highest, high);
  };
  widen(input.sizes(), stride, offset);
  widen(to_size, to_stride, to_offset);
  const ScalarType sum = is_reduced_float(input.dtype()) ? ScalarType::Float32 : input.dtype();
  const Tensor row = tnp::zeros({highest - lowest + 1}, sum, input.device());
  const Tensor from[] = {places_of(input.sizes(), stride, offset, lowest, input.device())};
  const Tensor to[] = {places_of(to_size, to_stride, to_offset, lowest, input.device())};
  tnp::put_indexed_(row, from, tnp::cast(input, sum), true, 0);
  return tnp::cast(tnp::index(row, to, 0), input.dtype());
}

}  // namespace

Tensor restride(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                int64_t to_offset) {
  if (input.device().is_cpu()) return restride_cpu(input, stride, offset, to_size, to_stride, to_offset);
  return restride_by_operators(input, stride, offset, to_size, to_stride, to_offset);
}

}  // namespace tnp::native
