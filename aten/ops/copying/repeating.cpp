// tile, repeat and repeat_interleave.
#include <algorithm>

#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/kernels/repetition.h"
#include "aten/native_functions/joining.h"

namespace tnp {

namespace native {

// (n, m) -> (1, n, 1, m), expanded to (r, n, s, m), copied as (r * n, s * m).
Tensor tile(const Tensor& input, IntList dims) {
  size_t ndim = std::max(dims.size(), static_cast<size_t>(input.dim()));
  DimVector apart, expanded, sizes;
  for (size_t d = 0; d < ndim; ++d) {
    int64_t from_end = static_cast<int64_t>(ndim - d);
    int64_t size = from_end <= input.dim() ? input.size(-from_end) : 1;
    int64_t times = from_end <= static_cast<int64_t>(dims.size()) ? dims[dims.size() - (ndim - d)] : 1;
    TNP_CHECK(times >= 0, ErrorKind::Shape, "negative dimensions are not allowed: {dims} ", dims);
    int64_t product = 0;
    TNP_CHECK(!__builtin_mul_overflow(size, times, &product), ErrorKind::Shape, "array is too big");
    for (int64_t s : {int64_t{1}, size}) apart.push_back(s);
    for (int64_t s : {times, size}) expanded.push_back(s);
    sizes.push_back(product);
  }
  numel_of(sizes);
  bool once = std::all_of(dims.begin(), dims.end(), [](int64_t n) { return n == 1; });
  if (once) return tnp::clone(tnp::reshape(input, sizes), Order::C);
  TNP_CHECK(apart.size() <= kMaxDims, ErrorKind::Value, "maximum supported dimension is ", kMaxDims / 2, ", found ",
            static_cast<int64_t>(ndim));
  return tnp::view(tnp::clone(tnp::expand(tnp::reshape(input, apart), expanded), Order::C), sizes);
}

Tensor repeat(const Tensor& input, IntList repeats) {
  TNP_CHECK(static_cast<int64_t>(repeats.size()) >= input.dim(), ErrorKind::Shape, "{repeats} ", repeats,
            " needs a number for each of the ", input.dim(), " dimensions");
  return native::tile(input, repeats);
}

Tensor repeat_interleave_int(const Tensor& input, int64_t repeats, std::optional<int64_t> dim) {
  return tnp::repeat_interleave(input, scalar_tensor(repeats, ScalarType::Int64), dim);
}

namespace {

Tensor of_size(Tensor result, std::optional<int64_t> dim, std::optional<int64_t> output_size) {
  const int64_t n = result.dim() == 0 ? 1 : result.size(dim.value_or(0));
  TNP_CHECK(!output_size || *output_size == n, ErrorKind::Shape, "{output_size} is ", output_size.value_or(0),
            ", but there are ", n, " entries");
  return result;
}

}  // namespace

Tensor repeat_interleave_sized(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim,
                               std::optional<int64_t> output_size) {
  return of_size(tnp::repeat_interleave(input, repeats, dim), dim, output_size);
}
Tensor repeat_interleave_int_sized(const Tensor& input, int64_t repeats, std::optional<int64_t> dim,
                                   std::optional<int64_t> output_size) {
  return of_size(tnp::repeat_interleave(input, repeats, dim), dim, output_size);
}
Tensor repeat_interleave_places(const Tensor& repeats, std::optional<int64_t> output_size) {
  TNP_CHECK(repeats.dim() == 1, ErrorKind::Shape, "{repeats} must have one dimension, but its shape is ",
            repeats.sizes());
  const Tensor places = tnp::arange(Scalar(repeats.size(0)), ScalarType::Int64, repeats.device());
  return of_size(tnp::repeat_interleave(places, repeats, 0), 0, output_size);
}

Tensor repeat_interleave_backward(const Tensor& grad, const Tensor& repeats, IntList size, std::optional<int64_t> dim) {
  if (repeats.numel() != 1) return tnp::sum_repetitions(grad, repeats, size, dim);
  if (dim && size.empty()) dim = std::nullopt;  // a 0-d tensor, repeated along its axis 0
  if (dim) dim = wrap_dim(*dim, static_cast<int64_t>(size.size()));
  const DenseLines entries = repeated_lines(size, dim);
  const int64_t count = entries.count() * entries.n, times = count > 0 ? grad.numel() / count : 1;
  const Tensor apart = tnp::reshape(grad, {entries.outer, entries.n, times, entries.inner});
  return tnp::reshape(tnp::sum(apart, IntList{2}, false), size);
}

}  // namespace native
}  // namespace tnp
