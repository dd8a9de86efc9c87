// Lookup of generated bindings by Python name; number operators and some methods call these
// bindings.
#pragma once

#include <initializer_list>
#include <string>

#include "csrc/functions/tables.h"

namespace tnp::python {

// a function of torch_np or torch_np.numpy, including ufuncs; null if there is none
Binding find_function(bool compat, const char* name);
Binding find_method(bool compat, const char* name);
const UfuncRow* find_ufunc(const char* name);
const DunderRow* find_dunder(const char* dunder);          // "__add__"; null if `dunder` is not an operator
const DunderRow* find_dunder_of_ufunc(const char* ufunc);  // "add"; null if the ufunc has no operator
// Submodules such as torch_np._C._numpy_linalg, created on first use. Returns null with an
// exception set on failure.
PyObject* submodule(PyObject* module, const std::string& attribute);
// Call a binding with positional arguments. Raise NotImplementedError if this build does not have
// the binding.
PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args);
PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args);

}  // namespace tnp::python
