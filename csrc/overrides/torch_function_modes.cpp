#include "csrc/overrides/torch_function_modes.h"

#include <structmember.h>

#include <vector>

#include "csrc/objects/entered_contexts.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/watched.h"
#include "csrc/overrides/torch_function.h"

namespace tnp::python {

namespace {

std::vector<PyObject*>& modes() { return EnteredContexts::get().torch_function_modes; }

PyObject* push(PyObject*, PyObject* mode) {
  watch_torch_functions();
  modes().push_back(Py_NewRef(mode));
  Py_RETURN_NONE;
}
PyObject* pop(PyObject*, PyObject*) {
  if (modes().empty())
    return PyErr_SetString(PyExc_RuntimeError, "_pop_torch_function_stack(): the stack of modes is empty"), nullptr;
  PyObject* mode = modes().back();
  modes().pop_back();
  return mode;
}
PyObject* length(PyObject*, PyObject*) { return PyLong_FromSize_t(modes().size()); }
PyObject* at(PyObject*, PyObject* index) {
  const Py_ssize_t i = PyLong_AsSsize_t(index);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (i < 0 || static_cast<size_t>(i) >= modes().size())
    return PyErr_Format(PyExc_IndexError, "_get_function_stack_at(): no mode %zd in a stack of %zu", i, modes().size());
  return Py_NewRef(modes()[static_cast<size_t>(i)]);
}
PyObject* is_enabled(PyObject*, PyObject*) { return PyBool_FromLong(has_torch_function_mode()); }

PyMethodDef functions[] = {
    {"_push_on_torch_function_stack", push, METH_O,
     "_push_on_torch_function_stack(mode): makes `mode` the innermost mode of this thread."},
    {"_pop_torch_function_stack", pop, METH_NOARGS, "_pop_torch_function_stack(): removes the innermost mode."},
    {"_len_torch_function_stack", length, METH_NOARGS, "_len_torch_function_stack(): number of modes of this thread."},
    {"_get_function_stack_at", at, METH_O, "_get_function_stack_at(i): mode `i`, counted from the outermost."},
    {"_is_torch_function_mode_enabled", is_enabled, METH_NOARGS,
     "_is_torch_function_mode_enabled(): whether a mode overrides functions in this thread."},
    {nullptr, nullptr, 0, nullptr}};

// --- DisableTorchFunctionSubclass and DisableTorchFunction

struct Disable {
  PyObject_HEAD TorchFunctionState saved;
};

template <bool all>
PyObject* enter(PyObject* self, PyObject*) {
  reinterpret_cast<Disable*>(self)->saved = torch_function_state;
  if constexpr (all) torch_function_state.all_disabled = true;
  torch_function_state.subclasses_disabled = true;
  Py_RETURN_NONE;
}
PyObject* leave(PyObject* self, PyObject*) {
  torch_function_state = reinterpret_cast<Disable*>(self)->saved;
  Py_RETURN_NONE;
}

template <bool all>
bool add_disable(PyObject* module, const char* full_name, const char* name, const char* doc) {
  static PyMethodDef methods[] = {{"__enter__", enter<all>, METH_NOARGS, nullptr},
                                  {"__exit__", leave, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_methods, methods},
                         {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                         {Py_tp_doc, const_cast<char*>(doc)},
                         {0, nullptr}};
  PyType_Spec spec = {full_name, sizeof(Disable), 0, Py_TPFLAGS_DEFAULT, slots};
  Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, name, type.get()) == 0;
}

}  // namespace

bool has_torch_function_mode() {
  const EnteredContexts* const made = EnteredContexts::get_if_made();
  return made && !made->torch_function_modes.empty() && !torch_function_state.all_disabled;
}

ModeTaken::ModeTaken() : mode_(modes().back()) { modes().pop_back(); }
ModeTaken::~ModeTaken() { modes().push_back(mode_); }

bool add_torch_function_modes(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0 &&
         add_disable<false>(module, "torch_np._C.DisableTorchFunctionSubclass", "DisableTorchFunctionSubclass",
                            "Context manager: classes do not override functions inside it; modes do.") &&
         add_disable<true>(module, "torch_np._C.DisableTorchFunction", "DisableTorchFunction",
                           "Context manager: neither classes nor modes override functions inside it.");
}

}  // namespace tnp::python
