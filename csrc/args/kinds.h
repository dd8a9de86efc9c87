// Which Python objects each Kind of parameter takes: cheap checks, made while matching. They look at types only, so
// that they neither raise nor run Python code; the readers (readers.h) then convert, and raise.
#pragma once

#include "csrc/args/signature.h"

namespace tnp::python {

bool accepts(const Param& param, PyObject* value);
// "int or tuple of ints", for messages.
const char* kind_text(Kind kind);

// Something with __index__ that is no bool: a Python or NumPy integer, or a 0-d integer array of ours.
bool is_int_like(PyObject* o);
// A Python or NumPy number, or a 0-d array of ours.
bool is_number_like(PyObject* o);

}  // namespace tnp::python
