#include "csrc/array/temporaries.h"

#include "aten/core/shapes.h"
#include "aten/dispatch/direct.h"
#include "aten/dispatch/pointwise.h"
#include "csrc/array/evaluation.h"
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"

namespace tnp::python {

// Until 3.13 the interpreter's stack owns its entries, so that a count of one identifies a
// temporary. 3.14 may borrow from local variables and has its own API for this. In Python versions
// that we do not test, no object is treated as a temporary. Note [Versions of CPython] in
// docs/building.md.
bool is_temporary(PyObject* o) {
#if PY_VERSION_HEX >= 0x030F0000
  (void)o;
  return false;
#elif PY_VERSION_HEX >= 0x030E0000
  return PyUnstable_Object_IsUniqueReferencedTemporary(o);
#else
  return Py_REFCNT(o) == 1;
#endif
}

namespace {

// Whether the object has one reference (from the interpreter's stack), its tensor has one handle
// (in the object), and its storage has one tensor. The operator may then reuse the memory.
bool is_sole_owner(PyObject* o) {
  auto* v = reinterpret_cast<THPVariable*>(o);
  const TensorImpl& t = *v->tensor.impl();
  return Py_TYPE(o) != parameter_type && !v->weakrefs && !v->dict && t.use_count() == 1 &&
         t.storage->use_count() == 1 && t.storage->owns_memory() && t.writeable && !t.base && !t.autograd &&
         t.is_contiguous && is_temporary(o);
}

bool needs_no_grad(const TensorImpl& t) { return !grad_enabled() || !(t.autograd || (t.base && t.base->autograd)); }

// Whether the operator on `t` and `other` returns the dtype of `t` and needs no conversion of
// `other`.
template <bool compat>
bool keeps_dtype(const PointwiseOp& op, const TensorImpl& t, PyObject* other) {
  const auto dtype = static_cast<int>(t.dtype);
  const PointwiseLoop* loop =
      op.direct[static_cast<int>(face_dialects[compat].promotion())][dtype].load(std::memory_order_acquire);
  if (!loop || loop->types[0] != t.dtype || loop->types[1] != t.dtype || loop->types[2] != t.dtype) return false;
  if (is_exact(other)) {
    const TensorImpl& o = *unwrap(other).impl();
    return o.dtype == t.dtype && o.storage->device() == t.storage->device() && broadcasts_to(o.sizes, t.sizes) &&
           needs_no_grad(o);
  }
  Scalar value;
  if (PyFloat_CheckExact(other))
    value = Scalar(PyFloat_AS_DOUBLE(other));
  else if (!PyLong_CheckExact(other))
    return false;
  else {
    int overflow = 0;
    value = Scalar(static_cast<int64_t>(PyLong_AsLongLongAndOverflow(other, &overflow)));
    if (overflow) return false;
  }
  return takes_directly(t.dtype, value);
}

}  // namespace

template <bool compat>
PyObject* compute_in_temporary(const PointwiseOp& op, PyObject* a, PyObject* b) {
  PyObject* into = nullptr;
  if (may_be_temporary(a) && is_sole_owner(a) && keeps_dtype<compat>(op, *unwrap(a).impl(), b))
    into = a;
  else if (may_be_temporary(b) && is_sole_owner(b) && keeps_dtype<compat>(op, *unwrap(b).impl(), a))
    into = b;
  // A pending operand has no memory yet and stays pending.
  if (into && unwrap(into).storage().is_pending()) return nullptr;
  // The result has the type of the calling face.
  if (!into || Py_TYPE(into) != face_type<compat>() || !called_by_evaluation()) return nullptr;
  return protect<compat>([&]() -> PyObject* {
    auto operand = [&](PyObject* o) { return is_exact(o) ? unwrap(o) : as_tensor(o, compat); };
    const Tensor inputs[] = {operand(a), operand(b)};
    PointwiseOptions options;
    options.out[0] = unwrap(into);
    pointwise(op, inputs, options);
    return Py_NewRef(into);
  });
}
template PyObject* compute_in_temporary<false>(const PointwiseOp&, PyObject*, PyObject*);
template PyObject* compute_in_temporary<true>(const PointwiseOp&, PyObject*, PyObject*);

}  // namespace tnp::python
