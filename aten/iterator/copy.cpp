// copy_into and fill_with: the kernels of copy_, astype, assignment and fill.
#include <algorithm>
#include <cstring>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/memory/lazy_zeros.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/numbers/range.h"
#include "aten/core/observer.h"
#include "aten/core/shapes.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/copy_transposed.h"
#include "aten/iterator/iterator.h"
#include "aten/iterator/layout.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

// NumPy allows assigning an array of shape (1, 1, 3) to one of shape (3,).
Tensor without_leading_ones(const Tensor& src, int64_t dims) {
  size_t extra = 0;
  while (src.dim() - static_cast<int64_t>(extra) > dims && src.sizes()[extra] == 1) ++extra;
  if (extra == 0) return src;
  return view_of(src, src.sizes().subspan(extra), src.strides().subspan(extra), src.address());
}

// Copies between 1-d tensors of equal dtype and size, with at most 4096 elements, without an
// iterator. Returns false and writes nothing in all other cases.
bool copy_line(const Tensor& dst, const Tensor& src) {
  if (dst.dim() != 1 || src.dim() != 1 || dst.dtype() != src.dtype() || dst.size(0) != src.size(0) ||
      dst.numel() > 4096 || dst.stride(0) == 0 || dst.is_unaligned() || src.is_unaligned() ||
      memory_overlap(dst, src) != Overlap::None)
    return false;
  char* data[] = {dst.address(), src.address()};
  const int64_t strides[] = {dst.byte_stride(0), src.byte_stride(0)};
  cast_loop(dst.dtype(), src.dtype())(data, strides, dst.numel());
  return true;
}

// dst[...] = value for a tensor without gaps, with at most 4096 elements and a 0-d value, without an
// iterator. Returns false and writes nothing in all other cases.
bool fill_line(const Tensor& dst, const Tensor& value) {
  if (value.dim() != 0 || dst.numel() > 4096 || !has_order(dst, Order::A) || dst.is_unaligned() || value.is_unaligned())
    return false;
  alignas(16) char element[16];
  char* data[] = {element, value.address()};
  const int64_t strides[] = {0, 0};
  cast_loop(dst.dtype(), value.dtype())(data, strides, 1);
  visit_size(dst.dtype(), [&]<class Bits>() {
    Bits bits;
    std::memcpy(&bits, element, sizeof(Bits));
    std::fill_n(reinterpret_cast<Bits*>(dst.address()), dst.numel(), bits);
  });
  return true;
}

}  // namespace

void copy_into(const Tensor& dst, const Tensor& src, Casting casting) {
  if (TNP_UNLIKELY(observer() != nullptr) && observer()->copy(dst, src, casting)) return;
  check_writeable(dst, "assignment destination");
  TNP_CHECK(casting == Casting::Unsafe || src.is_wrapped_number() || can_cast(src.dtype(), dst.dtype(), casting),
            ErrorKind::Casting, "Cannot cast array data from dtype('", src.dtype(), "') to dtype('", dst.dtype(),
            "') according to the rule '", casting_name(casting), "'");
  // `x[1:9] += y` ends with an assignment of the view to itself.
  if (dst.address() == src.address() && dst.dtype() == src.dtype() && dst.device() == src.device() &&
      dst.is_unaligned() == src.is_unaligned() && dst.sizes() == src.sizes() && dst.strides() == src.strides()) {
    dst.bump_version();
    return;
  }
  const bool on_cpu = dst.device().is_cpu() && src.device().is_cpu();
  if (on_cpu && dst.dtype() == src.dtype() && !is_bool(dst.dtype()) && dst.sizes() == src.sizes() &&
      dst.is_contiguous() && src.is_contiguous() && dst.numel() * dst.itemsize() <= 32768) {
    dst.bump_version();
    const int64_t bytes = dst.numel() * dst.itemsize();
    if (bytes > 2048) {  // Note [Copies on AMD]
      char* pair[] = {dst.data(), src.data()};
      const int64_t strides[] = {dst.itemsize(), dst.itemsize()};
      cast_loop(dst.dtype(), dst.dtype())(pair, strides, dst.numel());
    } else if (bytes > 0) {
      std::memmove(dst.data(), src.data(), static_cast<size_t>(bytes));
    }
    return;
  }
  if (on_cpu) {
    try {
      if (copy_line(dst, src)) return dst.bump_version();
    } catch (...) {  // of a cast, after the copy
      dst.bump_version();
      throw;
    }
  }
  Tensor from = without_leading_ones(src, dst.dim());
  TNP_CHECK(broadcasts_to(from.sizes(), dst.sizes()), ErrorKind::Shape, "could not broadcast input array from shape ",
            src.sizes(), " into shape ", dst.sizes());
  dst.bump_version();
  if (TNP_UNLIKELY(dst.device().is_meta())) return;
  if (TNP_UNLIKELY(src.device().is_meta())) raise_no_data();
  if (TNP_UNLIKELY(!on_cpu && dst.device() != src.device() && !(src.device().is_cpu() && from.dim() == 0)))
    return copy_across(dst, from, false);
  report_discarded_imaginary_part(dst.dtype(), src.dtype());
  const FloatingPointWatch watch(on_cpu && cast_has_errors(dst.dtype(), src.dtype()) ? "cast" : nullptr);
  if (on_cpu && (fill_line(dst, from) || copy_transposed(dst, from))) return;
  Tensor to = dst;
  Iterator iterator;
  if (on_cpu) {
    iterator.output(to, dst.dtype(), dst.dtype()).input(from, src.dtype()).casting(Casting::Unsafe).build();
    iterator.for_each(cast_loop(dst.dtype(), src.dtype()), 0.5);
  } else {
    iterator.output(to, dst.dtype(), dst.dtype()).input(from, dst.dtype()).casting(Casting::Unsafe).build();
    iterator.cast(0.5);
  }
}

void copy_across(const Tensor& dst, const Tensor& src, bool non_blocking) {
  if (dst.device().is_meta()) return;
  if (src.device().is_meta()) raise_no_data();
  // Device copies transfer dense bytes without conversion; the destination side casts and
  // broadcasts them. A temporary must live until the copy is done. So only a direct copy between
  // the two tensors can be asynchronous, and only if the host memory is pinned (the driver
  // guarantees nothing for other memory).
  const bool straight =
      dst.is_contiguous() && src.dtype() == dst.dtype() && dst.sizes() == src.sizes() && !is_bool(dst.dtype());
  Tensor from = src, to = dst;
  if (!src.is_contiguous()) {
    from = empty_tensor(src.sizes(), src.dtype(), src.device());
    copy_into(from, src);
  }
  if (!straight) to = empty_tensor(src.sizes(), src.dtype(), dst.device());
  const auto may_stay = [](const Tensor& t) {
    return !t.device().is_cpu() || loaded_device_runtime()->is_pinned(t.storage().data());
  };
  const bool may_leave = non_blocking && straight && src.is_contiguous() && may_stay(src) && may_stay(dst);
  if (to.numel() > 0) {
    runtime_of(dst.device().is_cpu() ? src.device() : dst.device())
        .copy_bytes(to.address(), to.device(), from.address(), from.device(),
                    static_cast<size_t>(to.numel() * to.itemsize()), may_leave);
  }
  if (!straight) copy_into(dst, to);
}

void clear_new(const Tensor& dst) {
  if (!dst.device().is_cpu()) return fill_with(dst, 0);
  const Storage& storage = dst.storage();
  if (storage.owns_memory() && clear_lazily(storage.data(), storage.bytes())) return;
  std::memset(storage.data(), 0, storage.bytes());
}

void fill_with(const Tensor& dst, const Scalar& value) {
  if (TNP_UNLIKELY(observer() != nullptr) && observer()->fill(dst, value)) return;
  check_writeable(dst, "assignment destination");
  check_fits(value, dst.dtype());
  dst.bump_version();
  if (dst.numel() == 0 || dst.device().is_meta()) return;
  report_discarded_imaginary_part(dst.dtype(), value.dtype());
  report_cast_errors(value, dst.dtype());
  if (dst.dim() == 0 && dst.device().is_cpu()) {
    const Tensor element = scalar_tensor(value, dst.dtype());
    std::memcpy(dst.address(), element.data(), static_cast<size_t>(dst.itemsize()));
    return;
  }
  Tensor to = dst;
  Iterator iterator;
  iterator.output(to, dst.dtype(), dst.dtype()).input(scalar_tensor(value, dst.dtype()), dst.dtype()).build();
  iterator.cast(0.3);
}

}  // namespace tnp
