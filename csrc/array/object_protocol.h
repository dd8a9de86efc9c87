// Functions of the object protocol that other files call.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

PyObject* flat_element_of(PyObject* self, Py_ssize_t i);  // self.flat[i]

template <bool compat>
PyObject* subscript(PyObject* self, PyObject* key);  // self[key]
// ndarray.fill(value): self[...] = value, where value must have one element
PyObject* fill_method(PyObject* self, PyObject* value);
// _C._set_repr_functions(torch_repr=, torch_str=, numpy_repr=, numpy_str=)
PyObject* set_repr_functions(PyObject*, PyObject* args, PyObject* kwargs);

}  // namespace tnp::python
