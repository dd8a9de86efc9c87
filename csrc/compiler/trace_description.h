// Converts a trace to Python objects, for torch_np/compiler.py to explain and draw.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/trace.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Returns a dict; throws PythonError:
// - 'slots': a list of (origin: 'argument', 'outside', 'constant' or 'step'; argument index, or -1;
//   whether the caller receives it)
// - 'views': a list of (slot, dtype, shape)
// - 'steps': a list of (operator, text, views it reads, views it writes, why it is not fused or None,
//   fusion group or -1, tile group or -1)
Ref described(const compiler::Trace& trace);

}  // namespace tnp::python
