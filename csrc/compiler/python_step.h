// Functions of Python's that are called in each replay: operators made by torch_np.library.custom_op and by
// torch_np.operator.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// _C._call_opaque(name, function, arguments, has_shapes): function(*arguments), which gives a Tensor, a list or tuple
// of them, or None. While a function is recorded, it is one step of the record, and what it does itself is not seen:
// of the arguments, Tensors and lists of them are read from the record, all others are constants. `has_shapes`: the
// results' shapes do not depend on the values of the arguments.
PyObject* call_opaque(PyObject*, PyObject* args);
// _C._is_observed(): whether this thread records a function.
PyObject* is_observed(PyObject*, PyObject*);

}  // namespace tnp::python
