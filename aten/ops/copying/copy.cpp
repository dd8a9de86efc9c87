// Copies, casts, and writes into existing tensors.
#include "aten/iterator/copy.h"

#include "aten/core/devices/device_runtime.h"
#include "aten/core/needs_derivatives.h"
#include "aten/functions/copies.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/memory_format.h"
#include "aten/iterator/overlap.h"
#include "aten/iterator/watched.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/shape.h"

namespace tnp::native {

Tensor cast(const Tensor& input, ScalarType dtype, Order order) {
  Tensor out = empty_in_order(input.sizes(), dtype, input.device(), order, input);
  copy_into(out, input);
  return out;
}

Tensor clone(const Tensor& input, Order order, std::optional<std::string_view> memory_format) {
  if (!memory_format) return native::cast(input, input.dtype(), order);
  const MemoryFormat format = memory_format_of(*memory_format, input.dim());
  if (format == MemoryFormat::Preserve) return native::cast(input, input.dtype(), Order::K);
  Tensor out = empty_strided_tensor(input.sizes(), strides_in_format(input.sizes(), format, input), input.dtype(),
                                    input.device());
  copy_into(out, input);
  return out;
}

namespace {

// Returns `t`, the converted `input`, in the requested memory format. If `t` is `input` itself and
// its strides have the order of the format, even with gaps, `t` is not copied. PyTorch does the
// same.
Tensor in_format(const Tensor& t, const Tensor& input, std::optional<std::string_view> memory_format) {
  if (!memory_format) return t;
  const MemoryFormat format = memory_format_of(*memory_format, t.dim());
  if (format == MemoryFormat::Preserve) return t;
  const bool last = format != MemoryFormat::Contiguous;
  const bool stays = t.is_same(input) ? prefers_channels_last(t) == last
                                      : t.strides() == IntList(strides_in_format(t.sizes(), format, t));
  return stays ? t : tnp::clone(t, Order::K, memory_format);
}

}  // namespace

Tensor astype(const Tensor& input, ScalarType dtype, Order order, Casting casting, bool copy) {
  TNP_CHECK(can_cast(input.dtype(), dtype, casting), ErrorKind::Type, "Cannot cast array data from dtype('",
            input.dtype(), "') to dtype('", dtype, "') according to the rule '", casting_name(casting), "'");
  if (!copy && dtype == input.dtype() && has_order(input, order) && !input.is_wrapped_number()) return input;
  return tnp::cast(input, dtype, order);
}

Tensor astype_on(const Tensor& input, ScalarType dtype, bool copy, std::optional<Device> device) {
  if (!device || *device == input.device()) return native::astype(input, dtype, Order::K, Casting::Unsafe, copy);
  return native::to_device(input, device, dtype, false, copy, std::nullopt);
}

Tensor transfer(const Tensor& input, Device device, bool non_blocking) {
  if (input.device() == device) return tnp::clone(input);  // the device of the parts of wrapped tensors
  Tensor out = empty_in_order(input.sizes(), input.dtype(), device, Order::K, input);
  // If the memory is dense in some order of axes, it is copied as one block.
  DimVector by_stride = axes_slowest_first(input);
  Tensor from = view_of(input, input.sizes(), input.strides(), input.address()), to = out;
  if (!input.is_contiguous()) {
    from = native::permute(from, by_stride);
    to = native::permute(to, by_stride);
  }
  copy_across(to, from, non_blocking);
  return out;
}

Tensor to(const Tensor& input, ScalarType dtype, bool /*non_blocking*/, bool copy,
          std::optional<std::string_view> memory_format) {
  return in_format(native::astype(input, dtype, Order::K, Casting::Unsafe, copy), input, memory_format);
}

namespace {

Tensor on_device(const Tensor& input, std::optional<Device> device, std::optional<ScalarType> dtype, bool non_blocking,
                 bool copy) {
  const ScalarType type = dtype.value_or(input.dtype());
  if (!device || *device == input.device()) return native::astype(input, type, Order::K, Casting::Unsafe, copy);
  require_runtime(*device);
  // Casts before the transfer if this reduces the number of bytes to transfer, otherwise after it.
  const bool first = element_size(type) < input.itemsize();
  Tensor moved = tnp::transfer(first && type != input.dtype() ? tnp::cast(input, type) : input, *device, non_blocking);
  return moved.dtype() == type ? moved : tnp::cast(moved, type);
}

}  // namespace

Tensor to_device(const Tensor& input, std::optional<Device> device, std::optional<ScalarType> dtype, bool non_blocking,
                 bool copy, std::optional<std::string_view> memory_format) {
  return in_format(on_device(input, device, dtype, non_blocking, copy), input, memory_format);
}

Tensor to_other(const Tensor& input, const Tensor& other, bool non_blocking, bool copy,
                std::optional<std::string_view> memory_format) {
  return native::to_device(input, other.device(), other.dtype(), non_blocking, copy, memory_format);
}

Tensor cuda(const Tensor& input, std::optional<Device> device, bool non_blocking,
            std::optional<std::string_view> memory_format) {
  const Device to = device.value_or(input.device().is_cuda() ? input.device() : parse_device("cuda"));
  TNP_CHECK(to.is_cuda(), ErrorKind::Runtime, "cuda() takes a GPU, not ", to);
  return native::to_device(input, to, std::nullopt, non_blocking, false, memory_format);
}

Tensor type_as(const Tensor& input, const Tensor& other) {
  return native::to_other(input, other, false, false, std::nullopt);
}

Tensor contiguous(const Tensor& input, std::string_view memory_format) {
  const MemoryFormat format = memory_format_of(memory_format, input.dim());
  TNP_CHECK(format != MemoryFormat::Preserve || input.is_contiguous(), ErrorKind::Runtime,
            "preserve memory format is unsupported by contiguous()");
  return has_format(input, format) ? input : tnp::clone(input, Order::C, memory_format);
}

Tensor cpu(const Tensor& input, std::optional<std::string_view> memory_format) {
  return in_format(native::astype_on(input, input.dtype(), false, Device{}), input, memory_format);
}

const Tensor& copy_(const Tensor& self, const Tensor& src, bool non_blocking) {
  check_writeable(self, "assignment destination");
  check_apart(self, src);
  check_fits(src, self.dtype());
  if (non_blocking && self.device() != src.device() && self.sizes() == src.sizes()) {
    self.bump_version();
    copy_across(self, src, true);
    return self;
  }
  copy_into(self, src);
  return self;
}

namespace {

// Python numbers are weak: an integer can be cast to any number, a float to floats and complex
// numbers.
bool can_copy(const Tensor& src, ScalarType to, Casting casting) {
  if (!src.is_wrapped_number() || casting == Casting::Unsafe) return can_cast(src.dtype(), to, casting);
  auto kind = [](ScalarType t) { return is_bool(t) ? 0 : is_integer(t) ? 1 : is_floating(t) ? 2 : 3; };
  return kind(src.dtype()) <= kind(to);
}

}  // namespace

void copyto(const Tensor& dst, const Tensor& src, Casting casting, const Tensor& where) {
  check_writeable(dst, "assignment destination");
  TNP_CHECK(can_copy(src, dst.dtype(), casting), ErrorKind::Type, "Cannot cast array data from dtype('", src.dtype(),
            "') to dtype('", dst.dtype(), "') according to the rule '", casting_name(casting), "'");
  check_fits(src, dst.dtype());
  Tensor source = src;
  while (source.dim() > dst.dim() && source.size(0) == 1) source = tnp::select(source, 0, 0);
  if (!where.defined() || (where.dim() == 0 && !where.device().is_meta() && where.item<bool>())) {
    tnp::copy_(dst, source);
    return;
  }
  TNP_CHECK(is_bool(where.dtype()), ErrorKind::Type, "Cannot cast array data from dtype('", where.dtype(),
            "') to dtype('bool') according to the rule 'safe'");
  DimVector together = broadcast_shapes(broadcast_shapes(dst.sizes(), source.sizes()), where.sizes());
  TNP_CHECK(together == DimVector(dst.sizes()), ErrorKind::Shape, "could not broadcast input array from shape ",
            src.sizes(), " and mask of shape ", where.sizes(), " into shape ", dst.sizes());
  if (needs_derivatives(dst, source)) {
    tnp::copy_(dst, tnp::where(where, tnp::cast(source, dst.dtype()), tnp::clone(dst)));
    return;
  }
  report_discarded_imaginary_part(dst.dtype(), source.dtype());
  FloatingPointWatch watch(cast_has_errors(dst.dtype(), source.dtype()) ? watched_on(dst.device(), "cast") : nullptr);
  copy_where(dst, source, where);
  // The cast of an element that was not copied may have caused the error. So the cast is repeated
  // for the copied elements only.
  if (TNP_UNLIKELY(watch.end())) {
    const Tensor copied =
        tnp::masked_select(tnp::broadcast_to(source, dst.sizes()), tnp::broadcast_to(where, dst.sizes()));
    tnp::cast(copied, dst.dtype());
  }
}

const Tensor& fill_(const Tensor& self, const Scalar& value) {
  check_writeable(self, "assignment destination");
  if (dialect().errors_are_numpys() && value.is_complex() && !is_complex(self.dtype()))
    TNP_RAISE(ErrorKind::Type, "a complex number cannot be written into an array of ", self.dtype());
  fill_with(self, value);
  return self;
}

const Tensor& fill__Tensor(const Tensor& self, const Tensor& value) {
  TNP_CHECK(value.dim() == 0, ErrorKind::Shape, "{value} must have no dimensions, but its shape is ", value.sizes());
  check_number_fits(value, self.dtype());
  if (needs_derivatives(self, value))
    tnp::copy_(self, value);
  else if (value.device().is_meta())
    copy_into(self, value);
  else
    tnp::fill_(self, value.item());
  return self;
}

const Tensor& zero_(const Tensor& self) { return tnp::fill_(self, 0); }

}  // namespace tnp::native
