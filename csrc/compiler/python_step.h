// Steps that call a Python function in each replay: operators made by torch_np.library.custom_op
// and torch_np.operator.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/trace.h"

namespace tnp::python {

// _C._call_opaque(name, function, arguments, has_shapes): calls function(*arguments), which returns
// a Tensor, a list or tuple of Tensors, or None. While a function is being traced, the call
// becomes one step, and operators inside are not traced. Tensors and lists of Tensors among the
// arguments are read from the trace; other arguments are constants. `has_shapes`: the result
// shapes do not depend on the arguments' values.
PyObject* call_opaque(PyObject*, PyObject* args);
// For tp_traverse: visits the functions and constants of the trace's steps that call Python.
int visit_python_steps(const compiler::Trace& trace, visitproc visit, void* arg);
// _C._is_observed(): whether this thread is tracing a function.
PyObject* is_observed(PyObject*, PyObject*);

}  // namespace tnp::python
