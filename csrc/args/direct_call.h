// The short way of a pointwise call, tried before its arguments are parsed: positional operands, each one of our arrays
// or a number, of Python's or, in torch_np.numpy, of NumPy's. See Note [Direct calls] in aten/dispatch/direct.h.
#pragma once

#include "aten/dispatch/direct.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// The result, or null without an exception: parse the call. `out`, one of our arrays or null, receives the result; then
// floating-point errors are left to the caller to report.
template <bool compat>
PyObject* direct_call(const PointwiseOp& op, PyObject* const* operands, int count, PyObject* out = nullptr);

// The same for a binding's arguments: `self` is the first operand if it is one of our arrays.
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

// The same where an operand of torch_np.numpy has an axis: of an operator whose 0-d results are arrays.
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

// And for a method of the torch face that writes into `self`.
inline PyObject* direct_call_inplace(const PointwiseOp& op, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                     PyObject* kwnames) {
  if (kwnames || !self || Py_TYPE(self) != tensor_type || nargs + 1 != op.nin) return nullptr;
  PyObject* operands[3] = {self, nargs > 0 ? args[0] : nullptr, nargs > 1 ? args[1] : nullptr};
  return direct_call<false>(op, operands, op.nin, self);
}

}  // namespace tnp::python
