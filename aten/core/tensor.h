// Tensor: a handle to a TensorImpl, which is a strided view of a Storage. Both Python types wrap
// it.
//
// Operators are free functions in namespace tnp (generated: aten/functions.h). This file has only
// the parts that need no kernel: metadata, element access and the creation of views.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/devices/device.h"
#include "aten/core/memory/storage.h"
#include "aten/core/numbers/dtype.h"
#include "aten/core/numbers/scalar.h"

namespace tnp {

class Tensor;
class TensorImpl;

// Implemented in aten/autograd/variable.h. Core only owns it.
struct TNP_API AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
  // Called for the base of a view that is made under no_grad.
  virtual void made_view_without_grad(TensorImpl& view) const = 0;
};

// Note [Unaligned memory] Elements may be at addresses that are not multiples of their alignment,
// or at byte strides that are not multiples of their size. Examples are fields of packed records,
// or a buffer read from an odd offset. Reading a C++ object there is undefined behaviour, and
// vector loops rely on alignment. Such a tensor, which only the CPU supports, is_unaligned(): its
// strides are in bytes (stride_unit()), it does not count as contiguous, and data() raises. Views
// of it are created like any other. Kernels never see it: the iterator passes it through aligned
// buffers, a chunk at a time, and other code makes an aligned() copy (aten/iterator/aligned.h). An
// empty tensor counts as aligned.
enum class Access : uint8_t {
  Direct,   // CPU kernels read and write the elements in place
  None,     // the elements are on another device, or there are none
  ByBytes,  // the CPU can only copy the elements' bytes: Note [Unaligned memory]
  Pending,  // not computed yet, and `data` is null: Note [Pending results] in aten/core/memory/storage.h
  Watched,  // as Direct, but an observer is notified: Note [Observers] in aten/core/observer.h
};

// How a view came to be. It decides whether autograd records in-place changes of the view, and
// whether the view follows its base's history. A view of a view inherits it. Views that are made
// while the tape records have the first.
enum class ViewOrigin : uint8_t {
  Recorded,
  NoGrad,          // under no_grad
  Inference,       // in inference mode
  Several,         // by an operator that returns several views: split(), unbind() and others
  CustomFunction,  // by an autograd.Function
};

class TNP_API TensorImpl final : public RefCounted {
 public:
  TensorImpl(intrusive_ptr<Storage> storage, ScalarType dtype, IntList sizes, IntList strides, char* data);

  intrusive_ptr<Storage> storage;
  char* data;                // the element at index (0, ..., 0); with negative strides not the lowest address
  DimVector sizes, strides;  // strides in elements, of any sign; in bytes if is_unaligned()
  int64_t numel;
  ScalarType dtype;

 private:
  std::atomic<Access> access_;

 public:
  bool is_contiguous;  // row-major without gaps (dimensions of size 1 may have any stride), aligned; true if empty
  bool writeable = true;
  bool is_wrapped_number = false;  // created from a Python number: weak in promotion
  bool is_value = false;           // 0-d where NumPy has a scalar: Note [Values] in csrc/objects/variable.h
  bool is_data = false;            // `x.data`, or a view of it: see Tensor::version()
  ViewOrigin origin = ViewOrigin::Recorded;
  intrusive_ptr<TensorImpl> base;  // the tensor that this is a view of (never itself a view), or null
  std::unique_ptr<AutogradMetaInterface> autograd;
  // Borrowed pointers to this tensor's live Python objects: [0] torch_np.Tensor, [1]
  // torch_np.numpy.ndarray. Only csrc uses them.
  void* python_objects[2] = {nullptr, nullptr};

  // A row-major tensor of `sizes`; the caller passes their product as `numel`.
  TensorImpl(intrusive_ptr<Storage> storage, ScalarType dtype, IntList sizes, int64_t numel, char* data);

  // How CPU kernels may access the elements. It changes from Pending to Direct while other threads
  // may read it.
  Access access() const { return access_.load(std::memory_order_acquire); }
  void set_access(Access access) { access_.store(access, std::memory_order_release); }
  bool in_host_memory() const { return access() != Access::None; }
  bool is_unaligned() const { return access() == Access::ByBytes; }
  // Computes a pending result.
  TNP_COLD void finish();
  void set_unaligned() { set_access(Access::ByBytes), is_contiguous = false; }  // strides are in bytes

  static void* operator new(size_t bytes);
  static void operator delete(void* block) noexcept;
  void destroy() override { delete this; }  // devirtualises the call: the class is final
  void refresh();                           // recomputes numel and is_contiguous after sizes, strides or access changed
};

class TNP_API Tensor {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }

  int64_t dim() const { return static_cast<int64_t>(impl_->sizes.size()); }
  IntList sizes() const { return impl_->sizes; }
  IntList strides() const { return impl_->strides; }
  int64_t size(int64_t d) const { return impl_->sizes[static_cast<size_t>(d < 0 ? d + dim() : d)]; }
  int64_t stride(int64_t d) const { return impl_->strides[static_cast<size_t>(d < 0 ? d + dim() : d)]; }
  int64_t numel() const { return impl_->numel; }
  ScalarType dtype() const { return impl_->dtype; }
  int64_t itemsize() const { return element_size(impl_->dtype); }
  Device device() const { return impl_->storage->device(); }
  bool is_contiguous() const { return impl_->is_contiguous; }
  bool is_fortran_contiguous() const;
  bool is_unaligned() const { return impl_->is_unaligned(); }
  // The number of bytes of a stride of 1.
  int64_t stride_unit() const { return TNP_UNLIKELY(is_unaligned()) ? 1 : itemsize(); }
  int64_t byte_stride(int64_t d) const { return stride(d) * stride_unit(); }
  DimVector byte_strides() const;
  // Whether the elements are dense with the last (or first) axis fastest, whether aligned or not.
  bool is_row_major() const;
  bool is_column_major() const;
  bool is_wrapped_number() const { return impl_->is_wrapped_number; }
  bool is_view() const { return static_cast<bool>(impl_->base); }
  bool is_complex() const { return tnp::is_complex(impl_->dtype); }
  bool is_floating_point() const { return tnp::is_floating(impl_->dtype); }

  // The first element's address on any device: for views and plans, not for access from the CPU.
  char* address() const {
    if (TNP_UNLIKELY(impl_->access() == Access::Pending)) impl_->finish();
    return impl_->data;
  }
  // The first element's address for CPU access. Raises NotImplemented if the elements are not
  // aligned, or if they are on another device. An operator without a device kernel ends with this
  // error (Note [Other devices] in device_runtime.h).
  char* data() const {
    if (TNP_UNLIKELY(impl_->access() != Access::Direct)) require_access();
    return impl_->data;
  }
  template <class T>
  T* data_ptr() const {
    return reinterpret_cast<T*>(data());
  }
  Storage& storage() const { return *impl_->storage; }
  int64_t storage_offset() const { return (address() - impl_->storage->data()) / itemsize(); }
  // The number of in-place changes that autograd compares with that at the time it saved the tensor.
  // Changes through `x.data` do not count for x; all changes count for `x.data`.
  uint32_t version() const { return impl_->storage->version() - (impl_->is_data ? 0 : impl_->storage->data_changes()); }
  void bump_version() const {
    impl_->storage->bump_version();
    if (TNP_UNLIKELY(impl_->is_data)) impl_->storage->count_data_change();
  }

  // The value of a one-element tensor. Raises Value for any other size. Waits for the device.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }

  // --- aten/autograd/variable.cpp
  bool requires_grad() const { return (impl_->autograd || impl_->base) && autograd_requires_grad(); }
  const Tensor& set_requires_grad(bool value) const;
  bool is_leaf() const;
  Tensor grad() const;  // undefined if there is none
  void set_grad(const Tensor& grad) const;

 private:
  bool autograd_requires_grad() const;
  TNP_COLD void require_access() const;  // makes the elements accessible, or raises
  intrusive_ptr<TensorImpl> impl_;
};

using TensorList = std::span<const Tensor>;

// The value of one element in host memory. `element` may have any alignment.
TNP_API Scalar scalar_at(ScalarType dtype, const void* element);

// --- shapes
TNP_API int64_t numel_of(IntList sizes);  // product; raises Shape if it overflows or a size is negative
TNP_API DimVector contiguous_strides(IntList sizes);
TNP_API DimVector fortran_strides(IntList sizes);
// The byte range [low, high) that strided elements cover, relative to the first one; both 0 if
// there are none. `unit` is the number of bytes of a stride of 1. nullopt if the range overflows
// int64.
struct ByteRange {
  int64_t low = 0, high = 0;
};
TNP_API std::optional<ByteRange> byte_range(IntList sizes, IntList strides, int64_t unit, int64_t itemsize);
// Axis `dim` of an array of `ndim` dimensions, counted from the end if negative. Raises Axis:
// "{dim} 3 is out of bounds for array of dimension 2". `name` is the schema's name of the argument.
TNP_API int64_t wrap_dim(int64_t dim, int64_t ndim, const char* name = "dim");
// Wraps all of `dims`, in the given order. Raises RepeatedAxis for repetitions.
TNP_API DimVector wrap_dims(IntList dims, int64_t ndim, const char* name = "dim");
// The common broadcast shape. Raises Shape, naming the shapes.
TNP_API DimVector broadcast_shapes(IntList a, IntList b);

// --- making tensors
TNP_API Tensor empty_tensor(IntList sizes, ScalarType dtype, Device device = {});
// `strides` need not be dense: the storage spans from the lowest to the highest address they reach.
TNP_API Tensor empty_strided_tensor(IntList sizes, IntList strides, ScalarType dtype, Device device = {});
TNP_API Tensor scalar_tensor(const Scalar& value, ScalarType dtype, Device device = {});
TNP_API Tensor wrapped_number(const Scalar& value);  // 0-d, weak in promotion
// A view of `of`'s storage whose first element is at `data`. The calling operator must check
// bounds. The view shares base, writeability and version counter, but not the autograd history (see
// autograd/view.h).
TNP_API Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data);
TNP_API Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype);
// view_of() with arbitrary byte strides and an address of any alignment: see Note [Unaligned
// memory]. Raises NotImplemented if the elements would be unaligned on a device other than the CPU.
TNP_API Tensor view_with_byte_strides(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype);
TNP_API intrusive_ptr<TensorImpl> make_impl_with_byte_strides(intrusive_ptr<Storage> storage, ScalarType dtype,
                                                              IntList sizes, IntList strides, char* data);
// Gives `impl` the base, and what follows from it, of a view of `of`.
TNP_API void become_view(TensorImpl& impl, const Tensor& of);
// Must be called before elements change. Raises ReadOnly if the array is not writeable. `what`
// names the argument: "{out}".
TNP_API void check_writeable(const Tensor& t, const char* what);

}  // namespace tnp
