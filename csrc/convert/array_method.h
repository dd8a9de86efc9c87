// Conversion of objects with a method __array__.
#pragma once

#include <optional>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// Calls o.__array__() if `o` is converted that way, and returns its NumPy array or our array. Null
// if `o` has no such method, or if from_foreign() uses its memory directly.
//
// With `copy`, __array__ is asked for a copy (true) or for no copy (false), and its answer is
// trusted: `*asked` becomes true. If __array__ does not accept `copy`, it is called without it
// after a DeprecationWarning, as in NumPy. Raises ValueError if a copy can then not be excluded.
Ref array_of_method(PyObject* o, std::optional<bool> copy = std::nullopt, bool* asked = nullptr);

}  // namespace tnp::python
