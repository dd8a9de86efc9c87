// Translates C++ exceptions to Python: the class depends on ErrorKind and face, the message uses
// the caller's argument names.
#include "csrc/objects/errors.h"

#include <new>
#include <stdexcept>
#include <string>

#include "aten/core/errors/error.h"
#include "aten/core/numbers/no_loop.h"
#include "aten/operator_tables/arithmetic.h"
#include "csrc/objects/calling_function.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/kept_python_error.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

namespace {

PyObject* linalg_error_class = nullptr;

PyObject* exception_class(ErrorKind kind, bool compat) {
  switch (kind) {
    case ErrorKind::Value:
      return PyExc_ValueError;
    case ErrorKind::Shape:
    case ErrorKind::Domain:
      return compat ? PyExc_ValueError : PyExc_RuntimeError;
    case ErrorKind::Type:
      return PyExc_TypeError;
    case ErrorKind::Dtype:
      return compat ? PyExc_TypeError : PyExc_RuntimeError;
    case ErrorKind::Casting:
      return compat ? numpy_api().ufunc_type_error : PyExc_RuntimeError;
    case ErrorKind::Index:
      return PyExc_IndexError;
    case ErrorKind::Axis:
      return compat ? numpy_api().axis_error : PyExc_IndexError;
    case ErrorKind::RepeatedAxis:
      return compat ? PyExc_ValueError : PyExc_RuntimeError;
    case ErrorKind::Runtime:
      return PyExc_RuntimeError;
    case ErrorKind::NotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::Memory:
      return PyExc_MemoryError;
    case ErrorKind::Overflow:
      return compat ? PyExc_OverflowError : overflow_error();
    case ErrorKind::ZeroDivision:
      return PyExc_ZeroDivisionError;
    case ErrorKind::LinAlg:
      return compat ? numpy_api().linalg_error : linalg_error();
    case ErrorKind::Buffer:
      return PyExc_BufferError;
    case ErrorKind::ReadOnly:
      return compat ? PyExc_ValueError : PyExc_RuntimeError;
    case ErrorKind::Internal:
      return PyExc_SystemError;
  }
  return PyExc_SystemError;
}

// NumPy's error for operands without a ufunc loop.
struct Wording {
  PyObject* type;
  std::string text;
};
Wording numpys_no_loop(const NoLoopError& e) {
  const std::string_view op(e.op());
  const bool bools = e.compute() == ScalarType::Bool;
  if (e.requested())
    return {PyExc_TypeError, "No loop matching the specified signature and casting was found for ufunc {op}"};
  if (bools && op == pointwise_ops::sub.name)
    return {PyExc_TypeError,
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
            "logical_xor function instead."};
  if (bools && op == pointwise_ops::neg.name)
    return {PyExc_TypeError,
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
            "function instead."};
  if (!bools)
    return {
        PyExc_TypeError,
        "ufunc '{op}' not supported for the input types, and the inputs could not be safely coerced to any supported "
        "types according to the casting rule ''safe''"};
  std::string classes;
  for (size_t i = 0; i < e.num_operands(); ++i)
    classes += std::string(i ? ", " : "") + "<class 'numpy.dtypes.BoolDType'>";
  if (e.num_operands() > 1) classes = "(" + classes + ")";
  return {PyExc_TypeError, "ufunc '{op}' did not contain a loop with signature matching types " + classes + " -> None"};
}

// PyTorch's error for operands whose dtypes an operator does not support.
Wording torchs_no_loop(const NoLoopError& e) {
  const std::string_view op(e.op());
  if (e.compute() == ScalarType::Bool && op == pointwise_ops::sub.name)
    return {
        PyExc_NotImplementedError,
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
        "the `~` or `logical_not()` operator instead."};
  if (e.compute() == ScalarType::Bool && op == pointwise_ops::neg.name)
    return {
        PyExc_NotImplementedError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
        "`~` or `logical_not()` operator instead."};
  return {PyExc_NotImplementedError, e.message()};  // a subclass of RuntimeError
}

// Replaces {dim}, or {#1} for the argument in slot 1, by this face's name of the argument, and {op}
// by the function's name.
std::string in_callers_names(std::string_view message, const CalledFunction* called) {
  std::string out;
  while (true) {
    size_t open = message.find('{'), close = message.find('}', open == message.npos ? 0 : open);
    if (open == message.npos || close == message.npos) break;
    std::string_view name = message.substr(open + 1, close - open - 1);
    bool is_name =
        !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789#") == name.npos;
    if (!is_name) {
      out += message.substr(0, open + 1);
      message.remove_prefix(open + 1);
      continue;
    }
    out += message.substr(0, open);
    out += !called ? name : name == "op" ? std::string_view(called->function()) : called->name_of(name);
    message.remove_prefix(close + 1);
  }
  return out += message;
}

void set_error(PyObject* type, std::string_view message, const CalledFunction* called) {
  std::string text;
  if (called) text.append(calling_function(called->function())).append(called->function()).append("(): ");
  text += in_callers_names(message, called);
  // Messages from foreign libraries may have any encoding.
  const Ref decoded(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (decoded) PyErr_SetObject(type, decoded.get());
}

}  // namespace

// PyTorch raises RuntimeError if a number does not fit its dtype, but OverflowError in other
// places. This class is both.
PyObject* overflow_error() {
  static PyObject* type = [] {
    PyObject* bases = PyTuple_Pack(2, PyExc_OverflowError, PyExc_RuntimeError);
    PyObject* made = bases ? PyErr_NewException("torch_np.OverflowError", bases, nullptr) : nullptr;
    Py_XDECREF(bases);
    if (!made) PyErr_Clear();
    return made ? made : PyExc_OverflowError;
  }();
  return type;
}

PyObject* linalg_error() {
  if (!linalg_error_class) {
    linalg_error_class = PyErr_NewExceptionWithDoc(
        "torch_np.linalg.LinAlgError", "Raised where a matrix has no inverse, or an algorithm does not converge.",
        PyExc_RuntimeError, nullptr);
    if (!linalg_error_class) {
      PyErr_Clear();
      return PyExc_RuntimeError;
    }
  }
  return linalg_error_class;
}

template <bool compat>
void set_python_error(const CalledFunction* called) {
  drop_floating_point_errors();
  try {
    throw;
  } catch (const KeptPythonError& error) {
    error.restore();
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "torch_np is at fault: a failure without an exception");
  } catch (const NoLoopError& e) {
    try {
      const Wording wording = compat ? numpys_no_loop(e) : torchs_no_loop(e);
      set_error(wording.type, wording.text, called);
    } catch (...) {
      PyErr_NoMemory();
    }
  } catch (const Error& e) {
    try {
      set_error(exception_class(e.kind(), compat), e.message(), called);
    } catch (...) {
      PyErr_NoMemory();
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::length_error&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    try {
      const char* const function = called ? called->function() : "torch_np";
      PyErr_Format(PyExc_RuntimeError, "%s%s(): %s", calling_function(function).c_str(), function, e.what());
    } catch (...) {
      PyErr_NoMemory();
    }
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "torch_np is at fault: an unknown C++ exception");
  }
}
template void set_python_error<false>(const CalledFunction*);
template void set_python_error<true>(const CalledFunction*);

}  // namespace tnp::python
