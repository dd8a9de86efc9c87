#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// np.array, torch_np.tensor and related functions. False: a Python exception is set.
bool add_array_functions(PyObject* numpy_module, PyObject* torch_module);

}  // namespace tnp::python
