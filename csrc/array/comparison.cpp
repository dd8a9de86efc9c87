// Comparison operators: x == y, x < y ... They return arrays of bools. For an object that no array
// can be compared with, they return NotImplemented, and Python's default applies.
#include <array>

#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"
#include "csrc/args/fallback.h"
#include "csrc/array/parts.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/overrides/operands.h"
#include "csrc/overrides/torch_function.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

const DunderRow* operator_of(int op) {
  static constexpr const char* names[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};  // by Py_LT ...
  static const auto rows = [] {
    std::array<const DunderRow*, 6> found;
    for (size_t i = 0; i < 6; ++i) found[i] = find_dunder(names[i]);
    return found;
  }();
  return rows[static_cast<size_t>(op)];
}
const UfuncRow* ufunc_of(int op) {
  const DunderRow* row = operator_of(op);
  return row && row->ufunc ? find_ufunc(row->ufunc) : nullptr;
}

// Tensor's methods that stand for the operators in __torch_function__, by Py_LT ...
constexpr const char* kOverridableNames[] = {"lt", "le", "__eq__", "ne", "gt", "ge"};

template <bool compat>
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (compat && TNP_UNLIKELY(Py_TYPE(a) != Py_TYPE(b)) && leaves_to_tensor(a, b)) return compare<false>(a, b, op);
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_operator(kOverridableNames[op], {a, b}, &done)) return done;
  }
  if (compat && (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b)) && stands_for_scalar(a)) {
    // NumPy's scalar answers, or raises, without its value.
    const Ref scalar = protect<true>(Ref(), [&] { return Ref(numpy_scalar(unwrap(a).dtype(), unwrap(a).data())); });
    return scalar ? PyObject_RichCompare(scalar.get(), b, op) : nullptr;
  }
  if (compat && (op == Py_EQ || op == Py_NE) && (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b))) {
    // The other operand is None or text. No number equals it, so all results are the same.
    return protect<compat>([&] {
      Tensor result = empty_tensor(unwrap(a).sizes(), ScalarType::Bool);
      fill_with(result, Scalar(op == Py_NE));
      return as_subclass_of(a, wrap_result<compat>(std::move(result), is_exact(a)));
    });
  }
  if (!is_variable(b) && (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b) || !takes_operand<compat>(a, b))) {
    if (PyErr_Occurred()) return nullptr;
    PyObject* done;
    if (!compat && overridden_operator(kOverridableNames[op], {a, b}, &done)) return done;
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (compat && TNP_UNLIKELY(!is_exact(a) || !is_exact(b))) {  // the operand's class may override the operator
    if (const UfuncRow* row = overrides_ufuncs(a) || overrides_ufuncs(b) ? ufunc_of(op) : nullptr) {
      PyObject* args[] = {a, b};
      return call_ufunc(*row, args, 2, nullptr);
    }
  }
  const DunderRow* row = operator_of(op);
  Binding call = row ? (compat ? row->numpy : row->torch) : nullptr;
  if (!call) return PyErr_SetString(PyExc_NotImplementedError, "comparisons are not part of this build"), nullptr;
  PyObject* args[] = {a, b};
  PyObject* result = nullptr;
  {
    Within comparison;  // NumPy's operators compare numbers with text, its ufuncs do not
    result = call(nullptr, args, 2, nullptr);
    if (compat && TNP_UNLIKELY(!result)) result = retry_with_huge_integers(*ufunc_of(op), args, 2, nullptr);
  }
  if (compat && TNP_UNLIKELY(!result)) return fall_back(row->dunder, a, &b, 1, nullptr);
  if (compat && TNP_UNLIKELY(!is_exact(a)) && !is_exact(b) && is_ndarray(b) && array_priority(b) > array_priority(a))
    return in_class_of(b, result);
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
