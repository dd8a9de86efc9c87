// x[key] and x[key] = value, for both faces.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/all_calls.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/tensor.h"

namespace tnp::python {

// Whether x[key] must be made of operators, as autograd, a transformation or a mode sees them.
template <class... Ts>
bool needs_operators(const Ts&... tensors) {
  return needs_derivatives(tensors...) || sees_all_calls();
}

// Basic keys (integers, slices, ..., None) return a view, keys with arrays or lists a new tensor.
// Throws IndexError (as PythonError or tnp::Error) for an invalid key, without any change.
// `is_value`, if given, is set to whether NumPy returns a scalar.
Tensor get_item(const Tensor& self, PyObject* key, bool numpy_face, bool* is_value = nullptr);
// If `key` is one integer for each axis (x[1], x[1, 2]), returns the address of the element.
// Returns null for other keys. Raises Index if an integer is out of range.
char* integer_key_address(const Tensor& self, PyObject* key);

// x[key] = value. Casts `value` as NumPy's assignment does (casting='unsafe') and broadcasts it;
// extra leading axes of size 1 are allowed. Checks everything before the first write. A null
// `value` stands for `del x[key]` and raises ValueError.
void set_item(const Tensor& self, PyObject* key, PyObject* value, bool numpy_face);

// The element at position `i` in row-major order, as a new 0-d array.
Tensor flat_element(const Tensor& self, int64_t i);
// x[i] along the first axis, for iteration; raises IndexError if out of range.
Tensor get_item(const Tensor& self, int64_t i, bool numpy_face);

}  // namespace tnp::python
