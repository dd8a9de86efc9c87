#include "aten/dispatch/out.h"

#include <algorithm>
#include <limits>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/dtype_names.h"
#include "aten/core/errors/pending_warnings.h"
#include "aten/core/memory/array_bytes.h"
#include "aten/core/memory/fill_new_memory.h"
#include "aten/core/memory/retirement.h"
#include "aten/core/numbers/promotion.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"

namespace tnp {

namespace {

std::string as_list(IntList sizes) {  // [2, 3], as PyTorch writes it
  std::string text = "[";
  for (size_t d = 0; d < sizes.size(); ++d) text += (d ? ", " : "") + std::to_string(sizes[d]);
  return text + "]";
}

// PyTorch's exact text, which programs use in warning filters.
TNP_COLD void warn_of_resizing(IntList before, IntList size) {
  warn_caller("An output with one or more elements was resized since it had shape " + as_list(before) +
              ", which does not match the required output shape " + as_list(size) +
              ". This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
              "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements "
              "with t.resize_(0).");
}

}  // namespace

void check_cast_in_place(ScalarType result, ScalarType self) {
  TNP_CHECK(can_cast(result, self, Casting::SameKind, PromotionRules::Torch), ErrorKind::Casting, "result type ",
            result, " can't be cast to the desired output type ", self);
}

TNP_COLD static void fill_storage(const Tensor& t, int64_t begin) {
  const int64_t count = static_cast<int64_t>(t.storage().bytes()) / t.itemsize() - begin;
  if (count <= 0 || t.device().is_meta()) return;
  const DimVector line{count}, step{1};
  const Tensor all = view_of(t, line, step, t.storage().data() + begin * t.itemsize());
  if (!is_integral(t.dtype())) return fill_with(all, std::numeric_limits<double>::quiet_NaN());
  visit<IntegralTypes>(t.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>)
      fill_with(all, true);
    else if constexpr (std::is_unsigned_v<T>)
      fill_with(all, static_cast<uint64_t>(std::numeric_limits<T>::max()));
    else
      fill_with(all, static_cast<int64_t>(std::numeric_limits<T>::max()));
  });
}

const Tensor& filled_if_asked(const Tensor& t, int64_t begin) {
  if (TNP_UNLIKELY(fills_new_memory.load(std::memory_order_relaxed))) fill_storage(t, begin);
  return t;
}

void resize_memory(const Tensor& self, IntList size, IntList strides) {
  TNP_CHECK(!self.is_unaligned(), ErrorKind::Runtime, "a tensor whose elements are not aligned cannot be resized");
  const int64_t bytes = bytes_of(size, self.dtype());
  TensorImpl& impl = *self.impl();
  const int64_t offset = self.address() - impl.storage->data();
  if (bytes > 0 && bytes > static_cast<int64_t>(impl.storage->bytes()) - offset) {
    TNP_CHECK(impl.storage->owns_memory(), ErrorKind::Runtime, "Trying to resize storage that is not resizable");
    const Tensor fresh = empty_tensor(size, self.dtype(), self.device());
    const int64_t kept = (static_cast<int64_t>(impl.storage->bytes()) - offset) / self.itemsize();
    if (kept > 0) {
      const DimVector line{kept}, step{1};
      copy_into(view_of(fresh, line, step, fresh.address()), view_of(self, line, step, self.address()));
    }
    filled_if_asked(fresh, std::max<int64_t>(kept, 0));
    retire_memory(view_of(self, IntList{0}, IntList{1}, self.address()));
    // Keeps the version increasing, so that a graph that saved the tensor detects the change.
    while (fresh.version() < self.version()) fresh.bump_version();
    impl.storage = fresh.impl()->storage;
    impl.data = fresh.address();
    impl.base = nullptr;
  }
  impl.sizes = size;
  impl.strides = strides;
  impl.refresh();
}

void fit_out(const Tensor& out, IntList size, Resizing resizing) {
  if (takes_another_size(out, size)) fit_out(out, size, contiguous_strides(size), resizing);
}

void fit_out(const Tensor& out, IntList size, IntList strides, Resizing resizing) {
  if (!takes_another_size(out, size)) return;
  const DimVector before = out.sizes();
  const bool warned = resizing == Resizing::Warned && out.numel() > 0;
  resize_memory(out, size, strides);
  out.bump_version();
  if (warned) warn_of_resizing(before, size);
}

void check_out_dtype(OutDtype rule, ScalarType result, ScalarType out) {
  if (rule == OutDtype::SameKind || result == out || (rule == OutDtype::Truth && out == ScalarType::UInt8)) return;
  TNP_CHECK(rule != OutDtype::Truth, ErrorKind::Casting,
            "{op} only supports bool tensor for result, got: ", InTorch{out});
  TNP_RAISE(ErrorKind::Casting, "Expected {out} tensor to have dtype ", result, ", but got ", out,
            " instead: Expected object of scalar type ", InTorch{result}, " but got scalar type ", InTorch{out},
            " for argument 'out'");
}

void check_out_takes(const Tensor& out, ScalarType dtype, Device device) {
  check_writeable(out, "{out}");
  if (!dialect().errors_are_numpys()) check_cast_in_place(dtype, out.dtype());
  TNP_CHECK(can_cast(dtype, out.dtype(), Casting::SameKind), ErrorKind::Casting, "Cannot cast output from dtype('",
            dtype, "') to dtype('", out.dtype(), "') with casting rule 'same_kind'");
  if (out.device() != device) raise_devices_differ(device, out.device());
}

void check_out(const Tensor& out, IntList sizes, ScalarType dtype, Device device) {
  check_out_takes(out, dtype, device);
  fit_out(out, sizes);
  check_elements_apart(out);
  TNP_CHECK(out.sizes() == sizes, ErrorKind::Shape, "{out} has wrong shape: ", out.sizes(), " instead of ", sizes);
}

}  // namespace tnp
