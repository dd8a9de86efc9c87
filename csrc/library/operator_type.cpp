// _C.LibraryOperator: a callable for a library's operator, on one of the two types.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <memory>
#include <new>
#include <optional>

#include "csrc/args/call.h"
#include "csrc/library/library.h"
#include "csrc/library/parameters.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

enum class Results : uint8_t { One, Tuple, List };

struct OperatorObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;
  std::shared_ptr<const LibraryOperator> op;
  std::unique_ptr<SchemaParameters> parameters;  // null for operators without a schema
  Results results;
  bool numpy_face;
};
PyTypeObject* operator_type = nullptr;
OperatorObject& object_of(PyObject* o) { return *reinterpret_cast<OperatorObject*>(o); }

// --- calls

template <bool compat>
PyObject* wrap_all(const OperatorObject& self, LibraryTensors& results) {
  if (self.results == Results::One && results.size() == 1) return wrap_new<compat>(std::move(results[0]));
  if (self.results == Results::One && results.empty()) Py_RETURN_NONE;
  const auto n = static_cast<Py_ssize_t>(results.size());
  const bool list = self.results == Results::List;
  Ref all(check(list ? PyList_New(n) : PyTuple_New(n)));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* result = check(wrap_new<compat>(std::move(results[static_cast<size_t>(i)])));
    if (list)
      PyList_SET_ITEM(all.get(), i, result);
    else
      PyTuple_SET_ITEM(all.get(), i, result);
  }
  return all.release();
}

PyObject* run(const OperatorObject& self, const ReadArguments& arguments, const char* const* names) {
  LibraryTensors results;
  (*self.op)(arguments.inputs, {std::span(arguments.values.data(), arguments.values.size()), names, arguments.copies},
             arguments.mutated, results);
  return arguments.numpy_face ? wrap_all<true>(self, results) : wrap_all<false>(self, results);
}

// The attributes of a call of an operator without a schema. Inputs are passed by position, and
// attributes by name, as text.
struct Attributes {
  std::vector<Ref> texts;
  std::vector<const char*> names;
  void read(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, ReadArguments& into) {
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
      PyObject *name = PyTuple_GET_ITEM(kwnames, i), *value = args[nargs + i];
      if (value == Py_None) continue;  // not given
      if (is_variable(value))
        raise_python(PyExc_TypeError, "argument '" + text_of(name) + "' is an array: arrays must be given by position");
      Py_ssize_t size;
      texts.emplace_back(check(PyObject_Str(value)));
      const char* text = PyUnicode_AsUTF8AndSize(texts.back().get(), &size);
      const char* key = PyUnicode_AsUTF8(name);
      if (!text || !key) throw PythonError();
      TorchNpValue v{};
      v.kind = TORCH_NP_STRING, v.count = size, v.as.string = text;
      into.values.push_back(v);
      names.push_back(key);
    }
  }
};

template <bool compat>
PyObject* call_with_attributes(const OperatorObject& self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return protect<compat>([&] {
    ReadArguments arguments;
    Attributes attributes;
    arguments.numpy_face = compat;
    attributes.read(args, nargs, kwnames, arguments);
    for (Py_ssize_t i = 0; i < nargs; ++i) {
      if (is_variable(args[i])) {
        if (i == 0 && Py_TYPE(args[i]) != tensor_type && is_ndarray(args[i])) arguments.numpy_face = true;
        arguments.inputs.push_back(unwrap(args[i]));
      } else if (compat) {
        if (!is_numpy_array(args[i])) arguments.copies.push_back(i);
        arguments.inputs.push_back(as_tensor(args[i], true));
      } else {
        raise_python(PyExc_TypeError, std::string(self.op->name()) + "(): input " + std::to_string(i) +
                                          " must be Tensor, not " + Py_TYPE(args[i])->tp_name);
      }
    }
    return run(self, arguments, attributes.names.data());
  });
}

// Adds the library's name to an error of the parser or the readers, whose text names the operator
// only. Returns null.
TNP_COLD PyObject* name_library(const OperatorObject& self) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const bool of_arguments = type == PyExc_TypeError || type == PyExc_ValueError || type == not_held_error();
  Ref text(of_arguments && value ? PyObject_Str(value) : nullptr);
  if (!text) {
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  const Ref owned_type(type), owned_value(value), owned_traceback(traceback);
  return PyErr_Format(type, "%U (%s is of %s)", text.get(), self.op->name(), self.op->library().file_name().c_str());
}

template <bool compat>
PyObject* call_by_schema(const OperatorObject& self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const SchemaParameters& parameters = *self.parameters;
  ReadArguments arguments;
  if (parameters.read_arrays(args, nargs, kwnames, arguments))
    return protect<compat>([&] { return run(self, arguments, parameters.names()); });
  PyObject* slots[kMaxSlots + 1];  // Parser::parse needs one slot before the first
  if (!parameters.parse(args, nargs, kwnames, slots + 1)) return name_library(self);
  bool were_read = false;
  PyObject* result = protect<compat>(static_cast<PyObject*>(nullptr), &parameters.signature(), [&] {
    parameters.read(slots + 1, arguments);
    were_read = true;
    // Errors of the operator itself already name it.
    return guarded<compat>([&] { return run(self, arguments, parameters.names()); });
  });
  return TNP_LIKELY(result || were_read) ? result : name_library(self);
}

template <bool compat>
PyObject* call_operator(PyObject* o, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const OperatorObject& self = object_of(o);
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  return self.parameters ? call_by_schema<compat>(self, args, nargs, kwnames)
                         : call_with_attributes<compat>(self, args, nargs, kwnames);
}

// --- the type

// LibraryOperator(library, index, numpy_face, parameters or None, num_outputs, results)
PyObject* operator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *library, *parameters;
  Py_ssize_t index, num_outputs;
  int numpy_face;
  const char* results;
  if (kwargs && PyDict_GET_SIZE(kwargs))
    return PyErr_SetString(PyExc_TypeError, "LibraryOperator takes no keyword arguments"), nullptr;
  if (!PyArg_ParseTuple(args, "OnpOns", &library, &index, &numpy_face, &parameters, &num_outputs, &results))
    return nullptr;
  Ref made(type->tp_alloc(type, 0));
  if (!made) return nullptr;
  OperatorObject& self = object_of(made.get());
  new (&self.op) std::shared_ptr<const LibraryOperator>;
  new (&self.parameters) std::unique_ptr<SchemaParameters>;
  self.vectorcall = numpy_face ? call_operator<true> : call_operator<false>;
  self.numpy_face = numpy_face != 0;
  self.results = results[0] == 'o' ? Results::One : results[0] == 't' ? Results::Tuple : Results::List;
  return protect<false>([&]() -> PyObject* {
    const std::shared_ptr<SharedLibrary>& from = library_in(library);
    const auto operators = from->operators();
    if (index < 0 || static_cast<size_t>(index) >= operators.size())
      raise_python(PyExc_IndexError, "the library has no such operator");
    self.op = std::make_shared<LibraryOperator>(from, *operators[static_cast<size_t>(index)], num_outputs);
    if (parameters != Py_None) {
      const std::string_view name = self.op->name();
      const size_t colon = name.rfind(':');
      self.parameters = std::make_unique<SchemaParameters>(
          self.op->name() + (colon == std::string_view::npos ? 0 : colon + 1), parameters, self.numpy_face);
    }
    return made.release();
  });
}

void operator_dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  OperatorObject& self = object_of(o);
  Py_CLEAR(self.dict);
  self.parameters.~unique_ptr();
  self.op.~shared_ptr();
  PyTypeObject* type = Py_TYPE(o);
  type->tp_free(o);
  Py_DECREF(type);
}
int operator_traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(object_of(o).dict);
  return 0;
}
int operator_clear(PyObject* o) {
  Py_CLEAR(object_of(o).dict);
  return 0;
}

// Returns an attribute that the loader has stored in the object's __dict__.
Ref said(PyObject* o, const char* name) {
  PyObject* dict = object_of(o).dict;
  PyObject* found = dict ? PyDict_GetItemString(dict, name) : nullptr;
  return Ref(Py_XNewRef(found));
}
PyObject* operator_repr(PyObject* o) {
  Ref text = said(o, "_text");
  return text ? text.release() : PyUnicode_FromFormat("<operator %s>", object_of(o).op->name());
}
// help() needs __get__ to recognise a function; as a class attribute the operator does not bind.
PyObject* operator_get(PyObject* o, PyObject*, PyObject*) { return Py_NewRef(o); }
PyObject* operator_reduce(PyObject* o, PyObject*) {
  Ref how = said(o, "_reduced");
  if (how) return how.release();
  return PyErr_SetString(PyExc_TypeError, "the operator is not registered, and cannot be pickled"), nullptr;
}
PyObject* operator_as_numpy(PyObject* o, PyObject*) {
  Ref other = said(o, "_numpy_operator");
  return other ? other.release() : Py_NewRef(o);
}

PyMethodDef operator_methods[] = {
    {"__reduce__", operator_reduce, METH_NOARGS, "Description of the operator for pickle: its name."},
    {"as_numpy", operator_as_numpy, METH_NOARGS, "The same operator for ndarrays of torch_np.numpy."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef operator_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(OperatorObject, dict), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef operator_getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot operator_slots[] = {{Py_tp_new, reinterpret_cast<void*>(operator_new)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(operator_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(operator_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(operator_clear)},
                                {Py_tp_repr, reinterpret_cast<void*>(operator_repr)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(operator_get)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_methods, operator_methods},
                                {Py_tp_members, operator_members},
                                {Py_tp_getset, operator_getset},
                                {Py_tp_doc, const_cast<char*>("Operator of a library that was loaded at run time.")},
                                {0, nullptr}};
PyType_Spec operator_spec = {"torch_np._C.LibraryOperator", sizeof(OperatorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, operator_slots};

}  // namespace

bool add_library_operator_type(PyObject* module) {
  operator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&operator_spec));
  return operator_type &&
         PyModule_AddObjectRef(module, "LibraryOperator", reinterpret_cast<PyObject*>(operator_type)) == 0;
}

}  // namespace tnp::python
