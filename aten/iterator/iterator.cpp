// Builds the plan: operands, broadcasting, checks, outputs. loop_nest.cpp runs it.
#include "aten/iterator/iterator.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/iterator/device_of.h"

#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/cast_error.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/observer.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/overlap.h"

namespace tnp {

Iterator::Operand& Iterator::add(const Tensor& tensor, ScalarType loop_dtype) {
  TNP_INTERNAL_ASSERT(num_operands_ < kMaxOperands && mask_ < 0);
  Operand& o = operands_[static_cast<size_t>(num_operands_++)];
  o.tensor = tensor;
  o.loop_dtype = o.result_dtype = loop_dtype;
  return o;
}

Iterator& Iterator::output(Tensor& tensor, ScalarType loop_dtype, ScalarType result_dtype) {
  TNP_INTERNAL_ASSERT(num_outputs_ == num_operands_);
  Operand& o = add(tensor, loop_dtype);
  o.result_dtype = result_dtype;
  o.result = &tensor;
  ++num_outputs_;
  return *this;
}

Iterator& Iterator::input(const Tensor& tensor, ScalarType loop_dtype) {
  add(tensor, loop_dtype);
  return *this;
}

Iterator& Iterator::mask(const Tensor& where) {
  TNP_CHECK(where.dtype() == ScalarType::Bool, ErrorKind::Type, "{where} must be a boolean array, got ", where.dtype());
  add(where, ScalarType::Bool).is_mask = true;
  mask_ = num_operands_ - 1;
  return *this;
}

Iterator& Iterator::casting(Casting casting) {
  casting_ = casting;
  return *this;
}
Iterator& Iterator::check_input_casts(bool check) {
  check_inputs_ = check;
  return *this;
}
Iterator& Iterator::order(Order order) {
  order_ = order;
  return *this;
}

void Iterator::build() {
  find_device();
  broadcast();
  check_casts();
  for (int i = 0; i < num_operands_; ++i)
    if (operands_[i].tensor.defined()) set_strides(operands_[i]);
  separate_overlaps();
  allocate_outputs();
  for (int i = 0; i < num_operands_; ++i) {
    Operand& o = operands_[i];
    o.data = o.tensor.address();
    if (TNP_UNLIKELY(observer() != nullptr)) observer()->touched(o.tensor);
    ScalarType own = o.tensor.dtype();
    o.unaligned = o.tensor.is_unaligned();
    if (own != o.loop_dtype && device_.is_cpu())
      o.cast = i < num_outputs_ ? cast_loop(own, o.loop_dtype) : cast_loop(o.loop_dtype, own);
  }
  cast_constants();
}

void Iterator::skip_or_raise() const {
  if (!device_.is_meta()) raise_no_kernel(device_);
}

// Finds the common device. 0-d operands may be on the CPU in any case: the kernel receives them by
// value.
void Iterator::find_device() {
  for (int i = 0; i < num_operands_ && device_.is_cpu(); ++i) {
    if (operands_[i].tensor.defined()) device_ = operands_[i].tensor.device();
  }
  if (TNP_LIKELY(device_.is_cpu())) return;
  for (int i = 0; i < num_operands_; ++i) {
    const Tensor& t = operands_[i].tensor;
    if (!t.defined() || (i < num_outputs_ ? t.device() == device_ : goes_along(t, device_))) continue;
    raise_devices_differ(device_, t.device());
  }
}

// The broadcast shape of all operands, outputs included. Inputs broadcast to a larger output; an
// output is never broadcast.
void Iterator::broadcast() {
  for (int i = 0; i < num_operands_; ++i) {
    if (!operands_[i].tensor.defined()) continue;
    IntList sizes = operands_[i].tensor.sizes();
    if (sizes == IntList(shape_)) continue;
    if (sizes.size() > shape_.size()) {
      DimVector wider(sizes.size() - shape_.size(), 1);
      wider.append(shape_);
      shape_ = std::move(wider);
    }
    size_t offset = shape_.size() - sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) {
      int64_t& n = shape_[offset + d];
      if (sizes[d] == n || sizes[d] == 1) continue;
      if (TNP_UNLIKELY(n != 1)) {
        std::string shapes;
        for (int k = num_outputs_; k < num_operands_; ++k) {
          append(shapes, operands_[k].tensor.sizes());
          shapes += ' ';
        }
        for (int k = 0; k < num_outputs_; ++k) {
          if (!operands_[k].tensor.defined()) continue;
          append(shapes, operands_[k].tensor.sizes());
          shapes += ' ';
        }
        raise_not_broadcastable(n, sizes[d], offset + d, shapes);
      }
      n = sizes[d];
    }
  }
  for (int i = 0; i < num_outputs_; ++i) {
    const Tensor& out = operands_[i].tensor;
    TNP_CHECK(!out.defined() || out.sizes() == IntList(shape_), ErrorKind::Shape,
              "non-broadcastable output operand with shape ", out.sizes(), " doesn't match the broadcast shape ",
              IntList(shape_));
  }
  numel_ = numel_of(shape_);
}

void Iterator::check_casts() const {
  for (int i = 0; i < num_operands_; ++i) {
    const Operand& o = operands_[i];
    if (!o.tensor.defined()) continue;
    ScalarType own = o.tensor.dtype();
    if (i < num_outputs_) {
      check_writeable(o.tensor, "output array");
      report_discarded_imaginary_part(own, o.result_dtype);
      if (can_cast(o.result_dtype, own, casting_)) continue;
      TNP_CHECK(dialect().errors_are_numpys(), ErrorKind::Casting, "result type ", o.result_dtype,
                " can't be cast to the desired output type ", own);
      TNP_RAISE(ErrorKind::Casting, "Cannot cast ufunc '{op}' output from dtype('", o.result_dtype, "') to dtype('",
                own, "') with casting rule '", casting_name(casting_), "'");
    } else if (check_inputs_ && !o.tensor.is_wrapped_number() && compute_type(own) != o.loop_dtype &&
               TNP_UNLIKELY(!can_cast(own, o.loop_dtype, casting_))) {
      raise_cannot_cast_input("{op}", i - num_outputs_, own, o.loop_dtype, casting_);
    } else {
      report_discarded_imaginary_part(o.loop_dtype, own);
    }
  }
}

void Iterator::set_strides(Operand& o) const {
  IntList sizes = o.tensor.sizes(), strides = o.tensor.strides();
  size_t offset = shape_.size() - sizes.size();
  int64_t unit = o.tensor.stride_unit();
  o.strides = DimVector(shape_.size(), 0);
  for (size_t d = 0; d < sizes.size(); ++d) o.strides[offset + d] = sizes[d] == 1 ? 0 : strides[d] * unit;
}

// Note [Overlap]
void Iterator::separate_overlaps() {
  if (TNP_UNLIKELY(device_.is_meta())) return;  // the addresses of `meta` tensors are meaningless
  auto extent = [&](const Operand& o) { return Extent{o.tensor.address(), shape_, o.strides, o.tensor.itemsize()}; };
  for (int k = 0; k < num_outputs_; ++k) {
    if (!operands_[k].tensor.defined()) continue;
    Extent out = extent(operands_[k]);
    for (int i = num_outputs_; i < num_operands_; ++i) {
      Operand& in = operands_[i];
      if (memory_overlap(out, extent(in)) != Overlap::Some) continue;
      Tensor copy = empty_tensor(in.tensor.sizes(), in.tensor.dtype(), in.tensor.device());
      Iterator copying;
      copying.output(copy, copy.dtype(), copy.dtype()).input(in.tensor, copy.dtype()).build();
      copying.cast(1.0);
      bool weak = in.tensor.is_wrapped_number();
      in.tensor = std::move(copy);
      in.tensor.impl()->is_wrapped_number = weak;
      set_strides(in);
    }
  }
}

void Iterator::allocate_outputs() {
  bool missing = false;
  for (int i = 0; i < num_outputs_; ++i) missing |= !operands_[i].tensor.defined();
  if (!missing) return;

  Order order = order_;
  if (order == Order::A) {
    order = Order::F;
    bool all_c = true;
    for (int i = num_outputs_; i < num_operands_; ++i) {
      if (!operands_[i].tensor.is_column_major()) order = Order::C;
      all_c &= operands_[i].tensor.is_row_major();
    }
    if (all_c) order = Order::C;
  }
  DimVector strides;
  if (order == Order::F) {
    strides = fortran_strides(shape_);
  } else if (order == Order::C) {
    strides = contiguous_strides(shape_);
  } else {
    DimVector axes = axes_by_stride();
    strides = DimVector(shape_.size());
    int64_t step = 1;
    for (int64_t d : axes) {
      strides[static_cast<size_t>(d)] = step;
      step *= std::max<int64_t>(shape_[static_cast<size_t>(d)], 1);
    }
  }
  for (int i = 0; i < num_outputs_; ++i) {
    Operand& o = operands_[i];
    if (o.tensor.defined()) continue;
    o.tensor = empty_strided_tensor(shape_, strides, o.result_dtype, device_);
    *o.result = o.tensor;
    set_strides(o);
  }
}

// Casts single-element operands once, such as the number in `x * 2.0`. A CPU number is embedded in
// another device's plan.
void Iterator::cast_constants() {
  if (TNP_UNLIKELY(device_.is_meta())) return;
  for (int i = num_outputs_; i < num_operands_; ++i) {
    Operand& o = operands_[i];
    const bool is_cpu_number = !device_.is_cpu() && o.tensor.device().is_cpu();
    if ((!o.cast || o.tensor.numel() != 1) && !is_cpu_number) continue;
    const FloatingPointWatch watch("cast");
    alignas(16) char element[16];
    copy_element(o.tensor.itemsize(), element, o.data);
    cast_element(o.constant, o.loop_dtype, element, o.tensor.dtype());
    o.unaligned = false;
    o.data = o.constant;
    o.cast = nullptr;
    o.is_constant = true;
  }
}

}  // namespace tnp
