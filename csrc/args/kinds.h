// Type checks of arguments against their Kind, made during matching. They inspect types only, so
// they neither raise nor run Python code. The readers (readers.h) convert later, and may raise.
#pragma once

#include "csrc/args/signature.h"

namespace tnp::python {

bool accepts(const Param& param, PyObject* value);
// The kind in words, for messages: "int or tuple of ints".
const char* kind_text(Kind kind);

// Whether the object has __index__ and is not a bool: a Python or NumPy integer, or our 0-d integer
// array.
bool is_int_like(PyObject* o);
// Whether the object is a Python or NumPy number, or our 0-d array.
bool is_number_like(PyObject* o);

}  // namespace tnp::python
