// Pickling and copying of both types, by the protocol of NumPy's ndarray: __reduce__ gives (reconstruct, (type,),
// state), and subclasses may lengthen the state.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "aten/core/device_runtime.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "csrc/array/parts.h"
#include "csrc/array/pickling.h"

#include "aten/autograd/variable.h"
#include "aten/kernels/pointwise.h"

namespace tnp::python {

namespace {

// The elements in row-major order, where they were, without history.
Tensor packed(const Tensor& t) {
  Tensor copy = empty_tensor(t.sizes(), t.dtype(), t.device());
  copy_into(copy, t);
  return copy;
}

// The axes, that of the longest steps first, along which the elements lie one after the other; nothing if some do not.
std::optional<DimVector> order_in_memory(const Tensor& t) {
  DimVector axes = axes_slowest_first(t);
  const DimVector dense = dense_strides(t.sizes(), axes);
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) != 1 && t.byte_stride(d) != dense[static_cast<size_t>(d)] * t.itemsize()) return std::nullopt;
  return axes;
}

// The layout that the array has, not that of its copy on the host: False for row-major, True for column-major, or a
// tuple of axes as of order_in_memory, which only version 2 of the state has.
Ref layout_of(const Tensor& t, const Tensor& host, bool any_order) {
  if (t.is_row_major()) return Ref(Py_NewRef(Py_False));
  if (t.is_column_major() && host.is_fortran_contiguous()) return Ref(Py_NewRef(Py_True));
  const std::optional<DimVector> axes = any_order && order_in_memory(t) ? order_in_memory(host) : std::nullopt;
  return axes ? Ref(check(tuple_of_ints(*axes))) : Ref(Py_NewRef(Py_False));
}

// The bytes of `host` as they lie, for protocol 5: without a copy where they go out of band.
Ref picklable_buffer(const Tensor& host) {
  const DimVector sizes{host.numel()}, strides{1};
  Ref flat(check(wrap<true>(view_of(detach(host), sizes, strides, host.address()))));
  return Ref(check(PyPickleBuffer_FromObject(flat.get())));
}

// `any_order`: any order of axes is kept, not only row-major and column-major.
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
    Tensor host = t.device().is_cpu() ? aligned(t)
                                      : cpu(detach(t));  // it comes back on the CPU: the GPU may be another machine's
    Ref layout = layout_of(t, host, any_order);
    Tensor bytes = host.is_contiguous() || layout.get() != Py_False ? host : packed(host);
    Ref shape(check(tuple_of_ints(t.sizes())));
    const auto size = static_cast<Py_ssize_t>(bytes.numel() * bytes.itemsize());
    const bool as_buffer = compat && any_order && bytes.is_same(t) && t.dtype() != ScalarType::BFloat16;
    Ref data = as_buffer ? picklable_buffer(bytes) : Ref(check(PyBytes_FromStringAndSize(bytes.data(), size)));
    Ref attributes(!compat && reinterpret_cast<THPVariable*>(self)->dict
                       ? Py_NewRef(reinterpret_cast<THPVariable*>(self)->dict)
                       : Py_NewRef(Py_None));
    return Py_BuildValue("O(O)(iOsOOOO)", reconstruct.get(), Py_TYPE(self), PyTuple_Check(layout.get()) ? 2 : 1,
                         shape.get(), dtype_name(t.dtype()), data.get(), leaf_grad ? Py_True : Py_False,
                         attributes.get(), layout.get());
  });
}

template <bool compat>
PyObject* reduce(PyObject* self, PyObject*) {
  return reduce_to<compat>(self, false);
}

// As NumPy: from protocol 5 on arrays keep any order of their axes. Subclasses may have a __reduce__ of their own.
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

// An array with the layout that layout_of() gave.
Tensor empty_in_layout(IntList sizes, ScalarType dtype, PyObject* layout) {
  if (!PyTuple_Check(layout)) {
    const int fortran = PyObject_IsTrue(layout);
    check(fortran >= 0);
    return fortran ? empty_strided_tensor(sizes, fortran_strides(sizes), dtype) : empty_tensor(sizes, dtype);
  }
  DimVector axes, all(sizes.size());
  read_int_list(layout, 0, true, axes);
  std::iota(all.begin(), all.end(), 0);
  TNP_CHECK(std::is_permutation(axes.begin(), axes.end(), all.begin(), all.end()), ErrorKind::Value,
            "the state of a pickled array has the axes ", axes, " for the shape ", sizes);
  return empty_strided_tensor(sizes, dense_strides(sizes, axes), dtype);
}

template <bool compat>
PyObject* set_state(PyObject* self, PyObject* state) {
  if (!PyTuple_Check(state))
    return PyErr_SetString(PyExc_TypeError, "__setstate__() takes the state that __reduce__() gave"), nullptr;
  int version = 0, leaf_grad = 0;
  PyObject *shape = nullptr, *data = nullptr, *attributes = nullptr, *layout = Py_False;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(state, "iO!sOpO|O:__setstate__", &version, &PyTuple_Type, &shape, &name, &data, &leaf_grad,
                        &attributes, &layout))
    return nullptr;
  return protect<compat>([&]() -> PyObject* {
    check_untracked(unwrap(self), "__setstate__()");
    std::optional<ScalarType> dtype = dtype_by_name(name);
    TNP_CHECK(dtype && (version == 1 || version == 2), ErrorKind::Value,
              "unknown dtype or version in the state of a pickled array");
    DimVector sizes;
    read_int_list(shape, 0, compat, sizes);
    Tensor t = empty_in_layout(sizes, *dtype, layout);
    Py_buffer bytes;
    check(PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) == 0);
    const std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> held(&bytes, PyBuffer_Release);
    TNP_CHECK(bytes.len == t.numel() * t.itemsize(), ErrorKind::Value, "the state of a pickled array has ",
              static_cast<int64_t>(bytes.len), " bytes, not ", t.numel() * t.itemsize());
    if (t.numel() > 0) std::memcpy(t.data(), bytes.buf, static_cast<size_t>(bytes.len));
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
  if (!compat) {  // as PyTorch: another object over the same memory
    return protect<false>([&] { return wrap<false>(tnp::alias(unwrap(self))); });
  }
  Ref order(PyUnicode_FromString("K"));
  return order ? as_subclass_of(self, call_method(true, "copy", {self, order.get()})) : nullptr;
}

template <bool compat>
PyObject* deep_copy(PyObject* self, PyObject* memo) {
  PyObject* made = protect<compat>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    TNP_CHECK(t.is_leaf() || compat, ErrorKind::Runtime,
              "Only Tensors created explicitly by the user (graph leaves) support the "
              "deepcopy protocol at the moment");
    NoGradGuard no_grad;
    Tensor twin = tnp::clone(t, Order::K);
    if (t.requires_grad() && t.is_leaf()) {
      twin.set_requires_grad(true);
      if (Tensor grad = t.grad(); grad.defined()) twin.set_grad(tnp::clone(grad, Order::K));
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
      {"__reduce__", reduce<compat>, METH_NOARGS, "__reduce__($self, /)\n--\n\nFor pickling."},
      {"__reduce_ex__", reduce_ex<compat>, METH_O, "For pickling."},
      {"__setstate__", set_state<compat>, METH_O, "__setstate__($self, state, /)\n--\n\nFor pickling."},
      {"__copy__", copy<compat>, METH_NOARGS, "__copy__($self, /)\n--\n\ncopy.copy(self)"},
      {"__deepcopy__", deep_copy<compat>, METH_O, "__deepcopy__($self, memo, /)\n--\n\ncopy.deepcopy(self)"},
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
