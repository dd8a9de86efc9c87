// The gradient of as_strided: scatters with one geometry and gathers with another.
#include <vector>

#include "aten/kernel_functions/shape.h"

namespace tnp::native {

namespace {

// Calls f(offset) for every index of `sizes`, in row-major order.
template <class F>
void for_each_position(IntList sizes, IntList strides, int64_t offset, F&& f) {
  if (numel_of(sizes) == 0) return;
  DimVector index(sizes.size());
  int64_t at = offset;
  while (true) {
    f(at);
    size_t d = sizes.size();
    while (d > 0) {
      --d;
      at += strides[d];
      if (++index[d] < sizes[d]) break;
      at -= strides[d] * sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (sizes.empty()) return;
  }
}

}  // namespace

void restride_cpu(const Tensor& input, IntList stride, int64_t offset, IntList to_size, IntList to_stride,
                  int64_t to_offset, const Tensor& out) {
  int64_t lowest = INT64_MAX, highest = INT64_MIN;
  auto widen = [&](int64_t at) { lowest = std::min(lowest, at), highest = std::max(highest, at); };
  for_each_position(input.sizes(), stride, offset, widen);
  for_each_position(to_size, to_stride, to_offset, widen);
  auto span = static_cast<size_t>(lowest > highest ? 0 : highest - lowest + 1);
  visit_dtype(input.dtype(), [&]<class T>() {
    using Acc = accumulate_t<T>;
    std::vector<Acc> row(span, Acc(0));
    // `input` may have any strides; its elements are read in the order of the positions.
    std::vector<Acc> values;
    for_each_position(input.sizes(), input.strides(), 0,
                      [&](int64_t at) { values.push_back(static_cast<Acc>(input.data_ptr<T>()[at])); });
    size_t i = 0;
    for_each_position(input.sizes(), stride, offset,
                      [&](int64_t at) { row[static_cast<size_t>(at - lowest)] += values[i++]; });
    T* to = out.data_ptr<T>();
    for_each_position(to_size, to_stride, to_offset,
                      [&](int64_t at) { *to++ = convert<T>(row[static_cast<size_t>(at - lowest)]); });
  });
}

}  // namespace tnp::native
