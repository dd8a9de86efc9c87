// torch_np._C.ConvertedFunction: a function or ufunc of NumPy that accepts and returns arrays of this
// package. Functions of dtypes that the engine lacks, such as those of numpy.char, have this type.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "aten/core/macros.h"
#include "csrc/args/plain_call.h"
#include "csrc/module/modules.h"
#include "csrc/objects/imported.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

struct ConvertedFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* numpys;  // the function of NumPy
  PyObject* module;  // name of the module that has this function
  PyObject* dict;
  PyObject* weakrefs;
};
ConvertedFunction& converted(PyObject* o) { return *reinterpret_cast<ConvertedFunction*>(o); }

extern PyTypeObject converted_type;

constexpr char kExchange[] = "torch_np.numpy._interop.exchange";

// The general path, which converts arrays in containers, of subclasses and of other devices.
PyObject* call_exchanging(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static PyObject* kept = nullptr;
  PyObject* const call = imported(kept, kExchange, "call_exchanging");
  const Ref positional(call ? PyTuple_New(nargs) : nullptr);
  const Ref named(positional ? PyDict_New() : nullptr);
  if (!named) return nullptr;
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(kwnames, k), args[nargs + k]) < 0) return nullptr;
  return PyObject_CallFunctionObjArgs(call, function, positional.get(), named.get(), nullptr);
}

PyObject* call(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  PyObject* const function = converted(o).numpys;
  bool called = false;
  PyObject* const result = call_plainly(function, args, PyVectorcall_NARGS(nargsf), kwnames, &called);
  return TNP_LIKELY(called) ? result : call_exchanging(function, args, PyVectorcall_NARGS(nargsf), kwnames);
}

PyObject* make(PyObject* numpys, PyObject* module) {
  PyObject* const o = converted_type.tp_alloc(&converted_type, 0);
  if (!o) return nullptr;
  converted(o).vectorcall = call;
  converted(o).numpys = Py_NewRef(numpys);
  converted(o).module = Py_NewRef(module);
  return o;
}

PyObject* new_converted(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"function", "module", nullptr};
  PyObject *function, *module;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU:ConvertedFunction", const_cast<char**>(names), &function, &module))
    return nullptr;
  if (!PyCallable_Check(function)) return PyErr_SetString(PyExc_TypeError, "the function must be callable"), nullptr;
  return make(function, module);
}

// Whether a name is "__x__": such an attribute of NumPy's function is returned as it is.
bool is_special(PyObject* name) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
  return length > 4 && PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_' &&
         PyUnicode_READ_CHAR(name, length - 1) == '_' && PyUnicode_READ_CHAR(name, length - 2) == '_';
}

// Other attributes are those of NumPy's function; methods of a ufunc convert arrays too.
PyObject* get_attribute(PyObject* o, PyObject* name) {
  PyObject* const own = PyObject_GenericGetAttr(o, name);
  if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  Ref found(PyObject_GetAttr(converted(o).numpys, name));
  if (!found || is_special(name) || PyType_Check(found.get()) || !PyCallable_Check(found.get())) return found.release();
  return make(found.get(), converted(o).module);
}

// isinstance(np.isnat, np.ufunc) holds as in NumPy.
PyObject* get_class(PyObject* o, void*) {
  const bool is_ufunc = PyObject_TypeCheck(converted(o).numpys, numpy_api().ufunc_type);
  return Py_NewRef(reinterpret_cast<PyObject*>(is_ufunc ? ufunc_type_object() : &converted_type));
}

PyObject* get_doc(PyObject* o, void*) {
  static PyObject* const name = PyUnicode_InternFromString("__doc__");
  PyObject* const own = converted(o).dict ? PyDict_GetItemWithError(converted(o).dict, name) : nullptr;
  if (own || PyErr_Occurred()) return Py_XNewRef(own);
  return PyObject_GetAttr(converted(o).numpys, name);
}

int set_doc(PyObject* o, PyObject* value, void*) {
  const Ref dict(PyObject_GenericGetDict(o, nullptr));
  if (!dict) return -1;
  return value ? PyDict_SetItemString(dict.get(), "__doc__", value) : PyDict_DelItemString(dict.get(), "__doc__");
}

PyObject* get_signature(PyObject* o, void*) {
  static PyObject* kept = nullptr;
  PyObject* const signature_of = imported(kept, kExchange, "signature_of_numpys");
  return signature_of ? PyObject_CallOneArg(signature_of, converted(o).numpys) : nullptr;
}

// As an attribute of a class, it binds as NumPy's function does.
PyObject* bind(PyObject* o, PyObject* instance, PyObject*) {
  const bool binds = Py_TYPE(converted(o).numpys)->tp_descr_get && instance && instance != Py_None;
  return binds ? PyMethod_New(o, instance) : Py_NewRef(o);
}

// Pickles and copies by name.
PyObject* reduce(PyObject* o, PyObject*) { return PyObject_GetAttrString(converted(o).numpys, "__name__"); }

PyObject* repr(PyObject* o) { return PyObject_Repr(converted(o).numpys); }

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(converted(o).numpys);
  Py_VISIT(converted(o).dict);
  return 0;
}

int clear(PyObject* o) {
  Py_CLEAR(converted(o).dict);
  return 0;
}

void dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  if (converted(o).weakrefs) PyObject_ClearWeakRefs(o);
  clear(o);
  Py_CLEAR(converted(o).numpys);
  Py_CLEAR(converted(o).module);
  Py_TYPE(o)->tp_free(o);
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "Description of the function for pickle: its name."},
                         {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT, offsetof(ConvertedFunction, numpys), READONLY, "The function of NumPy."},
    {"__module__", T_OBJECT, offsetof(ConvertedFunction, module), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef properties[] = {{"__class__", get_class, nullptr, nullptr, nullptr},
                            {"__doc__", get_doc, set_doc, nullptr, nullptr},
                            {"__signature__", get_signature, nullptr, nullptr, nullptr},
                            {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject type_of_converted_functions() {
  PyTypeObject type{};
  Py_SET_REFCNT(&type, 1);
  type.tp_name = "torch_np._C.ConvertedFunction";
  type.tp_basicsize = sizeof(ConvertedFunction);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(ConvertedFunction, vectorcall);
  type.tp_dictoffset = offsetof(ConvertedFunction, dict);
  type.tp_weaklistoffset = offsetof(ConvertedFunction, weakrefs);
  type.tp_new = new_converted;
  type.tp_call = PyVectorcall_Call;
  type.tp_getattro = get_attribute;
  type.tp_repr = repr;
  type.tp_descr_get = bind;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_dealloc = dealloc;
  type.tp_methods = methods;
  type.tp_members = members;
  type.tp_getset = properties;
  return type;
}

PyTypeObject converted_type = type_of_converted_functions();

}  // namespace

bool add_converted_functions(PyObject* module) {
  return PyType_Ready(&converted_type) == 0 &&
         PyModule_AddObjectRef(module, "ConvertedFunction", reinterpret_cast<PyObject*>(&converted_type)) == 0;
}

}  // namespace tnp::python
