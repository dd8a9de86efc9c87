#include "aten/core/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "aten/core/change_of_view.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/core/memory/array_bytes.h"
#include "aten/core/memory/inference.h"
#include "aten/core/memory/pending_lock.h"
#include "aten/core/new_wrapped.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/observer.h"
#include "aten/core/shapes.h"

namespace tnp {

namespace {

inline void set_contiguous_strides(IntList sizes, DimVector& strides) {
  strides.resize_uninitialized(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
}

// Computes numel and is_contiguous for aligned elements.
inline void count_aligned(TensorImpl& t) {
  const int64_t *size = t.sizes.data(), *stride = t.strides.data();
  int64_t product = 1;
  bool row_major = true;
  for (size_t d = t.sizes.size(); d-- > 0;) {
    row_major = row_major && (size[d] == 1 || stride[d] == product);
    product *= size[d];
  }
  t.numel = product;
  t.is_contiguous = row_major || product == 0;
}

}  // namespace

TensorImpl::TensorImpl(intrusive_ptr<Storage> s, ScalarType t, IntList sz, IntList st, char* d)
    : storage(std::move(s)),
      data(d),
      sizes(sz),
      strides(st),
      dtype(t),
      access_(storage->device().is_cpu() ? Access::Direct : Access::None) {
  count_aligned(*this);
}

TensorImpl::TensorImpl(intrusive_ptr<Storage> s, ScalarType t, IntList sz, int64_t n, char* d)
    : storage(std::move(s)),
      data(d),
      sizes(sz),
      numel(n),
      dtype(t),
      access_(storage->device().is_cpu() ? Access::Direct : Access::None),
      is_contiguous(true) {
  set_contiguous_strides(sz, strides);
}

void* TensorImpl::operator new(size_t) { return FreeList<sizeof(TensorImpl)>::take(); }
void TensorImpl::operator delete(void* block) noexcept { FreeList<sizeof(TensorImpl)>::give(block); }

void TensorImpl::refresh() {
  count_aligned(*this);
  is_contiguous = is_contiguous && !is_unaligned();
}

DimVector Tensor::byte_strides() const {
  DimVector result = strides();
  for (int64_t& s : result) s *= stride_unit();
  return result;
}

bool Tensor::is_row_major() const {
  if (TNP_LIKELY(!is_unaligned())) return is_contiguous();
  int64_t expected = itemsize();
  for (int64_t d = dim(); d-- > 0; expected *= size(d))
    if (size(d) != 1 && stride(d) != expected) return false;
  return true;
}

bool Tensor::is_column_major() const {
  if (TNP_LIKELY(!is_unaligned())) return is_fortran_contiguous();
  int64_t expected = itemsize();
  for (int64_t d = 0; d < dim(); expected *= size(d++))
    if (size(d) != 1 && stride(d) != expected) return false;
  return true;
}

bool Tensor::is_fortran_contiguous() const {
  if (TNP_UNLIKELY(is_unaligned())) return false;
  int64_t expected = 1;
  for (int64_t d = 0; d < dim(); ++d) {
    if (size(d) == 0) return true;
    if (size(d) != 1 && stride(d) != expected) return numel() == 0;
    expected *= size(d);
  }
  return true;
}

namespace {

[[noreturn]] TNP_COLD void raise_negative_size(IntList sizes) {
  TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape, "negative dimensions are not allowed: shape ", sizes);
  TNP_RAISE(ErrorKind::Shape, "Trying to create tensor with negative dimension ",
            *std::find_if(sizes.begin(), sizes.end(), [](int64_t n) { return n < 0; }), ": ", AsList{sizes});
}

// `of` is " of float32", or empty.
[[noreturn]] TNP_COLD void raise_too_big(IntList sizes, const std::string& of, const char* what) {
  TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape, "array is too big: shape ", sizes, of, " has more ", what,
            " than an index can count");
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  TNP_RAISE(ErrorKind::Shape, empty ? "Stride" : "Storage size", " calculation overflowed with sizes=", AsList{sizes});
}

}  // namespace

int64_t numel_of(IntList sizes) {
  int64_t product = 1;
  bool empty = false, negative = false, overflow = false;
  for (int64_t n : sizes) {
    negative |= n < 0;
    empty |= n == 0;
    // As in NumPy, (0, 2**62, 2**62) is too big as well, since its strides overflow.
    overflow |= __builtin_mul_overflow(product, n == 0 ? 1 : n, &product);
  }
  if (TNP_UNLIKELY(negative)) raise_negative_size(sizes);
  if (TNP_UNLIKELY(overflow)) raise_too_big(sizes, "", "elements");
  return empty ? 0 : product;
}

int64_t bytes_of(IntList sizes, ScalarType dtype) {
  int64_t bytes = 0, numel = numel_of(sizes);
  bool overflow = __builtin_mul_overflow(numel, element_size(dtype), &bytes);
  if (TNP_UNLIKELY(numel == 0)) {
    int64_t product = element_size(dtype);
    for (int64_t n : sizes) overflow |= __builtin_mul_overflow(product, std::max<int64_t>(n, 1), &product);
  }
  if (TNP_UNLIKELY(overflow)) {
    std::string of = " of ";
    append(of, dtype);
    raise_too_big(sizes, of, "bytes");
  }
  return bytes;
}

DimVector contiguous_strides(IntList sizes) {
  DimVector strides;
  set_contiguous_strides(sizes, strides);
  return strides;
}

DimVector fortran_strides(IntList sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

std::optional<ByteRange> byte_range(IntList sizes, IntList strides, int64_t unit, int64_t itemsize) {
  ByteRange r{0, itemsize};
  bool overflow = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return ByteRange{};
    int64_t reach = 0;
    overflow = overflow || __builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
               __builtin_mul_overflow(reach, unit, &reach);
    int64_t& end = reach < 0 ? r.low : r.high;
    overflow = overflow || __builtin_add_overflow(end, reach, &end);
  }
  int64_t length = 0;
  if (overflow || __builtin_sub_overflow(r.high, r.low, &length)) return std::nullopt;
  return r;
}

namespace {

// NumPy's messages begin with "axis 3", for an argument of another name with "axis1: axis 3".
std::string axis_in_numpys_words(std::string_view name) {
  if (name == "dims" || name == "axes") return "axis ";
  const std::string argument = "{" + std::string(name) + "}";
  return argument + (name == "dim" || name == "axis" ? " " : ": axis ");
}

[[noreturn]] void raise_wrong_dim(int64_t dim, int64_t ndim, int64_t bound, const char* name) {
  if (dialect().errors_are_numpys())
    TNP_RAISE(ErrorKind::Axis, axis_in_numpys_words(name), dim, " is out of bounds for array of dimension ", ndim);
  TNP_CHECK(bound > 0, ErrorKind::Axis, "{", name, "}: Dimension specified as ", dim, " but tensor has no dimensions");
  TNP_RAISE(ErrorKind::Axis, "{", name, "}: Dimension out of range (expected to be in range of [", -bound, ", ",
            bound - 1, "], but got ", dim, ")");
}

}  // namespace

int64_t wrap_dim(int64_t dim, int64_t ndim, const char* name) {
  int64_t bound = ndim == 0 && dialect().zero_dim_has_axis() ? 1 : ndim;
  if (TNP_UNLIKELY(dim < -bound || dim >= bound)) raise_wrong_dim(dim, ndim, bound, name);
  return dim < 0 ? dim + bound : dim;
}

DimVector wrap_dims(IntList dims, int64_t ndim, const char* name) {
  DimVector out;
  for (int64_t d : dims) {
    int64_t wrapped = wrap_dim(d, ndim, name);
    if (TNP_UNLIKELY(std::find(out.begin(), out.end(), wrapped) != out.end())) {
      TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::RepeatedAxis, "repeated axis in `{", name,
                "}` argument: ", dims);
      TNP_RAISE(ErrorKind::RepeatedAxis, "{", name, "}: dim ", wrapped, " appears multiple times in the list of dims ",
                dims);
    }
    out.push_back(wrapped);
  }
  return out;
}

DimVector broadcast_shapes(IntList a, IntList b) {
  size_t n = std::max(a.size(), b.size());
  DimVector out(n);
  for (size_t i = 0; i < n; ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (TNP_UNLIKELY(x != y && x != 1 && y != 1)) {
      std::string shapes;
      append(shapes, a), append(shapes, " "), append(shapes, b);
      raise_not_broadcastable(x, y, n - 1 - i, shapes);
    }
    out[n - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

void raise_too_many_dimensions(size_t ndim) {
  TNP_RAISE(ErrorKind::Value, "maximum supported dimension is ", kMaxDims, ", found ", static_cast<int64_t>(ndim));
}

MakeNewWrapped make_new_wrapped = nullptr;

Tensor empty_tensor(IntList sizes, ScalarType dtype, Device device) {
  check_ndim(sizes.size());
  if (TNP_UNLIKELY(device.is_wrapped()) && make_new_wrapped)
    return make_new_wrapped(sizes, contiguous_strides(sizes), dtype);
  int64_t bytes = 0, numel = numel_of(sizes);
  if (TNP_UNLIKELY(__builtin_mul_overflow(numel, element_size(dtype), &bytes) || numel == 0)) bytes_of(sizes, dtype);
  auto storage = new_storage(static_cast<size_t>(bytes), device);
  char* data = storage->data();
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, numel, data));
}

Tensor empty_strided_tensor(IntList sizes, IntList strides, ScalarType dtype, Device device) {
  TNP_CHECK(sizes.size() == strides.size(), ErrorKind::Value, "shape ", sizes, " and strides ", strides,
            " differ in length");
  check_ndim(sizes.size());
  if (TNP_UNLIKELY(device.is_wrapped()) && make_new_wrapped) return make_new_wrapped(sizes, strides, dtype);
  numel_of(sizes);  // raises for sizes that are negative or overflow
  std::optional<ByteRange> range = byte_range(sizes, strides, element_size(dtype), element_size(dtype));
  TNP_CHECK(range, ErrorKind::Shape, "array is too big: shape ", sizes, " with strides ", strides);
  auto storage = new_storage(static_cast<size_t>(range->high - range->low), device);
  char* data = storage->data() - range->low;
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, strides, data));
}

Tensor scalar_tensor(const Scalar& value, ScalarType dtype, Device device) {
  if (TNP_UNLIKELY(device.is_wrapped())) device = Device{};  // operators accept a number on the CPU beside any tensor
  alignas(16) char bytes[16];
  visit_dtype(dtype, [&]<class T>() { *reinterpret_cast<T*>(bytes) = value.to<T>(); });
  Tensor t = empty_tensor({}, dtype, device);
  if (TNP_LIKELY(device.is_cpu()))
    copy_element(t.itemsize(), t.data(), bytes);
  else if (!device.is_meta())
    runtime_of(device).copy_bytes(t.address(), device, bytes, Device{}, static_cast<size_t>(t.itemsize()), false);
  return t;
}

Tensor wrapped_number(const Scalar& value) {
  Tensor t = scalar_tensor(value, value.dtype());
  t.impl()->is_wrapped_number = true;
  return t;
}

Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data) {
  return view_of(of, sizes, strides, data, of.dtype());
}

namespace {

TNP_INLINE void set_base(TensorImpl& impl, const Tensor& of) {
  impl.writeable = of.impl()->writeable;
  impl.is_data = of.impl()->is_data;
  // As in PyTorch, autograd knows no views of inference tensors.
  if (TNP_UNLIKELY(of.storage().is_inference()) && !dialect().errors_are_numpys()) return;
  impl.origin = of.impl()->origin;
  impl.base = of.impl()->base ? of.impl()->base : of.impl_ptr();
  if (TNP_UNLIKELY(thread_state.grad_mode == GradMode::Off)) {
    impl.origin = inference_mode ? ViewOrigin::Inference : ViewOrigin::NoGrad;
    if (impl.base->autograd) impl.base->autograd->made_view_without_grad(impl);
  }
}

}  // namespace

void become_view(TensorImpl& impl, const Tensor& of) { set_base(impl, of); }

namespace {

TNP_INLINE void tell_of_view(const Tensor& of, TensorImpl& view) {
  const Access access = of.impl()->access();
  if (TNP_UNLIKELY(access == Access::Watched || access == Access::None) && observer()) observer()->made_view(of, view);
}

}  // namespace

Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype) {
  if (TNP_UNLIKELY(of.is_unaligned())) return view_with_byte_strides(of, sizes, strides, data, dtype);
  auto impl = make_intrusive<TensorImpl>(of.impl()->storage, dtype, sizes, strides, data);
  set_base(*impl, of);
  tell_of_view(of, *impl);
  return Tensor(std::move(impl));
}

Tensor view_with_byte_strides(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype) {
  auto impl = make_impl_with_byte_strides(of.impl()->storage, dtype, sizes, strides, data);
  set_base(*impl, of);
  tell_of_view(of, *impl);
  return Tensor(std::move(impl));
}

intrusive_ptr<TensorImpl> make_impl_with_byte_strides(intrusive_ptr<Storage> storage, ScalarType dtype, IntList sizes,
                                                      IntList strides, char* data) {
  const int64_t size = element_size(dtype);
  DimVector in_elements(sizes.size());
  bool aligned = is_aligned(data, dtype), empty = false;
  int64_t dense = 1;  // never used: for single-element axes whose byte stride is not a multiple of `size`
  for (size_t d = sizes.size(); d-- > 0; dense *= std::max<int64_t>(sizes[d], 1)) {
    const bool multiple = strides[d] % size == 0;
    in_elements[d] = multiple ? strides[d] / size : dense;
    aligned = aligned && (multiple || sizes[d] <= 1);
    empty = empty || sizes[d] == 0;
  }
  if (TNP_LIKELY(aligned || empty))
    return make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, in_elements, data);
  TNP_CHECK(storage->device().is_cpu(), ErrorKind::NotImplemented, "elements of ", dtype,
            " that are not aligned, on the device ", storage->device());
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, strides, data);
  impl->set_unaligned();
  return impl;
}

void TensorImpl::finish() {
  char* const bytes = storage->data();
  const std::lock_guard guard(pending_lock());  // another thread may run this concurrently
  if (access() != Access::Pending) return;
  data = bytes;
  set_access(observer() ? Access::Watched : Access::Direct);  // a tracing thread keeps observing the tensor
}

void Tensor::require_access() const {
  if (impl_->access() == Access::Pending) impl_->finish();
  if (impl_->access() == Access::Direct) return;
  if (impl_->access() == Access::Watched) {
    if (observer()) observer()->touched(*this);
    return;
  }
  TNP_CHECK(!is_unaligned(), ErrorKind::NotImplemented, "elements of ", dtype(), " that are not aligned");
  if (device().is_meta()) raise_no_data();
  raise_no_kernel(device());
}

void check_writeable(const Tensor& t, const char* what) {
  TNP_CHECK(t.impl()->writeable, ErrorKind::ReadOnly, what, " is read-only");
  TNP_CHECK(
      !t.storage().is_inference() || inference_mode || dialect().errors_are_numpys(), ErrorKind::Runtime,
      "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
      "tensor before doing inplace update.");
  if (TNP_UNLIKELY(t.impl()->origin != ViewOrigin::Recorded)) check_change_of_view(t);
  t.storage().prepare_change();
}

Scalar scalar_at(ScalarType dtype, const void* element) {
  Scalar result;
  visit_dtype(dtype, [&]<class T>() {
    stored_t<T> stored;
    std::memcpy(&stored, element, sizeof stored);
    T v = static_cast<T>(stored);
    if constexpr (is_complex_v<T>)
      result = Scalar(Complex<double>(v));
    else if constexpr (is_floating_v<T>)
      result = Scalar(convert<double>(v));
    else if constexpr (std::is_same_v<T, bool>)
      result = Scalar(v);
    else if constexpr (std::is_signed_v<T>)
      result = Scalar(static_cast<int64_t>(v));
    else
      result = Scalar(static_cast<uint64_t>(v));
  });
  return result;
}

Scalar Tensor::item() const {
  TNP_CHECK(numel() == 1, ErrorKind::Value, "can only convert an array of size 1 to a Python scalar, got shape ",
            sizes());
  if (TNP_UNLIKELY(device().is_wrapped() && observer())) return observer()->item_of_wrapped(*this);
  alignas(16) char bytes[16];
  const char* at = address();
  if (TNP_UNLIKELY(!impl_->in_host_memory())) {
    if (device().is_meta()) raise_no_data();
    runtime_of(device()).copy_bytes(bytes, Device{}, at, device(), static_cast<size_t>(itemsize()), false);
    at = bytes;
  }
  const Scalar value = scalar_at(dtype(), at);
  if (TNP_UNLIKELY(observer())) observer()->read_item(*this, value);
  return value;
}

}  // namespace tnp
