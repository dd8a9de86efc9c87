#include "csrc/args/direct_call.h"

#include "csrc/args/call.h"

namespace tnp::python {

template <bool compat>
PyObject* direct_call(const PointwiseOp& op, PyObject* const* operands, int count, PyObject* out) {
  DirectOperands direct;
  Scalar numbers[3];
  bool any = false;
  for (int i = 0; i < count; ++i) {
    PyObject* o = operands[i];
    if (TNP_LIKELY(is_exact(o))) {
      const TensorImpl* t = unwrap(o).impl();
      if (TNP_UNLIKELY(!t || !is_direct(*t))) return nullptr;
      direct.inputs[i] = t;
      any = true;
    } else if (PyFloat_CheckExact(o)) {
      numbers[i] = Scalar(PyFloat_AS_DOUBLE(o));
      direct.constants[i] = &numbers[i];
    } else if (PyLong_CheckExact(o)) {
      int overflow = 0;
      int64_t value = PyLong_AsLongLongAndOverflow(o, &overflow);
      if (overflow) return nullptr;
      numbers[i] = Scalar(value);
      direct.constants[i] = &numbers[i];
    } else {
      return nullptr;
    }
  }
  if (!any || (out && !is_direct(*unwrap(out).impl()))) return nullptr;
  try {
    DialectGuard guard(face_dialects[compat]);
    Tensor result = run_direct(op, direct, out ? unwrap(out).impl() : nullptr);
    if (TNP_UNLIKELY(!result.defined())) return nullptr;
    return out ? Py_NewRef(out) : wrap_new<compat>(std::move(result));
  } catch (...) {
    return nullptr;  // no memory: the long way says so
  }
}
template PyObject* direct_call<false>(const PointwiseOp&, PyObject* const*, int, PyObject*);
template PyObject* direct_call<true>(const PointwiseOp&, PyObject* const*, int, PyObject*);

}  // namespace tnp::python
