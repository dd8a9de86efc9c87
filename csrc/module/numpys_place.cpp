// torch_np.numpy in NumPy's place (torch_np/_launcher): the import statement and the class of arrays,
// both as the module sees them in which they are asked for.
//
// Note [In NumPy's place] `sys.modules["numpy"]` stays NumPy, since NumPy's own code, compiled code
// and torch_np need it. The import statement calls `builtins.__import__`, which the launcher
// replaces by the function here. For `import numpy` in a module that shall get torch_np.numpy it
// returns that one. Code in C imports by PyImport_Import, which calls the same function but reads
// `sys.modules` afterwards, or does not call it at all; both ways it gets NumPy.
//
// `x.__class__` of our arrays is numpy.ndarray in the modules of packages that use NumPy itself.
// isinstance() asks for it after the type has been compared without success.
//
// Both look up the module by its `__name__` in `views`, which Python fills at the first question of
// each module.
//
// The method `view` of NumPy's arrays and scalars accepts classes of our arrays. Full reductions and
// elements of our arrays are NumPy's scalars, so programs call `x.sum().view(np.ndarray)`.
//
// Nothing here is installed without the launcher.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "csrc/convert/convert.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/subclass_objects.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// How a module sees NumPy: bits of the values of `views`.
constexpr long kOursImported = 1, kNumpysClass = 2;

PyObject* views = nullptr;            // dict: name of a module -> bits
PyObject* ask = nullptr;              // function of a module's globals: enters its bits into `views` and returns them
PyObject* next_import = nullptr;      // the `__import__` that was replaced; null for Python's own
PyObject* numpys_stand_in = nullptr;  // the module torch_np.numpy

// The bits of the module with these globals; -1 with an exception set.
long view_of(PyObject* globals) {
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  PyObject* name = globals ? PyDict_GetItemWithError(globals, key) : nullptr;
  PyObject* bits = name && PyUnicode_CheckExact(name) ? PyDict_GetItemWithError(views, name) : nullptr;
  if (bits) return PyLong_AsLong(bits);
  if (PyErr_Occurred()) return -1;
  const Ref found(PyObject_CallFunctionObjArgs(ask, globals ? globals : Py_None, nullptr));
  return found ? PyLong_AsLong(found.get()) : -1;
}

// Whether `name` is "numpy" or begins with "numpy.".
bool is_numpys(PyObject* name) {
  if (!PyUnicode_Check(name) || PyUnicode_KIND(name) != PyUnicode_1BYTE_KIND) return false;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
  const auto* text = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(name));
  return length >= 5 && std::memcmp(text, "numpy", 5) == 0 && (length == 5 || text[5] == '.');
}

struct Import {
  PyObject* name = nullptr;
  PyObject* globals = nullptr;
  PyObject* locals = nullptr;
  PyObject* fromlist = nullptr;
  PyObject* level = nullptr;

  PyObject* run() const {
    if (next_import)
      return PyObject_CallFunctionObjArgs(next_import, name, or_none(globals), or_none(locals), from(), number(),
                                          nullptr);
    const int n = level ? PyLong_AsLong(level) : 0;
    if (n == -1 && PyErr_Occurred()) return nullptr;
    return PyImport_ImportModuleLevelObject(name, globals, locals, fromlist, n);
  }
  // PyImport_Import passes an empty list, and ignores the result. Python code that does so gets the
  // package, whose attributes import its modules.
  bool may_be_of_c() const { return fromlist && PyList_CheckExact(fromlist) && PyList_GET_SIZE(fromlist) == 0; }
  bool is_absolute() const { return !level || (PyLong_CheckExact(level) && PyLong_AsLong(level) == 0); }
  bool has_names() const { return fromlist && fromlist != Py_None && PyObject_Size(fromlist) > 0; }

  // The same import of torch_np.numpy.
  PyObject* run_ours() const {
    if (!has_names() && PyUnicode_GET_LENGTH(name) == 5) return Py_NewRef(numpys_stand_in);
    PyObject* const ours = our_name();
    if (!ours) return nullptr;
    if (has_names()) return PyImport_ImportModuleLevelObject(ours, globals, locals, fromlist, 0);
    return Ref(PyImport_ImportModuleLevelObject(ours, globals, locals, nullptr, 0)) ? Py_NewRef(numpys_stand_in)
                                                                                    : nullptr;
  }

 private:
  // "torch_np.numpy.linalg" for "numpy.linalg", borrowed.
  PyObject* our_name() const {
    static PyObject* const known = PyDict_New();
    PyObject* const found = known ? PyDict_GetItemWithError(known, name) : nullptr;
    if (found || PyErr_Occurred()) return found;
    const Ref made(PyUnicode_FromFormat("torch_np.%U", name));
    return made && PyDict_SetItem(known, name, made.get()) == 0 ? PyDict_GetItemWithError(known, name) : nullptr;
  }
  static PyObject* or_none(PyObject* o) { return o ? o : Py_None; }
  PyObject* from() const {
    static PyObject* const none = PyTuple_New(0);
    return fromlist ? fromlist : none;
  }
  PyObject* number() const {
    static PyObject* const zero = PyLong_FromLong(0);
    return level ? level : zero;
  }
};

bool read(Import& i, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject** const slots[] = {&i.name, &i.globals, &i.locals, &i.fromlist, &i.level};
  static const char* const names[] = {"name", "globals", "locals", "fromlist", "level"};
  if (nargs > 5)
    return PyErr_Format(PyExc_TypeError, "__import__() takes at most 5 arguments (%zd given)", nargs), false;
  for (Py_ssize_t n = 0; n < nargs; ++n) *slots[n] = args[n];
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    PyObject* const name = PyTuple_GET_ITEM(kwnames, k);
    int n = 0;
    while (n < 5 && PyUnicode_CompareWithASCIIString(name, names[n]) != 0) ++n;
    if (n == 5 || *slots[n])
      return PyErr_Format(PyExc_TypeError, "__import__() got an unexpected keyword argument '%U'", name), false;
    *slots[n] = args[nargs + k];
  }
  if (!i.name) PyErr_SetString(PyExc_TypeError, "__import__() missing required argument 'name' (pos 1)");
  return i.name != nullptr;
}

// Replaces `builtins.__import__`.
PyObject* import_statement(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Import i;
  if (!read(i, args, nargs, kwnames)) return nullptr;
  if (!is_numpys(i.name) || !i.is_absolute()) return i.run();
  const bool given = i.globals && PyDict_Check(i.globals);
  const long view = view_of(given ? i.globals : PyEval_GetGlobals());
  if (view < 0) return nullptr;
  if (!(view & kOursImported)) return i.run();
  if (i.may_be_of_c()) return Ref(i.run()) ? Py_NewRef(numpys_stand_in) : nullptr;
  PyObject* const module = i.run_ours();
  if (module || !PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) return module;
  PyErr_Clear();
  return i.run();  // NumPy does not have it either; the error names the module as the program does
}

// --- the class of arrays

PyObject* get_class(PyObject* self, void*) {
  PyObject* const globals = PyEval_GetGlobals();
  const long view = globals ? view_of(globals) : 0;
  if (view < 0) return nullptr;
  PyTypeObject* const seen = view & kNumpysClass ? numpy_api().ndarray_type : Py_TYPE(self);
  return Py_NewRef(reinterpret_cast<PyObject*>(seen));
}

int set_class(PyObject* self, PyObject* value, void*) {
  const Ref own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dict__"));
  const Ref descriptor(own ? PyObject_GetItem(own.get(), Ref(PyUnicode_FromString("__class__")).get()) : nullptr);
  return descriptor ? Py_TYPE(descriptor.get())->tp_descr_set(descriptor.get(), self, value) : -1;
}

PyGetSetDef class_attribute = {"__class__", get_class, set_class, "The class, as the asking module sees it.", nullptr};

// --- numpy.ndarray.view and numpy.generic.view

std::array<PyObject*, 2> numpys_view{};  // NumPy's own methods

// x.view(ours), x.view(type=ours) and x.view(dtype, ours) of NumPy's array or scalar: the same method of
// an array of ours over the same memory. If no array of ours holds the dtype, torch_np.numpy.ndarray
// stands for NumPy's class, as in np.asarray(x), and a class derived from it raises NotHeldError.
TNP_COLD PyObject* view_as_ours(PyObject* original, std::vector<PyObject*>& arguments, PyObject* kwnames) {
  const Ref held(protect<true>([&] { return wrap<true>(as_tensor(arguments[0], true)); }));
  if (held) {
    arguments[0] = held.get();
    return PyObject_VectorcallMethod(Ref(PyUnicode_InternFromString("view")).get(), arguments.data(),
                                     arguments.size() - (kwnames ? PyTuple_GET_SIZE(kwnames) : 0), kwnames);
  }
  auto* const ours = reinterpret_cast<PyObject*>(ndarray_type);
  const bool of_subclass =
      std::any_of(arguments.begin() + 1, arguments.end(), [&](PyObject* o) { return o != ours && is_array_class(o); });
  if (of_subclass || !PyErr_ExceptionMatches(not_held_error())) return nullptr;
  PyErr_Clear();
  std::replace(arguments.begin() + 1, arguments.end(), ours, reinterpret_cast<PyObject*>(numpy_api().ndarray_type));
  return PyObject_Vectorcall(original, arguments.data(), arguments.size() - (kwnames ? PyTuple_GET_SIZE(kwnames) : 0),
                             kwnames);
}

template <size_t i>
PyObject* view(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  std::vector<PyObject*> all{self};
  all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
  if (std::any_of(all.begin() + 1, all.end(), is_array_class)) return view_as_ours(numpys_view[i], all, kwnames);
  return PyObject_Vectorcall(numpys_view[i], all.data(), static_cast<size_t>(nargs) + 1, kwnames);
}

template <size_t i>
bool replace_view(PyTypeObject* type) {
  if (numpys_view[i]) return true;
  PyObject* const found = PyDict_GetItemString(type->tp_dict, "view");
  if (!found || Py_TYPE(found) != &PyMethodDescr_Type)
    return PyErr_Format(PyExc_SystemError, "%s.view is not a method", type->tp_name), false;
  const char* const doc = reinterpret_cast<PyMethodDescrObject*>(found)->d_method->ml_doc;
  static PyMethodDef definition = {"view", as_method(view<i>), METH_FASTCALL | METH_KEYWORDS, doc};
  numpys_view[i] = Py_NewRef(found);
  const Ref descriptor(PyDescr_NewMethod(type, &definition));
  if (!descriptor || PyDict_SetItemString(type->tp_dict, "view", descriptor.get()) < 0) return false;
  PyType_Modified(type);
  return true;
}

PyMethodDef import_function = {"__import__", as_method(import_statement), METH_FASTCALL | METH_KEYWORDS,
                               "__import__(name, globals=None, locals=None, fromlist=(), level=0): imports a\n"
                               "module. Modules that shall use torch_np.numpy get it for `numpy`."};

PyObject* take_numpys_place(PyObject*, PyObject* args) {
  PyObject *given, *function, *replaced, *module;
  if (!PyArg_ParseTuple(args, "O!OOO", &PyDict_Type, &given, &function, &replaced, &module)) return nullptr;
  const Ref descriptor(PyDescr_NewGetSet(ndarray_type, &class_attribute));
  if (!descriptor) return nullptr;
  Py_XSETREF(views, Py_NewRef(given));
  Py_XSETREF(ask, Py_NewRef(function));
  Py_XSETREF(numpys_stand_in, Py_NewRef(module));
  Py_XSETREF(next_import, replaced == Py_None ? nullptr : Py_NewRef(replaced));
  // In the type's dict: assigning to `ndarray.__class__` would change the metaclass.
  if (PyDict_SetItemString(ndarray_type->tp_dict, "__class__", descriptor.get()) < 0) return nullptr;
  PyType_Modified(ndarray_type);
  if (!replace_view<0>(numpy_api().ndarray_type) || !replace_view<1>(numpy_api().generic_type)) return nullptr;
  return PyCFunction_New(&import_function, nullptr);
}

PyMethodDef functions[] = {
    {"_take_numpys_place", take_numpys_place, METH_VARARGS,
     "_take_numpys_place(views, ask, replaced, module): lets arrays show numpy.ndarray as their class to\n"
     "packages that use NumPy, lets `view` of NumPy's arrays accept the class of ours, and returns the\n"
     "function for `builtins.__import__`. `views`: bits by names of modules; `ask(globals)` enters those of a module; "
     "`replaced`: the current `__import__`, None for\n"
     "Python's own; `module`: what `import numpy` gives."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_numpys_place(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
