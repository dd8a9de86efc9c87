// Exception classes of our own. Borrowed references, made at first use.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

PyObject* linalg_error();    // torch_np.linalg.LinAlgError, a RuntimeError as PyTorch's
PyObject* overflow_error();  // torch face: both OverflowError and RuntimeError

}  // namespace tnp::python
