// Objects that become arrays by their method __array__.
#pragma once

#include <optional>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// What o.__array__() gives, an array of NumPy's or ours, if that is how `o` becomes one; null if it is no such object,
// or its memory is taken as it lies (see from_foreign()).
//
// With `copy` it is asked for a copy, or for none, and trusted: `*asked`. Where __array__ has no such parameter, it is
// called without, after a DeprecationWarning, as NumPy does. Errors: ValueError where it then cannot be asked for none.
Ref array_of_method(PyObject* o, std::optional<bool> copy = std::nullopt, bool* asked = nullptr);

}  // namespace tnp::python
