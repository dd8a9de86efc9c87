// Finds arguments that override a function, and calls their overrides. See function_overrides.h.
#include "csrc/overrides/function_overrides.h"

#include <string_view>

#include "csrc/args/packed.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

bool overrides_functions(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString("__array_function__");
  if (is_plain(o)) return false;
  PyObject* found = _PyType_Lookup(Py_TYPE(o), name);
  return found && found != _PyType_Lookup(ndarray_type, name) &&
         found != _PyType_Lookup(numpy_api().ndarray_type, name);
}

// NumPy's function of that name, for foreign classes: their dispatch tables have NumPy's functions,
// or the names of these, as keys. Returns null without an exception if NumPy has no such function.
static Ref numpys_function(PyObject* module, PyObject* name) {
  constexpr std::string_view kFace = "torch_np.numpy";
  const char* path = PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
  if (!path || !std::string_view(path).starts_with(kFace)) return {};
  Ref theirs(PyImport_ImportModule(path + std::string_view("torch_np.").size()));
  Ref found(theirs ? PyObject_GetAttr(theirs.get(), name) : nullptr);
  if (!found) PyErr_Clear();
  return found;
}

PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* args, PyObject* kwargs) {
  Ref types(PyTuple_New(static_cast<Py_ssize_t>(found.size())));
  if (!types) return nullptr;
  for (size_t i = 0; i < found.size(); ++i)
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i),
                     Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(found[i]))));
  for (PyObject* candidate : found) {
    PyObject* answer =
        PyObject_CallMethod(candidate, "__array_function__", "OOOO", function, types.get(), args, kwargs);
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  Ref module(PyObject_GetAttrString(function, "__module__")), name(PyObject_GetAttrString(function, "__name__"));
  if (!module || !name) return nullptr;
  if (Ref numpys = numpys_function(module.get(), name.get())) {
    for (PyObject* candidate : found) {
      if (is_variable(candidate)) continue;
      PyObject* answer =
          PyObject_CallMethod(candidate, "__array_function__", "OOOO", numpys.get(), types.get(), args, kwargs);
      if (answer != Py_NotImplemented) return answer;
      Py_DECREF(answer);
    }
  }
  {
    PyErr_Format(PyExc_TypeError, "no implementation found for '%S.%S' on types that implement __array_function__: %R",
                 module.get(), name.get(), types.get());
  }
  return nullptr;
}

PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames, PyObject* without) {
  const Ref positional(tuple_of(args, nargs)), kwargs(named_arguments(args + nargs, kwnames, without));
  if (!positional || !kwargs) return nullptr;
  return dispatch(function, found, positional.get(), kwargs.get());
}

PyObject* keyword_of(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t* at) {
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), name) != 0) continue;
    if (at) *at = i;
    return args[nargs + i];
  }
  return nullptr;
}

PyObject* like_of(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t* at) {
  PyObject* like = keyword_of("like", args, nargs, kwnames, at);
  return like == Py_None ? nullptr : like;
}

bool can_be_like(PyObject* like) {
  static PyObject* name = PyUnicode_InternFromString("__array_function__");
  if (_PyType_Lookup(Py_TYPE(like), name)) return true;
  PyErr_SetString(PyExc_TypeError,
                  "The `like` argument must be an array-like that implements the `__array_function__` protocol.");
  return false;
}

}  // namespace tnp::python
