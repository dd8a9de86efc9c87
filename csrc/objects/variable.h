// The common layout of torch_np.Tensor and torch_np.numpy.ndarray: a Python object that owns one
// tnp::Tensor.
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
  PyObject* dict;  // attributes of subclasses and of Tensor
  PyObject* weakrefs;
  PyObject* shape;  // cache of the last .shape, or null; see shape_of
  // for objects of exactly the type ndarray: whether the garbage collector tracks the object; see
  // track()
  bool tracked;
};

extern PyTypeObject* tensor_type;   // torch_np.Tensor
extern PyTypeObject* ndarray_type;  // torch_np.numpy.ndarray
// torch_np.nn.Parameter, a class derived from Tensor; null until torch_np.nn is loaded. Its objects
// have Tensor's fast paths, and operators return Tensors for them.
extern PyTypeObject* parameter_type;
// torch_np.sparse's class of sparse tensors, derived from Tensor: Note [Sparse tensors] in
// aten/core/sparse.h. Its objects override all functions.
extern PyTypeObject* sparse_type;
template <bool compat>
inline PyTypeObject* face_type() {
  return compat ? ndarray_type : tensor_type;
}

// Whether `o` is an instance of `type` or of a class derived from it. The flag is tested first:
// classes derived from our types are heap types, but numbers, tuples and modules are not.
inline bool is_subclass_of(PyObject* o, PyTypeObject* type) {
  return Py_TYPE(o) == type || ((Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) && PyType_IsSubtype(Py_TYPE(o), type));
}
inline bool is_tensor(PyObject* o) { return is_subclass_of(o, tensor_type); }
inline bool is_ndarray(PyObject* o) { return is_subclass_of(o, ndarray_type); }
inline bool is_variable(PyObject* o) {
  return Py_TYPE(o) == ndarray_type || Py_TYPE(o) == tensor_type || is_tensor(o) || is_ndarray(o);
}
// Note [Cycles] Tells the garbage collector to track an ndarray that may have become part of a
// reference cycle: through a hook that holds the array, or a Function whose ctx does. Only arrays
// with autograd metadata can be part of a cycle. All other arrays, by far the most, are not
// tracked, so creating and collecting them is cheaper.
void track(PyObject* object);
// The tensor's sizes as the object that `make` builds (a tuple), cached because programs read it
// repeatedly.
PyObject* shape_of(PyObject* self, PyObject* (*make)(IntList));
inline const Tensor& unwrap(PyObject* o) { return reinterpret_cast<THPVariable*>(o)->tensor; }  // o must be our array

// A new reference to this face's object for the tensor: the existing one, or a new one. For an
// undefined tensor, returns None.
template <bool compat>
PyObject* wrap(const Tensor& t);
template <bool compat>
PyObject* wrap(Tensor&& t);
// Same as wrap(), for a tensor that has no Python object yet.
template <bool compat>
PyObject* wrap_new(Tensor&& t);
// Conversions of operator results that are not single tensors. wrap_result() converts several
// tensors.
struct TensorTuple {
  std::vector<Tensor> items;
};  // a tuple in both faces; np returns a vector as a list
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
// Note [Values] Where NumPy returns a scalar (elements, full reductions, ufuncs of 0-d operands),
// torch_np.numpy returns NumPy's scalar, if the result is on the CPU and has no gradient. Otherwise
// it returns a 0-d array, so that `loss._backward()` works and no call waits for the GPU. This
// array still behaves as a value: `loss += x` binds a new array and does not modify the old one
// (the tensor's is_value). Where NumPy returns a 0-d array (np.zeros(()), views and copies of it),
// so do we, and writing modifies it.
PyObject* wrap_value(Tensor&& t);  // `t` must be 0-d and must not have other owners
// The inverse of wrap_value(): a new 0-d array with the value of a NumPy scalar. Null without an
// exception for other objects.
PyObject* array_of_value(PyObject* o);

// Conversion of 0-d results of a torch_np.numpy operator.
enum class ZeroDim : uint8_t {
  Array,
  Value,  // a scalar, or an array if the result is of a subclass
  ValueOfAnyClass,
  ValueOfNumber,  // a scalar if the operand is a NumPy scalar: np.squeeze(numpy.float64(1))
};

// Like wrap, but as a subclass of the face's type; calls the subclass's __array_finalize__(parent).
// A null `parent` is passed as None.
template <bool compat>
PyObject* wrap_as(PyTypeObject* type, const Tensor& t, PyObject* parent);
// Replaces the tensor of `self` (ndarray.resize, __setstate__).
template <bool compat>
void replace_tensor(PyObject* self, const Tensor& t);
template <bool compat>
void variable_dealloc(PyObject* self);
PyObject* python_number(const Scalar& v);
PyObject* tuple_of_ints(IntList v, int64_t factor = 1);
inline bool is_exact(PyObject* o) {
  return Py_TYPE(o) == ndarray_type || Py_TYPE(o) == tensor_type || Py_TYPE(o) == parameter_type;
}
// Converts `result` (owned, may be null) to the class of `self`; does nothing if the class of
// `self` is exactly Tensor or ndarray.
PyObject* as_subclass_of(PyObject* self, PyObject* result);

// Determines the class of a result if an argument is an instance of a subclass. The result has the
// class of the main operand. Exceptions are an `out` argument, and 0-d results of operators that
// return scalars in NumPy.
struct ResultClass {
  PyObject* operand = nullptr;
  PyObject* out = nullptr;
  bool scalars = true;
};
PyObject* take_class(const ResultClass& from, PyObject* result);

// --- results of operators: like wrap(), but 0-d results become scalars if `values`

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
