// Attributes of a tensor: size, kind of dtype, device.
#include <algorithm>

#include "aten/native_functions/attributes.h"

namespace tnp::native {

int64_t numel(const Tensor& input) { return input.numel(); }
bool is_complex(const Tensor& input) { return input.is_complex(); }
bool is_floating_point(const Tensor& input) { return input.is_floating_point(); }
bool is_signed(const Tensor& input) {
  return is_signed_integer(input.dtype()) || input.is_floating_point() || input.is_complex();
}

bool is_nonzero(const Tensor& input) {
  TNP_CHECK(input.numel() == 1, ErrorKind::Runtime, "Boolean value of Tensor with ",
            input.numel() == 0 ? "no values" : "more than one value", " is ambiguous");
  const Scalar value = input.item();
  return value.is_complex() ? value.to<Complex<double>>() != Complex<double>(0) : value.to<bool>();
}

bool is_same_size(const Tensor& input, const Tensor& other) { return std::ranges::equal(input.sizes(), other.sizes()); }

int64_t get_device(const Tensor& input) { return input.device().is_cuda() ? input.device().index : -1; }

}  // namespace tnp::native
