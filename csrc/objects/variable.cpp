// Python objects of tensors: creation, reuse and deallocation.
//
// A TensorImpl stores its living Python objects, one per face, so that a tensor that returns from
// C++ is wrapped by the same object. Objects of the two exact types come from a free list.
#include "csrc/objects/variable.h"

#include <new>

#include "aten/compiler/tracer.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/core/observer.h"
#include "aten/core/sparse.h"
#include "aten/core/wrapped.h"
#include "aten/functions/shape.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/in_flight.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/size.h"
#include "csrc/objects/subclass_objects.h"
#include "csrc/objects/watched.h"
#include "csrc/objects/wrapper_objects.h"

namespace tnp::python {

PyTypeObject* tensor_type = nullptr;
PyTypeObject* parameter_type = nullptr;
PyTypeObject* sparse_type = nullptr;
PyTypeObject* ndarray_type = nullptr;

namespace {

constexpr int kMaxFree = 128;
THPVariable* free_objects[2][kMaxFree];
int num_free[2] = {0, 0};

// Tensor has a __dict__, so that the garbage collector always tracks it. An ndarray has none and is
// only tracked if it can be part of a cycle: see track().
template <bool compat>
PyObject* new_exact() {
  PyTypeObject* type = face_type<compat>();
  if (num_free[compat] > 0) {
    THPVariable* v = free_objects[compat][--num_free[compat]];
    PyObject_Init(reinterpret_cast<PyObject*>(v), type);
    if constexpr (!compat) PyObject_GC_Track(v);
    return reinterpret_cast<PyObject*>(v);
  }
  PyObject* made = type->tp_alloc(type, 0);  // zeroed: an undefined tensor
  if constexpr (compat) {
    if (made) PyObject_GC_UnTrack(made);
  }
  return made;
}

}  // namespace

void track(PyObject* object) {
  auto* v = reinterpret_cast<THPVariable*>(object);
  if (Py_TYPE(object) != ndarray_type || v->tracked) return;
  v->tracked = true;
  PyObject_GC_Track(object);
}

template <bool compat>
PyObject* wrap_new(Tensor&& t) {
  if (TNP_UNLIKELY(!t.impl()->in_host_memory()) && is_sparse(t)) {
    if (!compat) {
      if (!sparse_type && !Ref(PyImport_ImportModule("torch_np.sparse._tensor")))
        return nullptr;  // it sets sparse_type
      return wrap_as<false>(sparse_type, t, nullptr);
    }
    return PyErr_SetString(PyExc_NotImplementedError, "a sparse tensor is not an ndarray; to_dense() makes one"),
           nullptr;
  }
  if (!compat && TNP_UNLIKELY(!t.impl()->in_host_memory()) && is_wrapped(t)) {
    if (PyObject* object = wrapper_object(t)) return object;
  }
  PyObject* object = new_exact<compat>();
  if (!object) return nullptr;
  t.impl()->python_objects[compat] = object;
  const bool has_history = static_cast<bool>(t.impl()->autograd);
  reinterpret_cast<THPVariable*>(object)->tensor = std::move(t);
  if (compat && TNP_UNLIKELY(has_history)) track(object);
  return object;
}
template PyObject* wrap_new<false>(Tensor&&);
template PyObject* wrap_new<true>(Tensor&&);

template <bool compat>
PyObject* wrap(Tensor&& t) {
  if (!t.defined()) Py_RETURN_NONE;
  if (void* living = t.impl()->python_objects[compat]) return Py_NewRef(static_cast<PyObject*>(living));
  t.impl()->is_wrapped_number = false;
  return wrap_new<compat>(std::move(t));
}
template PyObject* wrap<false>(Tensor&&);
template PyObject* wrap<true>(Tensor&&);

template <bool compat>
PyObject* wrap(const Tensor& t) {
  return wrap<compat>(Tensor(t));
}
template PyObject* wrap<false>(const Tensor&);
template PyObject* wrap<true>(const Tensor&);

uint64_t num_replaced_scalars = 0;

PyObject* wrap_value(Tensor&& t) {
  TensorImpl& impl = *t.impl();
  const bool is_number =
      impl.in_host_memory() && !t.requires_grad() && !TNP_UNLIKELY(scalars_are_arrays.load(std::memory_order_relaxed));
  // a scalar would become a constant of the traced function
  bool is_traced = is_tracing();
  if (is_traced && is_number) {
    compiler::Tracer* const tracer = compiler::active_tracer();
    // Operators of scalars are NumPy's own, and promote by its rules.
    const bool promotes_otherwise = face_dialects[true].promotion() != PromotionRules::NumPy;
    if (tracer && (promotes_otherwise || !tracer->scalar_failure().empty())) {
      tracer->fail(promotes_otherwise ? "it makes a NumPy scalar while PyTorch's promotion rules apply"
                                      : tracer->scalar_failure());
      is_traced = false;
    }
  }
  if (TNP_LIKELY(is_number && !is_traced)) return numpy_scalar(impl.dtype, impl.data);
  impl.is_value = true;
  if (is_number) {
    impl.writeable = false;  // as the scalar is
    ++num_replaced_scalars;
  }
  return wrap<true>(std::move(t));
}

PyObject* array_of_value(PyObject* o) {
  ScalarType dtype;
  const void* at = scalar_value(o, dtype);
  if (!at) return nullptr;
  Tensor t = empty_tensor({}, dtype);
  copy_element(t.itemsize(), t.data(), at);
  t.impl()->is_value = true;
  return wrap_new<true>(std::move(t));
}

// A new object of a subclass, without a call of its `__array_finalize__`.
template <bool compat>
static PyObject* new_of_class(PyTypeObject* type, const Tensor& t) {
  Ref handle;
  Tensor own = t;
  if (t.impl()->python_objects[compat]) {  // an object of a subclass cannot share the handle of another object
    handle = Ref(wrap<false>(tnp::alias(unwrap(static_cast<PyObject*>(t.impl()->python_objects[compat])))));
    if (!handle) return nullptr;
    own = unwrap(handle.get());
  }
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  own.impl()->is_wrapped_number = false;
  own.impl()->python_objects[compat] = object;
  reinterpret_cast<THPVariable*>(object)->tensor = std::move(own);
  return object;
}

PyObject* new_unfinalized(PyTypeObject* type, const Tensor& t) { return new_of_class<true>(type, t); }

template <bool compat>
PyObject* wrap_as(PyTypeObject* type, const Tensor& t, PyObject* parent) {
  if (type == face_type<compat>()) return wrap<compat>(t);
  if constexpr (!compat) watch_class(type);
  PyObject* object = new_of_class<compat>(type, t);
  if (!object) return nullptr;
  if constexpr (compat) {
    static PyObject* name = PyUnicode_InternFromString("__array_finalize__");
    Ref owned(object);
    // The type's own __array_finalize__ does nothing; None has the same meaning.
    PyObject* finalize = _PyType_Lookup(type, name);
    if (finalize && finalize != Py_None && finalize != _PyType_Lookup(ndarray_type, name)) {
      Ref function(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name));  // looked up on the class, as in NumPy
      Ref result(function ? PyObject_CallFunctionObjArgs(function.get(), object, parent ? parent : Py_None, nullptr)
                          : nullptr);
      if (!result) return nullptr;
    }
    return owned.release();
  }
  return object;
}
template PyObject* wrap_as<false>(PyTypeObject*, const Tensor&, PyObject*);
template PyObject* wrap_as<true>(PyTypeObject*, const Tensor&, PyObject*);

PyObject* as_subclass_of(PyObject* self, PyObject* result) {
  if (!result || is_exact(self) || !is_variable(self)) return result;
  if (parameter_type && PyType_IsSubtype(Py_TYPE(self), parameter_type)) return result;
  bool numpy_face = is_ndarray(self);
  if (!numpy_face && (torch_function_state.subclasses_disabled || torch_function_state.all_disabled)) return result;
  if (Py_TYPE(result) != (numpy_face ? ndarray_type : tensor_type) || is_wrapper_class(Py_TYPE(self))) return result;
  Tensor t = unwrap(result);
  Py_DECREF(result);
  return numpy_face ? wrap_as<true>(Py_TYPE(self), t, self) : wrap_as<false>(Py_TYPE(self), t, self);
}

PyObject* take_class(const ResultClass& from, PyObject* result) {
  if (!result || !is_variable(from.operand) || result == from.out) return result;
  bool is_list = PyList_CheckExact(result);
  if (is_list || PyTuple_CheckExact(result)) {  // just created and not shared, so its items may be replaced
    for (Py_ssize_t i = 0; i < Py_SIZE(result); ++i) {
      PyObject** item = is_list ? &reinterpret_cast<PyListObject*>(result)->ob_item[i]
                                : &reinterpret_cast<PyTupleObject*>(result)->ob_item[i];
      *item = take_class(from, *item);
      if (!*item) {
        Py_DECREF(result);
        return nullptr;
      }
    }
    return result;
  }
  for (Py_ssize_t i = 0; from.out && PyTuple_CheckExact(from.out) && i < PyTuple_GET_SIZE(from.out); ++i) {
    if (PyTuple_GET_ITEM(from.out, i) == result) return result;
  }
  if (!from.scalars && is_variable(result) && unwrap(result).dim() == 0) return result;
  if (from.scalars && !is_variable(result) && !is_exact(from.operand)) {
    if (PyObject* array = array_of_value(result)) Py_SETREF(result, array);
  }
  return as_subclass_of(from.operand, result);
}

template <bool compat>
void replace_tensor(PyObject* self, const Tensor& t) {
  auto* v = reinterpret_cast<THPVariable*>(self);
  Tensor old = std::move(v->tensor);
  if (old.defined() && old.impl()->python_objects[compat] == self) old.impl()->python_objects[compat] = nullptr;
  v->tensor = t;
  if (t.defined()) t.impl()->python_objects[compat] = self;
  if (old.defined()) retire(std::move(old));
}
template void replace_tensor<false>(PyObject*, const Tensor&);
template void replace_tensor<true>(PyObject*, const Tensor&);

template <bool compat>
void variable_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* v = reinterpret_cast<THPVariable*>(self);
  if (!compat || type != ndarray_type || TNP_UNLIKELY(v->tracked)) PyObject_GC_UnTrack(self);
  v->tracked = false;
  // From here on the tensor must not return this object: weak reference callbacks run Python code.
  if (v->tensor.defined() && v->tensor.impl()->python_objects[compat] == self)
    v->tensor.impl()->python_objects[compat] = nullptr;
  if (v->weakrefs) PyObject_ClearWeakRefs(self);
  if constexpr (!compat) Py_CLEAR(v->dict);
  Py_CLEAR(v->shape);
  v->tensor.~Tensor();
  if (type == face_type<compat>() && num_free[compat] < kMaxFree) {
    new (&v->tensor) Tensor();
    free_objects[compat][num_free[compat]++] = v;
  } else {
    type->tp_free(self);
  }
  Py_DECREF(type);
}
template void variable_dealloc<false>(PyObject*);
template void variable_dealloc<true>(PyObject*);

PyObject* shape_of(PyObject* self, PyObject* (*make)(IntList)) {
  auto* v = reinterpret_cast<THPVariable*>(self);
  const IntList sizes = v->tensor.sizes();
  // Compare, since either face may have reshaped the tensor in place.
  bool valid = v->shape && PyTuple_GET_SIZE(v->shape) == static_cast<Py_ssize_t>(sizes.size());
  for (size_t i = 0; valid && i < sizes.size(); ++i) {
    valid = PyLong_AsSsize_t(PyTuple_GET_ITEM(v->shape, static_cast<Py_ssize_t>(i))) == sizes[i];
  }
  if (TNP_LIKELY(valid)) return Py_NewRef(v->shape);
  PyObject* made = make(sizes);
  if (!made) return nullptr;
  Py_XSETREF(v->shape, Py_NewRef(made));
  return made;
}

template <bool compat>
PyObject* wrap_list(const std::vector<Tensor>& list, bool as_list, bool values) {
  auto n = static_cast<Py_ssize_t>(list.size());
  PyObject* out = as_list ? PyList_New(n) : PyTuple_New(n);
  if (!out) return nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = wrap_result<compat>(list[static_cast<size_t>(i)], values);
    if (!item) {
      Py_DECREF(out);
      return nullptr;
    }
    if (as_list)
      PyList_SET_ITEM(out, i, item);
    else
      PyTuple_SET_ITEM(out, i, item);
  }
  return out;
}
template PyObject* wrap_list<false>(const std::vector<Tensor>&, bool, bool);
template PyObject* wrap_list<true>(const std::vector<Tensor>&, bool, bool);

template <bool compat>
PyObject* wrap(ScalarType v) {
  return Py_XNewRef(compat ? numpy_dtype(v) : torch_dtype(v));
}
template PyObject* wrap<false>(ScalarType);
template PyObject* wrap<true>(ScalarType);

PyObject* python_number(const Scalar& v) {
  switch (v.kind()) {
    case Scalar::Kind::Bool:
      return PyBool_FromLong(v.to<bool>());
    case Scalar::Kind::Int:
      return PyLong_FromLongLong(v.to<int64_t>());
    case Scalar::Kind::UInt:
      return PyLong_FromUnsignedLongLong(v.to<uint64_t>());
    case Scalar::Kind::Float:
      return PyFloat_FromDouble(v.to<double>());
    case Scalar::Kind::Complex: {
      auto z = v.to<Complex<double>>();
      return PyComplex_FromDoubles(z.re, z.im);
    }
  }
  return nullptr;
}

template <bool compat>
PyObject* wrap(const Scalar& v) {
  return python_number(v);
}
template PyObject* wrap<false>(const Scalar&);
template PyObject* wrap<true>(const Scalar&);

// Returns a * b as a Python integer. If an array has no elements, its strides in bytes may exceed
// 64 bits.
static TNP_COLD PyObject* exact_product(int64_t a, int64_t b) {
  Ref x(PyLong_FromLongLong(a)), y(PyLong_FromLongLong(b));
  return x && y ? PyNumber_Multiply(x.get(), y.get()) : nullptr;
}

PyObject* tuple_of_ints(IntList v, int64_t factor) {
  PyObject* out = PyTuple_New(static_cast<Py_ssize_t>(v.size()));
  if (!out) return nullptr;
  for (size_t i = 0; i < v.size(); ++i) {
    int64_t product = 0;
    PyObject* item = TNP_LIKELY(!__builtin_mul_overflow(v[i], factor, &product)) ? PyLong_FromLongLong(product)
                                                                                 : exact_product(v[i], factor);
    if (!item) {
      Py_DECREF(out);
      return nullptr;
    }
    PyTuple_SET_ITEM(out, static_cast<Py_ssize_t>(i), item);
  }
  return out;
}

template <bool compat>
PyObject* wrap(IntList v) {
  return compat ? tuple_of_ints(v) : make_size(v);
}
template PyObject* wrap<false>(IntList);
template PyObject* wrap<true>(IntList);

}  // namespace tnp::python
