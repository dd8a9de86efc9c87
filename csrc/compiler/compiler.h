// Adds the compiler's classes and functions to torch_np._C.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// Returns false if a Python exception is set.
bool add_compiler(PyObject* module);

}  // namespace tnp::python
