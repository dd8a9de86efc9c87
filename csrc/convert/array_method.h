// Conversion of objects with a method __array__.
#pragma once

#include <optional>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// Calls o.__array__() and returns the result, a NumPy array or our array. Returns null if `o` has
// no such method, or if from_foreign() can use the memory of `o` directly.
//
// `copy` is passed to __array__: true requests a copy, and false requests that nothing is copied.
// `*asked` is then set to true, and the caller can rely on the result. If __array__ does not accept
// `copy`, it is called without it after a DeprecationWarning, as in NumPy. In this case, copy=False
// raises ValueError if a copy cannot be excluded.
Ref array_of_method(PyObject* o, std::optional<bool> copy = std::nullopt, bool* asked = nullptr);

}  // namespace tnp::python
