#include "csrc/args/fallback.h"

#include <algorithm>
#include <string>

#include "csrc/convert/convert.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Not a static initialiser: see general_call() in csrc/ufunc/gufunc.cpp.
PyObject* python_call() {
  static PyObject* function = nullptr;
  if (!function) {
    Ref module(PyImport_ImportModule("torch_np.numpy._interop.not_held"));
    Ref found(module ? PyObject_GetAttrString(module.get(), "call") : nullptr);
    if (!function) function = found.release();
  }
  return function;
}

// Whether a failed call should fall back. NumPy stores integers beyond 64 bits as objects. If such
// an integer overflows every native dtype, the call falls back too. Ufuncs are an exception:
// retry_with_huge_integers() handles them, and not_held.py ignores them.
bool wanted(PyObject* const* args, Py_ssize_t total) {
  if (!may_fall_back()) return false;
  if (PyErr_ExceptionMatches(not_held_error())) return true;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const bool huge = std::any_of(args, args + total, [](PyObject* o) { return o && sign_of_huge(o) != 0; });
  PyErr_Restore(type, value, traceback);
  return huge;
}

// Returns the current exception and clears it.
Ref take_exception() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return Ref(value);
}

PyObject* ask_numpy(const char* name, PyObject* self, PyObject* args, PyObject* kwargs, const Ref& error) {
  PyObject* function = python_call();
  if (!function) return nullptr;
  return PyObject_CallFunction(function, "sOOOO", name, self ? self : Py_None, args, kwargs, error.get());
}

}  // namespace

PyObject* fall_back(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (!wanted(args, nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0))) return nullptr;
  const Ref error = take_exception();
  Ref positional(PyTuple_New(nargs)), named(PyDict_New());
  if (!positional || !named) return nullptr;
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) return nullptr;
  }
  return ask_numpy(name, self && is_variable(self) ? self : nullptr, positional.get(), named.get(), error);
}

PyObject* fall_back(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!wanted(nullptr, 0)) return nullptr;
  const Ref error = take_exception();
  Ref named(kwargs ? Py_NewRef(kwargs) : PyDict_New());
  return named ? ask_numpy(name, self, args, named.get(), error) : nullptr;
}

}  // namespace tnp::python
