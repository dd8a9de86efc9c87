// Checks of argument kinds, by type alone. See kinds.h.
#include "csrc/args/kinds.h"

#include <cstring>
#include <string>

#include "csrc/args/readers.h"
#include "csrc/convert/held.h"
#include "csrc/objects/device.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

namespace {

bool is_zero_dim(PyObject* o) { return unwrap(o).dim() == 0; }

// Whether a NumPy array is 0-d. len() raises an error only for 0-d arrays.
bool is_zero_dim_numpy_array(PyObject* o) {
  if (PyObject_Length(o) >= 0) return false;
  PyErr_Clear();
  return true;
}

bool is_sequence(PyObject* o) { return PyTuple_Check(o) || PyList_Check(o); }

bool all_variables(PyObject* sequence) {
  Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  PyObject** items = PySequence_Fast_ITEMS(sequence);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_variable_and_no_scalar(items[i])) return false;
  }
  return true;
}

bool all_int_like(PyObject* sequence) {
  Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  PyObject** items = PySequence_Fast_ITEMS(sequence);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_int_like(items[i])) return false;
  }
  return true;
}

bool accepts_int_list(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (is_sequence(o)) return all_int_like(o);
  if (is_variable(o)) {  // an empty array of any dtype passes
    const Tensor& t = unwrap(o);
    return t.dim() <= 1 && (is_integer(t.dtype()) || t.numel() == 0);
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyBool_Check(o) || PyDict_Check(o) || PySet_Check(o)) return false;
  // also a range or a NumPy array, which the reader later reads item by item
  return is_int_like(o) || PySequence_Check(o);
}

// Whether an argument that we accept only for compatibility has its default value.
bool is_default(const Param& param, PyObject* o) {
  const char* text = param.default_text;
  if (o == Py_None) return text && std::strcmp(text, "None") == 0;
  if (o == Py_True) return text && std::strcmp(text, "True") == 0;
  if (o == Py_False) return text && std::strcmp(text, "False") == 0;
  if (PyUnicode_Check(o) && text && (text[0] == '\'' || text[0] == '"')) {
    std::string bare(text + 1, std::strlen(text) - 2);
    return PyUnicode_CompareWithASCIIString(o, bare.c_str()) == 0;
  }
  return false;
}

// Whether this is a list or tuple with all items satisfying `accepts`.
template <class F>
bool accepts_list(PyObject* o, F&& accepts) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    if (!accepts(PySequence_Fast_GET_ITEM(o, i))) return false;
  }
  return true;
}

}  // namespace

bool is_int_like(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (PyBool_Check(o)) return false;
  if (is_variable(o)) return is_zero_dim(o) && is_integer(unwrap(o).dtype());
  if (!PyIndex_Check(o) || Py_TYPE(o) == numpy_api().bool_type) return false;
  return !PyObject_TypeCheck(o, numpy_api().ndarray_type) || is_zero_dim_numpy_array(o);
}

bool is_number_like(PyObject* o) {
  if (PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o)) return true;
  if (is_variable(o)) return is_zero_dim(o);
  if (PyUnicode_Check(o) || PyBytes_Check(o) || is_sequence(o)) return false;
  if (numpy_api().generic_type && PyObject_TypeCheck(o, numpy_api().generic_type)) return true;
  if (PyObject_TypeCheck(o, numpy_api().ndarray_type)) return is_zero_dim_numpy_array(o);
  PyNumberMethods* number = Py_TYPE(o)->tp_as_number;
  return number && (number->nb_index || number->nb_float);
}

bool accepts(const Param& param, PyObject* o) {
  if (param.flags & kIgnored) return is_default(param, o);
  if (o == Py_None) {
    if (param.flags & kNullable) return true;
    switch (param.kind) {
      case Kind::Out:
      case Kind::OutTuple:
      case Kind::Object:
      case Kind::Order:
      case Kind::Generator:
      case Kind::Device:
        return true;
      case Kind::Dtype:
        return !(param.flags & kNotNone);
      default:
        return false;
    }
  }
  switch (param.kind) {
    case Kind::Tensor:
      return is_variable_and_no_scalar(o);
    case Kind::TensorOrNumber:
      return is_variable(o) || is_number_like(o);
    case Kind::ArrayLike:
      return is_variable(o) || !may_fall_back() || !is_certainly_not_held(o);
    case Kind::TensorList:
      return is_sequence(o) && all_variables(o);
    case Kind::ArrayLikeList:
      return (is_sequence(o) || (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o))) &&
             (!may_fall_back() || !is_certainly_not_held(o));
    case Kind::Int:
      return is_int_like(o);
    case Kind::Float:
      return PyFloat_Check(o) || (is_number_like(o) && !PyComplex_Check(o));
    case Kind::Bool:
      return PyBool_Check(o) || is_int_like(o) || is_number_like(o);
    case Kind::StrictBool:
      return PyBool_Check(o);
    case Kind::Scalar:
      return is_number_like(o);
    case Kind::String:
      return PyUnicode_Check(o) || is_memory_format(o);
    case Kind::IntList:
      return accepts_int_list(o);
    case Kind::FloatList:
      return accepts_list(o, [](PyObject* item) { return is_number_like(item) && !PyComplex_Check(item); });
    case Kind::BoolList:
      return accepts_list(o,
                          [](PyObject* item) { return PyBool_Check(item) || Py_TYPE(item) == numpy_api().bool_type; });
    case Kind::Dtype:
      return !names_device(o) && !is_variable(o) && (!may_fall_back() || !names_foreign_dtype(o));
    case Kind::Device:
      return !PyFloat_Check(o) && !is_sequence(o) && !is_variable(o);
    case Kind::Order:
    case Kind::Casting:
      return PyUnicode_Check(o);
    case Kind::Out:
      return is_variable_and_no_scalar(o) || PyTuple_Check(o) || PyObject_TypeCheck(o, numpy_api().ndarray_type);
    case Kind::OutTuple:
      return PyTuple_Check(o) || PyList_Check(o);
    case Kind::Mask:
    case Kind::Generator:
    case Kind::Object:
      return true;
  }
  return false;
}

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::Tensor:
      return "Tensor";
    case Kind::TensorOrNumber:
      return "Tensor or number";
    case Kind::ArrayLike:
      return "array_like";
    case Kind::TensorList:
      return "tuple of Tensors";
    case Kind::ArrayLikeList:
      return "sequence of arrays";
    case Kind::Int:
      return "int";
    case Kind::Float:
      return "float";
    case Kind::Bool:
    case Kind::StrictBool:
      return "bool";
    case Kind::Scalar:
      return "a number";
    case Kind::String:
      return "str";
    case Kind::IntList:
      return "int or tuple of ints";
    case Kind::FloatList:
      return "tuple of floats";
    case Kind::BoolList:
      return "tuple of bools";
    case Kind::Dtype:
      return "dtype";
    case Kind::Device:
      return "device";
    case Kind::Order:
      return "str ('C', 'F', 'A' or 'K')";
    case Kind::Casting:
      return "str ('no', 'equiv', 'safe', 'same_kind' or 'unsafe')";
    case Kind::Out:
      return "of ArrayType (an array or a tuple of arrays)";
    case Kind::OutTuple:
      return "tuple of Tensors";
    case Kind::Mask:
      return "array_like of bools";
    case Kind::Generator:
      return "Generator";
    case Kind::Object:
      return "object";
  }
  return "";
}

}  // namespace tnp::python
