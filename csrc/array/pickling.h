// _C._reconstruct(type): creates the empty array that __setstate__ fills later.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

PyObject* reconstruct(PyObject*, PyObject* type);

}  // namespace tnp::python
