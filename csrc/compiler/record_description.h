// A record as Python's objects, for torch_np/compiler.py to explain and to draw.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/record.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// A dict: 'slots', a list of (where from: 'argument', 'outside', 'constant' or 'step'; which argument, or -1; whether
// the caller gets it); 'views', a list of (slot, dtype, shape); 'steps', a list of (operator, text, views that it
// reads, views that it writes, why it is not fused or None, group that it is fused with or -1, tiles that it is a part
// of or -1). Throws PythonError.
Ref described(const compiler::Record& record);

}  // namespace tnp::python
