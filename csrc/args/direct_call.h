// Fast path of a pointwise call, tried before argument parsing. It accepts positional operands
// only: our arrays, Python numbers and, in torch_np.numpy, NumPy scalars. See Note [Direct calls]
// in aten/dispatch/direct.h.
#pragma once

#include "aten/dispatch/direct.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Returns the result. Returns null without an exception if the fast path does not apply; the caller
// then parses the arguments. `out`, one of our arrays or null, receives the result; the caller then
// reports floating-point errors.
template <bool compat>
PyObject* direct_call(const PointwiseOp& op, PyObject* const* operands, int count, PyObject* out = nullptr);

// Same as the first direct_call(), with the arguments of a binding. If `self` is one of our arrays,
// it is the first operand.
template <bool compat>
inline PyObject* direct_call(const PointwiseOp& op, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* kwnames) {
  if (kwnames) return nullptr;
  const bool method = self && (Py_TYPE(self) == ndarray_type || Py_TYPE(self) == tensor_type);
  if (nargs + method != op.nin) return nullptr;
  if (!method) return direct_call<compat>(op, args, op.nin);
  PyObject* operands[3] = {self, nargs > 0 ? args[0] : nullptr, nargs > 1 ? args[1] : nullptr};
  return direct_call<compat>(op, operands, op.nin);
}

// Same as direct_call() for operators whose 0-d results are arrays, not scalars. In torch_np.numpy,
// applies only if an operand has at least one axis.
template <bool compat>
inline PyObject* direct_call_with_axes(const PointwiseOp& op, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                       PyObject* kwnames) {
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!is_exact(args[i])) continue;
    const TensorImpl* t = unwrap(args[i]).impl();
    if (t && !t->sizes.empty()) return direct_call<compat>(op, self, args, nargs, kwnames);
  }
  return nullptr;
}

// Same as direct_call() for an in-place method of the torch face. The result is written to `self`.
inline PyObject* direct_call_inplace(const PointwiseOp& op, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                     PyObject* kwnames) {
  if (kwnames || !self || Py_TYPE(self) != tensor_type || nargs + 1 != op.nin) return nullptr;
  PyObject* operands[3] = {self, nargs > 0 ? args[0] : nullptr, nargs > 1 ? args[1] : nullptr};
  return direct_call<false>(op, operands, op.nin, self);
}

}  // namespace tnp::python
