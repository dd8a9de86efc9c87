// The __torch_function__ protocol of the PyTorch face: finds modes and arguments that override a
// call, and calls their overrides.
//
// A call looks for overrides in two cases. If the watch is on (csrc/objects/watched.h), it looks
// before it runs. Otherwise it looks after it has failed, since the operators reject foreign
// objects. A call with plain tensors therefore costs one test of a flag.
#pragma once

#include "csrc/objects/watched.h"
#include "csrc/overrides/candidates.h"

namespace tnp::python {

// Whether an argument of this object's class overrides functions in this thread now.
bool overrides_torch_functions(PyObject* o);
// Whether a mode overrides functions in this thread now.
bool has_torch_function_mode();

// If an override handles the call `function(*args, **kwargs)`, stores its result in `*result`
// (null: an exception is set) and returns true. `kwnames` may be null.
TNP_COLD bool overridden(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                         PyObject** result);
// Same for the attribute of Tensor with that name, called with positional arguments, self first.
TNP_COLD bool overridden_attribute(const char* name, std::initializer_list<PyObject*> args, PyObject** result);
// Same for an operator: an exception because no override handles the operands becomes
// NotImplemented, so that Python tries the other operand.
TNP_COLD bool overridden_operator(const char* name, std::initializer_list<PyObject*> args, PyObject** result);

// Overrides `function(*args)` after it has failed with an exception that is set. Returns the result
// of an override, or null with that exception if there is none.
TNP_COLD PyObject* overridden_after_failure(PyObject* function, PyObject* const* args, Py_ssize_t nargs,
                                            PyObject* kwnames);

// Tensor.__torch_function__: calls the function without overrides and converts results to `cls`.
PyObject* default_torch_function(PyObject* cls, PyObject* args, PyObject* kwargs);

bool add_torch_function(PyObject* module);

}  // namespace tnp::python
