// Protocol methods for other libraries: __array__, DLPack, and NumPy's __array_ufunc__ and
// __array_function__. Through the last two, NumPy's functions dispatch to ours of the same name
// when called with our arrays.
#include <cstring>
#include <string>

#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "csrc/args/direct_call.h"
#include "csrc/args/plain_call.h"
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"
#include "csrc/functions/function.h"
#include "csrc/objects/imported.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/overrides/operands.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

// The object in torch_np.numpy with the name and submodule of `name` in `module` ("numpy.linalg").
// Returns null without an exception if torch_np.numpy has no such object.
PyObject* our_counterpart(const std::string& module, PyObject* name) {
  if (module.rfind("numpy", 0) != 0) return nullptr;
  std::string path = "torch_np." + module;
  PyObject* ours = PyImport_ImportModule(path.c_str());
  if (!ours) {
    if (PyErr_ExceptionMatches(PyExc_ImportError)) PyErr_Clear();
    return nullptr;
  }
  PyObject* found = PyObject_GetAttr(ours, name);
  Py_DECREF(ours);
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

bool is_numpys(PyObject* module_name) {
  const char* text = PyUnicode_AsUTF8(module_name);
  return text && std::strncmp(text, "numpy", 5) == 0 && (text[5] == '\0' || text[5] == '.');
}

// Whether a ufunc is NumPy's own. A foreign ufunc may have the same name and another meaning.
bool is_numpys_ufunc(PyObject* ufunc, PyObject* name) {
  static PyObject* umath = nullptr;  // contains ufuncs without a public name, such as clip
  if (!umath) umath = PyImport_ImportModule("numpy._core.umath");
  if (!umath) PyErr_Clear();
  for (PyObject* module : {numpy_api().module, umath}) {
    Ref found(module ? PyObject_GetAttr(module, name) : nullptr);
    if (found.get() == ufunc) return true;
    PyErr_Clear();
  }
  return false;
}

// Calls a function without a counterpart here (a foreign ufunc, a NumPy function) with NumPy views
// of our arrays.
PyObject* call_with_views(PyObject* function, PyObject* args, PyObject* kwargs) {
  if (!fallback_allowed()) Py_RETURN_NOTIMPLEMENTED;
  if (PyObject_TypeCheck(function, numpy_api().ufunc_type) && !(kwargs && PyDict_GET_SIZE(kwargs) > 0)) {
    bool called = false;
    PyObject* const result =
        call_plainly(function, PySequence_Fast_ITEMS(args), PyTuple_GET_SIZE(args), nullptr, &called);
    if (called) return result;
  }
  Ref module(PyImport_ImportModule("torch_np.numpy._interop.not_held")), none(kwargs ? nullptr : PyDict_New());
  if (!module || !(kwargs || none)) return nullptr;
  return PyObject_CallMethod(module.get(), "call_with_views", "OOO", function, args, kwargs ? kwargs : none.get());
}

// Returns the NumPy array given as out= itself, so that `a += x` keeps the type of `a`.
PyObject* or_foreign_out(PyObject* result, PyObject* kwargs) {
  PyObject* out = result && kwargs ? PyDict_GetItemString(kwargs, "out") : nullptr;
  if (!out || !PyTuple_Check(out) || PyTuple_GET_SIZE(out) != 1) return result;
  PyObject* target = PyTuple_GET_ITEM(out, 0);
  if (!PyObject_TypeCheck(target, numpy_api().ndarray_type)) return result;
  Py_DECREF(result);
  return Py_NewRef(target);
}

// Direct-mapped cache that maps a NumPy ufunc to ours (borrowed, or null). It is small, because
// most programs use few ufuncs.
struct Counterpart {
  PyObject *numpys, *ours;
};
Counterpart counterparts[64];
Counterpart& counterpart_of(PyObject* numpys) { return counterparts[(reinterpret_cast<uintptr_t>(numpys) >> 6) % 64]; }

bool is_call(PyObject* method) {
  static PyObject* name = PyUnicode_InternFromString("__call__");
  return method == name || PyUnicode_CompareWithASCIIString(method, "__call__") == 0;
}

// Our ufunc for one of NumPy's own; null without an exception for other ufuncs. Of these, the last ones
// are remembered by their address. NumPy's own ufuncs live as long as the process, so none of them
// gets the address of another one.
Ref counterpart_in_numpy(PyObject* ufunc) {
  static PyObject* others[16];
  PyObject*& other = others[(reinterpret_cast<uintptr_t>(ufunc) >> 6) % 16];
  if (other == ufunc) return {};
  const Ref name(PyObject_GetAttrString(ufunc, "__name__"));
  if (!name) return {};
  Ref ours(is_numpys_ufunc(ufunc, name.get()) ? our_counterpart("numpy", name.get()) : nullptr);
  if (!ours && !PyErr_Occurred() && Py_TYPE(ufunc) == numpy_api().ufunc_type) other = ufunc;
  return ours;
}

// Fast path for simple calls such as `s * x` with a NumPy scalar s, without overrides. If it
// returns null without an exception, use the general path.
PyObject* plain_ufunc_call(PyObject* args) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n < 3 || n > 4 || !PyUnicode_Check(PyTuple_GET_ITEM(args, 1))) return nullptr;
  const Counterpart& known = counterpart_of(PyTuple_GET_ITEM(args, 0));
  if (known.numpys != PyTuple_GET_ITEM(args, 0) || !is_call(PyTuple_GET_ITEM(args, 1))) return nullptr;
  const UfuncRow& row = row_of(known.ours);
  if (!row.op || row.nin != n - 2) return nullptr;
  PyObject* const* operands = &PyTuple_GET_ITEM(args, 2);
  if (PyObject* done = direct_call<true>(*row.op, operands, row.nin)) return done;
  for (int i = 0; i < row.nin; ++i) {
    if (!is_exact(operands[i]) && !is_numpy_scalar(operands[i])) return nullptr;
  }
  return PyObject_Vectorcall(known.ours, operands, static_cast<size_t>(row.nin), nullptr);  // mixed dtypes
}

// Handles `s + x` with a NumPy scalar or array s and an instance x of a subclass of ours. NumPy
// does not know that class, so this calls x.__radd__(s), which NumPy would have tried first.
// Returns null without an exception if the call does not have this form.
TNP_COLD PyObject* ask_subclass(PyObject* self, PyObject* args) {
  static PyObject* name = PyUnicode_InternFromString("__array_ufunc__");
  if (PyTuple_GET_SIZE(args) != 4 || PyTuple_GET_ITEM(args, 3) != self ||
      Py_TYPE(PyTuple_GET_ITEM(args, 0)) != numpy_api().ufunc_type || !PyUnicode_Check(PyTuple_GET_ITEM(args, 1)) ||
      _PyType_Lookup(Py_TYPE(self), name) != _PyType_Lookup(ndarray_type, name) || !is_call(PyTuple_GET_ITEM(args, 1)))
    return nullptr;
  Ref module(PyImport_ImportModule("torch_np.numpy._interop.subclasses"));
  Ref found(module ? PyObject_CallMethod(module.get(), "reflected", "OOO", self, PyTuple_GET_ITEM(args, 0),
                                         PyTuple_GET_ITEM(args, 2))
                   : nullptr);
  return found && found.get() != Py_NotImplemented ? found.release() : nullptr;
}

// __array_ufunc__(ufunc, method, *inputs, **kwargs)
PyObject* array_ufunc(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!kwargs && !is_exact(self) && is_ndarray(self)) {
    if (PyObject* done = ask_subclass(self, args)) return done;
    if (PyErr_Occurred()) return nullptr;
  }
  if (!kwargs) {
    if (PyObject* done = plain_ufunc_call(args)) return done;
    if (PyErr_Occurred()) return nullptr;
  }
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n < 2 || !PyUnicode_Check(PyTuple_GET_ITEM(args, 1))) {
    return PyErr_SetString(PyExc_TypeError, "__array_ufunc__() takes a ufunc, the name of a method, and operands"),
           nullptr;
  }
  for (Py_ssize_t i = 2; i < n; ++i) {
    if (overrides_ufuncs(PyTuple_GET_ITEM(args, i)) && !is_variable(PyTuple_GET_ITEM(args, i)))
      Py_RETURN_NOTIMPLEMENTED;
  }
  // A class that overrides ufuncs passed this where= mask on unchanged. Only a class that knows
  // where= can handle it.
  if (PyObject* where = kwargs ? PyDict_GetItemString(kwargs, "where") : nullptr; where && overrides_ufuncs(where))
    Py_RETURN_NOTIMPLEMENTED;
  Ref ours(counterpart_in_numpy(PyTuple_GET_ITEM(args, 0)));
  if (!ours) {
    if (PyErr_Occurred()) return nullptr;
    Ref function(is_call(PyTuple_GET_ITEM(args, 1))
                     ? Py_NewRef(PyTuple_GET_ITEM(args, 0))
                     : PyObject_GetAttr(PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1)));
    Ref operands(function ? PyTuple_GetSlice(args, 2, n) : nullptr);
    return operands ? call_with_views(function.get(), operands.get(), kwargs) : nullptr;
  }
  // The cache keeps both ufuncs alive; they are module attributes anyway.
  if (Py_TYPE(ours.get()) == ufunc_type_object() && Py_TYPE(PyTuple_GET_ITEM(args, 0)) == numpy_api().ufunc_type)
    counterpart_of(PyTuple_GET_ITEM(args, 0)) = {Py_NewRef(PyTuple_GET_ITEM(args, 0)), Py_NewRef(ours.get())};
  Ref operands(PyTuple_GetSlice(args, 2, n));
  if (!operands) return nullptr;
  if (is_call(PyTuple_GET_ITEM(args, 1))) {
    return or_foreign_out(PyObject_Call(ours.get(), operands.get(), kwargs), kwargs);
  }
  Ref method(PyObject_GetAttr(ours.get(), PyTuple_GET_ITEM(args, 1)));
  if (!method) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  return or_foreign_out(PyObject_Call(method.get(), operands.get(), kwargs), kwargs);
}

// __array_function__(func, types, args, kwargs)
PyObject* array_function(PyObject* self, PyObject* all, PyObject* keywords) {
  static const char* names[] = {"func", "types", "args", "kwargs", nullptr};
  PyObject *function, *types, *args, *kwargs;
  if (!PyArg_ParseTupleAndKeywords(all, keywords, "OOOO:__array_function__", const_cast<char**>(names), &function,
                                   &types, &args, &kwargs)) {
    return nullptr;
  }
  if (!PyTuple_Check(args)) return PyErr_SetString(PyExc_TypeError, "args must be a tuple."), nullptr;
  if (!PyDict_Check(kwargs)) return PyErr_SetString(PyExc_TypeError, "kwargs must be a dict."), nullptr;
  Ref type_list(PySequence_Tuple(types));
  if (!type_list) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type_list.get()); ++i) {
    auto* type = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type_list.get(), i));
    bool known = PyType_Check(type) && (PyType_IsSubtype(type, ndarray_type) || PyType_IsSubtype(type, tensor_type) ||
                                        PyType_IsSubtype(type, numpy_api().ndarray_type));
    if (!known) Py_RETURN_NOTIMPLEMENTED;
  }
  if (!is_exact(self)) {  // called as super().__array_function__ by a subclass
    static PyObject* kept = nullptr;
    PyObject* const source_of = imported(kept, "torch_np.numpy._interop.subclasses", "source_of");
    Ref source(source_of ? PyObject_CallFunctionObjArgs(source_of, Py_TYPE(self), function, nullptr) : nullptr);
    if (!source) return nullptr;
    if (source.get() != Py_None) return PyObject_Call(source.get(), args, kwargs);
  }
  if (Ref own(implementation_of(function)); own) return PyObject_Call(own.get(), args, kwargs);
  if (PyErr_Occurred()) return nullptr;
  Ref module(PyObject_GetAttrString(function, "__module__")), name(PyObject_GetAttrString(function, "__name__"));
  if (!module || !name) return nullptr;
  // Not a function of NumPy's, so NumPy did not dispatch it here: call it directly.
  if (PyUnicode_Check(module.get()) && !is_numpys(module.get())) return PyObject_Call(function, args, kwargs);
  const char* module_name = PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  Ref ours(module_name ? our_counterpart(module_name, name.get()) : nullptr);
  if (!ours) return PyErr_Occurred() ? nullptr : call_with_views(function, args, kwargs);
  return PyObject_Call(ours.get(), args, kwargs);
}

// __array_wrap__: foreign functions call this method to convert their result to our class.
PyObject* array_wrap(PyObject* self, PyObject* args) {
  PyObject *array, *context = Py_None, *return_scalar = Py_False;
  if (!PyArg_ParseTuple(args, "O|OO:__array_wrap__", &array, &context, &return_scalar)) return nullptr;
  const int as_scalar = PyObject_IsTrue(return_scalar);
  if (as_scalar < 0) return nullptr;
  PyObject* wrapped = protect<true>([&]() -> PyObject* {
    const Tensor t = is_variable(array) ? unwrap(array) : as_tensor(array, true);
    if (as_scalar && is_exact(self) && t.dim() == 0) return wrap_value(tnp::clone(t));
    const bool of_subclass = is_exact(self) && is_variable(array) && !is_exact(array);
    return wrap_as<true>(Py_TYPE(self), of_subclass ? tnp::alias(t) : t, self);
  });
  return !wrapped && is_numpy_array(array) && clear_not_held() ? Py_NewRef(array) : wrapped;
}

// The same for Tensors. As in PyTorch, bools become uint8.
PyObject* tensor_wrap(PyObject*, PyObject* args) {
  PyObject *array, *context = Py_None, *return_scalar = Py_False;
  if (!PyArg_ParseTuple(args, "O|OO:__array_wrap__", &array, &context, &return_scalar)) return nullptr;
  return protect<false>([&]() -> PyObject* {
    const Tensor t = as_tensor(array, true);
    return wrap<false>(is_bool(t.dtype()) ? tnp::cast(t, ScalarType::UInt8) : t);
  });
}

PyObject* array_finalize(PyObject*, PyObject*) { Py_RETURN_NONE; }

PyObject* get_dlpack_device(PyObject* self, PyObject*) {
  return protect<true>([&] { return dlpack_device(unwrap(self)); });
}

PyObject* dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return protect<true>([&] { return dlpack_method(self, args, nargs, kwnames); });
}

PyObject* array(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return protect<true>([&] { return array_method(self, args, nargs, kwnames); });
}

PyObject* to_torch(PyObject* self, PyObject*) {
  if (stands_for_scalar(self))
    return PyErr_Format(PyExc_AttributeError, "'numpy.%s' object has no attribute '_torch'",
                        dtype_name(unwrap(self).dtype()));
  return wrap<false>(unwrap(self));
}
PyObject* to_np_compat(PyObject* self, PyObject*) { return wrap<true>(unwrap(self)); }

PyObject* as_numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"force", nullptr};
  int force = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:numpy", const_cast<char**>(names), &force)) return nullptr;
  return protect<false>([&] { return to_numpy(unwrap(self), force != 0); });
}

}  // namespace

template <bool compat>
PyMethodDef* interchange_methods() {
  static PyMethodDef shared[] = {
      {"_torch", to_torch, METH_NOARGS,
       "_torch($self, /)\n--\n\nThe array as a torch_np.Tensor that shares its memory, gradient and device."},
      {"_np_compat", to_np_compat, METH_NOARGS,
       "_np_compat($self, /)\n--\n\n"
       "The tensor as a torch_np.numpy.ndarray that shares its memory, gradient and device."},
      {"__array__", as_method(array), METH_FASTCALL | METH_KEYWORDS,
       "The elements as a numpy.ndarray, for NumPy's conversions. It shares the memory if neither the\n"
       "dtype nor `copy` asks for a copy."},
      {"__dlpack__", as_method(dlpack), METH_FASTCALL | METH_KEYWORDS,
       "The array as a DLPack capsule, which another library can use without a copy."},
      {"__dlpack_device__", get_dlpack_device, METH_NOARGS,
       "Device of the memory as DLPack's pair (device type, device number)."},
      {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,
       "Generic alias for type annotations, such as `ndarray[Any, dtype]`."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef numpy_protocols[] = {
      {"__array_ufunc__", as_method(array_ufunc), METH_VARARGS | METH_KEYWORDS,
       "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\n"
       "Runs torch_np's ufunc in place of a NumPy ufunc that is called with torch_np arrays.\n\n"
       "Args:\n"
       "  ufunc: The NumPy ufunc that was called.\n"
       "  method: Name of its method, such as '__call__' or 'reduce'.\n"
       "  inputs: Operands of the call.\n"
       "  kwargs: Keyword arguments of the call."},
      {"__array_function__", as_method(array_function), METH_VARARGS | METH_KEYWORDS,
       "__array_function__($self, /, func, types, args, kwargs)\n--\n\n"
       "Runs torch_np's function in place of a NumPy function that is called with torch_np arrays.\n\n"
       "Args:\n"
       "  func: The NumPy function that was called.\n"
       "  types: Classes of the arguments that implement `__array_function__`.\n"
       "  args: Positional arguments of the call.\n"
       "  kwargs: Keyword arguments of the call."},
      {"__array_wrap__", array_wrap, METH_VARARGS,
       "__array_wrap__($self, array, context=None, return_scalar=True, /)\n--\n\n"
       "Converts a result to the class of this array.\n\n"
       "Args:\n"
       "  array: The result.\n"
       "  context: Tuple (ufunc, arguments, index of the output) of the call that made the result, or\n"
       "    None.\n"
       "  return_scalar: Whether a 0-d result becomes a scalar."},
      {"__array_finalize__", array_finalize, METH_O,
       "__array_finalize__($self, obj, /)\n--\n\n"
       "Hook that NumPy's protocol calls for a new object of a subclass. This one does nothing.\n\n"
       "Args:\n"
       "  obj: Array that the new object was made from, or None."},
      {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef torch_methods[] = {
      {"numpy", as_method(as_numpy), METH_VARARGS | METH_KEYWORDS,
       "numpy($self, /, *, force=False)\n--\n\n"
       "The tensor as a numpy.ndarray over the same memory.\n\n"
       "Args:\n"
       "  force: Whether to allow a tensor that requires a gradient or is on a GPU. The result is then\n"
       "    detached, or a copy on the CPU.\n\n"
       "Errors: RuntimeError if the tensor requires a gradient, and TypeError if it is not on the CPU,\n"
       "unless `force` is True."},
      {"__array_wrap__", tensor_wrap, METH_VARARGS,
       "__array_wrap__($self, array, context=None, return_scalar=False, /)\n--\n\n"
       "Converts the result of a NumPy ufunc with Tensor operands to a Tensor.\n\n"
       "Args:\n"
       "  array: The result. The Tensor shares its memory, except that bools become uint8.\n"
       "  context: Tuple (ufunc, arguments, index of the output) of the call that made the result, or\n"
       "    None. Not used.\n"
       "  return_scalar: Not used: a 0-d result becomes a 0-d Tensor."},
      {nullptr, nullptr, 0, nullptr}};
  if (!add_methods(face_type<compat>(), shared)) return nullptr;
  return compat ? numpy_protocols : torch_methods;
}
template PyMethodDef* interchange_methods<false>();
template PyMethodDef* interchange_methods<true>();

PyObject* tobytes_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  const bool by_name = nkw == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "order") == 0;
  if (nargs + nkw > 1 || (nkw == 1 && !by_name))
    return PyErr_SetString(PyExc_TypeError, "tobytes() takes one argument, 'order'"), nullptr;
  PyObject* const order = nargs + nkw == 1 ? args[0] : nullptr;
  return protect<true>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    const bool row_major =
        !order || order == Py_None || (PyUnicode_Check(order) && PyUnicode_CompareWithASCIIString(order, "C") == 0);
    if (row_major && t.is_row_major() && t.device().is_cpu() && !observer())
      return PyBytes_FromStringAndSize(t.numel() == 0 ? nullptr : t.address(), t.numel() * t.itemsize());
    const Ref view(to_numpy(t.device().is_cpu() ? t : cpu(detach(t)), true));
    return PyObject_CallMethod(view.get(), "tobytes", "O", order ? order : Py_None);
  });
}

}  // namespace tnp::python
