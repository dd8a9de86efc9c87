// Operators of both faces in functions that are being traced, where 0-d arrays stand for NumPy's scalars.
#pragma once

#include <string>

#include "aten/core/observer.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// How many 0-d arrays have replaced scalars in functions that were traced. Under the GIL.
extern uint64_t num_replaced_scalars;

// Whether a 0-d array stands for a NumPy scalar.
inline bool stands_for_scalar(PyObject* array) {
  return is_tracing() && unwrap(array).impl()->is_value && !unwrap(array).impl()->writeable;
}

// Also true after the function has been traced, if it has stored the array outside.
inline bool stood_for_scalar(PyObject* array) {
  return Py_TYPE(array) == ndarray_type && unwrap(array).impl()->is_value && !unwrap(array).impl()->writeable;
}

// The name of the object's class in messages. That of a 0-d array which stands for a scalar is the scalar's.
inline std::string class_name_of(PyObject* o) {
  if (stood_for_scalar(o)) return std::string("numpy.") + dtype_name(unwrap(o).dtype());
  return Py_TYPE(o) == tensor_type ? "Tensor" : Py_TYPE(o)->tp_name;
}

// Whether it is an array of either face, and no 0-d array that stands for a NumPy scalar.
inline bool is_variable_and_no_scalar(PyObject* o) { return is_variable(o) && !stands_for_scalar(o); }

// The result of a method that gives a scalar if `self` is one. A new reference, or null.
inline PyObject* as_scalar_of(PyObject* self, PyObject* result) {
  if (result && stands_for_scalar(self) && unwrap(result).dim() == 0) {
    unwrap(result).impl()->is_value = true;
    unwrap(result).impl()->writeable = false;
  }
  return result;
}

// Whether the operands are a 0-d array that stands for a NumPy scalar, in a function that is being
// traced, and a Tensor. The Tensor's face computes the operator then, as it does for a scalar.
inline bool leaves_to_tensor(PyObject* a, PyObject* b) {
  return is_variable(a) && is_variable(b) && stands_for_scalar(a) && Py_TYPE(b) != ndarray_type && is_exact(b);
}

}  // namespace tnp::python
