#include "csrc/args/plain_call.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "aten/core/profiler/profiler.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/imported.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

constexpr int kMostNested = 16;

bool is_number_or_text(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyUnicode_CheckExact(o) || PyBool_Check(o) || o == Py_None ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o);
}

// Whether NumPy takes an object of this class for a sequence, or asks it for an array, which may be
// one of ours. Classes written in Python may have any attribute.
bool may_contain_arrays(PyTypeObject* type) {
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return true;
  if ((type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
      (type->tp_as_mapping && type->tp_as_mapping->mp_length))
    return true;
  static PyObject* const name = PyUnicode_InternFromString("__array__");
  return _PyType_Lookup(type, name) != nullptr;
}

// Whether NumPy takes an argument as it is: it is neither an array of ours nor contains one, and no
// sequence of another class, whose items may be ours.
bool is_plain(PyObject* o, int depth = 0) {
  if (is_number_or_text(o)) return true;
  if (is_variable(o) || is_torch_dtype(o)) return false;
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
    if (depth == kMostNested) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      if (!is_plain(PySequence_Fast_GET_ITEM(o, i), depth + 1)) return false;
    return true;
  }
  // A dict or a set is an object to NumPy.
  return is_numpy_array(o) || is_numpy_scalar(o) || PyDict_CheckExact(o) || PyAnySet_CheckExact(o) || PyType_Check(o) ||
         PySlice_Check(o) || PyObject_TypeCheck(o, numpy_api().dtype_type) || PyFunction_Check(o) ||
         PyCFunction_Check(o) || PyRange_Check(o) || !may_contain_arrays(Py_TYPE(o));
}

// An array of ours that NumPy may view: without a gradient, on the CPU.
bool may_be_viewed(PyObject* o) {
  if (!is_exact(o)) return false;
  const Tensor& t = unwrap(o);
  return t.device().is_cpu() && !t.requires_grad();
}

// The number of leading arguments that a function does not write to. Outputs get a new version after
// the call, and a ufunc takes them by position.
Py_ssize_t num_inputs(PyObject* function) {
  if (!PyObject_TypeCheck(function, numpy_api().ufunc_type)) return PY_SSIZE_T_MAX;
  const Ref nin(PyObject_GetAttrString(function, "nin"));
  const Py_ssize_t number = nin ? PyLong_AsSsize_t(nin.get()) : -1;
  if (PyErr_Occurred()) PyErr_Clear();
  return number;
}

// Our arrays among the arguments, with the views that stand for them.
class Views {
 public:
  // Returns the view, or null with an exception set.
  PyObject* add(PyObject* array) {
    Ref view(protect<true>([&] { return to_numpy(unwrap(array)); }));
    if (!view) return nullptr;
    pairs_.push_back({array, std::move(view)});
    return pairs_.back().view.get();
  }
  // The array that `view` stands for (borrowed); null for other objects.
  PyObject* original(PyObject* view) const {
    for (const Pair& pair : pairs_)
      if (pair.view.get() == view) return pair.array;
    return nullptr;
  }

 private:
  struct Pair {
    PyObject* array;
    Ref view;
  };
  std::vector<Pair> pairs_;
};

PyObject* from_numpy_function() {
  static PyObject* function = nullptr;
  return imported(function, "torch_np.numpy._interop.exchange", "from_numpy");
}

PyObject* ours(Ref result, const Views& views);

// Converts the items of a list or tuple. Returns the same object if nothing changed.
PyObject* with_our_items(Ref sequence, const Views& views) {
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence.get());
  const bool is_list = PyList_CheckExact(sequence.get());
  Ref made(is_list ? PyList_New(n) : PyTuple_New(n));
  if (!made) return nullptr;
  bool changed = false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(sequence.get(), i);
    PyObject* const converted = ours(Ref(Py_NewRef(item)), views);
    if (!converted) return nullptr;
    changed |= converted != item;
    if (is_list)
      PyList_SET_ITEM(made.get(), i, converted);
    else
      PyTuple_SET_ITEM(made.get(), i, converted);
  }
  return changed ? made.release() : sequence.release();
}

// Converts a result: a view of an argument becomes the array itself, another array one of ours if
// the engine has its dtype.
PyObject* ours(Ref result, const Views& views) {
  PyObject* const o = result.get();
  if (!o || is_number_or_text(o) || is_numpy_scalar(o)) return result.release();
  if (PyObject* const array = views.original(o)) return Py_NewRef(array);
  if (Py_TYPE(o) == numpy_api().ndarray_type) return held(o);
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) return with_our_items(std::move(result), views);
  PyObject* const function = from_numpy_function();
  return function ? PyObject_CallOneArg(function, o) : nullptr;
}

bool is_named(PyObject* name, const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// Options that NumPy does not have.
bool is_our_option(PyObject* name) {
  return is_named(name, "device") || is_named(name, "_device") || is_named(name, "_requires_grad");
}

// A profile names the calls that NumPy computes, with the reason: torch_np/numpy/_interop/exchange.py.
bool is_recorded() { return TNP_UNLIKELY(profiler::is_on()); }

}  // namespace

PyObject* call_plainly(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool* called) {
  constexpr Py_ssize_t kMostArguments = 16;
  *called = false;
  const Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (total > kMostArguments || is_recorded()) return nullptr;
  bool any_ours = false;
  for (Py_ssize_t i = 0; i < total; ++i) {
    if (is_variable(args[i])) {
      if (i >= nargs || i >= num_inputs(function) || !may_be_viewed(args[i])) return nullptr;
      any_ours = true;
    } else if (!is_plain(args[i]) || (i >= nargs && is_our_option(PyTuple_GET_ITEM(kwnames, i - nargs)))) {
      return nullptr;
    }
  }
  Views views;
  std::array<PyObject*, kMostArguments> given;
  if (any_ours) {
    for (Py_ssize_t i = 0; i < total; ++i) {
      given[static_cast<size_t>(i)] = is_variable(args[i]) ? views.add(args[i]) : args[i];
      if (!given[static_cast<size_t>(i)]) {
        PyErr_Clear();
        return nullptr;
      }
    }
    args = given.data();
  }
  *called = true;
  return ours(Ref(PyObject_Vectorcall(function, args, static_cast<size_t>(nargs), kwnames)), views);
}

PyObject* call_plainly(PyObject* function, PyObject* args, PyObject* kwargs, bool* called) {
  *called = false;
  if (is_recorded()) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
    if (!is_plain(PyTuple_GET_ITEM(args, i))) return nullptr;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);)
    if (!is_plain(value) || is_our_option(name)) return nullptr;
  *called = true;
  return ours(Ref(PyObject_Call(function, args, kwargs)), Views());
}

namespace {

// Finds names by string_view, without a std::string for the search.
struct HashOfName {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using Names = std::vector<PyObject*>;  // interned

// The names of a path; empty if there is no memory.
Names names_of(std::string_view path) {
  Names names;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    names.push_back(PyUnicode_InternFromString(std::string(path.substr(begin, end - begin)).c_str()));
    if (!names.back()) return PyErr_Clear(), Names();
    begin = end + 1;
  }
  return names;
}

// NumPy's function with this path, a new reference; null without an exception if there is none.
PyObject* numpys_function(std::string_view path) {
  static std::unordered_map<std::string, Names, HashOfName, std::equal_to<>> known;
  auto at = known.find(path);
  if (at == known.end()) at = known.emplace(std::string(path), names_of(path)).first;
  if (at->second.empty()) return nullptr;
  Ref found(Py_NewRef(numpy_api().module));
  for (PyObject* name : at->second) {
    found = Ref(PyObject_GetAttr(found.get(), name));
    if (!found) return PyErr_Clear(), nullptr;
  }
  return found.release();
}

// NumPy's functions that write to their first argument.
bool writes(std::string_view path) {
  static constexpr std::string_view kNames[] = {
      "copyto",       "fill_diagonal",     "place",       "put",          "putmask",       "ndarray.__setitem__",
      "ndarray.fill", "ndarray.partition", "ndarray.put", "ndarray.sort", "put_along_axis"};
  return path.ends_with(".at") || std::find(std::begin(kNames), std::end(kNames), path) != std::end(kNames);
}

}  // namespace

PyObject* call_numpys(std::string_view path, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool* called) {
  *called = false;
  const Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  if (path.starts_with("random.") || (writes(path) && std::any_of(args, args + total, is_variable))) return nullptr;
  const Ref function(numpys_function(path));
  return function ? call_plainly(function.get(), args, nargs, kwnames, called) : nullptr;
}

}  // namespace tnp::python
