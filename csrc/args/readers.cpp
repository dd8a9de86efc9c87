// Conversion of Python objects to C++ values. See readers.h.
#include "csrc/args/readers.h"

#include <algorithm>
#include <cstring>

#include "aten/autograd/variable.h"
#include "aten/core/errors/dtype_names.h"
#include "aten/dispatch/out.h"
#include "aten/functions/copies.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/pointwise.h"
#include "aten/random/distribution.h"
#include "csrc/args/kinds.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

namespace {

// Reads an int object as int64. An integer beyond int64 is not a valid size or axis of any array.
// The error therefore reports an invalid value, as in NumPy, not an overflow.
int64_t read_long(PyObject* o, bool numpy_face) {
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow) {
    if (numpy_face) TNP_RAISE(ErrorKind::Value, "Maximum allowed dimension exceeded");
    TNP_RAISE(ErrorKind::Overflow, "Overflow when unpacking long");
  }
  if (v == -1 && PyErr_Occurred()) throw PythonError();
  return v;
}

int64_t read_index(PyObject* o, bool numpy_face) {
  if (PyLong_CheckExact(o)) return read_long(o, numpy_face);
  if (PyBool_Check(o)) TNP_RAISE(ErrorKind::Type, "an integer is required, not bool");
  Ref index(check(PyNumber_Index(o)));
  return read_long(index.get(), numpy_face);
}

void read_tensor_as_list(const Tensor& given, DimVector& list) {
  if (given.numel() == 0) return;
  TNP_CHECK(given.dim() <= 1 && is_integer(given.dtype()), ErrorKind::Type,
            "expected a list of integers, or an integer array of at most one dimension");
  const Tensor t = given.device().is_cpu() ? aligned(given) : tnp::cpu(tnp::detach(given));
  int64_t n = t.numel(), step = t.dim() == 0 ? 0 : t.stride(0) * t.itemsize();
  visit<IntegerTypes>(t.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < n; ++i) list.push_back(static_cast<int64_t>(*reinterpret_cast<T*>(t.data() + i * step)));
  });
}

void check_constant(PyObject* o, int slot) {
  TNP_CHECK(!is_variable(o) || !compute_requires_grad(unwrap(o)), ErrorKind::NotImplemented,
            "the derivative with respect to {#", slot, "} is not implemented. Give it as a number, or detach it");
}

}  // namespace

int64_t read_integer(PyObject* o, bool numpy_face) {
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    TNP_CHECK(!overflow, ErrorKind::Overflow, "Python int too large to convert to C long");
    return v;
  }
  return read_index(o, numpy_face);
}

double read_double(PyObject* o, int slot) {
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  check_constant(o, slot);
  double v = PyFloat_AsDouble(o);
  if (v == -1.0 && PyErr_Occurred()) throw PythonError();
  return v;
}

bool read_bool(PyObject* o) {
  if (o == Py_True) return true;
  if (o == Py_False) return false;
  int v = PyObject_IsTrue(o);
  if (v < 0) throw PythonError();
  return v != 0;
}

Scalar read_scalar(PyObject* o, int slot) {
  check_constant(o, slot);
  return read_detached_scalar(o);
}

Scalar read_detached_scalar(PyObject* o) {
  if (is_variable(o)) return unwrap(o).item();
  Scalar value;
  if (scalar_from_number(o, value)) return value;
  if (PyErr_Occurred()) throw PythonError();
  Tensor t = as_tensor(o, true);  // a foreign 0-d array
  TNP_CHECK(t.dim() == 0, ErrorKind::Type, "a number is expected, not an array of shape ", t.sizes());
  return t.item();
}

bool is_memory_format(PyObject* o) {
  return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && std::strcmp(Py_TYPE(o)->tp_name, "memory_format") == 0;
}

std::string_view read_string(PyObject* o) {
  Ref name(PyUnicode_Check(o) || !is_memory_format(o) ? nullptr : check(PyObject_GetAttrString(o, "_name")));
  if (name) o = name.get();  // the memory format, a constant of the module, keeps its name alive
  Py_ssize_t n = 0;
  const char* text = PyUnicode_AsUTF8AndSize(o, &n);
  if (!text) throw PythonError();
  return {text, static_cast<size_t>(n)};
}

void read_int_list(PyObject* o, Py_ssize_t num_varargs, bool numpy_face, DimVector& list) {
  list.clear();
  if (PyObject* const* items = varargs(o)) {
    for (Py_ssize_t i = 0; i < num_varargs; ++i) list.push_back(read_index(items[i], numpy_face));
    return;
  }
  if (PyLong_CheckExact(o)) return list.push_back(read_long(o, numpy_face));
  auto append_all = [&](PyObject* tuple) {
    const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < n; ++i) list.push_back(read_index(PyTuple_GET_ITEM(tuple, i), numpy_face));
  };
  if (PyTuple_CheckExact(o)) return append_all(o);
  if (is_variable(o)) return read_tensor_as_list(unwrap(o), list);
  if (is_int_like(o) && !PySequence_Check(o)) return list.push_back(read_index(o, numpy_face));
  if (PyIndex_Check(o) && !PyTuple_Check(o) && !PyList_Check(o)) {  // a NumPy array: one integer, or a 1-d array
    if (PyObject* index = PyNumber_Index(o)) {
      Ref owned(index);
      return list.push_back(read_long(index, numpy_face));
    }
    PyErr_Clear();
  }
  // Copy to a tuple first: __index__ of an item may modify the list.
  Ref items(check(PySequence_Tuple(o)));
  append_all(items.get());
}

void read_float_list(PyObject* o, int slot, std::vector<double>& list) {
  list.clear();
  Ref items(check(PySequence_Tuple(o)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    list.push_back(read_double(item, slot));
  }
}

void read_bool_list(PyObject* o, BoolVector& list) {
  Ref items(check(PySequence_Tuple(o)));
  list.size = static_cast<size_t>(PyTuple_GET_SIZE(items.get()));
  list.data = std::make_unique<bool[]>(list.size);
  for (size_t i = 0; i < list.size; ++i)
    list.data[i] = read_bool(PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)));
}

void read_tensor_list(PyObject* o, bool numpy_face, std::vector<Tensor>& list) {
  list.clear();
  if (is_variable(o)) {  // an array stands for the list of its rows
    const Tensor& t = unwrap(o);
    TNP_CHECK(t.dim() > 0, ErrorKind::Type, "iteration over a 0-d array");
  }
  Ref items(check(PySequence_Tuple(o)));
  Py_ssize_t n = PyTuple_GET_SIZE(items.get());
  list.reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    list.push_back(is_variable(item) ? unwrap(item) : as_tensor(item, numpy_face));
  }
}

Order read_order(PyObject* o) {
  std::string_view text = read_string(o);
  if (text.size() == 1) {
    switch (text[0] | 0x20) {
      case 'c':
        return Order::C;
      case 'f':
        return Order::F;
      case 'a':
        return Order::A;
      case 'k':
        return Order::K;
      default:
        break;
    }
  }
  TNP_RAISE(ErrorKind::Value, "order must be one of 'C', 'F', 'A', or 'K' (got '", text, "')");
}

Casting read_casting(PyObject* o) {
  std::string_view text = read_string(o);
  if (text == "no") return Casting::No;
  if (text == "equiv") return Casting::Equiv;
  if (text == "safe") return Casting::Safe;
  if (text == "same_kind") return Casting::SameKind;
  if (text == "unsafe") return Casting::Unsafe;
  TNP_RAISE(ErrorKind::Value, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '", text,
            "')");
}

Distribution read_distribution(PyObject* o) {
  const std::string_view name = read_string(o);
  const auto& all = random::kDistributions;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& schema) { return schema.name == name; });
  TNP_CHECK(found != all.end(), ErrorKind::Value, "no distribution is named '", name, "'");
  return static_cast<Distribution>(found - all.begin());
}

Tensor read_out(PyObject* o, int index) {
  if (PyTuple_Check(o)) {
    if (index >= PyTuple_GET_SIZE(o)) return {};
    o = PyTuple_GET_ITEM(o, index);
  } else if (index > 0) {
    return {};
  }
  if (o == Py_None || o == Py_Ellipsis) return {};
  if (is_variable(o)) return unwrap(o);
  // A NumPy array is written in place, without a copy.
  if (PyObject_TypeCheck(o, numpy_api().ndarray_type)) return as_tensor(o, true, std::nullopt, false);
  TNP_RAISE(ErrorKind::Type, "return arrays must be of ArrayType: {out} must be an array, not ", Py_TYPE(o)->tp_name);
}

void check_out_tuple(PyObject* o, Py_ssize_t max_outputs) {
  TNP_CHECK(!PyTuple_Check(o) || PyTuple_GET_SIZE(o) <= max_outputs, ErrorKind::Value,
            "The '{out}' tuple must have exactly one entry per ufunc output");
}

Tensor read_mask(PyObject* o, bool numpy_face) {
  // Elements of lists are converted to bools by their truth value, as in NumPy. An array must have
  // dtype bool.
  Tensor mask = is_variable(o) ? unwrap(o)
                : PyList_Check(o) || PyTuple_Check(o) || PyLong_Check(o)
                    ? cast(as_tensor(o, numpy_face), ScalarType::Bool)
                    : as_tensor(o, numpy_face);
  TNP_CHECK(mask.dtype() == ScalarType::Bool, ErrorKind::Type, "Cannot cast array data from dtype('", mask.dtype(),
            "') to dtype('bool') according to the rule 'safe' ({where} must be an array of bools)");
  return mask;
}

void read_initial(PyObject* o, ReduceOptions& options) {
  const bool unknown = is_variable(o) && unwrap(o).device().is_meta();
  options.initial = unknown ? Scalar(0) : read_detached_scalar(o);
  if (is_variable(o) && compute_requires_grad(unwrap(o))) options.initial_tensor = tnp::reshape(unwrap(o), {});
}

namespace {

// Resizes `out` to `result`'s shape and memory layout if necessary, and checks its dtype and
// device.
void prepare_out(const Tensor& out, const Tensor& result, Resizing resizing = Resizing::Warned) {
  if (takes_another_size(out, result.sizes())) {
    check_out_takes(out, result.dtype(), result.device());
    const std::optional<DimVector> strides = strides_in_order(result.sizes(), Order::K, result);
    strides&& IntList(*strides) == result.strides() ? fit_out(out, result.sizes(), *strides, resizing)
                                                    : fit_out(out, result.sizes(), resizing);
  }
  check_out(out, result.sizes(), result.dtype(), result.device());
}

}  // namespace

Tensor copy_to_out(const Tensor& out, const Tensor& result, Resizing resizing, OutDtype rule) {
  check_out_dtype(rule, result.dtype(), out.dtype());
  check_out_requires_no_grad(compute_requires_grad(result), out);
  prepare_out(out, result, resizing);
  if (!out.is_same(result)) copy_into(out, result, Casting::SameKind);
  return out;
}

void copy_to_outs(PyObject* o, std::span<Tensor> results) {
  const Ref outs(PySequence_Tuple(o));  // a copy: Python code may modify a list during the call
  if (!outs) throw PythonError();
  TNP_CHECK(static_cast<size_t>(PyTuple_GET_SIZE(outs.get())) == results.size(), ErrorKind::Type,
            "{out} must be a tuple of ", results.size(), " Tensors, not of ", PyTuple_GET_SIZE(outs.get()));
  std::vector<Tensor> into(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(outs.get(), static_cast<Py_ssize_t>(i));
    TNP_CHECK(is_variable(item), ErrorKind::Type, "{out}[", i, "] must be a Tensor, not ", Py_TYPE(item)->tp_name);
    into[i] = unwrap(item);
    if (!results[i].defined()) continue;
    TNP_CHECK(into[i].dtype() == results[i].dtype(), ErrorKind::Casting, "{out}[", i, "] must have dtype ",
              results[i].dtype(), ", not ", into[i].dtype(), ": expected scalar_type ", InTorch{results[i].dtype()},
              " but found ", InTorch{into[i].dtype()});
    check_out_requires_no_grad(compute_requires_grad(results[i]), into[i]);
    check_out_takes(into[i], results[i].dtype(), results[i].device());
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].defined()) prepare_out(into[i], results[i]);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) copy_into(into[i], results[i]);
    results[i] = std::move(into[i]);
  }
}

}  // namespace tnp::python
