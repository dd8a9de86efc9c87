// Conversion of dtypes: NumPy's dtype objects, torch_np's, and their aliases ("float32", float,
// np.float32).
#include "csrc/objects/dtypes.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/size.h"

namespace tnp::python {

namespace {

struct DtypeObject {
  PyObject_HEAD ScalarType value;
};

PyObject* torch_dtypes[kNumScalarTypes];
PyTypeObject* torch_dtype_type = nullptr;

ScalarType value_of(PyObject* self) { return reinterpret_cast<DtypeObject*>(self)->value; }

PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("%s.%s", torch_face().c_str(), dtype_name(value_of(self)));
}
// Pickles and copies by name.
PyObject* dtype_reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(dtype_name(value_of(self))); }
PyObject* dtype_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(element_size(value_of(self))); }
PyObject* dtype_is_floating(PyObject* self, void*) { return PyBool_FromLong(is_floating(value_of(self))); }
PyObject* dtype_is_complex(PyObject* self, void*) { return PyBool_FromLong(is_complex(value_of(self))); }
PyObject* dtype_is_signed(PyObject* self, void*) {
  return PyBool_FromLong(!is_bool(value_of(self)) && !is_unsigned(value_of(self)));
}
PyObject* dtype_to_real(PyObject* self, PyObject*) { return Py_NewRef(torch_dtype(to_real(value_of(self)))); }
PyObject* dtype_to_complex(PyObject* self, PyObject*) { return Py_NewRef(torch_dtype(to_complex(value_of(self)))); }

PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
    {"to_real", dtype_to_real, METH_NOARGS, "Dtype of the real part."},
    {"to_complex", dtype_to_complex, METH_NOARGS, "Complex dtype whose parts have this dtype."},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef dtype_getters[] = {
    {"itemsize", dtype_itemsize, nullptr, "Size of one element in bytes.", nullptr},
    {"is_floating_point", dtype_is_floating, nullptr, nullptr, nullptr},
    {"is_complex", dtype_is_complex, nullptr, nullptr, nullptr},
    {"is_signed", dtype_is_signed, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot dtype_slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(dtype_repr)},
    {Py_tp_methods, dtype_methods},
    {Py_tp_getset, dtype_getters},
    {Py_tp_doc, const_cast<char*>("Data type of the elements of a Tensor, like torch.dtype.")},
    {0, nullptr},
};
PyType_Spec dtype_spec = {"torch_np.dtype", sizeof(DtypeObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, dtype_slots};

// Converts an object of type numpy.dtype.
ScalarType from_numpy_dtype(PyObject* o) {
  const NumpyApi& np = numpy_api();
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (np.dtypes[i] == o) return static_cast<ScalarType>(i);
  }
  // A dtype equal to one of them (unpickled, or long long versus long), or an unsupported one.
  Ref kind(check(PyObject_GetAttrString(o, "kind"))), itemsize(check(PyObject_GetAttrString(o, "itemsize")));
  Ref native(check(PyObject_GetAttrString(o, "isnative")));
  Ref type(check(PyObject_GetAttrString(o, "type")));
  if (native.get() == Py_True) {
    if (type.get() == reinterpret_cast<PyObject*>(np.scalars[static_cast<int>(ScalarType::BFloat16)]))
      return ScalarType::BFloat16;
    std::string k = text_of(kind.get());
    Py_ssize_t size = PyLong_AsSsize_t(itemsize.get());
    if (auto t = k.size() == 1 ? dtype_of_kind(k[0], size) : std::nullopt) return *t;
  }
  Ref name(check(PyObject_Str(o)));
  raise_no_such_dtype("'" + text_of(name.get()) + "'");
}

}  // namespace

char kind_of(ScalarType t) {
  if (is_bool(t)) return 'b';
  if (is_unsigned(t)) return 'u';
  if (is_signed_integer(t)) return 'i';
  return is_complex(t) ? 'c' : 'f';
}

std::optional<ScalarType> dtype_of_kind(char kind, Py_ssize_t itemsize) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    auto t = static_cast<ScalarType>(i);
    if (t != ScalarType::BFloat16 && kind_of(t) == kind && element_size(t) == itemsize) return t;
  }
  return std::nullopt;
}

void raise_no_such_dtype(const std::string& what) {
  static const std::string all = [] {
    std::string names;
    for (int i = 0; i < kNumScalarTypes; ++i) {
      if (i > 0) names += i + 1 < kNumScalarTypes ? ", " : " and ";
      names += dtype_name(static_cast<ScalarType>(i));
    }
    return names;
  }();
  raise_not_held("torch_np has no dtype " + what + "; its dtypes are " + all);
}

PyObject* numpy_dtype(ScalarType t) { return numpy_api().dtypes[static_cast<int>(t)]; }

PyObject* torch_dtype(ScalarType t) {
  if (!torch_dtype_type) {
    auto* type = reinterpret_cast<PyTypeObject*>(check(PyType_FromSpec(&dtype_spec)));
    for (int i = 0; i < kNumScalarTypes; ++i) {
      PyObject* o = check(type->tp_alloc(type, 0));
      reinterpret_cast<DtypeObject*>(o)->value = static_cast<ScalarType>(i);
      torch_dtypes[i] = o;
    }
    torch_dtype_type = type;
  }
  return torch_dtypes[static_cast<int>(t)];
}

bool is_torch_dtype(PyObject* o) { return torch_dtype_type && Py_TYPE(o) == torch_dtype_type; }
ScalarType unwrap_dtype(PyObject* o) { return value_of(o); }

bool add_dtypes(PyObject* module) {
  try {
    torch_dtype(ScalarType::Bool);
    if (PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(torch_dtype_type)) < 0) return false;
    for (int i = 0; i < kNumScalarTypes; ++i) {
      if (PyModule_AddObjectRef(module, dtype_name(static_cast<ScalarType>(i)), torch_dtypes[i]) < 0) return false;
    }
    return true;
  } catch (PythonError&) {
    return false;
  }
}

std::optional<ScalarType> dtype_from_object(PyObject* o) {
  if (!o || o == Py_None) return std::nullopt;
  if (is_torch_dtype(o)) return value_of(o);
  const NumpyApi& np = numpy_api();
  if (PyObject_TypeCheck(o, np.dtype_type)) return from_numpy_dtype(o);
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return ScalarType::Float64;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return ScalarType::Int64;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return ScalarType::Bool;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return ScalarType::Complex128;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (o == reinterpret_cast<PyObject*>(np.scalars[i])) return static_cast<ScalarType>(i);
  }
  Ref made(check(PyObject_CallOneArg(reinterpret_cast<PyObject*>(np.dtype_type), o)));  // raises TypeError itself
  return from_numpy_dtype(made.get());
}

std::optional<Device> device_from_object(PyObject* o) {
  if (!o || o == Py_None) return std::nullopt;
  if (PyUnicode_Check(o)) return parse_device(text_of(o));
  if (PyLong_Check(o) && !PyBool_Check(o)) {
    long index = PyLong_AsLong(o);
    if (index == -1 && PyErr_Occurred()) throw PythonError();
    return parse_device("cuda:" + std::to_string(index));
  }
  Ref type(PyObject_GetAttrString(o, "type"));
  if (type && PyUnicode_Check(type.get())) {
    std::string name = text_of(type.get());
    Ref index(PyObject_GetAttrString(o, "index"));
    if (index && PyLong_Check(index.get())) name += ":" + std::to_string(PyLong_AsLong(index.get()));
    PyErr_Clear();
    return parse_device(name);
  }
  PyErr_Clear();
  raise_python(PyExc_TypeError, std::string("a device is a str such as 'cpu' or 'cuda:0', not ") + Py_TYPE(o)->tp_name);
}

}  // namespace tnp::python
