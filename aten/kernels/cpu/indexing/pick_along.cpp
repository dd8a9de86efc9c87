// Picks one element of each line, for reductions that return an index.
#include <cstring>

#include "aten/iterator/iterator.h"
#include "aten/kernel_functions/reductions.h"

namespace tnp::native {

void pick_along_cpu(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t step = input.dim() ? input.stride(dim) * input.itemsize() : 0, itemsize = input.itemsize();
  DimVector one = input.sizes();
  if (input.dim()) one[static_cast<size_t>(dim)] = 1;
  // Iterates over the first elements of all lines and reads the element at offset `indices` from
  // there.
  const Tensor starts = view_of(input, one, input.strides(), input.address());
  Tensor result = view_of(out, one, contiguous_strides(one), out.address());
  const ScalarType bytes = input.dtype();
  Iterator iterator;
  iterator.output(result, bytes, bytes).input(starts, bytes).input(indices, ScalarType::Int64).build();
  iterator.for_each_with([&](char* const* data, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = *reinterpret_cast<const int64_t*>(data[2] + i * steps[2]);
      std::memcpy(data[0] + i * steps[0], data[1] + i * steps[1] + at * step, static_cast<size_t>(itemsize));
    }
  });
}

}  // namespace tnp::native
