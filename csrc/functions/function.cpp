// Calls and attributes of function objects. See function.h.
//
// Overrides are dispatched here and not in Python, where the dispatch would cost as much as a small
// composite function: two more calls, a tuple and a dict.
#include "csrc/functions/function.h"

#include <structmember.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aten/core/devices/default_device.h"
#include "aten/core/profiler/profiler.h"
#include "aten/functions/copies.h"
#include "csrc/args/fallback.h"
#include "csrc/args/packed.h"
#include "csrc/args/plain_call.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/objects/calling_function.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/size.h"
#include "csrc/overrides/function_overrides.h"
#include "csrc/overrides/torch_function.h"

namespace tnp::python {

namespace {

// --- calls

PyObject* call_native(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return function_of(o).binding(nullptr, args, PyVectorcall_NARGS(nargsf), kwnames);
}

// Returns the device of the first GPU array among the arguments. Of a list or tuple argument, only
// the first item is checked.
Device gpu_of(PyObject* const* args, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = args[i];
    if (PyList_CheckExact(o) && PyList_GET_SIZE(o) > 0)
      o = PyList_GET_ITEM(o, 0);
    else if (PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) > 0)
      o = PyTuple_GET_ITEM(o, 0);
    if (is_variable(o) && TNP_UNLIKELY(unwrap(o).device().is_cuda())) return unwrap(o).device();
  }
  return {};
}

// Converts `result`, an owned 0-d array, to a scalar, unless it is `out`.
TNP_COLD PyObject* as_value(PyObject* result, PyObject* out) {
  if (result == out) return result;
  Ref owned(result);
  return protect<true>([&] {
    const Tensor& t = unwrap(result);
    return wrap_value(Py_REFCNT(result) == 1 ? Tensor(t) : tnp::clone(t));
  });
}

// The module and qualified name of the Python implementation, or empty strings if it has no such
// attributes. Sets no exception.
std::pair<std::string, std::string> written_as(const Function& self) {
  const auto text = [&](const char* attribute) -> std::string {
    const Ref value(PyObject_GetAttrString(self.implementation, attribute));
    const char* found = value ? PyUnicode_AsUTF8(value.get()) : nullptr;
    PyErr_Clear();
    return found ? found : "";
  };
  return {text("__module__"), text("__qualname__")};
}

// The name below numpy of NumPy's function, which equals our name below torch_np.numpy. Empty if there
// is none.
const std::string& numpys_path(Function& self) {
  if (TNP_LIKELY(self.numpys_path)) return *self.numpys_path;
  const auto [module, name] = written_as(self);
  constexpr std::string_view kFace = "torch_np.numpy";
  std::string path;
  if (!name.empty() && module.starts_with(kFace)) {
    path = module.substr(kFace.size());
    path = path.empty() ? name : path.substr(1) + "." + name;
  }
  self.numpys_path = new std::string(std::move(path));
  return *self.numpys_path;
}

// Falls back to NumPy's function.
TNP_COLD PyObject* fall_back_composition(Function& self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (!may_fall_back() || !PyErr_ExceptionMatches(not_held_error())) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const std::string& path = numpys_path(self);
  PyErr_Restore(type, value, traceback);
  return path.empty() ? nullptr : fall_back(path.c_str(), nullptr, args, nargs, kwnames);
}

// Begins a profiler record with a name like "numpy.linalg.svd".
TNP_COLD profiler::Ticket begin_profiled(const Function& self, Device device) {
  auto [path, name] = written_as(self);
  if (path.empty() || name.empty()) return 0;
  for (const std::string_view package : {std::string_view("torch_np."), std::string_view("torch.")})
    if (path.starts_with(package)) path.erase(0, package.size());
  if (const size_t at = path.find("._"); at != std::string::npos) path.erase(at);  // drop private modules
  path.append(".").append(name);
  return profiler::begin_named(path, profiler::Kind::Function, device);
}

// Whether an argument, or the first item of a list, is an array that only NumPy holds, or a set, which
// becomes one; or the first argument of an overridable function contains text. The composition would
// find out later.
bool has_foreign_argument(const Function& self, PyObject* const* args, Py_ssize_t total) {
  for (Py_ssize_t i = 0; i < total; ++i) {
    PyObject* o = args[i];
    if (is_variable(o)) continue;
    if ((PyList_CheckExact(o) || PyTuple_CheckExact(o)) && PySequence_Fast_GET_SIZE(o) > 0) {
      if (i == 0 && (self.flags & kOverridable) && is_certainly_not_held(o)) return true;
      o = PySequence_Fast_GET_ITEM(o, 0);
    }
    if (PyAnySet_CheckExact(o) || (is_numpy_array(o) && is_certainly_not_held(o))) return true;
  }
  return false;
}

PyObject* call_composition(Function& self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf), total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (TNP_UNLIKELY(has_foreign_argument(self, args, total)) && may_fall_back()) {
    bool called = false;
    const std::string& path = numpys_path(self);
    PyObject* const result = path.empty() ? nullptr : call_numpys(path, args, nargs, kwnames, &called);
    if (called) return result;
  }
  std::optional<DefaultDeviceGuard> beside;
  if (self.flags & kOverridable) {
    if (const Device gpu = gpu_of(args, total); TNP_UNLIKELY(!gpu.is_cpu())) beside.emplace(gpu);
  }
  const profiler::Operation profiled([&] { return begin_profiled(self, gpu_of(args, total)); });
  PyObject* result;
  {
    Within composition;
    result = PyObject_Vectorcall(self.implementation, args, nargsf, kwnames);
  }
  if (TNP_UNLIKELY(!result)) return fall_back_composition(self, args, nargs, kwnames);
  PyObject* first = nargs > 0 ? args[0] : nullptr;
  if (TNP_LIKELY(!first || is_exact(first) || !is_variable(first) || !(self.flags & kKeepsClass))) {
    if ((self.flags & kGivesValues) && result && Py_TYPE(result) == ndarray_type && unwrap(result).dim() == 0)
      return as_value(result, keyword_of("out", args, nargs, kwnames));
    return result;
  }
  return take_class({first, keyword_of("out", args, nargs, kwnames)}, result);
}

PyObject* call_plain_composition(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return call_composition(function_of(o), args, nargsf, kwnames);
}

PyObject* call_without_detour(Function& self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return self.binding ? self.binding(nullptr, args, PyVectorcall_NARGS(nargsf), kwnames)
                      : call_composition(self, args, nargsf, kwnames);
}

// Calls a native function without the argument like=, because native functions only accept
// like=None.
PyObject* call_without_like(const Function& self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                            Py_ssize_t at) {
  const Py_ssize_t nkw = PyTuple_GET_SIZE(kwnames);
  std::vector<PyObject*> rest(args, args + nargs);
  Ref names(PyTuple_New(nkw - 1));
  if (!names) return nullptr;
  for (Py_ssize_t i = 0, j = 0; i < nkw; ++i) {
    if (i == at) continue;
    rest.push_back(args[nargs + i]);
    PyTuple_SET_ITEM(names.get(), j++, Py_NewRef(PyTuple_GET_ITEM(kwnames, i)));
  }
  return self.binding(nullptr, rest.data(), nargs, names.get());
}

// Checks that the function accepts these arguments, before foreign overrides see them; otherwise
// sets a TypeError.
TNP_COLD bool takes(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Ref signatures(PyImport_ImportModule("torch_np.numpy._interop.signatures"));
  Ref check(signatures ? PyObject_GetAttrString(signatures.get(), "check") : nullptr);
  Ref positional(PyTuple_New(nargs + 1)), named(named_arguments(args + nargs, kwnames));
  if (!check || !positional || !named) return false;
  PyTuple_SET_ITEM(positional.get(), 0, Py_NewRef(o));
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i + 1, Py_NewRef(args[i]));
  return static_cast<bool>(Ref(PyObject_Call(check.get(), positional.get(), named.get())));
}

// Calls a function that creates arrays and accepts like=. If `like` is one of our arrays, it has no
// effect. A foreign object creates the array by its __array_function__.
PyObject* call_like(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  Function& self = function_of(o);
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  Py_ssize_t at = 0;
  PyObject* like = like_of(args, nargs, kwnames, &at);
  if (!like) return call_without_detour(self, args, nargsf, kwnames);
  if (!can_be_like(like)) return nullptr;
  Candidates found;
  look_at(like, found);
  if (!found.empty()) return takes(o, args, nargs, kwnames) ? dispatch(o, found, args, nargs, kwnames, like) : nullptr;
  try {
    return self.binding ? call_without_like(self, args, nargs, kwnames, at)
                        : call_composition(self, args, nargsf, kwnames);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

constexpr int kMaxNested = 64;  // NumPy's maximum number of axes

PyObject* call_overridable(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  Function& self = function_of(o);
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf), total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  Candidates found;
  for (Py_ssize_t i = 0; i < total; ++i) look_at(args[i], found);
  if (TNP_UNLIKELY(self.flags & kTakesArrays)) {
    for (Py_ssize_t i = 0; i < total; ++i) look_into(args[i], found, self.flags & kNested ? kMaxNested : -1);
  }
  if (TNP_UNLIKELY(!found.empty())) return dispatch(o, found, args, nargs, kwnames, nullptr);
  return call_without_detour(self, args, nargsf, kwnames);
}

// A function of the PyTorch face: see csrc/overrides/torch_function.h.
PyObject* call_torch_function(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  PyObject* result;
  if (TNP_UNLIKELY(torch_functions_watched) && overridden(o, args, nargs, kwnames, &result)) return result;
  result = function_of(o).binding(nullptr, args, nargs, kwnames);
  return TNP_LIKELY(result != nullptr) ? result : overridden_after_failure(o, args, nargs, kwnames);
}

// A function of the PyTorch face that is written in Python. It accepts objects that it cannot use,
// so overrides are looked for before it runs.
PyObject* call_torch_composition(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  PyObject* result;
  if (overridden(o, args, PyVectorcall_NARGS(nargsf), kwnames, &result)) return result;
  return PyObject_Vectorcall(function_of(o).implementation, args, nargsf, kwnames);
}

vectorcallfunc call_of(uint8_t flags) {
  if (flags & kTorchFunction) return call_torch_function;
  if (flags & kTakesLike) return call_like;
  return flags & kOverridable ? call_overridable : call_native;
}

// --- attributes

PyObject* of_implementation(PyObject* o, const char* name) {
  return PyObject_GetAttrString(function_of(o).implementation, name);
}
PyObject* get_name(PyObject* o, void*) {
  const Function& f = function_of(o);
  return f.binding ? PyUnicode_FromString(f.name) : of_implementation(o, "__name__");
}
PyObject* get_qualname(PyObject* o, void*) {
  const Function& f = function_of(o);
  return f.binding ? PyUnicode_FromString(f.name) : of_implementation(o, "__qualname__");
}
// The module of a function of the PyTorch face follows that face's public name.
PyObject* get_module(PyObject* o, void*) {
  const Function& f = function_of(o);
  if (!f.binding) return of_implementation(o, "__module__");
  constexpr std::string_view kOurs = "torch_np";
  const std::string face = torch_face();
  Py_ssize_t size = 0;
  const char* module = face == kOurs ? nullptr : PyUnicode_AsUTF8AndSize(f.module, &size);
  const std::string_view name(module ? module : "", static_cast<size_t>(size));
  if (!name.starts_with(kOurs) || name.starts_with("torch_np.numpy")) return Py_NewRef(f.module);
  return PyUnicode_FromString((face + std::string(name.substr(kOurs.size()))).c_str());
}

// Whether this is native code with override dispatch, which corresponds to NumPy's overridable
// functions.
bool is_dispatcher(const Function& f) { return f.binding && (f.flags & (kOverridable | kTakesLike)) == kOverridable; }

// Native docstrings have the form "sum(a, axis=None)\n--\n\nSum of ...".
constexpr char kEndOfSignature[] = ")\n--\n\n";
const char* end_of_signature(const Function& f) {
  const char* end = f.doc && !f.text_signature ? std::strstr(f.doc, kEndOfSignature) : nullptr;
  const char* line = f.doc ? std::strchr(f.doc, '\n') : nullptr;
  return end && end + 1 == line ? end + 1 : nullptr;
}
PyObject* get_text_signature(PyObject* o, void*) {
  const Function& f = function_of(o);
  if (!f.binding) return of_implementation(o, "__text_signature__");
  if (is_dispatcher(f)) Py_RETURN_NONE;  // inspect follows __wrapped__
  if (f.text_signature) return PyUnicode_FromString(f.text_signature);
  const char* end = end_of_signature(f);
  const char* open = end ? std::strchr(f.doc, '(') : nullptr;
  if (!open) Py_RETURN_NONE;
  return PyUnicode_FromStringAndSize(open, end - open);
}

}  // namespace

PyObject* function_doc(PyObject* o, void*) {
  const Function& f = function_of(o);
  if (!f.binding) return of_implementation(o, "__doc__");
  if (!f.doc) Py_RETURN_NONE;
  const char* end = end_of_signature(f);
  return PyUnicode_FromString(end ? end + sizeof(kEndOfSignature) - 2 : f.doc);
}
namespace {

// Whether NumPy's function of that name has a __signature__. Returns false with an exception set if
// the check fails.
bool numpys_has_signature(PyObject* o) {
  Ref signatures(PyImport_ImportModule("torch_np.numpy._interop.signatures"));
  Ref found(signatures ? PyObject_CallMethod(signatures.get(), "of_numpys", "O", o) : nullptr);
  return found && found.get() == Py_True;
}

// __signature__ as of NumPy's overridable functions, without annotations, which are for type
// checkers. For other functions, inspect reads __text_signature__.
PyObject* get_signature(PyObject* o, void*) {
  const Function& f = function_of(o);
  Ref plain;
  if (!f.binding && PyObject_HasAttrString(f.implementation, "__text_signature__"))
    return PyErr_SetString(PyExc_AttributeError, "__signature__"), nullptr;
  if (!f.binding)
    plain = Ref(Py_NewRef(f.implementation));
  else if (is_dispatcher(f))
    plain = Ref(numpys_has_signature(o) ? implementation_of(o) : nullptr);
  if (!plain && !PyErr_Occurred()) PyErr_SetString(PyExc_AttributeError, "__signature__");
  return plain ? signature_of(plain.get()) : nullptr;
}

PyObject* get_implementation(PyObject* o, void*) {
  Ref plain(implementation_of(o));
  if (!plain && !PyErr_Occurred()) PyErr_SetString(PyExc_AttributeError, "_implementation");
  Ref subclasses(plain ? PyImport_ImportModule("torch_np.numpy._interop.subclasses") : nullptr);
  return subclasses ? PyObject_CallMethod(subclasses.get(), "implementation", "OO", o, plain.get()) : nullptr;
}

PyObject* get_wrapped(PyObject* o, void*) {
  const Function& f = function_of(o);
  if (is_dispatcher(f)) return get_implementation(o, nullptr);
  PyObject* found = f.dict ? PyDict_GetItemString(f.dict, "__wrapped__") : nullptr;
  if (!found) PyErr_SetString(PyExc_AttributeError, "__wrapped__");
  return Py_XNewRef(found);
}

// Descriptor: as a class attribute it binds as a method if NumPy's function does. This holds for
// overridable functions, but not for ufuncs and functions of torch_np.
PyObject* bind(PyObject* o, PyObject* instance, PyObject*) {
  const Function& f = function_of(o);
  const bool binds = !f.binding || is_dispatcher(f);
  return !binds || !instance || instance == Py_None ? Py_NewRef(o) : PyMethod_New(o, instance);
}

// Pickles and copies by name.
PyObject* reduce(PyObject* o, PyObject*) { return get_qualname(o, nullptr); }

PyObject* repr(PyObject* o) {
  Ref name(get_qualname(o, nullptr));
  if (!name) return nullptr;
  return function_of(o).binding ? PyUnicode_FromFormat("<built-in function %U>", name.get())
                                : PyUnicode_FromFormat("<function %U at %p>", name.get(), o);
}

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(function_of(o).implementation);
  Py_VISIT(function_of(o).dict);
  return 0;
}
int clear(PyObject* o) {
  Py_CLEAR(function_of(o).dict);
  return 0;
}
void dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  if (function_of(o).weakrefs) PyObject_ClearWeakRefs(o);
  clear(o);
  Py_CLEAR(function_of(o).implementation);
  Py_CLEAR(function_of(o).module);
  Py_TYPE(o)->tp_free(o);
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "Description of the function for pickle: its name."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_qualname, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__doc__", function_doc, nullptr, nullptr, nullptr},
    {"__text_signature__", get_text_signature, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {"__wrapped__", get_wrapped, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"_implementation", get_implementation, nullptr,
     "The function without override dispatch, for `__array_function__` methods that fall back on it.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// _function(implementation, takes_like, takes_arrays, keeps_class, gives_values, overridable,
// nested, torch_function): makes the public function object of a composite function.
PyObject* make_composition(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"implementation", "takes_like", "takes_arrays",   "keeps_class", "gives_values",
                                "overridable",    "nested",     "torch_function", nullptr};
  PyObject* implementation;
  int takes_like = 0, takes_arrays = 0, keeps_class = 0, gives_values = 0, overridable = 1, nested = 0,
      torch_function = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|ppppppp:_function", const_cast<char**>(names), &PyFunction_Type,
                                   &implementation, &takes_like, &takes_arrays, &keeps_class, &gives_values,
                                   &overridable, &nested, &torch_function))
    return nullptr;
  Ref o(function_type.tp_alloc(&function_type, 0));
  if (!o) return nullptr;
  Function& f = function_of(o.get());
  f.implementation = Py_NewRef(implementation);
  f.flags = static_cast<uint8_t>((overridable ? kOverridable : 0) | (takes_like ? kTakesLike : 0) |
                                 (takes_arrays ? kTakesArrays : 0) | (keeps_class ? kKeepsClass : 0) |
                                 (gives_values ? kGivesValues : 0) | (nested ? kNested : 0));
  if (torch_function) f.flags = kTorchFunction;
  f.vectorcall = torch_function ? call_torch_composition : overridable ? call_of(f.flags) : call_plain_composition;
  // Copies the function's other attributes; inspect.signature follows __wrapped__.
  Ref attributes(PyObject_GetAttrString(implementation, "__dict__"));
  f.dict = attributes ? PyDict_Copy(attributes.get()) : nullptr;
  if (!f.dict || PyDict_SetItemString(f.dict, "__wrapped__", implementation) < 0) return nullptr;
  return o.release();
}

PyObject* py_calling_function(PyObject*, PyObject* name) {
  if (!PyUnicode_Check(name)) return PyErr_SetString(PyExc_TypeError, "_calling_function() takes a str"), nullptr;
  return protect<true>([&] { return PyUnicode_FromString(calling_function(text_of(name)).c_str()); });
}

PyMethodDef module_functions[] = {
    {"_function", as_method(make_composition), METH_VARARGS | METH_KEYWORDS,
     "_function(implementation, takes_like=False, takes_arrays=False, keeps_class=False,\n"
     "gives_values=False, overridable=True, nested=False, torch_function=False): public function object\n"
     "of a function written in Python. With `torch_function` the arguments may override it by\n"
     "__torch_function__, and the other options have no effect."},
    {"_calling_function", py_calling_function, METH_O,
     "_calling_function(name): prefix of an error message of the function `name`: 'median(): ' if\n"
     "np.median called it, '' if the user did."},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject type_of_functions() {
  PyTypeObject type{};
  Py_SET_REFCNT(&type, 1);
  type.tp_name = "torch_np._C.Function";
  type.tp_basicsize = sizeof(Function);
  type.tp_flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_vectorcall_offset = offsetof(Function, vectorcall);
  type.tp_dictoffset = offsetof(Function, dict);
  type.tp_weaklistoffset = offsetof(Function, weakrefs);
  type.tp_call = PyVectorcall_Call;
  type.tp_doc = "Function of torch_np or torch_np.numpy.";
  type.tp_repr = repr;
  type.tp_descr_get = bind;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_dealloc = dealloc;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return type;
}

}  // namespace

PyTypeObject function_type = type_of_functions();

bool is_function(PyObject* o) { return PyObject_TypeCheck(o, &function_type); }

void init_function(Function& f, const char* name, Binding binding, const char* doc, PyObject* module) {
  f.name = name;
  f.binding = binding;
  f.doc = doc;
  f.module = Py_NewRef(module);
}

PyObject* make_function(const char* name, Binding binding, const char* doc, PyObject* module, uint8_t flags) {
  PyObject* o = function_type.tp_alloc(&function_type, 0);
  if (!o) return nullptr;
  init_function(function_of(o), name, binding, doc, module);
  function_of(o).flags = flags;
  function_of(o).vectorcall = call_of(flags);
  return o;
}

PyObject* signature_of(PyObject* plain) {
  Ref signatures(PyImport_ImportModule("torch_np.numpy._interop.signatures"));
  return signatures ? PyObject_CallMethod(signatures.get(), "of", "O", plain) : nullptr;
}

PyObject* implementation_of(PyObject* o) {
  if (Py_TYPE(o) != &function_type || !(function_of(o).flags & (kOverridable | kTakesLike))) return nullptr;
  Function& f = function_of(o);
  if (!f.implementation) f.implementation = make_function(f.name, f.binding, f.doc, f.module, 0);
  return Py_XNewRef(f.implementation);
}

bool init_function_type(PyObject* module) {
  return PyType_Ready(&function_type) == 0 &&
         PyModule_AddObjectRef(module, "Function", reinterpret_cast<PyObject*>(&function_type)) == 0 &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tnp::python
