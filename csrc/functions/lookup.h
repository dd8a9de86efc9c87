// Generated bindings by the name that Python knows them by: operators and a few methods are calls of those.
#pragma once

#include <initializer_list>
#include <string>

#include "csrc/functions/tables.h"

namespace tnp::python {

Binding find_function(bool compat, const char* name);  // torch_np.add, torch_np.numpy.add (also ufuncs); or null
Binding find_method(bool compat, const char* name);
const UfuncRow* find_ufunc(const char* name);
const DunderRow* find_dunder(const char* dunder);  // "__add__"; null: no operator is that
// torch_np._C._numpy_linalg and its kind, made when first asked for; null: an exception is set.
PyObject* submodule(PyObject* module, const std::string& attribute);
// Calls one of them with positional arguments; NotImplementedError if this build has none of that name.
PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args);
PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args);

}  // namespace tnp::python
