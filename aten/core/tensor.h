// Tensor: a handle to a TensorImpl, which is a strided view of a Storage. Both Python types wrap this.
//
// Operators are free functions in namespace tnp (generated: aten/functions.h). What stands here needs no kernel:
// metadata, element access, and the making of views.
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

// Filled by aten/autograd/variable.h; core only owns it.
struct TNP_API AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
};

// Note [Unaligned memory] Elements may lie at addresses that are no multiples of their alignment, or at distances that
// are no multiples of their size: fields of packed records, buffers that are read from an odd offset on. To read a C++
// object there is undefined behaviour, and vector loops rely on that. A tensor of such elements, which only the CPU
// has, is_unaligned(): its strides are in bytes (stride_unit()), it does not count as contiguous, and data() refuses
// it. Views of it are made like all others. What computes never meets it: the iterator passes it through aligned
// buffers, a chunk at a time, and all others take an aligned() copy (aten/iterator/aligned.h). An empty tensor is
// aligned.
enum class Access : uint8_t {
  Direct,   // kernels of the CPU read and write the elements where they lie
  None,     // they are on another device, or nowhere
  ByBytes,  // the CPU can copy their bytes: Note [Unaligned memory]
  Pending,  // they are not computed yet, and `data` is null: Note [Pending results] in aten/core/memory/storage.h
  Watched,  // as Direct, but a thread wants to know: Note [Observers] in aten/core/observer.h
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
  bool is_wrapped_number = false;  // made from a Python number: promotes weakly
  bool is_value = false;           // 0-d where NumPy has a scalar: Note [Values] in csrc/objects/variable.h
  bool made_without_grad = false;  // a view made under no_grad: does not follow its base's history
  intrusive_ptr<TensorImpl> base;  // the tensor whose view this is (never itself a view), or null
  std::unique_ptr<AutogradMetaInterface> autograd;
  // The live Python objects for this tensor, borrowed: [0] torch_np.Tensor, [1] torch_np.numpy.ndarray. csrc only.
  void* python_objects[2] = {nullptr, nullptr};

  // A row-major tensor of `sizes`; the caller knows their product.
  TensorImpl(intrusive_ptr<Storage> storage, ScalarType dtype, IntList sizes, int64_t numel, char* data);

  // Of the CPU's kernels to the elements. From Pending to Direct it goes while other threads look on.
  Access access() const { return access_.load(std::memory_order_acquire); }
  void set_access(Access access) { access_.store(access, std::memory_order_release); }
  bool in_host_memory() const { return access() != Access::None; }
  bool is_unaligned() const { return access() == Access::ByBytes; }
  TNP_COLD void finish();                                                       // what is pending gets its bytes
  void set_unaligned() { set_access(Access::ByBytes), is_contiguous = false; }  // strides are in bytes

  static void* operator new(size_t bytes);
  static void operator delete(void* block) noexcept;
  void destroy() override { delete this; }  // here the class is known to be final
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
  // The bytes that a stride of 1 stands for.
  int64_t stride_unit() const { return TNP_UNLIKELY(is_unaligned()) ? 1 : itemsize(); }
  int64_t byte_stride(int64_t d) const { return stride(d) * stride_unit(); }
  DimVector byte_strides() const;
  // Whether the elements lie one after the other, the last (or first) axis fastest, aligned or not.
  bool is_row_major() const;
  bool is_column_major() const;
  bool is_wrapped_number() const { return impl_->is_wrapped_number; }
  bool is_view() const { return static_cast<bool>(impl_->base); }
  bool is_complex() const { return tnp::is_complex(impl_->dtype); }
  bool is_floating_point() const { return tnp::is_floating(impl_->dtype); }

  // The first element's address, on whatever device: for views and plans, not to be read from here.
  char* address() const {
    if (TNP_UNLIKELY(impl_->access() == Access::Pending)) impl_->finish();
    return impl_->data;
  }
  // The same for code that reads or writes there on the CPU. Raises NotImplemented where the bytes are on another
  // device: an operator without a kernel for it ends here. See Note [Other devices] in device_runtime.h. Or where they
  // are not aligned.
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
  uint32_t version() const { return impl_->storage->version(); }

  // The one element of a tensor of one element. Raises Value otherwise. Waits for the device.
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
  TNP_COLD void require_access() const;  // or raises
  intrusive_ptr<TensorImpl> impl_;
};

using TensorList = std::span<const Tensor>;

// The value of one element in host memory, at any address.
TNP_API Scalar scalar_at(ScalarType dtype, const void* element);

// --- shapes
TNP_API int64_t numel_of(IntList sizes);  // product; raises Shape if it overflows or a size is negative
TNP_API DimVector contiguous_strides(IntList sizes);
TNP_API DimVector fortran_strides(IntList sizes);
// The bytes [low, high) that strided elements cover, counted from the first one; both 0 if there are none. A stride of
// 1 is `unit` bytes. Nothing if they are more than an index can count.
struct ByteRange {
  int64_t low = 0, high = 0;
};
TNP_API std::optional<ByteRange> byte_range(IntList sizes, IntList strides, int64_t unit, int64_t itemsize);
// Axis `dim` of an array of `ndim` dimensions, counted from the end if negative. Raises Axis:
// "{dim} 3 is out of bounds for array of dimension 2". `name` is the schema's name of the argument.
TNP_API int64_t wrap_dim(int64_t dim, int64_t ndim, const char* name = "dim");
// All of them, without repetition (RepeatedAxis), in the given order.
TNP_API DimVector wrap_dims(IntList dims, int64_t ndim, const char* name = "dim");
// The shape that all broadcast to. Raises Shape, naming the shapes.
TNP_API DimVector broadcast_shapes(IntList a, IntList b);

// --- making tensors
TNP_API Tensor empty_tensor(IntList sizes, ScalarType dtype, Device device = {});
// `strides` need not be dense: the storage spans from the lowest to the highest address they reach.
TNP_API Tensor empty_strided_tensor(IntList sizes, IntList strides, ScalarType dtype, Device device = {});
TNP_API Tensor scalar_tensor(const Scalar& value, ScalarType dtype, Device device = {});
TNP_API Tensor wrapped_number(const Scalar& value);  // 0-d, weak in promotion
// A view of `of`'s storage whose first element is at `data`. No bounds are checked here: that is the operator's task.
// It shares base, writeability and version counter, and no autograd history (see autograd/view.h).
TNP_API Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data);
TNP_API Tensor view_of(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype);
// The same with strides in bytes, of any size, and an address of any alignment: see Note [Unaligned memory]. Raises
// NotImplemented if the elements would be unaligned on another device than the CPU.
TNP_API Tensor view_with_byte_strides(const Tensor& of, IntList sizes, IntList strides, char* data, ScalarType dtype);
TNP_API intrusive_ptr<TensorImpl> make_impl_with_byte_strides(intrusive_ptr<Storage> storage, ScalarType dtype,
                                                              IntList sizes, IntList strides, char* data);
// To be called before elements are changed. Raises ReadOnly if the array is not writeable. `what` names the argument:
// "{out}".
TNP_API void check_writeable(const Tensor& t, const char* what);

}  // namespace tnp
