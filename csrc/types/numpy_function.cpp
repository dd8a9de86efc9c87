// Dispatch of our functions to classes that override them. See numpy_function.h.
//
// The function object's `self` is a module of its own, whose state holds what to call: so a call costs one indirection,
// and the function still pickles and prints as a plain function of its public module.
#include "csrc/types/numpy_function.h"

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

// Tries the overriding arguments in turn, subclasses before their bases.
PyObject* dispatch(const State& state, PyObject* const* candidates, int n, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject* without) {
  Ref types(PyList_New(0)), positional(PyTuple_New(nargs)), kwargs(PyDict_New());
  if (!types || !positional || !kwargs) return nullptr;
  PyObject* order[16];
  int m = 0;
  for (int i = 0; i < n; ++i) {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(candidates[i]));
    int seen = PySequence_Contains(types.get(), type);
    if (seen < 0) return nullptr;
    if (seen) continue;
    if (PyList_Append(types.get(), type) < 0) return nullptr;
    int at = m++;
    for (; at > 0 && PyType_IsSubtype(Py_TYPE(candidates[i]), Py_TYPE(order[at - 1])); --at) order[at] = order[at - 1];
    order[at] = candidates[i];
  }
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject* key = PyTuple_GET_ITEM(kwnames, i);
    if (args[nargs + i] == without) continue;
    if (PyDict_SetItem(kwargs.get(), key, args[nargs + i]) < 0) return nullptr;
  }
  Ref type_tuple(PyList_AsTuple(types.get()));
  if (!type_tuple) return nullptr;
  for (int i = 0; i < m; ++i) {
    PyObject* answer = PyObject_CallMethod(order[i], "__array_function__", "OOOO", state.function, type_tuple.get(), positional.get(), kwargs.get());
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  PyErr_Format(PyExc_TypeError, "no implementation found for '%U' on types that implement __array_function__: %R",
               reinterpret_cast<PyCFunctionObject*>(state.function)->m_module, types.get());
  return nullptr;
}

// like=: None and our own arrays mean nothing; other objects make the array.
PyObject* call_like(const State& state, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t at) {
  PyObject* like = args[nargs + at];
  static PyObject* name = PyUnicode_InternFromString("__array_function__");
  if (!_PyType_Lookup(Py_TYPE(like), name)) {
    PyErr_SetString(PyExc_TypeError, "The `like` argument must be an array-like that implements the `__array_function__` protocol.");
    return nullptr;
  }
  if (overrides(like)) return dispatch(state, &like, 1, args, nargs, kwnames, like);
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
  PyObject* candidates[16];
  int n = 0;
  for (Py_ssize_t i = 0; i < total; ++i) {
    if (TNP_LIKELY(is_plain(args[i]))) continue;
    if (n < 16 && overrides(args[i])) candidates[n++] = args[i];
  }
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
  if (TNP_UNLIKELY(n > 0 && !state.takes_like)) return dispatch(state, candidates, n, args, nargs, kwnames, nullptr);
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
  // A method table lives as long as the process, as all of ours.
  auto* outer = new PyMethodDef{method->ml_name, as_method(trampoline), METH_FASTCALL | METH_KEYWORDS, method->ml_doc};
  PyObject* function = PyCFunction_NewEx(outer, module, public_name);
  state->function = function;
  Py_DECREF(module);
  return function;
}

PyObject* implementation_of(PyObject* function) {
  if (!PyCFunction_Check(function)) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(function);
  if (!self || !PyModule_Check(self) || PyModule_GetDef(self) != &state_def) return nullptr;
  return static_cast<State*>(PyModule_GetState(self))->implementation;
}

}  // namespace tnp::python
