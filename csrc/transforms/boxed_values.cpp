#include "csrc/transforms/boxed_values.h"

#include <string>
#include <utility>
#include <vector>

#include "csrc/args/readers.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/generator.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

using compiler::ArgumentValue;
using compiler::BoxedCall;
using compiler::BoxedResults;
using compiler::Enumerator;
using compiler::ViewNumber;

template <class List, class F>
PyObject* list_of(const List& items, F&& object) {
  Ref list(check(PyList_New(static_cast<Py_ssize_t>(items.size()))));
  for (size_t i = 0; i < items.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), check(object(items[i])));
  return list.release();
}

struct ToObject {
  const BoxedCall& call;

  PyObject* operator()(std::monostate) const { return Py_NewRef(Py_None); }
  PyObject* operator()(ViewNumber v) const {
    if (v.view < 0) return Py_NewRef(Py_None);
    const Tensor& t = call.tensors[static_cast<size_t>(v.view)];
    const bool is_number = t.is_wrapped_number();
    PyObject* const object = wrap<false>(t);
    t.impl()->is_wrapped_number = is_number;  // promotion depends on it
    return object;
  }
  PyObject* operator()(const std::vector<ViewNumber>& list) const { return list_of(list, *this); }
  PyObject* operator()(bool v) const { return PyBool_FromLong(v); }
  PyObject* operator()(int64_t v) const { return PyLong_FromLongLong(v); }
  PyObject* operator()(double v) const { return PyFloat_FromDouble(v); }
  PyObject* operator()(const Scalar& v) const { return python_number(v); }
  PyObject* operator()(ScalarType v) const { return Py_NewRef(torch_dtype(v)); }
  PyObject* operator()(Device v) const { return make_device(v); }
  PyObject* operator()(Enumerator v) const { return PyLong_FromLongLong(v.number); }
  PyObject* operator()(const std::string& v) const {
    return PyUnicode_FromStringAndSize(v.data(), static_cast<Py_ssize_t>(v.size()));
  }
  PyObject* operator()(const DimVector& v) const { return list_of(v, PyLong_FromLongLong); }
  PyObject* operator()(const std::vector<double>& v) const { return list_of(v, PyFloat_FromDouble); }
  PyObject* operator()(const std::vector<uint8_t>& v) const { return list_of(v, PyBool_FromLong); }
  PyObject* operator()(Generator* v) const { return v ? generator_object(v) : Py_NewRef(Py_None); }
  PyObject* operator()(const compiler::Opaque&) const { return Py_NewRef(Py_None); }
};

bool has_tensors(const ArgumentValue& v) {
  return std::holds_alternative<ViewNumber>(v) || std::holds_alternative<std::vector<ViewNumber>>(v);
}

class Reader {
 public:
  explicit Reader(BoxedCall& to) : to_(to) {}

  ArgumentValue value(char kind, PyObject* o) {
    if (kind == 'g') return o == Py_None ? nullptr : read_generator(o).get();  // the object owns it
    if (o == Py_None) return std::monostate();
    switch (kind) {
      case 'T':
        return tensor(o);
      case 'L': {
        std::vector<ViewNumber> list;
        for (const Ref& item : items(o)) list.push_back(tensor(item.get()));
        return list;
      }
      case 'b':
        return read_bool(o);
      case 'i':
        return read_integer(o, false);
      case 'e':
        return Enumerator{read_integer(o, false)};
      case 'd':
        return read_double(o, 0);
      case 's':
        return read_scalar(o, 0);
      case 'y':
        return unwrap_dtype_of(o);
      case 'v':
        return device(o);
      case 'I': {
        DimVector list;
        if (PyLong_Check(o)) return list.push_back(read_integer(o, false)), list;
        for (const Ref& item : items(o)) list.push_back(read_integer(item.get(), false));
        return list;
      }
      case 'D': {
        std::vector<double> list;
        for (const Ref& item : items(o)) list.push_back(read_double(item.get(), 0));
        return list;
      }
      case 'F': {
        std::vector<uint8_t> list;
        for (const Ref& item : items(o)) list.push_back(read_bool(item.get()));
        return list;
      }
      case 'S':
        return std::string(read_string(o));
      default:
        TNP_RAISE(ErrorKind::Type, "a boxed call cannot take ", Py_TYPE(o)->tp_name);
    }
  }

 private:
  ViewNumber tensor(PyObject* o) {
    if (o == Py_None) return {};
    TNP_CHECK(is_variable(o), ErrorKind::Type, "expected a Tensor, but got ", Py_TYPE(o)->tp_name);
    to_.tensors.push_back(unwrap(o));
    return {static_cast<int>(to_.tensors.size()) - 1};
  }
  static std::vector<Ref> items(PyObject* o) {
    const Ref fast(check(PySequence_Fast(o, "expected a sequence")));
    std::vector<Ref> list;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
      list.emplace_back(Py_NewRef(PySequence_Fast_GET_ITEM(fast.get(), i)));
    return list;
  }
  static ScalarType unwrap_dtype_of(PyObject* o) {
    const std::optional<ScalarType> dtype = dtype_from_object(o);
    TNP_CHECK(dtype, ErrorKind::Type, "expected a dtype, but got ", Py_TYPE(o)->tp_name);
    return *dtype;
  }
  static Device device(PyObject* o) {
    const std::optional<Device> found = device_from_object(o);
    TNP_CHECK(found, ErrorKind::Type, "expected a device, but got ", Py_TYPE(o)->tp_name);
    return *found;
  }
  BoxedCall& to_;
};

}  // namespace

Ref list_of_arguments(const BoxedCall& call) {
  return Ref(list_of(call.arguments, [&](const compiler::Argument& a) { return std::visit(ToObject{call}, a.value); }));
}

BoxedCall call_with(const BoxedCall& call, std::string_view kinds, PyObject* originals, PyObject* arguments) {
  const Ref fast(check(PySequence_Fast(arguments, "expected a list of arguments")));
  const auto n = static_cast<size_t>(PySequence_Fast_GET_SIZE(fast.get()));
  TNP_CHECK(n == kinds.size(), ErrorKind::Type, call.name, "() takes ", static_cast<int64_t>(kinds.size()),
            " boxed arguments, but got ", static_cast<int64_t>(n));
  BoxedCall made{call.op, call.name, call.kind};
  made.dialect = call.dialect;
  Reader reader(made);
  for (size_t i = 0; i < n; ++i) {
    PyObject* const o = PySequence_Fast_GET_ITEM(fast.get(), static_cast<Py_ssize_t>(i));
    const compiler::Argument* const before = i < call.arguments.size() ? &call.arguments[i] : nullptr;
    const bool is_same = before && originals && PyList_GET_ITEM(originals, static_cast<Py_ssize_t>(i)) == o;
    made.arguments.push_back({is_same && !has_tensors(before->value) ? before->value : reader.value(kinds[i], o),
                              before ? before->keyword : nullptr});
  }
  return made;
}

Ref object_of(const BoxedResults& results, bool is_list) {
  if (results.tensors.empty()) return Ref(is_list ? check(PyList_New(0)) : Py_NewRef(Py_None));
  if (results.tensors.size() == 1 && !is_list) return Ref(check(wrap<false>(results.tensors[0])));
  return Ref(check(wrap_list<false>(results.tensors, is_list, false)));
}

BoxedResults results_of(PyObject* object, const char* name) {
  BoxedResults results;
  const auto add = [&](PyObject* o) {
    TNP_CHECK(o == Py_None || is_variable(o), ErrorKind::Type, "a transformation of ", name, "() returned ",
              Py_TYPE(o)->tp_name, ", expected a Tensor");
    results.tensors.push_back(o == Py_None ? Tensor() : unwrap(o));
  };
  if (object == Py_None) return results;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    const Ref fast(check(PySequence_Fast(object, "")));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) add(PySequence_Fast_GET_ITEM(fast.get(), i));
  } else if (is_variable(object)) {
    add(object);
  } else {
    results.number = read_scalar(object, 0);
  }
  return results;
}

}  // namespace tnp::python
