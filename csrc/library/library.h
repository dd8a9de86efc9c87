// Operators of libraries as Python sees them: torch_np/library/_load.py opens libraries by what stands here.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <span>
#include <vector>

#include "aten/library/operator.h"

namespace tnp::python {

// Adds _C._library_open, _C._library_is_open and _C.LibraryOperator. False: a Python exception is set.
bool add_library(PyObject* module);

// --- its parts
bool add_library_operator_type(PyObject* module);  // operator_type.cpp
// Calls a registered operator, or a function of torch_np: what derivatives of libraries are made of (call_by_name.cpp).
std::vector<Tensor> call_by_name(const char* op, std::span<const TorchNpValue> arguments,
                                 std::span<const char* const> keywords);
// The library in a capsule of _library_open. Throws PythonError.
const std::shared_ptr<SharedLibrary>& library_in(PyObject* capsule);

}  // namespace tnp::python
