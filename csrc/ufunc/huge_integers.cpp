// Python integers outside of 64 bits as operands: np.array([1]) < 2**70.
//
// Our arrays cannot hold such integers. With a float array, the integer becomes a float. In a
// comparison with integers, the huge integer is larger (or smaller) than all of them, so plus or
// minus infinity replaces it. Other operators on integers or bools raise OverflowError. These
// functions run only after the conversion of an operand has raised OverflowError, so other calls do
// no additional work.
#include <limits>

#include "csrc/convert/convert.h"
#include "csrc/objects/python_error.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

struct Operands {
  std::vector<Tensor> tensors;  // the operands, with a placeholder for each huge integer
  std::vector<int> signs;
  bool any_array = false, any_huge = false, bools = true;
};

Operands read_operands(const UfuncRow& row, PyObject* const* args) {
  Operands found;
  for (int i = 0; i < row.nin; ++i) {
    const int sign = sign_of_huge(args[i]);
    found.signs.push_back(sign);
    found.tensors.push_back(sign                   ? wrapped_number(Scalar(int64_t{0}))
                            : is_variable(args[i]) ? unwrap(args[i])
                                                   : as_tensor(args[i], true));
    const Tensor& t = found.tensors.back();
    found.any_huge |= sign != 0;
    found.any_array |= !t.is_wrapped_number();
    found.bools &= sign != 0 || is_bool(t.dtype());
  }
  return found;
}

// Returns the object that replaces `integer` in a loop that computes in dtype `compute`. Returns
// null without an exception if the loop allows no replacement.
PyObject* stand_in(const UfuncRow& row, const Operands& operands, ScalarType compute, PyObject* integer, int sign) {
  if (!is_integral(compute)) return PyNumber_Float(integer);
  if (row.op->promotion != Promotion::Comparison || operands.bools) return nullptr;
  return PyFloat_FromDouble(sign * std::numeric_limits<double>::infinity());
}

}  // namespace

PyObject* retry_with_huge_integers(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (!PyErr_ExceptionMatches(PyExc_OverflowError) || !row.op || nargs < row.nin ||
      row.op->promotion == Promotion::LoadExponent)
    return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result = protect<true>([&]() -> PyObject* {
    Operands operands = read_operands(row, args);
    if (!operands.any_huge || !operands.any_array) return nullptr;
    std::optional<ScalarType> dtype;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "dtype") == 0 && args[nargs + i] != Py_None)
        dtype = dtype_from_object(args[nargs + i]);
    }
    DialectGuard numpy{Dialect(Face::NumPy)};
    const ScalarType compute = loop_types(row.op->promotion, row.name, operands.tensors, dtype).compute;
    std::vector<PyObject*> all(args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
    std::vector<Ref> made;
    for (int i = 0; i < row.nin; ++i) {
      const auto at = static_cast<size_t>(i);
      if (!operands.signs[at]) continue;
      made.emplace_back(stand_in(row, operands, compute, args[i], operands.signs[at]));
      if (!made.back()) return nullptr;
      all[at] = made.back().get();
    }
    return row.binding(nullptr, all.data(), nargs, kwnames);
  });
  if (result || PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
  } else {
    PyErr_Restore(type, value, traceback);
  }
  return result;
}

}  // namespace tnp::python
