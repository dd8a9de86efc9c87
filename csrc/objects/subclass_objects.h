// Subclasses of ndarray, and objects of them before their class has seen them.
#pragma once

#include "csrc/objects/variable.h"

namespace tnp::python {

// Whether `o` is ndarray or a subclass of it.
inline bool is_array_class(PyObject* o) {
  return PyType_Check(o) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(o), ndarray_type);
}

// A new object of `type`, a subclass of ndarray, whose `__array_finalize__` was not called. Null with
// an exception set on failure.
PyObject* new_unfinalized(PyTypeObject* type, const Tensor& t);

}  // namespace tnp::python
