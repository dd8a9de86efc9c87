// Finds overrides of a call of the PyTorch face and calls them. See torch_function.h.
#include "csrc/overrides/torch_function.h"

#include <vector>

#include "csrc/objects/methods.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"
#include "csrc/objects/wrapper_objects.h"
#include "csrc/overrides/torch_function_modes.h"

namespace tnp::python {

namespace {

PyObject* protocol() {
  static PyObject* name = PyUnicode_InternFromString("__torch_function__");
  return name;
}

// Whether objects of the type certainly have no override.
bool is_plain_type(PyTypeObject* t) {
  return t == tensor_type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type || t == &PyUnicode_Type ||
         t == Py_TYPE(Py_None) || t == ndarray_type || t == parameter_type || t == &PySlice_Type;
}

void look_at(PyObject* o, Candidates& found) {
  if (overrides_torch_functions(o)) found.add(o);
}

// Adds the overriding arguments, and overriding items of arguments that are lists or tuples.
void collect(PyObject* const* args, Py_ssize_t total, Candidates& found) {
  for (Py_ssize_t i = 0; i < total; ++i) {
    PyObject* o = args[i];
    look_at(o, found);
    if (!PyList_Check(o) && !PyTuple_Check(o)) continue;
    for (Py_ssize_t j = 0; j < PySequence_Fast_GET_SIZE(o); ++j) look_at(PySequence_Fast_GET_ITEM(o, j), found);
  }
}

bool is_default(PyObject* candidate) {
  return is_tensor(candidate) &&
         _PyType_Lookup(Py_TYPE(candidate), protocol()) == _PyType_Lookup(tensor_type, protocol());
}

class StateGuard {
 public:
  explicit StateGuard(TorchFunctionState state) : saved_(torch_function_state) { torch_function_state = state; }
  ~StateGuard() { torch_function_state = saved_; }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  TorchFunctionState saved_;
};

TorchFunctionState without_subclasses() { return {torch_function_state.all_disabled, true}; }

// Converts the tensors of `result` (owned, may be null) to the class.
PyObject* converted(PyObject* result, PyTypeObject* type) {
  if (is_wrapper_class(type)) return result;  // its __torch_dispatch__ has chosen the class
  if (!result || type == tensor_type) return result;
  if (is_tensor(result)) {
    if (PyObject_TypeCheck(result, type)) return result;
    Tensor t = unwrap(result);
    Py_DECREF(result);
    return wrap_as<false>(type, t, nullptr);
  }
  const bool is_list = PyList_Check(result);
  if (!is_list && !PyTuple_Check(result)) return result;
  Ref old(result);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(result);
  bool has_tensors = false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(result, i);
    has_tensors = has_tensors || is_tensor(item) || PyList_Check(item) || PyTuple_Check(item);
  }
  if (!has_tensors) return old.release();
  Ref items(PyList_New(n));
  if (!items) return nullptr;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = converted(Py_NewRef(PySequence_Fast_GET_ITEM(result, i)), type);
    if (!item) return nullptr;
    PyList_SET_ITEM(items.get(), i, item);
  }
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(Py_TYPE(result)), items.get());
}

// Whether results of this function keep their class: the gradient and the base of a view.
bool keeps_class(PyObject* function) {
  static constexpr const char* names[] = {"grad", "_grad", "_base"};
  PyObject* self =
      PyObject_HasAttrString(function, "__self__") ? PyObject_GetAttrString(function, "__self__") : nullptr;
  Ref descriptor(self);
  if (!descriptor) return PyErr_Clear(), false;
  for (const char* name : names) {
    if (PyDict_GetItemString(tensor_type->tp_dict, name) == descriptor.get()) return true;
  }
  return false;
}

Ref types_of(const Candidates& found) {
  Ref types(PyTuple_New(static_cast<Py_ssize_t>(found.size())));
  for (size_t i = 0; types && i < found.size(); ++i)
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i),
                     Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(found[i]))));
  return types;
}

// Sets the TypeError of a call that every override has declined.
void set_declined(PyObject* function, const std::vector<PyObject*>& declined) {
  Ref module(PyObject_GetAttrString(function, "__module__"));
  if (!module) PyErr_Clear();
  Ref name(PyObject_GetAttrString(function, "__qualname__"));
  if (!name) PyErr_Clear();
  Ref list(PyList_New(0));
  for (PyObject* o : declined) {
    if (!list || PyList_Append(list.get(), o) < 0) return;
  }
  if (module && name && module.get() != Py_None)
    PyErr_Format(PyExc_TypeError, "no implementation found for '%S.%S' on types that implement __torch_function__: %R",
                 module.get(), name.get(), list.get());
  else
    PyErr_Format(PyExc_TypeError, "no implementation found for '%S' on types that implement __torch_function__: %R",
                 name ? name.get() : function, list.get());
}

struct Call {
  PyObject* function;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
};

// The default override, without the tuple of arguments. Returns null without an exception if a
// type among the candidates is not a base of the class.
PyObject* call_default(const Call& call, const Candidates& found, PyTypeObject* cls, bool* declined) {
  for (PyObject* o : found) {
    if (!PyType_IsSubtype(cls, Py_TYPE(o))) return *declined = true, nullptr;
  }
  PyObject* result;
  {
    StateGuard guard(without_subclasses());
    result = PyObject_Vectorcall(call.function, call.args, static_cast<size_t>(call.nargs), call.kwnames);
  }
  return !result || keeps_class(call.function) ? result : converted(result, cls);
}

PyObject* dispatch(const Call& call, const Candidates& found, bool* all_declined) {
  *all_declined = false;
  std::vector<PyObject*> declined;
  Ref types, args, kwargs;
  const auto prepare = [&] {
    if (types) return true;
    types = types_of(found);
    args = Ref(PyTuple_New(call.nargs));
    if (!types || !args) return false;
    for (Py_ssize_t i = 0; i < call.nargs; ++i) PyTuple_SET_ITEM(args.get(), i, Py_NewRef(call.args[i]));
    const Py_ssize_t nkw = call.kwnames ? PyTuple_GET_SIZE(call.kwnames) : 0;
    kwargs = Ref(PyDict_New());
    for (Py_ssize_t i = 0; kwargs && i < nkw; ++i) {
      if (PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(call.kwnames, i), call.args[call.nargs + i]) < 0) return false;
    }
    return static_cast<bool>(kwargs);
  };
  if (has_torch_function_mode()) {
    if (!prepare()) return nullptr;
    const ModeTaken mode;
    PyObject* result = PyObject_CallMethod(mode.get(), "__torch_function__", "OOOO", call.function, types.get(),
                                           args.get(), kwargs.get());
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    declined.push_back(mode.get());
    if (found.empty()) return set_declined(call.function, declined), *all_declined = true, nullptr;
  }
  for (PyObject* candidate : found) {
    if (is_default(candidate)) {
      bool no = false;
      PyObject* result = call_default(call, found, Py_TYPE(candidate), &no);
      if (!no) return result;
    } else {
      if (!prepare()) return nullptr;
      Ref method(PyObject_GetAttr(candidate, protocol()));
      if (!method) return nullptr;
      PyObject* result =
          PyObject_CallFunctionObjArgs(method.get(), call.function, types.get(), args.get(), kwargs.get(), nullptr);
      if (result != Py_NotImplemented) return result;
      Py_DECREF(result);
    }
    declined.push_back(reinterpret_cast<PyObject*>(Py_TYPE(candidate)));
  }
  set_declined(call.function, declined);
  *all_declined = true;
  return nullptr;
}

bool find_and_dispatch(const Call& call, PyObject** result, bool* all_declined) {
  Candidates found;
  collect(call.args, call.nargs + (call.kwnames ? PyTuple_GET_SIZE(call.kwnames) : 0), found);
  if (found.empty() && !has_torch_function_mode()) return false;
  *result = dispatch(call, found, all_declined);
  return true;
}

bool overridden_tensor_attribute(const char* name, std::initializer_list<PyObject*> args, PyObject** result,
                                 bool* all_declined) {
  Candidates found;
  collect(args.begin(), static_cast<Py_ssize_t>(args.size()), found);
  if (found.empty() && !has_torch_function_mode()) return false;
  Ref function(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_type), name));
  *result = function ? dispatch({function.get(), args.begin(), static_cast<Py_ssize_t>(args.size()), nullptr}, found,
                                all_declined)
                     : nullptr;
  return true;
}

// --- functions of torch_np._C

// Reads (function, types, args=(), kwargs=None).
bool parse(PyObject* args, PyObject* kwargs, PyObject** function, PyObject** types, Ref& positional, Ref& named) {
  static const char* names[] = {"func", "types", "args", "kwargs", nullptr};
  PyObject *given = nullptr, *given_named = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OO:__torch_function__", const_cast<char**>(names), function, types,
                                   &given, &given_named))
    return false;
  positional = Ref(given ? PySequence_Tuple(given) : PyTuple_New(0));
  if (given_named && given_named != Py_None) named = Ref(Py_NewRef(given_named));
  return static_cast<bool>(positional);
}

PyObject* disabled_impl(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *function, *types;
  Ref positional, named;
  // As a class attribute the function is called with (func, types, args, kwargs).
  if (!parse(args, kwargs, &function, &types, positional, named)) return nullptr;
  StateGuard guard(without_subclasses());
  return PyObject_Call(function, positional.get(), named.get());
}

// Programs ask this of subclasses; a sparse tensor is a plain Tensor to them.
bool has_override(PyObject* o) { return Py_TYPE(o) != sparse_type && overrides_torch_functions(o); }

PyObject* py_has(PyObject*, PyObject* sequence) {
  Ref items(PySequence_Fast(sequence, "_has_torch_function() takes a sequence"));
  if (!items) return nullptr;
  if (torch_function_state.all_disabled) Py_RETURN_FALSE;
  if (has_torch_function_mode()) Py_RETURN_TRUE;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    if (has_override(PySequence_Fast_GET_ITEM(items.get(), i))) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}
PyObject* py_has_unary(PyObject*, PyObject* o) { return PyBool_FromLong(has_torch_function_mode() || has_override(o)); }
PyObject* py_has_variadic(PyObject*, PyObject* const* args, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (has_override(args[i])) Py_RETURN_TRUE;
  }
  return PyBool_FromLong(has_torch_function_mode());
}
PyObject* py_watch(PyObject*, PyObject*) {
  watch_torch_functions();
  Py_RETURN_NONE;
}
PyObject* py_is_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(!torch_function_state.all_disabled && !torch_function_state.subclasses_disabled);
}
PyObject* py_is_all_disabled(PyObject*, PyObject*) { return PyBool_FromLong(torch_function_state.all_disabled); }

PyMethodDef functions[] = {
    {"_disabled_torch_function_impl", as_method(disabled_impl), METH_VARARGS | METH_KEYWORDS,
     "_disabled_torch_function_impl(func, types, args=(), kwargs=None): calls `func` without overrides\n"
     "of classes. As the attribute __torch_function__ it marks a class that overrides nothing."},
    {"_has_torch_function", py_has, METH_O,
     "_has_torch_function(args): whether a mode, or an item of `args`, overrides functions."},
    {"_has_torch_function_unary", py_has_unary, METH_O,
     "_has_torch_function_unary(x): whether a mode, or `x`, overrides functions."},
    {"_has_torch_function_variadic", as_method(py_has_variadic), METH_FASTCALL,
     "_has_torch_function_variadic(*args): whether a mode, or an argument, overrides functions."},
    {"_watch_torch_functions", py_watch, METH_NOARGS,
     "_watch_torch_functions(): makes every call of the PyTorch face look for overrides before it runs."},
    {"_is_torch_function_enabled", py_is_enabled, METH_NOARGS,
     "_is_torch_function_enabled(): whether classes may override functions in this thread."},
    {"_is_torch_function_all_disabled", py_is_all_disabled, METH_NOARGS,
     "_is_torch_function_all_disabled(): whether neither classes nor modes override functions in this\n"
     "thread."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool overrides_torch_functions(PyObject* o) {
  if (is_plain_type(Py_TYPE(o)) || PyType_Check(o)) return false;
  if (Py_TYPE(o) == sparse_type) return true;  // no operator takes it, whether overrides are disabled or not
  return !torch_function_state.all_disabled && !torch_function_state.subclasses_disabled &&
         type_overrides_torch_functions(Py_TYPE(o));
}

bool overridden(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** result) {
  bool all_declined;
  return find_and_dispatch({function, args, nargs, kwnames}, result, &all_declined);
}

bool overridden_attribute(const char* name, std::initializer_list<PyObject*> args, PyObject** result) {
  bool all_declined;
  return overridden_tensor_attribute(name, args, result, &all_declined);
}

bool overridden_operator(const char* name, std::initializer_list<PyObject*> args, PyObject** result) {
  bool all_declined = false;
  if (!overridden_tensor_attribute(name, args, result, &all_declined)) return false;
  if (all_declined) {
    PyErr_Clear();
    *result = Py_NewRef(Py_NotImplemented);
  }
  return true;
}

PyObject* overridden_after_failure(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (torch_functions_watched ||
      !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_NotImplementedError)))
    return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result;
  if (!overridden(function, args, nargs, kwnames, &result)) return PyErr_Restore(type, value, traceback), nullptr;
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return result;
}

PyObject* default_torch_function(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *function, *types;
  Ref positional, named;
  if (!parse(args, kwargs, &function, &types, positional, named)) return nullptr;
  Ref all(PySequence_Fast(types, "__torch_function__(): types must be a sequence of classes"));
  if (!all) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
    const int is = PyObject_IsSubclass(cls, PySequence_Fast_GET_ITEM(all.get(), i));
    if (is < 0) return nullptr;
    if (!is) Py_RETURN_NOTIMPLEMENTED;
  }
  PyObject* result;
  {
    StateGuard guard(without_subclasses());
    result = PyObject_Call(function, positional.get(), named.get());
  }
  return !result || keeps_class(function) ? result : converted(result, reinterpret_cast<PyTypeObject*>(cls));
}

bool add_torch_function(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__torch_function__", as_method(default_torch_function), METH_CLASS | METH_VARARGS | METH_KEYWORDS,
       "__torch_function__(func, types, args=(), kwargs=None)\n--\n\n"
       "Calls `func` and converts the tensors of its result to this class. Subclasses override it to\n"
       "intercept every call with one of their objects.\n\n"
       "Args:\n"
       "  func: Function or method of torch_np.\n"
       "  types: Classes of the arguments that override functions.\n"
       "  args: Positional arguments.\n"
       "  kwargs: Keyword arguments; None is an empty dict.\n\n"
       "Returns NotImplemented if the class is not derived from each of `types`."},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module, functions) < 0 || !add_methods(tensor_type, methods)) return false;
  disabled_torch_function = PyObject_GetAttrString(module, "_disabled_torch_function_impl");
  return disabled_torch_function && add_torch_function_modes(module);
}

}  // namespace tnp::python
