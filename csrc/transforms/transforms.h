// Transformations in Python: interceptors, wrapped tensors and boxed calls, for torch_np/_transforms.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "aten/compiler/interceptor.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

bool add_transforms(PyObject* module);
bool add_wrapped_tensors(PyObject* module);
bool add_conversions(PyObject* module);

// Hands a call to a handler in Python. `is_recorded`: Note the attribute of the call.
compiler::Interceptor::Outcome run_handler(PyObject* handler, compiler::BoxedCall&& boxed,
                                           compiler::BoxedResults& results, bool is_recorded = false);

inline bool is_wrapped_object(PyObject* o) { return is_variable(o) && is_wrapped(unwrap(o)); }
// The parts of a wrapped tensor: a sequence of Tensors and None.
std::vector<Tensor> tensors_of(PyObject* sequence);

}  // namespace tnp::python
