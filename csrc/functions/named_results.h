// The classes of several results with names, from the generated tables.
#pragma once

#include "csrc/functions/tables.h"

namespace tnp::python {

// Makes them, and puts them into torch_np._C._return_types and torch_np._C._numpy_<package>. False: an exception is
// set.
bool init_named_results(PyObject* module);

}  // namespace tnp::python
