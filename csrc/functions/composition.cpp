// Compositions honour __array_function__ (NEP 18) and like= (NEP 35), and give their result the class of the first
// argument.
//
// It is done here and not in a Python wrapper because that costs as much as a small composition: two more Python calls,
// a tuple and a dict. The object has a __dict__, so that functools.update_wrapper makes it look like the function.
#include "csrc/functions/composition.h"

#include <structmember.h>

#include <optional>

#include "aten/core/default_device.h"
#include "csrc/args/call.h"
#include "csrc/overrides/function_overrides.h"

namespace tnp::python {

namespace {

struct Composition {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* dict;
  PyObject* weakrefs;
  bool takes_arrays;  // its first argument is a list of arrays
  bool keeps_class;
};

PyTypeObject* composition_type = nullptr;
Composition& self_of(PyObject* o) { return *reinterpret_cast<Composition*>(o); }

PyObject* out_of(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "out") == 0) return args[nargs + i];
  }
  return nullptr;
}

// The GPU of the first argument that is there, or has such an array first.
Device gpu_of(PyObject* const* args, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* o = args[i];
    if (PyList_CheckExact(o) && PyList_GET_SIZE(o) > 0)
      o = PyList_GET_ITEM(o, 0);
    else if (PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) > 0)
      o = PyTuple_GET_ITEM(o, 0);
    if (is_variable(o) && TNP_UNLIKELY(!unwrap(o).device().is_cpu())) return unwrap(o).device();
  }
  return {};
}

PyObject* vectorcall(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const Composition& self = self_of(o);
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf), total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (PyObject* like = kwnames ? like_of(args, nargs, kwnames) : nullptr) {
    if (!can_be_like(like)) return nullptr;
    Candidates found;
    found.look_at(like);
    if (found.n) return dispatch(o, found, args, nargs, kwnames, like);
  }
  Candidates found;
  for (Py_ssize_t i = 0; i < total; ++i) found.look_at(args[i]);
  PyObject* first = nargs > 0 ? args[0] : nullptr;
  if (self.takes_arrays && first) found.look_into(first);
  if (TNP_UNLIKELY(found.n)) return dispatch(o, found, args, nargs, kwnames, nullptr);
  std::optional<DefaultDeviceGuard> beside;
  if (const Device gpu = gpu_of(args, total); TNP_UNLIKELY(!gpu.is_cpu())) beside.emplace(gpu);
  PyObject* result = PyObject_Vectorcall(self.function, args, nargsf, kwnames);
  if (TNP_LIKELY(!first || Py_TYPE(first) == ndarray_type || !self.keeps_class)) return result;
  return take_class({first, out_of(args, nargs, kwnames)}, result);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"function", "takes_arrays", "keeps_class", nullptr};
  PyObject* function;
  int takes_arrays, keeps_class;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Opp:_Composition", const_cast<char**>(names), &function,
                                   &takes_arrays, &keeps_class))
    return nullptr;
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) return nullptr;
  Composition& self = self_of(o);
  self.vectorcall = vectorcall;
  self.function = Py_NewRef(function);
  self.takes_arrays = takes_arrays;
  self.keeps_class = keeps_class;
  return o;
}

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self_of(o).function);
  Py_VISIT(self_of(o).dict);
  return 0;
}
int clear(PyObject* o) {
  Py_CLEAR(self_of(o).function);
  Py_CLEAR(self_of(o).dict);
  return 0;
}
void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (self_of(o).weakrefs) PyObject_ClearWeakRefs(o);
  clear(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* repr(PyObject* o) {
  Ref name(PyObject_GetAttrString(o, "__qualname__"));
  return name ? PyUnicode_FromFormat("<function %U at %p>", name.get(), o) : nullptr;
}
// As an attribute of a class it is a method, like any function.
PyObject* bind(PyObject* o, PyObject* instance, PyObject*) {
  return !instance || instance == Py_None ? Py_NewRef(o) : PyMethod_New(o, instance);
}
// Pickled by name.
PyObject* reduce(PyObject* o, PyObject*) { return PyObject_GetAttrString(o, "__qualname__"); }
PyObject* get_implementation(PyObject* o, void*) { return Py_NewRef(self_of(o).function); }

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "For pickling."}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {"_implementation", get_implementation, nullptr,
                             "The plain function, for __array_function__ methods that fall back on it.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Composition, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(Composition, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(Composition, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}
PyType_Slot slots[] = {{Py_tp_new, slot(make)},
                       {Py_tp_call, slot(PyVectorcall_Call)},
                       {Py_tp_repr, slot(repr)},
                       {Py_tp_descr_get, slot(bind)},
                       {Py_tp_traverse, slot(traverse)},
                       {Py_tp_clear, slot(clear)},
                       {Py_tp_dealloc, slot(dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, properties},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"torch_np._C._Composition", sizeof(Composition), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

bool init_composition_type(PyObject* module) {
  composition_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return composition_type &&
         PyModule_AddObjectRef(module, "_Composition", reinterpret_cast<PyObject*>(composition_type)) == 0;
}

PyObject* composition_of(PyObject* o) { return Py_TYPE(o) == composition_type ? self_of(o).function : nullptr; }

}  // namespace tnp::python
