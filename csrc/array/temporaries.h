// Note [Temporaries] In `a * b + c` nobody but the interpreter's stack knows the product. Where it is large, the sum is
// written into it: its memory is in the cache, and no other block is needed. NumPy does the same. Fusion leaves it at
// that, since a pending sum would need a block of its own while it keeps the product.
#pragma once

#include "aten/kernels/pointwise.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Below, a new block costs less than to find out who calls.
inline constexpr int64_t kLeastTemporary = 256 * 1024;  // bytes

// A quick test that most operands fail.
inline bool may_be_temporary(PyObject* o) {
  if (TNP_LIKELY(Py_REFCNT(o) != 1) || (Py_TYPE(o) != ndarray_type && Py_TYPE(o) != tensor_type)) return false;
  const TensorImpl* t = unwrap(o).impl();
  return t && t->numel * element_size(t->dtype) >= kLeastTemporary;
}

// Whether the object is nobody's but the stack's of the interpreter, if its evaluation calls.
bool is_temporary(PyObject* o);

// `a op b`, computed in the operand that is such a temporary, as a new reference to it; null without an exception if
// neither is one.
template <bool compat>
PyObject* compute_in_temporary(const PointwiseOp& op, PyObject* a, PyObject* b);

}  // namespace tnp::python
