// Objects that become arrays by their method __array__.
#pragma once

#include "csrc/objects/python_error.h"

namespace tnp::python {

// What o.__array__() gives, an array of NumPy's or ours, if that is how `o` becomes one; null if it is no such object,
// or its memory is taken as it lies (see from_foreign()).
Ref array_of_method(PyObject* o);

}  // namespace tnp::python
