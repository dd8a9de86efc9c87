// The layout that torch_np.Tensor and torch_np.numpy.ndarray share: a Python object around one tnp::Tensor.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp::python {

struct THPVariable {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;  // for attributes of subclasses and of Tensor
  PyObject* weakrefs;
  PyObject* shape;  // what .shape gave last, or null; see shape_of
  bool tracked;     // of an exact ndarray: whether the garbage collector knows it; see track()
};

extern PyTypeObject* tensor_type;   // torch_np.Tensor
extern PyTypeObject* ndarray_type;  // torch_np.numpy.ndarray
// torch_np.nn.Parameter, a class derived from Tensor; null until torch_np.nn is loaded. Its objects are as quick as
// Tensors are, and what operators make of them are Tensors.
extern PyTypeObject* parameter_type;
template <bool compat>
inline PyTypeObject* face_type() {
  return compat ? ndarray_type : tensor_type;
}

// Classes derived from ours are made at run time; numbers, tuples, modules and the like are not.
inline bool is_subclass_of(PyObject* o, PyTypeObject* type) {
  return Py_TYPE(o) == type || ((Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && PyType_IsSubtype(Py_TYPE(o), type));
}
inline bool is_tensor(PyObject* o) { return is_subclass_of(o, tensor_type); }
inline bool is_ndarray(PyObject* o) { return is_subclass_of(o, ndarray_type); }
inline bool is_variable(PyObject* o) {
  return Py_TYPE(o) == ndarray_type || Py_TYPE(o) == tensor_type || is_tensor(o) || is_ndarray(o);
}
// Note [Cycles] Lets the garbage collector know of an ndarray that may have become part of a cycle: by a hook that
// holds the array, or a Function whose ctx does. Such arrays have autograd's data; all others, most of them by far,
// cost the collector nothing, and making one costs nothing more.
void track(PyObject* object);
// The tensor's sizes as a tuple, or what `make` makes of them: programs ask for it again and again.
PyObject* shape_of(PyObject* self, PyObject* (*make)(IntList));
inline const Tensor& unwrap(PyObject* o) { return reinterpret_cast<THPVariable*>(o)->tensor; }  // o must be one

// A new reference to this face's object for the tensor: the one that lives already, or a new one. Undefined: None.
template <bool compat>
PyObject* wrap(const Tensor& t);
template <bool compat>
PyObject* wrap(Tensor&& t);
// The same for a tensor that no Python object knows yet.
template <bool compat>
PyObject* wrap_new(Tensor&& t);
// Results of every other kind that an operator can have; those of several tensors: wrap_result().
struct TensorTuple {
  std::vector<Tensor> items;
};  // a tuple in both faces; a vector is a list in np
inline TensorTuple as_tuple(std::vector<Tensor> items) { return {std::move(items)}; }
template <bool compat>
inline PyObject* wrap(bool v) {
  return PyBool_FromLong(v);
}
template <bool compat>
inline PyObject* wrap(int64_t v) {
  return PyLong_FromLongLong(v);
}
template <bool compat>
inline PyObject* wrap(double v) {
  return PyFloat_FromDouble(v);
}
template <bool compat>
PyObject* wrap(ScalarType v);
template <bool compat>
PyObject* wrap(const Scalar& v);
template <bool compat>
PyObject* wrap(IntList v);  // tuple of ints
// Note [Values] What NumPy gives as a scalar (elements, full reductions, ufuncs of 0-d operands) is NumPy's scalar in
// torch_np.numpy: without a gradient, on the CPU. With one, or on a device, it stays a 0-d array, so that
// `loss._backward()` works and nothing waits for the GPU; but it is a value, too: `loss += x` binds a new array and
// changes none that somebody else holds (is_value of the tensor). What is a 0-d array in NumPy (np.zeros(()), views,
// copies of those) is one here, and stays what it is when it is written to.
PyObject* wrap_value(Tensor&& t);  // t is 0-d and nobody else's
// The way back, for what must be an array: a new 0-d one of NumPy's scalar; null without an exception of other objects.
PyObject* array_of_value(PyObject* o);

// What an operator of torch_np.numpy makes of its 0-d results.
enum class ZeroDim : uint8_t {
  Array,
  Value,  // or an array, if it is to be of a subclass
  ValueOfAnyClass,
  ValueOfNumber,  // if the operand is a scalar of NumPy's: np.squeeze(numpy.float64(1))
};

// As wrap, but of a subclass of the face's type; calls its __array_finalize__(parent) (null: None).
template <bool compat>
PyObject* wrap_as(PyTypeObject* type, const Tensor& t, PyObject* parent);
// Makes `self` hold another tensor (ndarray.resize, __setstate__).
template <bool compat>
void replace_tensor(PyObject* self, const Tensor& t);
template <bool compat>
void variable_dealloc(PyObject* self);
PyObject* python_number(const Scalar& v);
PyObject* tuple_of_ints(IntList v, int64_t factor = 1);
inline bool is_exact(PyObject* o) {
  return Py_TYPE(o) == ndarray_type || Py_TYPE(o) == tensor_type || Py_TYPE(o) == parameter_type;
}
// `result` (owned, may be null) as an object of `self`'s class; results for exact types pass through.
PyObject* as_subclass_of(PyObject* self, PyObject* result);

// Whose class a result takes when it is an object of a subclass of the face's type: that of the main operand, but for
// what was written into `out`, and, in operators whose scalars are no arrays in NumPy, but for 0-d results.
struct ResultClass {
  PyObject* operand = nullptr;
  PyObject* out = nullptr;
  bool scalars = true;
};
PyObject* take_class(const ResultClass& from, PyObject* result);

// --- results of operators: as wrap(), but 0-d ones as values if `values`

template <bool compat>
PyObject* wrap_list(const std::vector<Tensor>& list, bool as_list, bool values);

template <bool compat>
inline PyObject* wrap_result(const Tensor& t, bool values) {
  if (compat && values && t.defined() && t.dim() == 0) return wrap_value(Tensor(t));
  return wrap<compat>(t);
}
template <bool compat>
inline PyObject* wrap_result(Tensor&& t, bool values) {
  if (compat && values && t.defined() && t.dim() == 0) return wrap_value(std::move(t));
  return wrap<compat>(std::move(t));
}
template <bool compat>
inline PyObject* wrap_result(const std::vector<Tensor>& list, bool values) {
  return wrap_list<compat>(list, compat, values);
}
template <bool compat>
inline PyObject* wrap_result(const TensorTuple& list, bool values) {
  return wrap_list<compat>(list.items, false, values);
}
template <bool compat, class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Tensor>)
inline PyObject* wrap_result(const T& other, bool) {
  return wrap<compat>(other);
}
template <bool compat, class... Ts>
PyObject* wrap_result(const std::tuple<Ts...>& results, bool values) {
  PyObject* out = PyTuple_New(sizeof...(Ts));
  if (!out) return nullptr;
  bool ok = true;
  Py_ssize_t i = 0;
  std::apply(
      [&](const auto&... v) {
        ((ok = ok &&
               [&] {
                 PyObject* o = wrap_result<compat>(v, values);
                 if (o) PyTuple_SET_ITEM(out, i++, o);
                 return o != nullptr;
               }()),
         ...);
      },
      results);
  if (!ok) {
    Py_DECREF(out);
    return nullptr;
  }
  return out;
}

}  // namespace tnp::python
