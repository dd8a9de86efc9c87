#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// np.array, torch_np.tensor and related functions. Returns false with a Python exception set on
// failure.
bool add_array_functions(PyObject* numpy_module, PyObject* torch_module);

}  // namespace tnp::python
