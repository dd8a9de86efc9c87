// Classes with named fields for several results, made from the generated tables.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Adds the classes to torch_np._C._return_types and torch_np._C._numpy_<package>. False: an
// exception is set.
bool init_named_results(PyObject* module);

}  // namespace tnp::python
