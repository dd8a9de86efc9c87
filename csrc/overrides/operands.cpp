// Foreign operands. See operands.h.
#include "csrc/overrides/operands.h"

#include <utility>

#include "csrc/args/kinds.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

PyObject* interned(const char* name) { return PyUnicode_InternFromString(name); }

// An attribute of the object's type; borrowed, or null without an exception.
PyObject* type_attribute(PyObject* o, PyObject* name) { return _PyType_Lookup(Py_TYPE(o), name); }

bool is_known(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyComplex_CheckExact(o) || PyBool_Check(o) ||
         PyList_CheckExact(o) || PyTuple_CheckExact(o) || Py_TYPE(o) == numpy_api().ndarray_type ||
         PyObject_TypeCheck(o, numpy_api().generic_type);
}

bool is_array_like(PyObject* o) {
  static PyObject* names[] = {interned("__array__"), interned("__array_interface__"), interned("__dlpack__"),
                              interned("__array_struct__")};
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return false;  // "ab" * 0-d array repeats the string
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  if (is_number_like(o) || PyObject_CheckBuffer(o)) return true;
  for (PyObject* name : names) {
    if (type_attribute(o, name)) return true;
  }
  return PySequence_Check(o);
}

}  // namespace

double array_priority(PyObject* o) {
  static PyObject* name = interned("__array_priority__");
  Ref value(PyObject_GetAttr(o, name));
  double p = value ? PyFloat_AsDouble(value.get()) : 0.0;
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return -1000000.0;  // NumPy's NPY_SCALAR_PRIORITY
  }
  return p;
}

PyObject* operand_of_priority(PyObject* a, PyObject* b) {
  const auto is_subclass = [](PyObject* o) { return is_ndarray(o) && !is_exact(o); };
  if (TNP_LIKELY(!is_subclass(a) && !is_subclass(b))) return nullptr;
  PyObject *first = a, *second = b;
  if (is_number_like(a) && !is_number_like(b)) std::swap(first, second);
  if (Py_TYPE(first) == Py_TYPE(second)) return first;
  const auto priority = [&](PyObject* o) { return is_subclass(o) ? array_priority(o) : 0.0; };
  PyObject* decides = priority(second) > priority(first) ? second : first;
  return is_subclass(decides) ? decides : nullptr;
}

PyObject* in_class_of(PyObject* operand, PyObject* result) {
  if (!result || !is_ndarray(result) || Py_TYPE(result) == Py_TYPE(operand)) return result;
  const Tensor t = unwrap(result);
  Py_DECREF(result);
  return wrap_as<true>(Py_TYPE(operand), t, operand);
}

bool wraps_results(PyObject* o) {
  static PyObject *wrap_name = interned("__array_wrap__"), *ufunc_name = interned("__array_ufunc__");
  if (is_variable(o) || is_known(o) || PyType_Check(o) || is_numpy_array(o)) return false;
  return type_attribute(o, wrap_name) && !type_attribute(o, ufunc_name);
}

bool opts_out_of_ufuncs(PyObject* o) {
  static PyObject* name = interned("__array_ufunc__");
  return !is_known(o) && type_attribute(o, name) == Py_None;
}

bool overrides_ufuncs(PyObject* o) {
  static PyObject* name = interned("__array_ufunc__");
  if (is_known(o) || is_exact(o)) return false;
  PyObject* found = type_attribute(o, name);
  if (!found || found == Py_None) return false;
  return found != _PyType_Lookup(ndarray_type, name) && found != _PyType_Lookup(numpy_api().ndarray_type, name);
}

template <>
bool takes_operand<false>(PyObject*, PyObject* other) {
  return is_number_like(other);
}

template <>
bool takes_operand<true>(PyObject* self, PyObject* other) {
  static PyObject* ufunc_name = interned("__array_ufunc__");
  if (TNP_LIKELY(is_known(other))) return true;
  PyObject* override = type_attribute(other, ufunc_name);
  if (override) return override != Py_None;
  if (array_priority(other) > array_priority(self)) return false;
  return is_array_like(other) || fallback_allowed();
}

PyObject* leave_to_operand(const char* dunder, PyObject* a, PyObject* b) {
  const bool reflected = is_variable(a);
  PyObject *ours = reflected ? a : b, *theirs = reflected ? b : a;
  Ref name(PyUnicode_FromFormat("__%s%s", reflected ? "r" : "", dunder + 2));
  if (!name) return nullptr;
  if (!type_attribute(theirs, name.get())) Py_RETURN_NOTIMPLEMENTED;
  if (reflected) {  // Python itself has tried the other order already
    Ref answer(PyObject_CallMethodOneArg(theirs, name.get(), ours));
    if (!answer || answer.get() != Py_NotImplemented) return answer.release();
  }
  const Tensor& t = unwrap(ours);
  if (!fallback_allowed() || !t.device().is_cpu() || t.requires_grad()) Py_RETURN_NOTIMPLEMENTED;
  Ref view(protect<true>([&] { return to_numpy(t); }));
  if (!view) return nullptr;
  Ref answer(PyObject_CallMethodOneArg(theirs, name.get(), view.get()));
  if (!answer || Py_TYPE(answer.get()) != numpy_api().ndarray_type) return answer.release();
  PyObject* held = protect<true>([&] { return wrap<true>(from_foreign(answer.get(), Foreign::View)); });
  return !held && clear_not_held() ? answer.release() : held;
}

}  // namespace tnp::python
