// Native helpers of torch_np/numpy/_interop/not_held.py, and the fallback switch. Note [Fallback]:
// csrc/args/fallback.h.
#include "csrc/args/plain_call.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/functions/lookup.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

PyObject* py_is_array(PyObject*, PyObject* o) { return PyBool_FromLong(is_variable(o)); }
PyObject* py_stands_for_scalar(PyObject*, PyObject* o) {
  return PyBool_FromLong(is_variable(o) && stands_for_scalar(o));
}
PyObject* py_is_ndarray(PyObject*, PyObject* o) { return PyBool_FromLong(is_ndarray(o)); }

PyObject* py_held(PyObject*, PyObject* o) { return held(o); }

// _call_numpys(function, args, kwargs)
PyObject* py_call_numpys(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || !PyTuple_Check(args[1]) || !PyDict_Check(args[2]))
    return PyErr_SetString(PyExc_TypeError, "_call_numpys() takes a function, a tuple and a dict"), nullptr;
  bool called = false;
  PyObject* result = call_plainly(args[0], args[1], args[2], &called);
  return called ? result : Py_NewRef(Py_NotImplemented);
}

PyObject* bump_version(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_bump_version() takes a torch_np array"), nullptr;
  unwrap(o).bump_version();
  Py_RETURN_NONE;
}

// Returns 1 if the object is or contains one of our arrays, 0 if not, and -1 with an exception set
// on failure.
int contains_array(PyObject* o) {
  if (is_variable(o)) return 1;
  const bool sequence = PyList_CheckExact(o) || PyTuple_Check(o);
  if (!sequence && !PyDict_CheckExact(o)) return 0;
  if (Py_EnterRecursiveCall(" while looking for arrays among arguments")) return -1;
  int found = 0;
  if (sequence) {
    for (Py_ssize_t i = 0; found == 0 && i < PySequence_Fast_GET_SIZE(o); ++i)
      found = contains_array(PySequence_Fast_GET_ITEM(o, i));
  } else {
    PyObject* value;
    for (Py_ssize_t at = 0; found == 0 && PyDict_Next(o, &at, nullptr, &value);) found = contains_array(value);
  }
  Py_LeaveRecursiveCall();
  return found;
}
PyObject* py_contains_array(PyObject*, PyObject* o) {
  const int found = contains_array(o);
  return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* call_outermost(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs < 1) return PyErr_SetString(PyExc_TypeError, "_outermost() takes a function and its arguments"), nullptr;
  Outermost here;
  return PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(nargs - 1), kwnames);
}

PyObject* py_fallback_allowed(PyObject*, PyObject*) { return PyBool_FromLong(fallback_allowed()); }

PyObject* dunder_of_ufunc(PyObject*, PyObject* name) {
  const char* const utf8 = PyUnicode_AsUTF8(name);
  if (!utf8) return nullptr;
  const DunderRow* const row = find_dunder_of_ufunc(utf8);
  if (!row) Py_RETURN_NONE;
  return PyUnicode_FromString(row->dunder);
}

PyObject* held_items(PyObject*, PyObject* value) {
  if (!PyTuple_CheckExact(value)) return held(value);
  const Py_ssize_t n = PyTuple_GET_SIZE(value);
  Ref items(PyTuple_New(n));
  for (Py_ssize_t i = 0; items && i < n; ++i) {
    PyObject* const item = held(PyTuple_GET_ITEM(value, i));
    if (!item) return nullptr;
    PyTuple_SET_ITEM(items.get(), i, item);
  }
  return items.release();
}

PyMethodDef functions[] = {
    {"_outermost", as_method(call_outermost), METH_FASTCALL | METH_KEYWORDS,
     "_outermost(function, *args, **kwargs): calls a function of the user from a function written in\n"
     "Python. Calls that it makes may fall back to NumPy on their own."},
    {"_fallback_allowed", py_fallback_allowed, METH_NOARGS, "Whether calls of this thread may fall back to NumPy."},
    {"_contains_array", py_contains_array, METH_O,
     "Whether the object is a torch_np array, or a list, tuple or dict that contains one at any depth."},
    {"_is_array", py_is_array, METH_O, "Whether the object is a torch_np array of either face."},
    {"_stands_for_scalar", py_stands_for_scalar, METH_O,
     "Whether the object is a 0-d array that stands for a NumPy scalar, in a function that is being recorded."},
    {"_is_ndarray", py_is_ndarray, METH_O, "Whether the object is a torch_np.numpy.ndarray. False for NumPy's arrays."},
    {"_dunder_of_ufunc", dunder_of_ufunc, METH_O,
     "Special method of the operator that the ufunc of this name computes: '__add__' for 'add'. None if\n"
     "there is no such operator."},
    {"_held_items", held_items, METH_O,
     "_held_items(value): tuple with the result of _held for each item of a tuple; of another object\n"
     "that result itself."},
    {"_held", py_held, METH_O,
     "torch_np array that shares the memory of a NumPy array. The NumPy array itself if the engine has\n"
     "no dtype for it."},
    {"_call_numpys", as_method(py_call_numpys), METH_FASTCALL,
     "_call_numpys(function, args, kwargs): result of a function of NumPy, with its arrays as torch_np\n"
     "arrays where the engine has their dtype. NotImplemented if the function was not called, because\n"
     "an argument needs a conversion."},
    {"_bump_version", bump_version, METH_O, "Counts an in-place change of the elements by foreign code."},
    {"_set_fallback", as_method(set_fallback), METH_VARARGS | METH_KEYWORDS,
     "_set_fallback(allowed, thread=False): sets whether calls that the engine does not support fall\n"
     "back to NumPy. Returns the previous setting."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_fallback(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0 && add_converted_functions(module);
}

}  // namespace tnp::python
