#include <string>
#include <string_view>

#include "csrc/library/library.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/kept_python_error.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Finds the function of torch_np ("linalg.inv") or the registered operator; returns null without an
// exception if neither exists. Functions of torch_np come first, so that a library cannot replace
// one that other derivatives use.
Ref find(const char* op) {
  Ref found(check(PyImport_ImportModule("torch_np")));
  for (std::string_view rest = op; found && !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    found = Ref(PyObject_GetAttrString(found.get(), std::string(rest.substr(0, dot)).c_str()));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (found) return found;
  PyErr_Clear();
  Ref registry(check(PyImport_ImportModule("torch_np._registry")));
  found = Ref(check(PyObject_CallMethod(registry.get(), "find", "s", op)));
  return found.get() == Py_None ? Ref() : std::move(found);
}

PyObject* list_of(const TorchNpValue& v, auto&& item) {
  Ref list(check(PyList_New(v.count)));
  for (int64_t i = 0; i < v.count; ++i) PyList_SET_ITEM(list.get(), i, check(item(i)));
  return list.release();
}

PyObject* object_of(const TorchNpValue& v) {
  const auto tensor = [](void* handle) { return wrap<false>(*static_cast<const Tensor*>(handle)); };
  switch (v.kind) {
    case TORCH_NP_NONE:
      return Py_NewRef(Py_None);
    case TORCH_NP_TENSOR:
      return tensor(v.as.handle);
    case TORCH_NP_TENSORS:
      return list_of(v, [&](int64_t i) { return tensor(v.as.handles[i]); });
    case TORCH_NP_BOOL:
      return PyBool_FromLong(v.as.integer != 0);
    case TORCH_NP_INT:
      return PyLong_FromLongLong(v.as.integer);
    case TORCH_NP_FLOAT:
      return PyFloat_FromDouble(v.as.numbers[0]);
    case TORCH_NP_COMPLEX:
      return PyComplex_FromDoubles(v.as.numbers[0], v.as.numbers[1]);
    case TORCH_NP_STRING:
      return PyUnicode_FromStringAndSize(v.as.string, static_cast<Py_ssize_t>(v.count));
    case TORCH_NP_INTS:
      return list_of(v, [&](int64_t i) { return PyLong_FromLongLong(v.as.int_list[i]); });
    case TORCH_NP_FLOATS:
      return list_of(v, [&](int64_t i) { return PyFloat_FromDouble(v.as.float_list[i]); });
    case TORCH_NP_BOOLS:
      return list_of(v, [&](int64_t i) { return PyBool_FromLong(v.as.bool_list[i]); });
    default:
      TNP_RAISE(ErrorKind::Type, "an argument of unknown kind ", v.kind);
  }
}

Tensor tensor_of(PyObject* o, const char* op) {
  TNP_CHECK(is_variable(o), ErrorKind::Type, op, " returned ", Py_TYPE(o)->tp_name, ", expected a Tensor");
  return unwrap(o);
}

// Rethrows the current exception, which cannot propagate through a library's frames. Exception
// kinds that a library may raise become an error of the operator. Others, such as user-defined
// exceptions and KeyboardInterrupt, are preserved.
[[noreturn]] void throw_as_error(const char* op) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const std::pair<PyObject*, ErrorKind> kinds[] = {{PyExc_TypeError, ErrorKind::Type},
                                                   {PyExc_ValueError, ErrorKind::Value},
                                                   {PyExc_NotImplementedError, ErrorKind::NotImplemented},
                                                   {PyExc_MemoryError, ErrorKind::Memory},
                                                   {PyExc_Exception, ErrorKind::Runtime}};
  const bool of_user =
      type && (reinterpret_cast<PyTypeObject*>(type)->tp_flags & Py_TPFLAGS_HEAPTYPE) && type != not_held_error();
  for (const auto& [known, kind] : kinds) {
    if (of_user) break;
    if (!PyErr_GivenExceptionMatches(type, known)) continue;
    const Ref owned_type(type), owned_value(value), owned_traceback(traceback);
    Ref text(value ? PyObject_Str(value) : nullptr);
    const char* message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (!message) PyErr_Clear();
    TNP_RAISE(kind, op, ": ", message ? message : "it raised an exception");
  }
  throw KeptPythonError(type, value, traceback);
}

std::vector<Tensor> called(const char* op, std::span<const TorchNpValue> arguments,
                           std::span<const char* const> keywords) {
  Ref function = find(op);
  TNP_CHECK(function, ErrorKind::Value, "there is neither an operator nor a function of torch_np called ", op);
  const size_t positional = arguments.size() - keywords.size();
  Ref args(check(PyTuple_New(static_cast<Py_ssize_t>(positional)))), kwargs(check(PyDict_New()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    Ref value(check(object_of(arguments[i])));
    if (i < positional)
      PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i), value.release());
    else
      check(PyDict_SetItemString(kwargs.get(), keywords[i - positional], value.get()) == 0);
  }
  Ref result(check(PyObject_Call(function.get(), args.get(), kwargs.get())));
  std::vector<Tensor> results;
  if (PyTuple_Check(result.get()) || PyList_Check(result.get())) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result.get()); ++i)
      results.push_back(tensor_of(PySequence_Fast_GET_ITEM(result.get(), i), op));
  } else if (result.get() != Py_None) {
    results.push_back(tensor_of(result.get(), op));
  }
  return results;
}

}  // namespace

std::vector<Tensor> call_by_name(const char* op, std::span<const TorchNpValue> arguments,
                                 std::span<const char* const> keywords) {
  GilGuard gil;
  try {
    return call_python([&] { return called(op, arguments, keywords); });
  } catch (const PythonError&) {
    throw_as_error(op);
  }
}

}  // namespace tnp::python
