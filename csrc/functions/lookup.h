// Generated bindings by the name that Python knows them by: operators and a few methods are calls of those.
#pragma once

#include <initializer_list>

#include "csrc/functions/tables.h"

namespace tnp::python {

Binding find_function(bool compat, const char* name);  // torch_np.add, torch_np.numpy.add (also ufuncs); or null
Binding find_method(bool compat, const char* name);
const UfuncRow* find_ufunc(const char* name);
// Calls one of them with positional arguments; NotImplementedError if this build has none of that name.
PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args);
PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args);

}  // namespace tnp::python
