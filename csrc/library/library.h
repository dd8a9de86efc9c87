// Python bindings of library operators, which torch_np/library/_load.py calls to open libraries.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <span>
#include <vector>

#include "aten/library/operator.h"

namespace tnp::python {

// Adds _C._library_open, _C._library_is_open and _C.LibraryOperator. Returns false with a Python
// exception set on failure.
bool add_library(PyObject* module);

// --- parts, one file each
bool add_library_operator_type(PyObject* module);  // operator_type.cpp
// Calls a registered operator, or a function of torch_np, for derivatives in libraries
// (call_by_name.cpp).
std::vector<Tensor> call_by_name(const char* op, std::span<const TorchNpValue> arguments,
                                 std::span<const char* const> keywords);
// Returns the library in a capsule that _library_open() returned. Throws PythonError.
const std::shared_ptr<SharedLibrary>& library_in(PyObject* capsule);

}  // namespace tnp::python
