// Parts of the object protocol that other files use.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

template <bool compat>
PyObject* subscript(PyObject* self, PyObject* key);  // self[key]
// ndarray.fill(value), for METH_FASTCALL | METH_KEYWORDS: as self[...] = value, of one element.
PyObject* fill_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
// _C._set_repr_functions(torch_repr=, torch_str=, numpy_repr=, numpy_str=)
PyObject* set_repr_functions(PyObject*, PyObject* args, PyObject* kwargs);

}  // namespace tnp::python
