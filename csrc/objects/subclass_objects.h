// Objects of subclasses of ndarray, before their class has seen them.
#pragma once

#include "csrc/objects/variable.h"

namespace tnp::python {

// A new object of `type`, a subclass of ndarray, whose `__array_finalize__` was not called. Null with
// an exception set on failure.
PyObject* new_unfinalized(PyTypeObject* type, const Tensor& t);

}  // namespace tnp::python
