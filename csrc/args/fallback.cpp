#include "csrc/args/fallback.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "csrc/args/packed.h"
#include "csrc/args/plain_call.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/imported.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

PyObject* python_call() {
  static PyObject* function = nullptr;
  return imported(function, "torch_np.numpy._interop.not_held", "call");
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

// Calls NumPy's function at once, if none of its arguments needs a conversion: see plain_call.h. The
// current exception, a NotHeldError, is cleared if `called`, and stays set otherwise.
PyObject* ask_numpy_at_once(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames, bool* called) {
  std::string of_method;
  std::string_view path(name);
  if (self) path = of_method = "ndarray." + std::string(path.substr(path.rfind('.') + 1));
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result = nullptr;
  if (self) {
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
    result = call_numpys(path, all.data(), nargs + 1, kwnames, called);
  } else {
    result = call_numpys(path, args, nargs, kwnames, called);
  }
  if (!*called) {
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return result;
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
  if (self && !is_variable(self)) self = nullptr;
  if (PyErr_ExceptionMatches(not_held_error())) {
    bool called = false;
    PyObject* const result = ask_numpy_at_once(name, self, args, nargs, kwnames, &called);
    if (called) return result;
  }
  const Ref error = take_exception();
  const Ref positional(tuple_of(args, nargs)), named(named_arguments(args + nargs, kwnames));
  if (!positional || !named) return nullptr;
  return ask_numpy(name, self, positional.get(), named.get(), error);
}

PyObject* fall_back(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!wanted(nullptr, 0)) return nullptr;
  if (PyErr_ExceptionMatches(not_held_error()) && (!kwargs || PyDict_GET_SIZE(kwargs) == 0)) {
    bool called = false;
    PyObject* const result =
        ask_numpy_at_once(name, self, PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args), nullptr, &called);
    if (called) return result;
  }
  const Ref error = take_exception();
  Ref named(kwargs ? Py_NewRef(kwargs) : PyDict_New());
  return named ? ask_numpy(name, self, args, named.get(), error) : nullptr;
}

}  // namespace tnp::python
