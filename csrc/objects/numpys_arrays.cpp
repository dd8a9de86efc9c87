// See numpys_arrays.h.
//
// Note [Layout of NumPy's arrays] Attributes of NumPy's arrays and dtypes are Python objects, whose
// look-up takes longer than a small call. NumPy's C structures store the dtype of an array, and the
// letter of a dtype, at places that its binary interface fixes. Module initialisation verifies the
// places with arrays of several dtypes. If they are others, the attributes are looked up.
#include "csrc/objects/numpys_arrays.h"

#include <array>
#include <cstring>

#include "aten/core/macros.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

// PyArray_Descr has its type, then the letters kind, char and byteorder.
constexpr size_t kKindOffset = sizeof(PyObject) + sizeof(void*);
constexpr int kWriteable = 0x0400, kWarnOnWrite = static_cast<int>(0x80000000);  // bits of the flags
bool has_known_layout = false;
PyTypeObject* record_dtype_type = nullptr;

const ArrayFields& fields(PyObject* array) { return *reinterpret_cast<const ArrayFields*>(array); }

// The letters kind, char and byteorder of a dtype.
using Letters = std::array<char, 3>;

Letters letters_at(PyObject* dtype) {
  Letters letters;
  std::memcpy(letters.data(), reinterpret_cast<const char*>(dtype) + kKindOffset, letters.size());
  return letters;
}

Letters letter_attributes(PyObject* dtype) {
  Letters letters{};
  const char* names[] = {"kind", "char", "byteorder"};
  for (size_t i = 0; i < letters.size(); ++i) {
    const Ref text(PyObject_GetAttrString(dtype, names[i]));
    if (!text) PyErr_Clear();
    if (text && PyUnicode_Check(text.get()) && PyUnicode_GET_LENGTH(text.get()) == 1)
      letters[i] = static_cast<char>(PyUnicode_READ_CHAR(text.get(), 0));
  }
  return letters;
}

bool is_tuple_of(PyObject* numbers, const Py_ssize_t* values, int n) {
  if (!numbers || !PyTuple_Check(numbers) || PyTuple_GET_SIZE(numbers) != n) return false;
  for (int i = 0; i < n; ++i)
    if (PyLong_AsSsize_t(PyTuple_GET_ITEM(numbers, i)) != values[i]) return false;
  return true;
}

// Whether the fields of an array are its attributes.
bool has_expected_fields(PyObject* array) {
  const ArrayFields& f = fields(array);
  const Ref dtype(PyObject_GetAttrString(array, "dtype")), base(PyObject_GetAttrString(array, "base")),
      number(PyObject_GetAttrString(array, "ndim"));
  if (!dtype || !base || !number || f.dtype != dtype.get() || (f.base ? f.base : Py_None) != base.get() ||
      PyLong_AsLong(number.get()) != f.num_axes)
    return false;
  const Ref shape(PyObject_GetAttrString(array, "shape")), strides(PyObject_GetAttrString(array, "strides")),
      flags(PyObject_GetAttrString(array, "flags")),
      writeable(flags ? PyObject_GetAttrString(flags.get(), "writeable") : nullptr);
  const Ref interface(PyObject_GetAttrString(array, "__array_interface__"));
  PyObject* const data = interface ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  return writeable && data && is_tuple_of(shape.get(), f.sizes, f.num_axes) &&
         is_tuple_of(strides.get(), f.strides, f.num_axes) && f.writeable() == (writeable.get() == Py_True) &&
         PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0)) == f.data &&
         letters_at(dtype.get()) == letter_attributes(dtype.get());
}

}  // namespace

bool ArrayFields::writeable() const { return (flags & kWriteable) && !(flags & kWarnOnWrite); }

const ArrayFields* fields_of_array(PyObject* array) { return TNP_LIKELY(has_known_layout) ? &fields(array) : nullptr; }

PyObject* dtype_of_array(PyObject* array) {
  if (TNP_LIKELY(has_known_layout)) return fields(array).dtype;
  const Ref dtype(PyObject_GetAttrString(array, "dtype"));
  return dtype.get();
}

bool is_foreign_dtype(PyObject* dtype) {
  const auto [kind, letter, order] = has_known_layout ? letters_at(dtype) : letter_attributes(dtype);
  if (order == '>' || letter == 'g' || letter == 'G') return true;
  switch (kind) {
    case 'O':
    case 'U':
    case 'S':
    case 'T':
    case 'M':
    case 'm':
      return true;
    case 'V':  // records, and dtypes of extensions such as bfloat16
      return Py_TYPE(dtype) == record_dtype_type;
    default:
      return false;
  }
}

bool init_numpys_arrays() {
  PyTypeObject* const array_type = numpy_api().ndarray_type;
  bool known = array_type->tp_basicsize >= static_cast<Py_ssize_t>(sizeof(ArrayFields));
  for (const char* name : {"?", "i4", "f8", "c16", "U3", "S2", "O", "M8[s]", "m8[s]", ">f4", "g", "i4,f8"}) {
    const Ref array(PyObject_CallFunction(reinterpret_cast<PyObject*>(array_type), "(ii)s", 2, 3, name)),
        transpose(array ? PyObject_GetAttrString(array.get(), "T") : nullptr),
        flags(transpose ? PyObject_GetAttrString(transpose.get(), "flags") : nullptr);
    if (!flags || PyObject_SetAttrString(flags.get(), "writeable", Py_False) < 0) return false;
    known = known && has_expected_fields(array.get()) && has_expected_fields(transpose.get());
    const Ref dtype(PyObject_GetAttrString(array.get(), "dtype"));
    if (!dtype) return false;
    record_dtype_type = Py_TYPE(dtype.get());
  }
  PyErr_Clear();
  has_known_layout = known;
  return true;
}

}  // namespace tnp::python
