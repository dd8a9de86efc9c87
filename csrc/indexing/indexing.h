// x[key] and x[key] = value, for both faces.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/tensor.h"

namespace tnp::python {

// Basic keys (integers, slices, ..., None) give a view, keys with arrays or lists a new tensor. Throws IndexError (as
// PythonError or tnp::Error) for what is no key of `self`; nothing is changed then.
// `is_value`, if given: whether NumPy gives a scalar.
Tensor get_item(const Tensor& self, PyObject* key, bool numpy_face, bool* is_value = nullptr);
// x[1] and x[1, 2] of as many integers as x has axes: the address of the element; null for other keys. Raises Index.
char* integer_key_address(const Tensor& self, PyObject* key);

// Casts as NumPy's assignment does (unsafe), broadcasts `value` (leading axes of size 1 may be too many). Everything is
// checked before the first element is written. `value` null: `del x[key]`, a ValueError.
void set_item(const Tensor& self, PyObject* key, PyObject* value, bool numpy_face);

// The element at place `i` in row-major order, as a 0-d array of its own.
Tensor flat_element(const Tensor& self, int64_t i);
// x[i] along the first axis, for iteration; raises IndexError out of range.
Tensor get_item(const Tensor& self, int64_t i, bool numpy_face);

}  // namespace tnp::python
