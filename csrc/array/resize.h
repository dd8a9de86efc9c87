#pragma once

#include "csrc/objects/variable.h"

namespace tnp::python {

// ndarray.resize(*new_shape, refcheck=True), for METH_FASTCALL | METH_KEYWORDS.
PyObject* resize_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace tnp::python
