// See numpy_scalars.h.
//
// Note [Layout of NumPy's scalars] NumPy's own functions need an array to create a scalar, and
// creating the array takes several times as long as creating the scalar. A scalar stores its value
// directly after Python's object header. Module initialisation verifies this for each type. If the
// verification fails for a type, scalars of this type are created by calling it.
#include "csrc/objects/numpy_scalars.h"

#include <cstring>

#include "aten/core/numbers/element_bits.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr size_t kValueOffset = sizeof(PyObject);
bool has_plain_layout[kNumScalarTypes] = {};
PyObject *numpy_true = nullptr, *numpy_false = nullptr;

char* value_of(PyObject* o) { return reinterpret_cast<char*>(o) + kValueOffset; }

PyObject* allocate(PyTypeObject* type) { return type->tp_alloc(type, 0); }

// Verifies the layout: an object with the bytes of 1 at the expected offset must equal the type's
// 1, and one with the bytes of 2 must not.
bool try_layout(ScalarType dtype, PyTypeObject* type) {
  Ref one(PyObject_CallFunction(reinterpret_cast<PyObject*>(type), "i", 1));
  if (!one || type->tp_basicsize < static_cast<Py_ssize_t>(kValueOffset) + element_size(dtype) || type->tp_itemsize)
    return false;
  for (int value = 1; value <= 2; ++value) {
    Ref made(allocate(type));
    if (!made) return false;
    visit_dtype(dtype, [&]<class T>() {
      const auto element = static_cast<stored_t<T>>(Scalar(value).to<T>());
      std::memcpy(value_of(made.get()), &element, sizeof element);
    });
    if (PyObject_RichCompareBool(made.get(), one.get(), Py_EQ) != (value == 1)) return false;
  }
  return true;
}

}  // namespace

PyObject* numpy_scalar(ScalarType dtype, const void* element) {
  if (is_bool(dtype)) return Py_NewRef(*static_cast<const char*>(element) ? numpy_true : numpy_false);
  PyTypeObject* type = numpy_api().scalars[static_cast<int>(dtype)];
  if (TNP_UNLIKELY(!has_plain_layout[static_cast<int>(dtype)])) {
    Ref number(python_number(scalar_at(dtype, element)));
    return number ? PyObject_CallOneArg(reinterpret_cast<PyObject*>(type), number.get()) : nullptr;
  }
  PyObject* made = allocate(type);
  if (TNP_LIKELY(made)) copy_element(element_size(dtype), value_of(made), element);
  return made;
}

const void* scalar_value(PyObject* o, ScalarType& dtype) {
  static constexpr char kTruth[] = {0, 1};
  const PyTypeObject* type = Py_TYPE(o);
  const auto& types = numpy_api().scalars;
  int i = static_cast<int>(ScalarType::Float64);
  if (TNP_UNLIKELY(type != types[i])) {
    if (type == &PyFloat_Type || type == &PyLong_Type || type == &PySlice_Type || type == &PyTuple_Type ||
        type == &PyList_Type || type == &PyBool_Type)
      return nullptr;
    i = 0;
    while (i < kNumScalarTypes && types[i] != type) ++i;
    if (i == kNumScalarTypes) return nullptr;
  }
  dtype = static_cast<ScalarType>(i);
  if (is_bool(dtype)) return &kTruth[o == numpy_true];
  return TNP_LIKELY(has_plain_layout[i]) ? value_of(o) : nullptr;
}

bool init_numpy_scalars() {
  PyObject* boolean = reinterpret_cast<PyObject*>(numpy_api().bool_type);
  numpy_true = PyObject_CallOneArg(boolean, Py_True);
  numpy_false = PyObject_CallOneArg(boolean, Py_False);
  if (!numpy_true || !numpy_false) return false;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (is_bool(dtype)) continue;
    has_plain_layout[i] = try_layout(dtype, numpy_api().scalars[i]);
    PyErr_Clear();
  }
  return true;
}

}  // namespace tnp::python
