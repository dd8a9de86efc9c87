// Shape functions of pack_bits(), unpack_bits() and byteswap().
#include <string_view>

#include "aten/iterator/dense.h"
#include "aten/meta_functions/bitwise.h"

namespace tnp::meta {

namespace {

void check_bitorder(std::string_view bitorder) {
  TNP_CHECK(bitorder == "big" || bitorder == "little", ErrorKind::Value, "'order' must be either 'little' or 'big'");
}

// The result's shape, for a size of the axis that `resized` computes from the input's. Without `dim`
// the input is flattened; one without axes counts as one element on axis 0.
template <class F>
DimVector shape_along(const Tensor& input, std::optional<int64_t>& dim, F&& resized) {
  if (dim && input.dim() == 0) wrap_dim(*dim, 1), dim.reset();
  if (!dim) return DimVector{resized(input.numel())};
  dim = wrap_dim(*dim, input.dim());
  DimVector sizes = input.sizes();
  int64_t& size = sizes[static_cast<size_t>(*dim)];
  size = resized(size);
  return sizes;
}

int64_t count_bits(int64_t bytes, std::optional<int64_t> count) {
  const int64_t bits = bytes * 8;
  if (!count) return bits;
  TNP_CHECK(*count >= -bits, ErrorKind::Value, "-ve pad count ", -*count, " exceeds the axis size ", bits);
  return *count >= 0 ? *count : bits + *count;
}

}  // namespace

void pack_bits(Outputs& outputs, Operand& input, std::optional<int64_t>& dim, std::string_view bitorder) {
  TNP_CHECK(is_integral(input->dtype()), ErrorKind::Type, "Expected an input array of integer or boolean data type");
  check_bitorder(bitorder);
  outputs.add(shape_along(input, dim, [](int64_t size) { return (size + 7) / 8; }), ScalarType::UInt8);
  input = native::to_dense(input, ScalarType::Bool);
}

void unpack_bits(Outputs& outputs, Operand& input, std::optional<int64_t>& dim, std::optional<int64_t>& count,
                 std::string_view bitorder) {
  TNP_CHECK(input->dtype() == ScalarType::UInt8, ErrorKind::Type, "Expected an input array of unsigned byte data type");
  check_bitorder(bitorder);
  outputs.add(shape_along(input, dim, [&](int64_t size) { return count_bits(size, count); }), ScalarType::UInt8);
  input = native::to_dense(input, ScalarType::UInt8);
}

void byteswap(Outputs& outputs, Operand& input) {
  Output& out = outputs.add(input->sizes(), input->dtype());
  if (input->is_column_major() && !input->is_contiguous())
    out.strides = fortran_strides(input->sizes());
  else
    input = native::to_dense(input, input->dtype());
}

}  // namespace tnp::meta
