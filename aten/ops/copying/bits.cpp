// pack_bits() and unpack_bits() for devices that have no kernel.
#include <string_view>

#include "aten/functions/bitwise.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/padding.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/native_functions/bitwise.h"

namespace tnp::native {

namespace {

// The place of each bit in a byte: 7, 6, ..., 0, or 0, 1, ..., 7 for 'little'.
Tensor bit_places(std::string_view bitorder, Device device) {
  const bool big = bitorder == "big";
  const Tensor places = tnp::arange(Scalar(int64_t{big ? 7 : 0}), Scalar(int64_t{big ? -1 : 8}),
                                    Scalar(int64_t{big ? -1 : 1}), ScalarType::Int64, device);
  return tnp::cast(places, ScalarType::UInt8);
}

// `t` with the axis `dim` as the last one; flat without `dim`.
Tensor axis_last(const Tensor& t, std::optional<int64_t> dim) {
  return dim ? tnp::movedim(t, {*dim}, {-1}) : tnp::reshape(t, {-1});
}

// A view of the elements of `out` with the axis `dim` as the last one.
Tensor written(const Tensor& out, std::optional<int64_t> dim) { return dim ? tnp::movedim(out, {*dim}, {-1}) : out; }

// The shape of `t` with `last` in place of its last size.
DimVector with_last(const Tensor& t, std::initializer_list<int64_t> last) {
  DimVector sizes = t.sizes();
  sizes.pop_back();
  for (const int64_t size : last) sizes.push_back(size);
  return sizes;
}

// `t` with zeros after the last axis, or without its end, so that the axis has `size` elements.
Tensor resized_axis(const Tensor& t, int64_t size) {
  const int64_t missing = size - t.size(-1);
  return missing < 0 ? tnp::narrow(t, -1, 0, size) : missing > 0 ? tnp::constant_pad_nd(t, {0, missing}) : t;
}

}  // namespace

void pack_bits_composite(const Tensor& input, std::optional<int64_t> dim, std::string_view bitorder,
                         const Tensor& out) {
  const Tensor to = written(out, dim);
  if (to.numel() == 0) return;
  const Tensor bits = resized_axis(axis_last(tnp::cast(input, ScalarType::UInt8), dim), to.size(-1) * 8);
  const Tensor bytes = tnp::reshape(bits, with_last(bits, {to.size(-1), 8}));
  const Tensor weighted = tnp::bitwise_left_shift(bytes, bit_places(bitorder, input.device()));
  copy_into(to, tnp::sum(weighted, {{-1}}, false, ScalarType::UInt8));
}

void unpack_bits_composite(const Tensor& input, std::optional<int64_t> dim, std::optional<int64_t>,
                           std::string_view bitorder, const Tensor& out) {
  const Tensor to = written(out, dim);
  if (to.numel() == 0) return;
  const Tensor bytes = tnp::unsqueeze(axis_last(input, dim), -1);
  const Tensor shifted = tnp::bitwise_right_shift(bytes, bit_places(bitorder, input.device()));
  const Tensor bits = tnp::bitwise_and(shifted, scalar_tensor(Scalar(int64_t{1}), ScalarType::UInt8, input.device()));
  copy_into(to, resized_axis(tnp::reshape(bits, with_last(axis_last(input, dim), {bytes.size(-2) * 8})), to.size(-1)));
}

}  // namespace tnp::native
