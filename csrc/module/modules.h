// The modules within torch_np._C that are written by hand. False: a Python exception is set.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

bool add_cpu_module(PyObject* module);   // torch_np.cpu
bool add_cuda_module(PyObject* module);  // torch_np.cuda

}  // namespace tnp::python
