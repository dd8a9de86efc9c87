#include "csrc/convert/held.h"

#include <algorithm>
#include <string_view>

#include "csrc/convert/convert.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpys_arrays.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr int kMostNested = 16;

PyTypeObject* numpys_type(const char* name) {
  PyObject* const found = PyObject_GetAttrString(numpy_api().module, name);
  if (!found) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(found);
}

bool is_array_of_foreign_dtype(PyObject* o) {
  PyObject* const dtype = is_numpy_array(o) ? dtype_of_array(o) : nullptr;
  return dtype && is_foreign_dtype(dtype);
}

// The classes of NumPy's scalars whose dtypes the engine lacks.
bool is_foreign_scalar_type(PyTypeObject* type) {
  static PyTypeObject* const foreign[] = {numpys_type("flexible"),    numpys_type("datetime64"),
                                          numpys_type("timedelta64"), numpys_type("object_"),
                                          numpys_type("longdouble"),  numpys_type("clongdouble")};
  return std::any_of(std::begin(foreign), std::end(foreign),
                     [&](PyTypeObject* base) { return base && PyType_IsSubtype(type, base); });
}

bool is_scalar_of_foreign_dtype(PyObject* o) { return is_numpy_scalar(o) && is_foreign_scalar_type(Py_TYPE(o)); }

// Whether the text names a foreign dtype: "U5", "S", ">i4", "M8[s]", "i4,f8", "object".
bool names_foreign_dtype(std::string_view text) {
  if (text.find(',') != text.npos || text.starts_with('>')) return true;
  if (text.starts_with('<') || text.starts_with('=') || text.starts_with('|')) text.remove_prefix(1);
  for (const std::string_view name : {"object", "str", "bytes", "datetime64", "timedelta64", "void", "longdouble"})
    if (text.starts_with(name)) return true;
  if (text.empty() || std::string_view("USVOMm").find(text[0]) == text.npos) return false;
  return text.size() == 1 || (text[1] >= '0' && text[1] <= '9');
}

}  // namespace

bool is_certainly_not_held(PyObject* o) {
  for (int depth = 0; depth < kMostNested; ++depth) {
    PyTypeObject* const type = Py_TYPE(o);
    if (type == ndarray_type || type == tensor_type || type == &PyFloat_Type || type == &PyLong_Type) return false;
    if (type == &PyUnicode_Type || type == &PyBytes_Type) return true;
    if (type != &PyList_Type && type != &PyTuple_Type)
      return (depth > 0 && o == Py_None) || is_array_of_foreign_dtype(o) || is_scalar_of_foreign_dtype(o);
    if (PySequence_Fast_GET_SIZE(o) == 0) return false;
    o = PySequence_Fast_GET_ITEM(o, 0);
  }
  return false;
}

bool names_foreign_dtype(PyObject* o) {
  if (PyType_Check(o)) {
    auto* const type = reinterpret_cast<PyTypeObject*>(o);
    return type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyBaseObject_Type ||
           (PyType_IsSubtype(type, numpy_api().generic_type) && is_foreign_scalar_type(type));
  }
  if (PyObject_TypeCheck(o, numpy_api().dtype_type)) return is_foreign_dtype(o);
  if (PyUnicode_Check(o)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(o, &size);
    if (!text) return PyErr_Clear(), false;
    return names_foreign_dtype(std::string_view(text, static_cast<size_t>(size)));
  }
  return (PyList_CheckExact(o) && PyList_GET_SIZE(o) > 0) || (PyDict_CheckExact(o) && PyDict_GET_SIZE(o) > 0);
}

void set_not_held_object(PyObject* object) {
  const Ref args(PyTuple_Pack(2, Py_None, object));  // becomes the arguments of the exception
  if (args) PyErr_SetObject(not_held_error(), args.get());
}

PyObject* held(PyObject* o) {
  if (!is_numpy_array(o) || is_array_of_foreign_dtype(o)) return Py_NewRef(o);
  PyObject* ours = protect<true>([&] { return wrap<true>(from_foreign(o, Foreign::View)); });
  return !ours && clear_not_held() ? Py_NewRef(o) : ours;
}

}  // namespace tnp::python
