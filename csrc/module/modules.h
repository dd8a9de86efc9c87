// Functions that add the contents of this folder's files to torch_np._C. They return false with a
// Python exception set on failure.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

bool add_cpu_module(PyObject* module);   // torch_np.cpu
bool add_cuda_module(PyObject* module);  // torch_np.cuda
bool add_settings(PyObject* module);
bool add_promotion(PyObject* module);
bool add_array_helpers(PyObject* module);
bool add_fallback(PyObject* module);
bool add_converted_functions(PyObject* module);  // converted_functions.cpp
bool add_draws(PyObject* module);
bool add_einsum_operands(PyObject* module);  // einsum_operands.cpp
bool add_sparse(PyObject* module);           // sparse.cpp
bool add_storages(PyObject* module);         // storages.cpp
bool add_fusion(PyObject* module);
bool add_profiler(PyObject* module);
bool add_program_lines(PyObject* module);  // program_lines.cpp
bool add_numpys_place(PyObject* module);   // numpys_place.cpp

}  // namespace tnp::python
