// x == y and its kind. Results are arrays of bools; an object that no array compares with leaves Python's default.
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"
#include "csrc/array/parts.h"
#include "csrc/overrides/operands.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

constexpr const char* kNumpyNames[] = {"less",      "less_equal", "equal",
                                       "not_equal", "greater",    "greater_equal"};  // by Py_LT ...
constexpr const char* kTorchNames[] = {"lt", "le", "eq", "ne", "gt", "ge"};

Binding binding(bool compat, int op) {
  static Binding found[2][6] = {};
  static const bool filled = [] {
    for (int i = 0; i < 6; ++i) {
      found[1][i] = find_function(true, kNumpyNames[i]);
      found[0][i] = find_function(false, kTorchNames[i]);
      if (!found[0][i]) found[0][i] = find_function(false, kNumpyNames[i]);
    }
    return true;
  }();
  (void)filled;
  return found[compat][op];
}

template <bool compat>
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (compat && (op == Py_EQ || op == Py_NE) && (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b))) {
    // Nothing in an array of numbers equals these.
    return protect<compat>([&] {
      Tensor result = empty_tensor(unwrap(a).sizes(), ScalarType::Bool);
      fill_with(result, Scalar(op == Py_NE));
      return as_subclass_of(a, wrap<compat>(result));
    });
  }
  if (!is_variable(b) && (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b) || !takes_operand<compat>(a, b))) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (compat && !is_variable(b)) {
    if (const UfuncRow* row = overrides_ufuncs(b) ? find_ufunc(kNumpyNames[op]) : nullptr) {
      PyObject* args[] = {a, b};
      return call_ufunc(*row, args, 2, nullptr);
    }
  }
  Binding call = binding(compat, op);
  if (!call) {
    PyErr_Format(PyExc_NotImplementedError, "%s is not part of this build of torch_np", kNumpyNames[op]);
    return nullptr;
  }
  PyObject* args[] = {a, b};
  PyObject* result = call(nullptr, args, 2, nullptr);
  if (compat && TNP_UNLIKELY(!result))
    result = retry_with_huge_integers(*find_ufunc(kNumpyNames[op]), args, 2, nullptr);
  return as_subclass_of(a, result);
}

}  // namespace

template <bool compat>
void add_comparison_slot(Slots& slots) {
  slots.push_back({Py_tp_richcompare, reinterpret_cast<void*>(compare<compat>)});
}
template void add_comparison_slot<false>(Slots&);
template void add_comparison_slot<true>(Slots&);

}  // namespace tnp::python
