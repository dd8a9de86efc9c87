// Number conversion: Python numbers are weak (only their kind counts in promotion), NumPy scalars
// act as 0-d arrays.
#include <cmath>
#include <cstring>
#include <limits>

#include "aten/core/numbers/range.h"
#include "aten/iterator/cast.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// Reads a Python integer. Returns false with OverflowError set if the integer needs more than 64
// bits.
bool integer_value(PyObject* o, Scalar& value) {
  int overflow = 0;
  int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (v == -1 && !overflow && PyErr_Occurred()) return false;
  if (!overflow) {
    value = Scalar(v);
    return true;
  }
  if (overflow > 0) {
    uint64_t u = PyLong_AsUnsignedLongLong(o);
    if (!(u == std::numeric_limits<uint64_t>::max() && PyErr_Occurred())) {
      value = Scalar(u);
      return true;
    }
    PyErr_Clear();
  }
  PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", o, overflow > 0 ? "uint64" : "int64");
  return false;
}

}  // namespace

int sign_of_huge(PyObject* o) {
  if (!PyLong_Check(o)) return 0;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow <= 0) return overflow;
  PyLong_AsUnsignedLongLong(o);
  if (!PyErr_Occurred()) return 0;
  PyErr_Clear();
  return 1;
}

bool scalar_from_number(PyObject* o, Scalar& value) {
  if (PyFloat_CheckExact(o)) return value = Scalar(PyFloat_AS_DOUBLE(o)), true;
  if (PyBool_Check(o)) return value = Scalar(o == Py_True), true;
  if (PyLong_CheckExact(o)) return integer_value(o, value);
  if (PyComplex_CheckExact(o)) {
    Py_complex z = PyComplex_AsCComplex(o);
    return value = Scalar(Complex<double>(z.real, z.imag)), true;
  }
  if (is_variable(o)) {
    const Tensor& t = unwrap(o);
    if (t.dim() != 0) return false;
    return value = t.item(), true;
  }
  if (PyUnicode_Check(o) || PyTuple_Check(o) || PyList_Check(o)) return false;
  try {
    if (is_numpy_scalar(o) || is_numpy_array(o)) {
      Tensor t = from_foreign(o);
      if (!t.defined() || t.dim() != 0) return false;
      return value = t.item(), true;
    }
  } catch (PythonError&) {
    return false;  // the scalar is a string or an object; an exception is set
  }
  if (PyLong_Check(o)) return integer_value(o, value);
  if (PyFloat_Check(o)) return value = Scalar(PyFloat_AS_DOUBLE(o)), true;
  if (PyComplex_Check(o)) {
    Py_complex z = PyComplex_AsCComplex(o);
    return value = Scalar(Complex<double>(z.real, z.imag)), true;
  }
  if (PyIndex_Check(o)) {
    Ref index(PyNumber_Index(o));
    return index && integer_value(index.get(), value);
  }
  return false;
}

void store_scalar(const Scalar& number, ScalarType dtype, char* at) {
  visit_dtype(dtype, [&]<class T>() {
    const T value = number.to<T>();
    std::memcpy(at, &value, sizeof value);
  });
  report_cast_errors(number, dtype);
}

// Stores a Python float in the most frequent dtypes. Returns false for all other dtypes, and if the
// value overflows, since only then a warning is needed.
static bool store_plain_float(double number, ScalarType dtype, char* at) {
  if (dtype == ScalarType::Float64) {
    std::memcpy(at, &number, sizeof number);
    return true;
  }
  const auto narrow = static_cast<float>(number);
  if (dtype != ScalarType::Float32 || (std::isinf(narrow) && std::isfinite(number))) return false;
  std::memcpy(at, &narrow, sizeof narrow);
  return true;
}

// NumPy's conversion of any object to an array element: bool(o), int(o), float(o), complex(o).
// PyTorch converts numbers, and raises for those that an integer dtype cannot hold.
void store_number(PyObject* o, ScalarType dtype, char* at) {
  if (PyFloat_CheckExact(o) && TNP_LIKELY(store_plain_float(PyFloat_AS_DOUBLE(o), dtype, at))) return;
  auto put = [&](const Scalar& s) { store_scalar(s, dtype, at); };
  if (Scalar s; !dialect().errors_are_numpys() && is_python_number(o)) {
    if (!scalar_from_number(o, s)) throw PythonError();
    if (is_integer(dtype) || (s.is_complex() && !is_complex(dtype))) check_fits(s, dtype);
    return put(s);
  }
  if (is_unsigned(dtype) && is_numpy_scalar(o)) {  // NumPy casts its scalars to unsigned integers
    if (Scalar s; scalar_from_number(o, s)) return put(s);
    check(!PyErr_Occurred());
  }
  if (is_bool(dtype)) {
    int truth = PyObject_IsTrue(o);
    check(truth >= 0);
    return put(Scalar(truth == 1));
  }
  if (is_integer(dtype)) {
    Ref number(PyLong_CheckExact(o) ? Py_NewRef(o)
                                    : check(PyNumber_Long(o)));  // NaN: ValueError, infinity: OverflowError
    Scalar s;
    if (!integer_value(number.get(), s)) throw PythonError();
    if (!s.fits(dtype)) {
      PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", number.get(), dtype_name(dtype));
      throw PythonError();
    }
    return put(s);
  }
  if (is_complex(dtype)) {
    if (o == Py_None) return put(Scalar(std::numeric_limits<double>::quiet_NaN()));
    Ref number(PyComplex_Check(o) ? Py_NewRef(o)
                                  : check(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), o)));
    Py_complex z = PyComplex_AsCComplex(number.get());
    return put(Scalar(Complex<double>(z.real, z.imag)));
  }
  if (o == Py_None) return put(Scalar(std::numeric_limits<double>::quiet_NaN()));
  Ref number(PyUnicode_Check(o) || PyBytes_Check(o) ? check(PyFloat_FromString(o)) : check(PyNumber_Float(o)));
  put(Scalar(PyFloat_AsDouble(number.get())));
}

}  // namespace tnp::python
