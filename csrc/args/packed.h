// The arguments of a vectorcall as the tuple and the dictionary of an ordinary call.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// A tuple of `n` objects; null with an exception set on failure.
inline Ref tuple_of(PyObject* const* items, Py_ssize_t n) {
  Ref made(PyTuple_New(n));
  for (Py_ssize_t i = 0; made && i < n; ++i) PyTuple_SET_ITEM(made.get(), i, Py_NewRef(items[i]));
  return made;
}

// The keyword arguments: `values` with their names, a tuple or null. Leaves out the value `without`.
// Null with an exception set on failure.
inline Ref named_arguments(PyObject* const* values, PyObject* names, PyObject* without = nullptr) {
  Ref made(PyDict_New());
  for (Py_ssize_t i = 0; made && names && i < PyTuple_GET_SIZE(names); ++i) {
    if (values[i] == without) continue;
    if (PyDict_SetItem(made.get(), PyTuple_GET_ITEM(names, i), values[i]) < 0) return Ref();
  }
  return made;
}

}  // namespace tnp::python
