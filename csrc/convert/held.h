// Which objects the engine has no dtype for, as far as a look at them tells; and NumPy's arrays as
// ours.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// Whether an array-like certainly becomes an array of a dtype that only NumPy has: a NumPy array or
// scalar of such a dtype, text, or a nested sequence whose first element is one of these or None.
// False says nothing: the conversion may raise NotHeldError.
bool is_certainly_not_held(PyObject* array_like);
// Whether an argument dtype= certainly names a dtype that only NumPy has.
bool names_foreign_dtype(PyObject* dtype_like);

// Sets a NotHeldError about an array, an element or a dtype that only NumPy has. Its text is made when
// somebody reads it (csrc/objects/not_held.cpp), so calls that fall back do not pay for it.
void set_not_held_object(PyObject* object);

// Our array over the memory of a NumPy array. `array` itself, as a new reference, if the engine has
// no dtype or layout for it, or if it is no NumPy array. Null with an exception set on failure.
PyObject* held(PyObject* array);

}  // namespace tnp::python
