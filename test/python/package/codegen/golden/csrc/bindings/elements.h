// Generated from native_functions/elements.yaml. <false>: torch_np, <true>: torch_np.numpy.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

template <bool compat>
PyObject* THPVariable_twice(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_total(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_halves(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_twice_(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace tnp::python
