// Creation of tensors from sizes and numbers.
#include "aten/functions/creation.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/shapes.h"
#include "aten/dispatch/out.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/memory_format.h"
#include "aten/native_functions/creation.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/with_grad.h"

namespace tnp {

namespace native {

namespace {

// Errors in the shape are reported before errors in the value.
void check_shape(IntList size) {
  numel_of(size);
  check_ndim(size.size());
}

Tensor new_filled(IntList size, const Scalar& value, ScalarType dtype, std::optional<Device> device, Order order,
                  const Tensor& like = {}) {
  const bool zero = value.kind() == Scalar::Kind::Int && value.to<int64_t>() == 0;
  if (!zero) {  // Zero fits every dtype, and empty_in_order() checks the shape.
    check_shape(size);
    check_fits(value, dtype);
  }
  Tensor t =
      empty_in_order(size, dtype, device.value_or(like.defined() ? like.device() : default_device()), order, like);
  zero ? clear_new(t) : fill_with(t, value);
  return t;
}

// The dtype of an array that is created from a Python number.
ScalarType dtype_of_number(const Scalar& value) {
  if (value.is_float()) return default_dtype();
  if (value.is_complex()) return to_complex(default_dtype());
  if (value.kind() == Scalar::Kind::Int) return dtype_of_integer(value.to<int64_t>());
  return dialect().integers_are_int64() && !value.is_bool() ? ScalarType::Int64 : value.dtype();
}

// Returns a new tensor of shape `size` filled with `value`, which is broadcast. If `value` requires
// grad, the operation is recorded.
Tensor filled_with_tensor(IntList size, const Tensor& value, ScalarType dtype, Device device, Order order,
                          const Tensor& like) {
  check_shape(size);
  check_fits(value, dtype);
  if (!needs_derivatives(value)) {
    Tensor t = empty_in_order(size, dtype, device, order, like);
    if (value.is_wrapped_number() && !value.device().is_meta())
      fill_with(t, value.item());
    else
      copy_into(t, value);
    return t;
  }
  Tensor t = tnp::cast(tnp::broadcast_to(value, size), dtype, Order::C);
  return order == Order::C ? t : tnp::clone(t, is_fortran_order(order, like) ? Order::F : Order::C);
}

}  // namespace

Tensor zeros(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
             Order order) {
  return with_grad(new_filled(size, 0, dtype.value_or(default_dtype()), device, order), requires_grad);
}

Tensor ones(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
            Order order) {
  return with_grad(new_filled(size, 1, dtype.value_or(default_dtype()), device, order), requires_grad);
}

Tensor full(IntList size, const Scalar& fill_value, std::optional<ScalarType> dtype, std::optional<Device> device,
            bool requires_grad, Order order) {
  return with_grad(new_filled(size, fill_value, dtype ? *dtype : dtype_of_number(fill_value), device, order),
                   requires_grad);
}

Tensor full_tensor(IntList size, const Tensor& fill_value, std::optional<ScalarType> dtype,
                   std::optional<Device> device, bool requires_grad, Order order) {
  ScalarType t = dtype                            ? *dtype
                 : fill_value.is_wrapped_number() ? dtype_of_number(fill_value.item())
                                                  : fill_value.dtype();
  return with_grad(filled_with_tensor(size, fill_value, t,
                                      device.value_or(goes_along(fill_value, default_device()) ? default_device()
                                                                                               : fill_value.device()),
                                      order, {}),
                   requires_grad);
}

namespace {

// Returns the strides of `memory_format`. If an Order describes the format, sets `order` instead
// and returns nullopt.
std::optional<DimVector> strides_or_order(std::optional<std::string_view> memory_format, IntList sizes, Order& order) {
  if (!memory_format) return std::nullopt;
  check_shape(sizes);
  const MemoryFormat format = memory_format_of(*memory_format, static_cast<int64_t>(sizes.size()));
  if (format == MemoryFormat::ChannelsLast || format == MemoryFormat::ChannelsLast3d)
    return channels_last_strides(sizes);
  order = format == MemoryFormat::Preserve ? Order::K : Order::C;
  return std::nullopt;
}

Tensor filled_like(const Tensor& input, const Scalar& value, std::optional<ScalarType> dtype,
                   std::optional<Device> device, Order order, OptIntList size,
                   std::optional<std::string_view> memory_format) {
  const IntList sizes = size.value_or(input.sizes());
  const ScalarType type = dtype.value_or(input.dtype());
  if (const auto strides = strides_or_order(memory_format, sizes, order)) {
    check_fits(value, type);
    const Tensor t = empty_strided_tensor(sizes, *strides, type, device.value_or(input.device()));
    fill_with(t, value);
    return t;
  }
  return new_filled(sizes, value, type, device, order, input);
}

}  // namespace

Tensor empty(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
             Order order, std::optional<std::string_view> memory_format) {
  const ScalarType type = dtype.value_or(default_dtype());
  const Device place = device.value_or(default_device());
  const auto strides = strides_or_order(memory_format, size, order);
  TNP_CHECK(order != Order::K || !memory_format, ErrorKind::Runtime, "{memory_format} of empty() cannot be ",
            *memory_format);
  return with_grad(filled_if_asked(strides ? empty_strided_tensor(size, *strides, type, place)
                                           : empty_in_order(size, type, place, order)),
                   requires_grad);
}

Tensor empty_like(const Tensor& input, std::optional<ScalarType> dtype, std::optional<Device> device,
                  bool requires_grad, Order order, OptIntList size, std::optional<std::string_view> memory_format) {
  const IntList sizes = size.value_or(input.sizes());
  const ScalarType type = dtype.value_or(input.dtype());
  const Device where = device.value_or(input.device());
  if (const auto strides = strides_or_order(memory_format, sizes, order))
    return with_grad(filled_if_asked(empty_strided_tensor(sizes, *strides, type, where)), requires_grad);
  return with_grad(filled_if_asked(empty_in_order(sizes, type, where, order, input)), requires_grad);
}

Tensor zeros_like(const Tensor& input, std::optional<ScalarType> dtype, std::optional<Device> device,
                  bool requires_grad, Order order, OptIntList size, std::optional<std::string_view> memory_format) {
  return with_grad(filled_like(input, 0, dtype, device, order, size, memory_format), requires_grad);
}

Tensor ones_like(const Tensor& input, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
                 Order order, OptIntList size, std::optional<std::string_view> memory_format) {
  return with_grad(filled_like(input, 1, dtype, device, order, size, memory_format), requires_grad);
}

Tensor full_like(const Tensor& input, const Scalar& fill_value, std::optional<ScalarType> dtype,
                 std::optional<Device> device, bool requires_grad, Order order, OptIntList size,
                 std::optional<std::string_view> memory_format) {
  return with_grad(filled_like(input, fill_value, dtype, device, order, size, memory_format), requires_grad);
}

Tensor full_like_tensor(const Tensor& input, const Tensor& fill_value, std::optional<ScalarType> dtype,
                        std::optional<Device> device, bool requires_grad, Order order, OptIntList size) {
  Tensor t = filled_with_tensor(size.value_or(input.sizes()), fill_value, dtype.value_or(input.dtype()),
                                device.value_or(input.device()), order, input);
  return with_grad(t, requires_grad);
}

Tensor eye(int64_t n, std::optional<int64_t> m, std::optional<ScalarType> dtype, std::optional<Device> device,
           bool requires_grad, int64_t k, Order order) {
  int64_t columns = m.value_or(n);
  Tensor t = new_filled({n, columns}, 0, dtype.value_or(default_dtype()), device, order);
  if (k < columns && k > -n) fill_with(native::diagonal(t, k, 0, 1), 1);
  return with_grad(t, requires_grad);
}

Tensor tri(int64_t n, std::optional<int64_t> m, int64_t k, std::optional<ScalarType> dtype,
           std::optional<Device> device) {
  const int64_t rows = std::max<int64_t>(n, 0), columns = std::max<int64_t>(m.value_or(n), 0);
  const Tensor one = new_filled({}, 1, dtype.value_or(default_dtype()), device, Order::C);
  return tnp::tril(native::expand(one, {rows, columns}), k);
}

Tensor diag(const Tensor& input, int64_t diagonal) {
  TNP_CHECK(input.dim() == 1 || input.dim() == 2, ErrorKind::Shape,
            "{input} must have one or two dimensions, got shape ", input.sizes());
  if (input.dim() == 2) {
    Tensor view = tnp::diagonal(input, diagonal, 0, 1);
    return dialect().diagonal_is_view() ? (view.impl()->writeable = false, view) : tnp::clone(view, Order::C);
  }
  int64_t n = 0;
  const bool overflow = diagonal == INT64_MIN || __builtin_add_overflow(input.size(0), std::abs(diagonal), &n);
  TNP_CHECK(!overflow, ErrorKind::Value, "{diagonal} ", diagonal, " is too large");
  return tnp::diagonal_backward(input, {n, n}, diagonal, 0, 1);
}

Tensor diagflat(const Tensor& input, int64_t offset) { return native::diag(tnp::reshape(input, {-1}), offset); }

}  // namespace native
}  // namespace tnp
