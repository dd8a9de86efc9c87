// Python handle of a torch_np.compile backend (aten/compiler/subgraph.h): a capsule.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "aten/compiler/subgraph.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

using SharedBackend = std::shared_ptr<const compiler::Backend>;

// Throws PythonError.
Ref wrap_backend(SharedBackend backend);
// Null for None. Throws PythonError.
const compiler::Backend* backend_in(PyObject* capsule);

}  // namespace tnp::python
