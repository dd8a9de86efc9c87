// torch_np.Size: a tuple of ints.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/tensor.h"

namespace tnp::python {

bool init_size_type(PyObject* module);
PyObject* make_size(IntList sizes);

}  // namespace tnp::python
