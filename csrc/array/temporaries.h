// Note [Temporaries] In `a * b + c` only the interpreter's stack refers to the product. If the
// product is large, the sum is written into its memory, which is in the cache, and no second block
// is allocated. NumPy does the same. Fusion does not make the sum pending in this case, since it
// would need a second block while it keeps the product.
#pragma once

#include "aten/kernels/pointwise.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Below this size, allocating a block is cheaper than finding the caller (Note [Who calls an
// operator]).
inline constexpr int64_t kLeastTemporary = 256 * 1024;  // bytes

// Quick test that rejects most objects that are not temporaries.
inline bool may_be_temporary(PyObject* o) {
  if (TNP_LIKELY(Py_REFCNT(o) != 1) || (Py_TYPE(o) != ndarray_type && Py_TYPE(o) != tensor_type)) return false;
  const TensorImpl* t = unwrap(o).impl();
  return t && t->numel * element_size(t->dtype) >= kLeastTemporary;
}

// Whether only the interpreter's stack refers to the object. The answer is only valid if the
// interpreter's evaluation loop made the call.
bool is_temporary(PyObject* o);

// Computes `a op b` in place in an operand that is a temporary, and returns a new reference to it.
// Returns null without an exception if neither operand is a temporary.
template <bool compat>
PyObject* compute_in_temporary(const PointwiseOp& op, PyObject* a, PyObject* b);

}  // namespace tnp::python
