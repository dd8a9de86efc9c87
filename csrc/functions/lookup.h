// Lookup of generated bindings by Python name; number operators and some methods call these
// bindings.
#pragma once

#include <initializer_list>
#include <string>

#include "csrc/functions/tables.h"

namespace tnp::python {

Binding find_function(bool compat, const char* name);  // torch_np.add, torch_np.numpy.add (also ufuncs); or null
Binding find_method(bool compat, const char* name);
const UfuncRow* find_ufunc(const char* name);
const DunderRow* find_dunder(const char* dunder);  // "__add__"; null: not an operator
// Submodules such as torch_np._C._numpy_linalg, made on first use; null: an exception is set.
PyObject* submodule(PyObject* module, const std::string& attribute);
// Call a binding with positional arguments; NotImplementedError if this build does not have it.
PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args);
PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args);

}  // namespace tnp::python
