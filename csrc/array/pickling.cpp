// Pickling and copying of both types, by NumPy's protocol: __reduce__ returns (reconstruct,
// (type,), state). Subclasses may extend the state.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "aten/core/devices/device_runtime.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "csrc/array/parts.h"
#include "csrc/array/pickling.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/mixed_operands.h"

#include "aten/autograd/sparse_gradients.h"
#include "aten/autograd/variable.h"
#include "aten/kernels/pointwise.h"

namespace tnp::python {

namespace {

// Versions of the state. kPlain: bytes in row- or column-major order. kAnyOrder: any order of axes.
// kOverBuffer: like kAnyOrder, but unpickling makes a view of the received buffer if possible.
constexpr int kPlain = 1, kAnyOrder = 2, kOverBuffer = 3;

// A row-major copy of the elements on the same device, without autograd history.
Tensor packed(const Tensor& t) {
  Tensor copy = empty_tensor(t.sizes(), t.dtype(), t.device());
  copy_into(copy, t);
  return copy;
}

// The axes from largest to smallest stride, if the elements are dense in memory; nullopt otherwise.
std::optional<DimVector> order_in_memory(const Tensor& t) {
  DimVector axes = axes_slowest_first(t);
  const DimVector dense = dense_strides(t.sizes(), axes);
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) != 1 && t.byte_stride(d) != dense[static_cast<size_t>(d)] * t.itemsize()) return std::nullopt;
  return axes;
}

// The layout of the original array, not of its host copy: False for row-major, True for
// column-major, or a tuple of axes as in order_in_memory(), which only version 2 of the state has.
Ref layout_of(const Tensor& t, const Tensor& host, bool any_order) {
  if (t.is_row_major()) return Ref(Py_NewRef(Py_False));
  if (t.is_column_major() && host.is_fortran_contiguous()) return Ref(Py_NewRef(Py_True));
  const std::optional<DimVector> axes = any_order && order_in_memory(t) ? order_in_memory(host) : std::nullopt;
  return axes ? Ref(check(tuple_of_ints(*axes))) : Ref(Py_NewRef(Py_False));
}

// The elements of `host` in memory order as a buffer for protocol 5, which avoids a copy for
// out-of-band data. bfloat16 has no buffer format and is exported as uint16.
Ref picklable_buffer(const Tensor& host) {
  const DimVector sizes{host.numel()}, strides{host.itemsize()};
  const ScalarType dtype = host.dtype() == ScalarType::BFloat16 ? ScalarType::UInt16 : host.dtype();
  Tensor flat = view_with_byte_strides(detach(host), sizes, strides, host.address(), dtype);
  return Ref(check(PyPickleBuffer_FromObject(Ref(check(wrap<true>(flat))).get())));
}

// Implements __reduce__ and __reduce_ex__. `any_order`: preserves every order of axes, not only
// row-major and column-major.
template <bool compat>
PyObject* reduce_to(PyObject* self, bool any_order) {
  Ref module(PyImport_ImportModule("torch_np._C"));
  if (!module) return nullptr;
  Ref reconstruct(PyObject_GetAttrString(module.get(), "_reconstruct"));
  if (!reconstruct) return nullptr;
  return protect<compat>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    if (t.device().is_meta()) raise_no_data("pickle");
    bool leaf_grad = t.requires_grad() && t.is_leaf();
    Tensor host =
        t.device().is_cpu() ? aligned(t) : cpu(detach(t));  // unpickled on the CPU: another machine may have no GPU
    Ref layout = layout_of(t, host, any_order);
    Tensor bytes = host.is_contiguous() || layout.get() != Py_False ? host : packed(host);
    Ref shape(check(tuple_of_ints(t.sizes())));
    const auto size = static_cast<Py_ssize_t>(bytes.numel() * bytes.itemsize());
    const bool as_buffer = any_order && bytes.is_same(t);
    Ref data = as_buffer ? picklable_buffer(bytes) : Ref(check(PyBytes_FromStringAndSize(bytes.data(), size)));
    Ref attributes(!compat && reinterpret_cast<THPVariable*>(self)->dict
                       ? Py_NewRef(reinterpret_cast<THPVariable*>(self)->dict)
                       : Py_NewRef(Py_None));
    const int version = as_buffer ? kOverBuffer : PyTuple_Check(layout.get()) ? kAnyOrder : kPlain;
    return Py_BuildValue("O(O)(iOsOOOO)", reconstruct.get(), Py_TYPE(self), version, shape.get(), dtype_name(t.dtype()),
                         data.get(), leaf_grad ? Py_True : Py_False, attributes.get(), layout.get());
  });
}

template <bool compat>
PyObject* reduce(PyObject* self, PyObject*) {
  return reduce_to<compat>(self, false);
}

// As in NumPy, arrays preserve every order of axes from protocol 5 on. Subclasses may have their
// own __reduce__.
template <bool compat>
PyObject* reduce_ex(PyObject* self, PyObject* protocol) {
  const long version = PyLong_AsLong(protocol);
  if (version == -1 && PyErr_Occurred()) return nullptr;
  if (version >= 5 && is_exact(self)) return reduce_to<compat>(self, true);
  return PyObject_CallMethod(self, "__reduce__", nullptr);
}

std::optional<ScalarType> dtype_by_name(const char* name) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (std::strcmp(dtype_name(static_cast<ScalarType>(i)), name) == 0) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}

// The strides, in elements, of a layout from layout_of().
DimVector strides_in_layout(IntList sizes, PyObject* layout) {
  if (!PyTuple_Check(layout)) {
    const int fortran = PyObject_IsTrue(layout);
    check(fortran >= 0);
    return fortran ? fortran_strides(sizes) : contiguous_strides(sizes);
  }
  DimVector axes, all(sizes.size());
  read_int_list(layout, 0, true, axes);
  std::iota(all.begin(), all.end(), 0);
  TNP_CHECK(std::is_permutation(axes.begin(), axes.end(), all.begin(), all.end()), ErrorKind::Value,
            "the state of a pickled array has the axes ", axes, " for the shape ", sizes);
  return dense_strides(sizes, axes);
}

// A tensor over the memory of `buffer`. The elements must cover the buffer exactly. The tensor is
// read-only if the buffer is read-only.
Tensor over_buffer(PyObject* buffer, ScalarType dtype, IntList sizes, DimVector strides) {
  Ref whole(check(PyPickleBuffer_FromObject(buffer)));
  Ref bytes(check(PyObject_CallMethod(whole.get(), "raw", nullptr)));
  const Tensor flat = from_foreign(bytes.get(), Foreign::View);
  for (int64_t& s : strides) s *= element_size(dtype);
  Tensor made(make_impl_with_byte_strides(flat.impl()->storage, dtype, sizes, strides, flat.address()));
  made.impl()->writeable = flat.impl()->writeable;
  return made;
}

// The tensor that a pickled state describes. As in NumPy, an array of the NumPy face may be a view
// of read-only or unaligned memory. The torch face copies such memory.
template <bool compat>
Tensor from_state(int version, IntList sizes, ScalarType dtype, PyObject* data, PyObject* layout) {
  const DimVector strides = strides_in_layout(sizes, layout);
  const Tensor expected = empty_strided_tensor(sizes, strides, dtype, Device{DeviceType::Meta});
  const int64_t size = expected.numel() * expected.itemsize();
  Ref view(check(PyMemoryView_FromObject(data)));
  const Py_buffer& bytes = *PyMemoryView_GET_BUFFER(view.get());
  TNP_CHECK(PyBuffer_IsContiguous(&bytes, 'C') && bytes.len == size, ErrorKind::Value,
            "the state of a pickled array has ", static_cast<int64_t>(bytes.len), " bytes, expected ", size,
            " contiguous ones");
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.buf) % static_cast<size_t>(expected.itemsize()) == 0;
  if (version == kOverBuffer && size > 0 && (compat || (!bytes.readonly && aligned)))
    return over_buffer(view.get(), dtype, sizes, strides);
  Tensor copy = empty_strided_tensor(sizes, strides, dtype);
  if (size > 0) std::memcpy(copy.data(), bytes.buf, static_cast<size_t>(size));
  if (version == kOverBuffer && compat && bytes.readonly) copy.impl()->writeable = false;  // an empty array
  return copy;
}

template <bool compat>
PyObject* set_state(PyObject* self, PyObject* state) {
  if (!PyTuple_Check(state))
    return PyErr_SetString(PyExc_TypeError, "__setstate__() takes a state that __reduce__() returned"), nullptr;
  int version = 0, leaf_grad = 0;
  PyObject *shape = nullptr, *data = nullptr, *attributes = nullptr, *layout = Py_False;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(state, "iO!sOpO|O:__setstate__", &version, &PyTuple_Type, &shape, &name, &data, &leaf_grad,
                        &attributes, &layout))
    return nullptr;
  return protect<compat>([&]() -> PyObject* {
    check_untracked(unwrap(self), "__setstate__()");
    std::optional<ScalarType> dtype = dtype_by_name(name);
    TNP_CHECK(dtype && version >= kPlain && version <= kOverBuffer, ErrorKind::Value,
              "unknown dtype or version in the state of a pickled array");
    DimVector sizes;
    read_int_list(shape, 0, compat, sizes);
    Tensor t = from_state<compat>(version, sizes, *dtype, data, layout);
    if (leaf_grad) t.set_requires_grad(true);
    replace_tensor<compat>(self, t);
    if (!compat && PyDict_Check(attributes)) {
      Ref dict(check(PyObject_GenericGetDict(self, nullptr)));
      if (PyDict_Update(dict.get(), attributes) < 0) throw PythonError();
    }
    return Py_NewRef(Py_None);
  });
}

template <bool compat>
PyObject* copy(PyObject* self, PyObject*) {
  if (!compat) {  // as in PyTorch: another object over the same memory
    return protect<false>([&] { return wrap<false>(tnp::alias(unwrap(self))); });
  }
  Ref order(PyUnicode_FromString("K"));
  return order ? as_scalar_of(self, as_subclass_of(self, call_method(true, "copy", {self, order.get()}))) : nullptr;
}

template <bool compat>
PyObject* deep_copy(PyObject* self, PyObject* memo) {
  if (compat && stands_for_scalar(self)) return copy<compat>(self, nullptr);
  PyObject* made = protect<compat>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    TNP_CHECK(t.is_leaf() || compat, ErrorKind::Runtime,
              "Only Tensors created explicitly by the user (graph leaves) support the "
              "deepcopy protocol at the moment");
    NoGradGuard no_grad;
    Tensor twin = tnp::clone(t, Order::K);
    if (t.requires_grad() && t.is_leaf()) {
      twin.set_requires_grad(true);
      if (Tensor grad = t.grad(); grad.defined())
        twin.set_grad(is_sparse(grad) ? sparse_copy(grad) : tnp::clone(grad, Order::K));
    }
    return wrap_as<compat>(Py_TYPE(self), twin, self);
  });
  if (!made) return nullptr;
  Ref owned(made);
  if (PyDict_Check(memo)) {
    Ref id(PyLong_FromVoidPtr(self));
    if (!id || PyDict_SetItem(memo, id.get(), made) < 0) return nullptr;
  }
  Ref dict(PyObject_GetAttrString(self, "__dict__"));  // attributes of subclasses and of Tensor
  if (!dict) {
    PyErr_Clear();
    return owned.release();
  }
  if (PyDict_Check(dict.get()) && PyDict_GET_SIZE(dict.get()) > 0) {
    Ref module(PyImport_ImportModule("copy"));
    Ref twin(module ? PyObject_CallMethod(module.get(), "deepcopy", "OO", dict.get(), memo) : nullptr);
    Ref target(twin ? PyObject_GetAttrString(made, "__dict__") : nullptr);
    if (!target || PyDict_Update(target.get(), twin.get()) < 0) return nullptr;
  }
  return owned.release();
}

}  // namespace

template <bool compat>
PyMethodDef* pickle_methods() {
  static PyMethodDef methods[] = {
      {"__reduce__", reduce<compat>, METH_NOARGS,
       "__reduce__($self, /)\n--\n\nDescription of the array for pickle: a function, its arguments and the state."},
      {"__reduce_ex__", reduce_ex<compat>, METH_O, "Description of the array for pickle, for a protocol number."},
      {"__setstate__", set_state<compat>, METH_O,
       "__setstate__($self, state, /)\n--\n\n"
       "Restores the array from a pickled state.\n\n"
       "Args:\n"
       "  state: State that `__reduce__` returned.\n\n"
       "Errors: TypeError or ValueError if `state` is not such a state."},
      {"__copy__", copy<compat>, METH_NOARGS,
       "__copy__($self, /)\n--\n\nCopy of the array in new memory, for copy.copy."},
      {"__deepcopy__", deep_copy<compat>, METH_O,
       "__deepcopy__($self, memo, /)\n--\n\n"
       "Independent copy of the array and its attributes, for copy.deepcopy.\n\n"
       "Args:\n"
       "  memo: Dict of the objects that have been copied already."},
      {nullptr, nullptr, 0, nullptr}};
  return methods;
}
template PyMethodDef* pickle_methods<false>();
template PyMethodDef* pickle_methods<true>();

PyObject* reconstruct(PyObject*, PyObject* type_object) {
  bool is_type = PyType_Check(type_object);
  auto* type = reinterpret_cast<PyTypeObject*>(type_object);
  bool numpy_face = is_type && PyType_IsSubtype(type, ndarray_type);
  if (!numpy_face && !(is_type && PyType_IsSubtype(type, tensor_type))) {
    return PyErr_SetString(PyExc_TypeError, "_reconstruct() takes a subclass of ndarray or Tensor"), nullptr;
  }
  return protect<true>([&] {
    Tensor t = empty_tensor({0}, ScalarType::UInt8);
    return numpy_face ? wrap_as<true>(type, t, nullptr) : wrap_as<false>(type, t, nullptr);
  });
}

}  // namespace tnp::python
