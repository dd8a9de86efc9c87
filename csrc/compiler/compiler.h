// What this folder adds to torch_np._C.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// False: a Python exception is set.
bool add_compiler(PyObject* module);

}  // namespace tnp::python
