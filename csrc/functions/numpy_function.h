// Functions of torch_np.numpy as Python objects that honour __array_function__ (NEP 18) and like= (NEP 35).
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// A new built-in function, said to be of the module `public_name`. np face: calls with an argument of a
// class that has an __array_function__ of its own go there first.
PyObject* make_function(FunctionRow& row, PyObject* public_name);
// The function without that detour, borrowed; null if `function` is not one of these.
PyObject* implementation_of(PyObject* function);

}  // namespace tnp::python
