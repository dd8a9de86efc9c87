// ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None)
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

PyObject* new_ndarray(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace tnp::python
