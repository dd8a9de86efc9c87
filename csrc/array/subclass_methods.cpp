// Overridable methods for subclasses of ndarray. In NumPy `x.sum()` calls `add.reduce(x)`, so that
// a subclass can intercept it through __array_ufunc__ or __array_wrap__. Our methods normally call
// their own kernels. For instances of such subclasses they call NumPy's compositions of ufuncs
// instead (torch_np/numpy/_interop/subclasses.py).
#include <array>
#include <utility>
#include <vector>

#include "csrc/array/parts.h"
#include "csrc/overrides/operands.h"

namespace tnp::python {

namespace {

using Method = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

// The first kNumPlaces methods, argmax and argmin, do not consist of ufuncs. They are intercepted
// for every subclass: without an axis, the method is applied to a flat array of that class.
constexpr size_t kNumPlaces = 2;
constexpr std::array kNames = {"argmax", "argmin", "all",  "any",   "clip", "cumprod", "cumsum", "max",
                               "mean",   "min",    "prod", "round", "std",  "sum",     "var"};
std::array<Method, kNames.size()> plain_methods;

TNP_COLD PyObject* call_composition_of_ufuncs(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                              PyObject* kwnames) {
  Ref module(PyImport_ImportModule("torch_np.numpy._interop.subclasses"));
  Ref methods(module ? PyObject_GetAttrString(module.get(), "methods") : nullptr);
  Ref method(methods ? PyMapping_GetItemString(methods.get(), name) : nullptr);
  if (!method) return nullptr;
  std::vector<PyObject*> all{self};
  all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
  return PyObject_Vectorcall(method.get(), all.data(), static_cast<size_t>(nargs) + 1, kwnames);
}

template <size_t i>
PyObject* method_of_any_class(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (TNP_LIKELY(is_exact(self)) || (i >= kNumPlaces && !overrides_ufuncs(self)))
    return plain_methods[i](self, args, nargs, kwnames);
  try {
    return call_composition_of_ufuncs(kNames[i], self, args, nargs, kwnames);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

template <size_t... i>
constexpr std::array<Method, kNames.size()> methods_of_any_class(std::index_sequence<i...>) {
  return {method_of_any_class<i>...};
}

// __init_subclass__: adapts a new class derived from ndarray.
PyObject* init_subclass(PyObject* cls, PyObject*) {
  Ref module(PyImport_ImportModule("torch_np.numpy._interop.subclasses"));
  return module ? PyObject_CallMethod(module.get(), "adapt", "O", cls) : nullptr;
}

}  // namespace

bool add_subclass_methods() {
  // A build without the NumPy bindings, as in benchmarks/instructions.py, has none of these
  // methods.
  if (!PyDict_GetItemString(ndarray_type->tp_dict, kNames[0])) return true;
  static std::array<PyMethodDef, kNames.size() + 1> definitions{};
  constexpr auto made = methods_of_any_class(std::make_index_sequence<kNames.size()>());
  for (size_t i = 0; i < kNames.size(); ++i) {
    PyObject* found = PyDict_GetItemString(ndarray_type->tp_dict, kNames[i]);
    if (!found || Py_TYPE(found) != &PyMethodDescr_Type)
      return PyErr_Format(PyExc_SystemError, "ndarray.%s is not a method", kNames[i]), false;
    const PyMethodDef& plain = *reinterpret_cast<PyMethodDescrObject*>(found)->d_method;
    if (plain.ml_flags != (METH_FASTCALL | METH_KEYWORDS))
      return PyErr_Format(PyExc_SystemError, "ndarray.%s has another calling convention", kNames[i]), false;
    plain_methods[i] = reinterpret_cast<Method>(reinterpret_cast<void (*)()>(plain.ml_meth));
    definitions[i] = {plain.ml_name, as_method(made[i]), plain.ml_flags, plain.ml_doc};
  }
  static PyMethodDef hooks[] = {{"__init_subclass__", init_subclass, METH_NOARGS | METH_CLASS,
                                 "Hook that Python calls for each new subclass of ndarray."},
                                {nullptr, nullptr, 0, nullptr}};
  return add_methods(ndarray_type, definitions.data()) && add_methods(ndarray_type, hooks);
}

}  // namespace tnp::python
