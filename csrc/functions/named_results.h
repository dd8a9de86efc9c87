// Creates the result classes of operators with several named results from the generated tables.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Adds the classes to torch_np._C._return_types and torch_np._C._numpy_<package>. Returns false
// with an exception set on failure.
bool init_named_results(PyObject* module);

}  // namespace tnp::python
