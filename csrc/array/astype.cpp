// ndarray.astype(casting='same_value'): a cast that must preserve every value. The operator handles
// the other castings.
#include "aten/functions/bitwise.h"
#include "aten/functions/comparison.h"
#include "aten/functions/reductions.h"
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

namespace {

// NaN is preserved if the result is NaN as well, although NaN != NaN.
bool all_equal(const Tensor& a, const Tensor& b) {
  Tensor same = tnp::eq(a, b);
  if (is_differentiable(a.dtype()) && is_differentiable(b.dtype()))
    same = tnp::logical_or(same, tnp::logical_and(tnp::ne(a, a), tnp::ne(b, b)));
  return tnp::all(same).item<bool>();
}

PyObject* keep_values(PyObject* self, PyObject* cast) {
  Ref result(cast);
  if (!cast) return nullptr;
  if (!all_equal(unwrap(self), unwrap(cast))) {
    PyErr_Format(PyExc_ValueError, "could not cast 'same_value' %s to %s", dtype_name(unwrap(self).dtype()),
                 dtype_name(unwrap(cast).dtype()));
    return nullptr;
  }
  return result.release();
}

}  // namespace

PyObject* astype_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Binding binding = find_method(true, "astype");
  static PyObject* unsafe = PyUnicode_InternFromString("unsafe");
  for (Py_ssize_t i = 0, n = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0); i < n; ++i) {
    if (Py_TYPE(args[i]) != numpy_api().copy_mode_type) continue;
    PyErr_SetString(PyExc_ValueError, "_CopyMode enum is not allowed for astype function. Use true/false instead.");
    return nullptr;
  }
  Py_ssize_t at = nargs > 2 ? 2 : -1;  // casting is the third positional argument, or a keyword
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "casting") == 0) at = nargs + i;
  }
  if (TNP_LIKELY(at < 0) || !PyUnicode_Check(args[at]) ||
      PyUnicode_CompareWithASCIIString(args[at], "same_value") != 0) {
    return as_scalar_of(self, as_subclass_of(self, binding(self, args, nargs, kwnames)));
  }
  return protect<true>([&] {
    Within same_value;
    std::vector<PyObject*> all(args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
    all[static_cast<size_t>(at)] = unsafe;
    return as_subclass_of(self, keep_values(self, binding(self, all.data(), nargs, kwnames)));
  });
}

}  // namespace tnp::python
