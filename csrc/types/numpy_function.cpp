// Dispatch of our functions to classes that override them. See numpy_function.h.
//
// The function object's `self` is a module of its own, whose state holds what to call: so a call costs one indirection,
// and the function still pickles and prints as a plain function of its public module.
#include "csrc/types/numpy_function.h"

#include "csrc/args/call.h"
#include "csrc/python_error.h"
#include "csrc/types/common.h"
#include "csrc/types/numpy_api.h"

namespace tnp::python {

namespace {

struct State {
  Binding binding;
  PyObject* function;        // the public one; borrowed: it owns this state
  PyObject* implementation;
  bool takes_like;
  bool takes_arrays;         // its first argument is a list of arrays
};

int clear(PyObject* module) {
  if (auto* state = static_cast<State*>(PyModule_GetState(module))) Py_CLEAR(state->implementation);
  return 0;
}
PyModuleDef state_def = {PyModuleDef_HEAD_INIT, "torch_np.numpy", nullptr, sizeof(State), nullptr, nullptr, nullptr, clear, nullptr};

bool is_plain(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  return t == ndarray_type || t == tensor_type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyTuple_Type || t == &PyList_Type ||
         t == &PyUnicode_Type || t == &PyBool_Type || o == Py_None || t == numpy_api().ndarray_type;
}

bool overrides(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString("__array_function__");
  if (is_plain(o)) return false;
  PyObject* found = _PyType_Lookup(Py_TYPE(o), name);
  return found && found != _PyType_Lookup(ndarray_type, name) && found != _PyType_Lookup(numpy_api().ndarray_type, name);
}

constexpr int kMaxCandidates = 16;

// The arguments that override functions, found in the order given, each class once.
struct Candidates {
  PyObject* items[kMaxCandidates];
  int n = 0;
  void look_at(PyObject* o) {
    if (TNP_LIKELY(is_plain(o)) || n == kMaxCandidates || !overrides(o)) return;
    for (int i = 0; i < n; ++i) {
      if (Py_TYPE(items[i]) == Py_TYPE(o)) return;
    }
    items[n++] = o;
  }
  void look_into(PyObject* o) {  // also at the items of a list of arrays
    look_at(o);
    if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) return;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) look_at(PySequence_Fast_GET_ITEM(o, i));
  }
};

// Tries them in turn, subclasses before their bases.
PyObject* dispatch(PyObject* function, const Candidates& found, PyObject* args, PyObject* kwargs) {
  PyObject* order[kMaxCandidates];
  Ref types(PyTuple_New(found.n));
  if (!types) return nullptr;
  for (int i = 0; i < found.n; ++i) {
    PyTypeObject* type = Py_TYPE(found.items[i]);
    PyTuple_SET_ITEM(types.get(), i, Py_NewRef(reinterpret_cast<PyObject*>(type)));
    int at = i;
    for (; at > 0 && PyType_IsSubtype(type, Py_TYPE(order[at - 1])); --at) order[at] = order[at - 1];
    order[at] = found.items[i];
  }
  for (int i = 0; i < found.n; ++i) {
    PyObject* answer = PyObject_CallMethod(order[i], "__array_function__", "OOOO", function, types.get(), args, kwargs);
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  Ref module(PyObject_GetAttrString(function, "__module__")), name(PyObject_GetAttrString(function, "__name__"));
  if (module && name) {
    PyErr_Format(PyExc_TypeError, "no implementation found for '%S.%S' on types that implement __array_function__: %R", module.get(),
                 name.get(), types.get());
  }
  return nullptr;
}

// The same for a vectorcall's arguments; `without`: the value of a keyword argument that is left out.
PyObject* dispatch(const State& state, const Candidates& found, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject* without) {
  Ref positional(PyTuple_New(nargs)), kwargs(PyDict_New());
  if (!positional || !kwargs) return nullptr;
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (args[nargs + i] == without) continue;
    if (PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) return nullptr;
  }
  return dispatch(state.function, found, positional.get(), kwargs.get());
}

// Whether `like` has the protocol; a TypeError is set if not.
bool can_be_like(PyObject* like) {
  static PyObject* name = PyUnicode_InternFromString("__array_function__");
  if (_PyType_Lookup(Py_TYPE(like), name)) return true;
  PyErr_SetString(PyExc_TypeError, "The `like` argument must be an array-like that implements the `__array_function__` protocol.");
  return false;
}

// like=: None and our own arrays mean nothing; other objects make the array.
PyObject* call_like(const State& state, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t at) {
  PyObject* like = args[nargs + at];
  if (!can_be_like(like)) return nullptr;
  Candidates found;
  found.look_at(like);
  if (found.n) return dispatch(state, found, args, nargs, kwnames, like);
  Py_ssize_t nkw = PyTuple_GET_SIZE(kwnames);
  std::vector<PyObject*> rest(args, args + nargs);
  Ref names(PyTuple_New(nkw - 1));
  if (!names) return nullptr;
  for (Py_ssize_t i = 0, j = 0; i < nkw; ++i) {
    if (i == at) continue;
    rest.push_back(args[nargs + i]);
    PyTuple_SET_ITEM(names.get(), j++, Py_NewRef(PyTuple_GET_ITEM(kwnames, i)));
  }
  return state.binding(nullptr, rest.data(), nargs, names.get());
}

PyObject* trampoline(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const State& state = *static_cast<State*>(PyModule_GetState(self));
  Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  Candidates found;
  for (Py_ssize_t i = 0; i < total; ++i) found.look_at(args[i]);
  if (TNP_UNLIKELY(state.takes_arrays && nargs > 0)) found.look_into(args[0]);
  if (TNP_UNLIKELY(state.takes_like && kwnames)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i) {
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "like") == 0 && args[nargs + i] != Py_None) {
        try {
          return call_like(state, args, nargs, kwnames, i);
        } catch (const std::bad_alloc&) {
          return PyErr_NoMemory();
        }
      }
    }
  }
  // The functions that make arrays dispatch on like= alone.
  if (TNP_UNLIKELY(found.n > 0 && !state.takes_like)) return dispatch(state, found, args, nargs, kwnames, nullptr);
  return state.binding(nullptr, args, nargs, kwnames);
}

}  // namespace

PyObject* make_function(bool compat, PyMethodDef* method, PyObject* public_name) {
  if (!compat || method->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) return PyCFunction_NewEx(method, nullptr, public_name);
  PyObject* module = PyModule_Create(&state_def);
  if (!module) return nullptr;
  auto* state = static_cast<State*>(PyModule_GetState(module));
  std::string_view doc = method->ml_doc ? method->ml_doc : "";
  state->binding = reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(method->ml_meth));
  state->implementation = PyCFunction_NewEx(method, nullptr, public_name);
  state->takes_like = doc.substr(0, doc.find("--\n")).find("like=None") != doc.npos;
  state->takes_arrays = doc.find("(arrays, ") != doc.npos || doc.find("(tup, ") != doc.npos || doc.find("(tup)") != doc.npos;
  // A method table lives as long as the process, as all of ours.
  auto* outer = new PyMethodDef{method->ml_name, as_method(trampoline), METH_FASTCALL | METH_KEYWORDS, method->ml_doc};
  PyObject* function = PyCFunction_NewEx(outer, module, public_name);
  state->function = function;
  Py_DECREF(module);
  return function;
}

PyObject* implementation_of(PyObject* function) {
  static PyObject* name = PyUnicode_InternFromString("_implementation");  // as NumPy's functions call it
  if (PyFunction_Check(function)) {
    PyObject* attributes = reinterpret_cast<PyFunctionObject*>(function)->func_dict;
    return attributes ? PyDict_GetItemWithError(attributes, name) : nullptr;
  }
  if (!PyCFunction_Check(function)) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(function);
  if (!self || !PyModule_Check(self) || PyModule_GetDef(self) != &state_def) return nullptr;
  return static_cast<State*>(PyModule_GetState(self))->implementation;
}

// _call_overridable(public, implementation, args, kwargs, takes_arrays, keeps_class)
PyObject* call_overridable(PyObject*, PyObject* const* a, Py_ssize_t n) {
  if (n != 6 || !PyTuple_Check(a[2]) || !PyDict_Check(a[3])) {
    PyErr_SetString(PyExc_TypeError, "_call_overridable(public, implementation, args, kwargs, takes_arrays, keeps_class)");
    return nullptr;
  }
  static PyObject* like_name = PyUnicode_InternFromString("like");
  static PyObject* out_name = PyUnicode_InternFromString("out");
  PyObject *function = a[0], *args = a[2], *kwargs = a[3];
  Candidates found;
  PyObject* like = PyDict_GetItemWithError(kwargs, like_name);
  if (like && like != Py_None) {
    if (!can_be_like(like)) return nullptr;
    found.look_at(like);
    if (found.n) {
      Ref rest(PyDict_Copy(kwargs));
      if (!rest || PyDict_DelItem(rest.get(), like_name) < 0) return nullptr;
      return dispatch(function, found, args, rest.get());
    }
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) found.look_at(PyTuple_GET_ITEM(args, i));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) found.look_at(value);
  PyObject* first = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (first && a[4] == Py_True) found.look_into(first);
  if (TNP_UNLIKELY(found.n)) return dispatch(function, found, args, kwargs);
  PyObject* result = PyObject_Call(a[1], args, kwargs);
  if (TNP_LIKELY(!first || Py_TYPE(first) == ndarray_type || a[5] != Py_True)) return result;
  return take_class({first, PyDict_GetItemWithError(kwargs, out_name)}, result);
}

}  // namespace tnp::python
