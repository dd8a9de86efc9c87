// Generalized ufuncs: operators on the last axes of their operands. A plain call with two of our
// arrays goes directly to the native binding. torch_np/numpy/_gufunc.py handles axes=, dtype=, out=
// and so on.
#include <string>

#include "csrc/args/fallback.h"
#include "csrc/objects/imported.h"
#include "csrc/overrides/operands.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

PyObject* general_call() {
  static PyObject* function = nullptr;
  return imported(function, "torch_np.numpy._gufunc", "_call");
}

// Returns the operand whose class NumPy's ufuncs give to their result (borrowed). It is the
// instance of a subclass with the highest `__array_priority__`, or the first of several with the
// same priority. A plain array takes precedence over a priority below 0. Returns null if the result
// is a plain array.
PyObject* operand_of_ufunc(PyObject* a, PyObject* b) {
  PyObject* found = nullptr;
  for (PyObject* o : {a, b}) {
    if (is_exact(o) || !is_ndarray(o)) continue;
    if (!found || array_priority(o) > array_priority(found)) found = o;
  }
  return found && (is_exact(a) || is_exact(b)) && array_priority(found) < 0 ? nullptr : found;
}

}  // namespace

namespace {

// Whether the binding converts an operand as the general call does.
bool is_plain_operand(PyObject* o) { return is_exact(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o); }

}  // namespace

PyObject* call_generalized(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const UfuncRow& row = row_of(self);
  Py_ssize_t n = PyVectorcall_NARGS(nargsf);
  if (TNP_LIKELY(!kwnames && n == 2 && is_plain_operand(args[0]) && is_plain_operand(args[1])))
    return row.binding(nullptr, args, n, nullptr);
  PyObject* result = nullptr;
  if (call_override(self, "__call__", args, n, kwnames, &result)) return result;
  PyObject* function = general_call();
  if (!function) return nullptr;
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  result = protect<true>([&] {
    Within composition;
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + n + nkw);
    return PyObject_Vectorcall(function, all.data(), static_cast<size_t>(n + 1), kwnames);
  });
  if (!result) {
    const std::string package = row.package[0] ? std::string(row.package) + "." : "";
    return fall_back((package + row.name).c_str(), nullptr, args, n, kwnames);
  }
  for (Py_ssize_t i = 0; i < nkw; ++i) {
    if (args[n + i] == Py_False && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "subok") == 0)
      return result;
  }
  PyObject* operand = operand_of_ufunc(args[0], args[1]);
  return operand ? take_class({operand, out_of(row, args, n, kwnames)}, result) : result;
}

}  // namespace tnp::python
