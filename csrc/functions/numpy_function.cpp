// Dispatch of our functions to classes that override them. See numpy_function.h.
//
// The function object's `self` is a module of its own, whose state holds what to call: so a call costs one indirection,
// and the function still pickles and prints as a plain function of its public module.
#include "csrc/functions/numpy_function.h"

#include "csrc/args/call.h"
#include "csrc/functions/composition.h"
#include "csrc/functions/tables.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/python_error.h"
#include "csrc/overrides/function_overrides.h"

namespace tnp::python {

namespace {

struct State {
  Binding binding;
  PyObject* function;  // the public one; borrowed: it owns this state
  PyObject* implementation;
  bool takes_like, takes_arrays;
};

int clear(PyObject* module) {
  if (auto* state = static_cast<State*>(PyModule_GetState(module))) Py_CLEAR(state->implementation);
  return 0;
}
PyModuleDef state_def = {
    PyModuleDef_HEAD_INIT, "torch_np.numpy", nullptr, sizeof(State), nullptr, nullptr, nullptr, clear, nullptr};

// like=: None and our own arrays mean nothing; other objects make the array.
PyObject* call_like(const State& state, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Py_ssize_t at) {
  PyObject* like = args[nargs + at];
  if (!can_be_like(like)) return nullptr;
  Candidates found;
  found.look_at(like);
  if (found.n) return dispatch(state.function, found, args, nargs, kwnames, like);
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
  Py_ssize_t at = 0;
  if (TNP_UNLIKELY(state.takes_like && kwnames && like_of(args, nargs, kwnames, &at))) {
    try {
      return call_like(state, args, nargs, kwnames, at);
    } catch (const std::bad_alloc&) {
      return PyErr_NoMemory();
    }
  }
  // The functions that make arrays dispatch on like= alone.
  if (TNP_UNLIKELY(found.n > 0 && !state.takes_like))
    return dispatch(state.function, found, args, nargs, kwnames, nullptr);
  return state.binding(nullptr, args, nargs, kwnames);
}

}  // namespace

PyObject* make_function(FunctionRow& row, PyObject* public_name) {
  PyMethodDef* method = &row.method;
  if (!row.compat) return PyCFunction_NewEx(method, nullptr, public_name);
  PyObject* module = PyModule_Create(&state_def);
  if (!module) return nullptr;
  auto* state = static_cast<State*>(PyModule_GetState(module));
  state->binding = reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(method->ml_meth));
  state->implementation = PyCFunction_NewEx(method, nullptr, public_name);
  state->takes_like = row.takes_like;
  state->takes_arrays = row.takes_arrays;
  // A method table lives as long as the process, as all of ours.
  auto* outer = new PyMethodDef{method->ml_name, as_method(trampoline), METH_FASTCALL | METH_KEYWORDS, method->ml_doc};
  PyObject* function = PyCFunction_NewEx(outer, module, public_name);
  state->function = function;
  Py_DECREF(module);
  return function;
}

PyObject* implementation_of(PyObject* function) {
  if (PyObject* composed = composition_of(function)) return composed;
  if (!PyCFunction_Check(function)) return nullptr;
  PyObject* self = PyCFunction_GET_SELF(function);
  if (!self || !PyModule_Check(self) || PyModule_GetDef(self) != &state_def) return nullptr;
  return static_cast<State*>(PyModule_GetState(self))->implementation;
}

}  // namespace tnp::python
