// Note [Temporaries] In `a * b + c` nobody but the interpreter's stack knows the product. Where it is large, the sum is
// written into it: its memory is in the cache, and no other block is needed. NumPy does the same.
#pragma once

#include "aten/kernels/pointwise.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// `a op b`, computed in the operand that is such a temporary, as a new reference to it; null without an exception if
// neither is one.
template <bool compat>
PyObject* compute_in_temporary(const PointwiseOp& op, PyObject* a, PyObject* b);

}  // namespace tnp::python
