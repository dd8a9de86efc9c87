// Gradient of as_strided.
#include <algorithm>

#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
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

}  // namespace

void restride_composite(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                        int64_t to_offset, const Tensor& out) {
  if (input.numel() == 0 || out.numel() == 0) return fill_with(out, Scalar(0));
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
  copy_into(out, tnp::index(row, to, 0));
}

}  // namespace tnp::native
