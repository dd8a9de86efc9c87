#include "csrc/library/parameters.h"

#include <optional>
#include <string_view>

#include "csrc/args/readers.h"

namespace tnp::python {

namespace {

// The argument kind of a schema type; for Tensors it depends on the face.
Kind kind_of(std::string_view word, bool several, bool numpy_face) {
  if (word == "Tensor") {
    if (several) return numpy_face ? Kind::ArrayLikeList : Kind::TensorList;
    return numpy_face ? Kind::ArrayLike : Kind::Tensor;
  }
  if (word == "int") return several ? Kind::IntList : Kind::Int;
  if (word == "float") return several ? Kind::FloatList : Kind::Float;
  if (word == "bool") return several ? Kind::BoolList : Kind::Bool;
  if (word == "str" && !several) return Kind::String;
  if (word == "Scalar" && !several) return Kind::Scalar;
  raise_python(PyExc_ValueError,
               "operators of libraries cannot take arguments of type " + std::string(word) + (several ? "[]" : ""));
}

TorchNpValue value_of(const Scalar& number) {
  TorchNpValue v{};
  if (number.is_bool()) {
    v.kind = TORCH_NP_BOOL, v.as.integer = number.to<bool>();
  } else if (number.is_integral()) {
    TNP_CHECK(number.kind() != Scalar::Kind::UInt || number.to<uint64_t>() <= INT64_MAX, ErrorKind::Overflow,
              "operators of libraries take integers of 64 bits, with a sign, not ", number.to_string());
    v.kind = TORCH_NP_INT, v.as.integer = number.to<int64_t>();
  } else if (number.is_complex()) {
    const auto c = number.to<Complex<double>>();
    v.kind = TORCH_NP_COMPLEX, v.as.numbers[0] = c.re, v.as.numbers[1] = c.im;
  } else {
    v.kind = TORCH_NP_FLOAT, v.as.numbers[0] = number.to<double>();
  }
  return v;
}

}  // namespace

SchemaParameters::SchemaParameters(const char* function, PyObject* rows, bool numpy_face) : numpy_face_(numpy_face) {
  const Py_ssize_t n = PyList_GET_SIZE(rows);
  if (n > kMaxSlots)
    raise_python(PyExc_ValueError, std::string(function) + " has " + std::to_string(n) + " parameters, at most " +
                                       std::to_string(kMaxSlots));
  for (Py_ssize_t i = 0; i < n; ++i) {
    const char *name, *word, *native;
    PyObject* aliases;
    int several, optional, keyword_only, mutated;
    PyObject* otherwise;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(rows, i), "ssppOppO!s", &name, &word, &several, &optional, &otherwise,
                          &keyword_only, &mutated, &PyList_Type, &aliases, &native))
      throw PythonError();
    const bool required = PyTuple_Check(otherwise) && PyTuple_GET_SIZE(otherwise) == 0;
    Param p{texts_.emplace_back(name).c_str(), kind_of(word, several != 0, numpy_face), static_cast<uint8_t>(i)};
    p.flags = static_cast<uint8_t>((required ? kRequired : 0) | (keyword_only ? kKeywordOnly : 0) |
                                   (optional || otherwise == Py_None ? kNullable : 0));
    for (Py_ssize_t k = 0; k < std::min<Py_ssize_t>(PyList_GET_SIZE(aliases), std::size(p.aliases)); ++k)
      p.aliases[k] = texts_.emplace_back(text_of(PyList_GET_ITEM(aliases, k))).c_str();
    if (!required) {
      Ref text(check(PyObject_Repr(otherwise)));
      p.default_text = texts_.emplace_back(text_of(text.get())).c_str();
    }
    params_.push_back(p);
    names_.push_back(texts_.emplace_back(native).c_str());
    rows_.push_back({p.kind, mutated != 0, Ref(required ? nullptr : Py_NewRef(otherwise))});
  }
  parser_ = std::make_unique<Parser>(
      std::initializer_list<Signature>{Signature(texts_.emplace_back(function).c_str(), params_, names_)});
  read_defaults();
}

void SchemaParameters::read_defaults() {
  const auto is_array = [](const Row& row) { return row.kind == Kind::Tensor || row.kind == Kind::ArrayLike; };
  size_t leading = 0;
  while (leading < rows_.size() && is_array(rows_[leading]) && !rows_[leading].mutated &&
         !(params_[leading].flags & kKeywordOnly))
    ++leading;
  for (size_t i = leading; i < rows_.size(); ++i) {
    const bool of_tensors =
        is_array(rows_[i]) || rows_[i].kind == Kind::TensorList || rows_[i].kind == Kind::ArrayLikeList;
    if (of_tensors || !rows_[i].otherwise) return;
  }
  for (size_t i = leading; i < rows_.size(); ++i) read_one(rows_[i], i, rows_[i].otherwise.get(), defaults_);
  num_leading_ = static_cast<Py_ssize_t>(leading);
}

bool SchemaParameters::read_arrays(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                   ReadArguments& into) const {
  if (kwnames || nargs != num_leading_) return false;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!is_exact(args[i])) return false;
  }
  into.numpy_face = numpy_face_ || (nargs > 0 && Py_TYPE(args[0]) == ndarray_type);
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    TorchNpValue v{};
    v.kind = TORCH_NP_TENSOR, v.count = 1, v.as.integer = i;
    into.inputs.push_back(unwrap(args[i]));
    into.values.push_back(v);
  }
  for (const TorchNpValue& v : defaults_.values) into.values.push_back(v);
  return true;
}

void SchemaParameters::read(PyObject* const* values, ReadArguments& into) const {
  into.numpy_face = numpy_face_;
  for (size_t i = 0; i < rows_.size(); ++i)
    read_one(rows_[i], i, values[i] ? values[i] : rows_[i].otherwise.get(), into);
}

void SchemaParameters::add_tensors(const Row& row, size_t i, PyObject* value, TorchNpValue& as,
                                   ReadArguments& into) const {
  as.kind = row.kind == Kind::Tensor || row.kind == Kind::ArrayLike ? TORCH_NP_TENSOR : TORCH_NP_TENSORS;
  as.as.integer = static_cast<int64_t>(into.inputs.size());
  if (as.kind == TORCH_NP_TENSORS) {
    std::vector<Tensor> list;
    read_tensor_list(value, numpy_face_, list);
    const bool is_sequence = PyList_Check(value) || PyTuple_Check(value);
    PyObject* first = is_sequence && PySequence_Fast_GET_SIZE(value) > 0 ? PySequence_Fast_GET_ITEM(value, 0) : nullptr;
    if (into.inputs.empty() && first && is_ndarray(first)) into.numpy_face = true;
    for (Tensor& t : list) into.inputs.push_back(std::move(t));
  } else if (is_variable(value)) {
    if (into.inputs.empty() && Py_TYPE(value) != tensor_type && is_ndarray(value))
      into.numpy_face = true;  // results have the type of the inputs
    into.inputs.push_back(unwrap(value));
  } else {
    // A list would be copied, so that in-place changes would be lost.
    if (row.mutated && !is_numpy_array(value))
      raise_python(PyExc_TypeError, std::string(signature().function()) + ": argument '" + params_[i].name +
                                        "' is changed in place and must be an array, not " + Py_TYPE(value)->tp_name);
    into.inputs.push_back(as_tensor(value, numpy_face_));
  }
  as.count = static_cast<int64_t>(into.inputs.size()) - as.as.integer;
  if (!row.mutated) return;
  for (int64_t k = 0; k < as.count; ++k) into.mutated.push_back(as.as.integer + k);
}

void SchemaParameters::read_one(const Row& row, size_t i, PyObject* value, ReadArguments& into) const {
  TorchNpValue v{};
  if (value == Py_None) {
    v.kind = TORCH_NP_NONE;
    if (row.kind == Kind::Tensor || row.kind == Kind::ArrayLike) into.inputs.emplace_back();
    into.values.push_back(v);
    return;
  }
  switch (row.kind) {
    case Kind::Int:
      v.kind = TORCH_NP_INT, v.as.integer = read_integer(value, numpy_face_);
      break;
    case Kind::Bool:
      v.kind = TORCH_NP_BOOL, v.as.integer = read_bool(value);
      break;
    case Kind::Float:
      v.kind = TORCH_NP_FLOAT, v.as.numbers[0] = read_double(value, static_cast<int>(i));
      break;
    case Kind::Scalar:
      v = value_of(read_scalar(value, static_cast<int>(i)));
      break;
    case Kind::String: {
      const std::string_view text = read_string(value);
      v.kind = TORCH_NP_STRING, v.as.string = text.data(), v.count = static_cast<int64_t>(text.size());
      break;
    }
    case Kind::IntList: {
      DimVector& list = into.with_lists().integers.emplace_back();
      read_int_list(value, 0, numpy_face_, list);
      v.kind = TORCH_NP_INTS, v.as.int_list = list.data(), v.count = static_cast<int64_t>(list.size());
      break;
    }
    case Kind::FloatList: {
      std::vector<double>& list = into.with_lists().numbers.emplace_back();
      read_float_list(value, static_cast<int>(i), list);
      v.kind = TORCH_NP_FLOATS, v.as.float_list = list.data(), v.count = static_cast<int64_t>(list.size());
      break;
    }
    case Kind::BoolList: {
      BoolVector flags;
      read_bool_list(value, flags);
      const std::vector<uint8_t>& list =
          into.with_lists().booleans.emplace_back(flags.data.get(), flags.data.get() + flags.size);
      v.kind = TORCH_NP_BOOLS, v.as.bool_list = list.data(), v.count = static_cast<int64_t>(list.size());
      break;
    }
    default:
      add_tensors(row, i, value, v, into);
  }
  into.values.push_back(v);
}

}  // namespace tnp::python
