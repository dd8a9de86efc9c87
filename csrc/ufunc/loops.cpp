// Implements signature= of ufuncs, by which the caller selects a loop.
#include <algorithm>
#include <iterator>
#include <string>

#include "aten/core/numbers/cast_error.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "csrc/convert/convert.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

using enum ScalarType;
constexpr ScalarType kNumpysOrder[] = {Bool,   Int8,    UInt8,   Int16,   UInt16,    Int32,      UInt32,  Int64,
                                       UInt64, Float16, Float32, Float64, Complex64, Complex128, BFloat16};

bool is_name(PyObject* key, const char* name) { return PyUnicode_CompareWithASCIIString(key, name) == 0; }

// The loop of a generalized ufunc in dtype `t`. Generalized ufuncs have no loop table; they support
// every dtype if all operands have the same one.
LoopDtypes uniform(ScalarType t) { return {t, t, t, t}; }

// Returns the loop that computes in dtype `t`, or nullopt if the operator has none.
std::optional<LoopDtypes> loop_in(const UfuncRow& row, ScalarType t) {
  const PointwiseOp& op = *row.op;
  auto loops = op.loops(DeviceType::CPU);
  auto with_key = [&](ScalarType key) {
    return std::find_if(loops.begin(), loops.end(), [&](const PointwiseLoop& l) { return l.key == key; });
  };
  auto found = with_key(t);
  if (found == loops.end()) found = with_key(compute_type(t));
  if (found == loops.end()) return std::nullopt;
  std::vector<Tensor> operands;
  LoopDtypes dtypes{};
  for (int i = 0; i < row.nin; ++i) {
    dtypes[static_cast<size_t>(i)] = shown_dtype(found->types[row.nout + i], t);
    operands.push_back(empty_tensor({0}, dtypes[static_cast<size_t>(i)]));
  }
  try {
    PointwiseChoice choice = choose_loop(op, operands, std::nullopt, DeviceType::CPU);
    if (choice.types.compute != t) return std::nullopt;
    for (int i = 0; i < row.nout; ++i)
      dtypes[static_cast<size_t>(row.nin + i)] = shown_dtype(choice.loop->types[i], choice.types.result);
  } catch (const Error&) {
    return std::nullopt;  // the loop exists, but the operator rejects the dtype
  }
  return dtypes;
}

bool takes(ScalarType loop, const Tensor& operand) {
  if (!operand.is_wrapped_number()) return can_cast(operand.dtype(), loop, Casting::Safe);
  auto kind = [](ScalarType t) { return is_bool(t) ? 0 : is_integral(t) ? 1 : is_complex(t) ? 3 : 2; };
  return kind(operand.dtype()) <= kind(loop);
}

ScalarType dtype_of_letter(PyObject* text, Py_ssize_t i) {
  Ref letter(check(PyUnicode_Substring(text, i, i + 1)));
  const std::string_view known = "?bBhHiIlLqQnNpPefdgFDGSUVOMm";
  const std::string_view utf8 = read_string(letter.get());
  TNP_CHECK(utf8.size() == 1 && known.find(utf8[0]) != known.npos, ErrorKind::Value, "'", utf8,
            "' is not a dtype's character");
  return dtype_from_object(letter.get()).value();
}

// Casts an operand to the loop's dtype.
PyObject* cast_operand(const UfuncRow& row, int i, PyObject* o, ScalarType to, Casting casting) {
  Tensor t = is_variable(o) ? unwrap(o) : as_tensor(o, true);
  if (!t.is_wrapped_number() && !can_cast(t.dtype(), to, casting))
    raise_cannot_cast_input(row.name, i, t.dtype(), to, casting);
  TNP_CHECK(!is_integer(t.dtype()) || !t.is_wrapped_number() || !is_integer(to) || t.item().fits(to),
            ErrorKind::Overflow, "Python integer ", t.item(), " out of bounds for ", to);
  if (t.is_wrapped_number()) return check(wrap<true>(scalar_tensor(t.item(), to)));
  if (t.dtype() == to) return check(wrap<true>(t));
  Ref object(check(wrap<true>(t)));
  return check(call_method(true, "astype", {object.get(), check(numpy_dtype(to))}));
}

}  // namespace

std::vector<LoopDtypes> loops_of(const UfuncRow& row) {
  std::vector<LoopDtypes> all;
  for (ScalarType t : kNumpysOrder) {
    if (!row.op) {
      all.push_back(uniform(t));
    } else if (std::optional<LoopDtypes> loop = loop_in(row, t)) {
      all.push_back(*loop);
    }
  }
  return all;
}

LoopRequest read_loop_request(const UfuncRow& row, PyObject* signature) {
  LoopRequest request;
  const Py_ssize_t count = row.nin + row.nout;
  Ref decoded(PyBytes_Check(signature) ? check(PyUnicode_FromEncodedObject(signature, "ascii", "strict")) : nullptr);
  if (decoded) signature = decoded.get();
  if (PyUnicode_Check(signature)) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(signature);
    TNP_CHECK(n != 1, ErrorKind::Type, "Use `dtype` or fill the tuple with more than one 'None'.");
    std::string_view text = read_string(signature);
    TNP_CHECK(n == count + 2 && text.substr(row.nin, 2) == "->", ErrorKind::Value, "a type-string for ", row.name, ", ",
              int(row.nin), " typecode(s) before and ", int(row.nout), " after the -> sign");
    for (Py_ssize_t i = 0; i < count; ++i)
      request[static_cast<size_t>(i)] = dtype_of_letter(signature, i < row.nin ? i : i + 2);
    return request;
  }
  TNP_CHECK(PyTuple_Check(signature), ErrorKind::Type, "the signature object to ufunc must be a string or a tuple.");
  const Py_ssize_t n = PyTuple_GET_SIZE(signature);
  auto given = [&](Py_ssize_t i) -> std::optional<ScalarType> {
    PyObject* o = PyTuple_GET_ITEM(signature, i);
    return o == Py_None ? std::nullopt : dtype_from_object(o);
  };
  if (n == 1 && count != 1) {
    TNP_CHECK(PyTuple_GET_ITEM(signature, 0) != Py_None, ErrorKind::Type,
              "a single item type tuple cannot contain None.");
    TNP_RAISE(ErrorKind::Type, "Use `dtype` or fill the tuple with more than one 'None'.");
  }
  TNP_CHECK(n == count, ErrorKind::Value, "a type-tuple must be specified of length ", count, " for ufunc '", row.name,
            "'");
  for (Py_ssize_t i = 0; i < count; ++i) request[static_cast<size_t>(i)] = given(i);
  return request;
}

LoopDtypes find_requested_loop(const UfuncRow& row, const LoopRequest& request, TensorList operands) {
  for (const LoopDtypes& loop : loops_of(row)) {
    bool answers = true;
    for (size_t i = 0; answers && i < static_cast<size_t>(row.nin + row.nout); ++i) {
      answers = request[i] ? *request[i] == loop[i] : i >= row.nin || takes(loop[i], operands[i]);
    }
    if (answers) return loop;
  }
  // If dtypes are requested for some operands only, NumPy casts the remaining operands to one of
  // the requested dtypes, even unsafely, and never to another dtype.
  for (const LoopDtypes& loop : loops_of(row)) {
    bool answers = true, asked = false;
    for (size_t i = 0; answers && i < static_cast<size_t>(row.nin + row.nout); ++i) {
      asked |= request[i].has_value();
      answers = request[i] ? *request[i] == loop[i]
                           : i >= static_cast<size_t>(row.nin) || takes(loop[i], operands[i]) ||
                                 std::find(request.begin(), request.end(), std::optional(loop[i])) != request.end();
    }
    if (answers && asked) return loop;
  }
  TNP_RAISE(ErrorKind::Dtype, "No loop matching the specified signature and casting was found for ufunc ", row.name);
}

PyObject* call_with_signature(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                              bool* subok) {
  const Py_ssize_t nkw = PyTuple_GET_SIZE(kwnames);
  PyObject *signature = nullptr, *casting = nullptr;
  bool dtype_given = false, anything = false, where_given = false, out_given = nargs > row.nin;
  for (Py_ssize_t i = 0; i < nkw; ++i) {
    PyObject *key = PyTuple_GET_ITEM(kwnames, i), *value = args[nargs + i];
    if (is_name(key, "subok")) {
      if (!PyBool_Check(value)) return PyErr_SetString(PyExc_TypeError, "'subok' must be a boolean"), nullptr;
      *subok = value == Py_True;
      anything = true;
    } else if (is_name(key, "signature") || is_name(key, "sig")) {
      if (signature) return PyErr_SetString(PyExc_TypeError, "cannot specify both 'sig' and 'signature'"), nullptr;
      signature = value;
      anything = true;
    } else if (is_name(key, "dtype")) {
      dtype_given = value != Py_None;
    } else if (is_name(key, "casting")) {
      casting = value;
    } else if (is_name(key, "where")) {
      where_given = value != Py_True;
    } else if (is_name(key, "out")) {
      out_given = true;
      anything |= value == Py_Ellipsis;
      if (value == Py_Ellipsis || (row.nout == 1 && !PyTuple_Check(value))) continue;
      if (!PyTuple_Check(value)) return PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays"), nullptr;
      if (PyTuple_GET_SIZE(value) != row.nout)
        return PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output"),
               nullptr;
      if (!check_no_ellipsis_in(value)) return nullptr;
    }
  }
  if (where_given && !out_given &&
      PyErr_WarnEx(
          PyExc_UserWarning,
          "'where' used without 'out', expect unitialized memory in output. If this is intended, use out=None.", 1) < 0)
    return nullptr;
  if (!anything) return row.binding(nullptr, args, nargs, kwnames);
  if (signature && dtype_given)
    return PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'"), nullptr;
  return protect<true>([&]() -> PyObject* {
    std::vector<PyObject*> all(args, args + nargs);
    std::vector<Ref> made;
    Ref names(check(PyList_New(0)));
    for (Py_ssize_t i = 0; i < nkw; ++i) {
      PyObject* key = PyTuple_GET_ITEM(kwnames, i);
      if (is_name(key, "subok") || is_name(key, "signature") || is_name(key, "sig")) continue;
      if (args[nargs + i] == Py_Ellipsis && is_name(key, "out")) continue;
      if (PyList_Append(names.get(), key) < 0) throw PythonError();
      all.push_back(args[nargs + i]);
    }
    for (Py_ssize_t i = 0; !*subok && i < nargs && i < row.nin; ++i) {
      if (!is_ndarray(args[i]) || is_exact(args[i])) continue;
      made.emplace_back(check(wrap<true>(tnp::alias(unwrap(args[i])))));
      all[static_cast<size_t>(i)] = made.back().get();
    }
    if (signature && nargs >= row.nin && row.op) {
      LoopRequest request = read_loop_request(row, signature);
      std::vector<Tensor> operands;
      for (int i = 0; i < row.nin; ++i)
        operands.push_back(is_variable(args[i]) ? unwrap(args[i]) : as_tensor(args[i], true));
      if (std::any_of(request.begin(), request.end(), [](auto& r) { return r.has_value(); })) {
        LoopDtypes loop = find_requested_loop(row, request, operands);
        Casting rule = casting ? read_casting(casting) : Casting::SameKind;
        for (int i = 0; i < row.nin; ++i) {
          made.emplace_back(cast_operand(row, i, all[static_cast<size_t>(i)], loop[static_cast<size_t>(i)], rule));
          all[static_cast<size_t>(i)] = made.back().get();
        }
      }
    }
    Ref rest(check(PyList_AsTuple(names.get())));
    return row.binding(nullptr, all.data(), nargs, PyTuple_GET_SIZE(rest.get()) ? rest.get() : nullptr);
  });
}

}  // namespace tnp::python
