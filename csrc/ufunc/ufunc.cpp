// ufunc objects: calls, attributes, and overriding by foreign operands (NEP 13). Methods:
// methods.cpp.
#include "csrc/ufunc/ufunc.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/args/fallback.h"
#include "csrc/args/packed.h"
#include "csrc/convert/convert.h"
#include "csrc/overrides/function_overrides.h"
#include "csrc/overrides/operands.h"

namespace tnp::python {

namespace {

PyObject* ufunc_objects = nullptr;  // dict from name (with package) to object

bool overrides(PyObject* o) { return !is_exact(o) && overrides_ufuncs(o); }

PyObject* vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// Converts positional outputs of a ufunc with several results to a tuple out=, with None for
// missing ones.
PyObject* call_with_positional_outs(PyObject* callable, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  const UfuncRow& row = row_of(callable);
  if (keyword_of("out", args, n, kwnames)) {
    PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
    return nullptr;
  }
  const Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  Ref outs(PyTuple_New(row.nout)), names(PyTuple_New(nkw + 1));
  if (!outs || !names) return nullptr;
  for (Py_ssize_t i = 0; i < row.nout; ++i)
    PyTuple_SET_ITEM(outs.get(), i, Py_NewRef(row.nin + i < n ? args[row.nin + i] : Py_None));
  std::vector<PyObject*> all(args, args + row.nin);
  for (Py_ssize_t i = 0; i < nkw; ++i) {
    all.push_back(args[n + i]);
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(PyTuple_GET_ITEM(kwnames, i)));
  }
  all.push_back(outs.get());
  PyTuple_SET_ITEM(names.get(), nkw, PyUnicode_FromString("out"));
  return vectorcall(callable, all.data(), static_cast<size_t>(row.nin), names.get());
}

PyObject* vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const UfuncRow& row = row_of(callable);
  Py_ssize_t n = PyVectorcall_NARGS(nargsf);
  if (TNP_UNLIKELY(n != row.nin)) {
    if (n < row.nin || n > row.nin + row.nout) {
      return PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given", row.name,
                          int{row.nin}, row.nin + row.nout, n, n == 1 ? "was" : "were");
    }
    if (!check_no_ellipsis(args + row.nin, n - row.nin)) return nullptr;
    if (row.nout > 1) return call_with_positional_outs(callable, args, n, kwnames);
  }
  bool all_exact = true, prior = false;
  PyObject* subclass = nullptr;  // the first operand of highest priority determines the class
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (TNP_LIKELY(is_exact(args[i]) || PyFloat_CheckExact(args[i]) || PyLong_CheckExact(args[i]))) continue;
    all_exact = false;
    if (!is_ndarray(args[i]) || is_exact(args[i])) continue;
    if (subclass && array_priority(args[i]) <= array_priority(subclass)) continue;
    prior = subclass != nullptr;  // the binding would use the class of the first such operand, not of this one
    subclass = args[i];
  }
  if (TNP_UNLIKELY(!all_exact || kwnames)) {
    PyObject* result = nullptr;
    if (call_override(callable, "__call__", args, n, kwnames, &result)) return result;
    if (!all_exact && call_wrapping(callable, "__call__", args, n, kwnames, &result)) return result;
  }
  bool subok = true;
  PyObject* result = TNP_LIKELY(!kwnames) ? row.binding(nullptr, args, n, nullptr)
                                          : call_with_signature(row, args, n, kwnames, &subok);
  if (TNP_UNLIKELY(!result)) {
    result = retry_with_huge_integers(row, args, n, kwnames);
    if (!result) result = fall_back(row.name, nullptr, args, n, kwnames);  // NumPy supports more loops for signature=
  }
  if (TNP_UNLIKELY(kwnames && keyword_of("out", args, n, kwnames) == Py_Ellipsis)) result = as_arrays(result);
  if (TNP_UNLIKELY(prior && subok && n == row.nin && !(kwnames && keyword_of("out", args, n, kwnames))))
    return in_class_of(subclass, result);
  return TNP_LIKELY(!subclass || !subok) ? result : take_class({subclass, out_of(row, args, n, kwnames)}, result);
}

PyObject* get_nin(PyObject* self, void*) { return PyLong_FromLong(row_of(self).nin); }
PyObject* get_nout(PyObject* self, void*) { return PyLong_FromLong(row_of(self).nout); }
PyObject* get_nargs(PyObject* self, void*) { return PyLong_FromLong(row_of(self).nin + row_of(self).nout); }
PyObject* get_core(PyObject* self, void*) {
  const char* text = row_of(self).core;
  return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

PyObject* get_identity(PyObject* self, void*) {
  const char* text = row_of(self).identity;
  if (!text || std::strcmp(text, "None") == 0) Py_RETURN_NONE;
  if (std::strcmp(text, "True") == 0) Py_RETURN_TRUE;
  if (std::strcmp(text, "False") == 0) Py_RETURN_FALSE;
  Ref literal(PyUnicode_FromString(text));
  PyObject* integer = literal ? PyLong_FromUnicodeObject(literal.get(), 10) : nullptr;
  if (integer || !literal) return integer;
  PyErr_Clear();
  return PyFloat_FromString(literal.get());
}

// Returns NumPy's ufunc of the same name, or null without an exception if NumPy has none.
Ref numpys_of(PyObject* self) {
  Ref found(PyObject_GetAttrString(numpy_api().module, row_of(self).name));
  if (!found) PyErr_Clear();
  return found && Py_TYPE(found.get()) == numpy_api().ufunc_type ? std::move(found) : Ref();
}

// NumPy's list, since NumPy's loops handle dtypes that the engine cannot hold.
PyObject* get_types(PyObject* self, void*) {
  const Ref numpys = numpys_of(self);
  if (!numpys) return PyErr_Format(PyExc_AttributeError, "this NumPy has no ufunc '%s'", row_of(self).name);
  return PyObject_GetAttrString(numpys.get(), "types");
}
PyObject* get_ntypes(PyObject* self, void* closure) {
  Ref types(get_types(self, closure));
  return types ? PyLong_FromSsize_t(PyList_GET_SIZE(types.get())) : nullptr;
}

// For generalized ufuncs NumPy's signature, whose defaults have no textual form.
PyObject* get_signature(PyObject* self, void*) {
  if (!row_of(self).core) {
    const Function& f = function_of(self);
    Ref plain(make_function(f.name, f.binding, f.doc, f.module, 0));
    if (!plain) return nullptr;
    function_of(plain.get()).text_signature = f.text_signature;
    return signature_of(plain.get());
  }
  Ref general(PyImport_ImportModule("torch_np.numpy._gufunc"));
  return general ? PyObject_CallMethod(general.get(), "_signature", "s", row_of(self).name) : nullptr;
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%s'>", row_of(self).name); }

// One of our ufuncs compares equal to NumPy's ufunc of the same name. A class that was written for
// our package has our ufuncs as keys in its dispatch tables, but receives NumPy's in
// __array_ufunc__ if the left operand is a NumPy scalar.
PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal = self == other;
  if (!equal) {
    if (Py_TYPE(other) != numpy_api().ufunc_type) Py_RETURN_NOTIMPLEMENTED;
    equal = numpys_of(self).get() == other;
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}
Py_hash_t hash(PyObject* self) {
  const Ref numpys = numpys_of(self);
  return _Py_HashPointer(numpys ? numpys.get() : self);
}

// NumPy's call line followed by our documentation.
PyObject* get_doc(PyObject* self, void* closure) {
  Ref doc(function_doc(self, closure));
  if (!doc || doc.get() == Py_None) return doc.release();
  Ref words(PyImport_ImportModule("numpy._core._internal"));
  Ref line(words ? PyObject_CallMethod(words.get(), "_ufunc_doc_signature_formatter", "O", self) : nullptr);
  return line ? PyUnicode_FromFormat("%U\n\n%U", line.get(), doc.get()) : nullptr;
}

PyGetSetDef properties[] = {
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {"nin", get_nin, nullptr, "Number of operands.", nullptr},
    {"nout", get_nout, nullptr, "Number of results.", nullptr},
    {"nargs", get_nargs, nullptr, "Number of operands and results together.", nullptr},
    {"identity", get_identity, nullptr,
     "Identity of the ufunc: an operand that leaves the other one unchanged, such as 0 for `np.add`\n"
     "and 1 for `np.multiply`. None if the ufunc has none, such as `np.power`.\n\n"
     "A reduction begins with the identity, so `reduce` of no elements returns it. If the ufunc has\n"
     "none, such a reduction raises ValueError unless `initial` is given.",
     nullptr},
    {"ntypes", get_ntypes, nullptr, "Number of loops.", nullptr},
    {"types", get_types, nullptr,
     "Dtypes of the loops as strings such as 'dd->d', including the loops that only NumPy has.", nullptr},
    {"signature", get_core, nullptr,
     "Signature of the core dimensions, such as '(n),(n)->()'; None for a ufunc of single elements.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject type_of_ufuncs() {
  PyTypeObject type{};
  Py_SET_REFCNT(&type, 1);
  type.tp_name = "torch_np.numpy.ufunc";
  type.tp_basicsize = sizeof(THPUfunc);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_base = &function_type;
  type.tp_vectorcall_offset = offsetof(Function, vectorcall);
  type.tp_call = PyVectorcall_Call;
  type.tp_doc =
      "Function that is applied to the elements of arrays, which are broadcast. Methods such as reduce\n"
      "combine elements.";
  type.tp_repr = repr;
  type.tp_richcompare = compare;
  type.tp_hash = hash;
  type.tp_methods = ufunc_methods;
  type.tp_getset = properties;
  return type;
}
PyTypeObject ufunc_type = type_of_ufuncs();

}  // namespace

PyTypeObject* ufunc_type_object() { return &ufunc_type; }

bool check_no_ellipsis(PyObject* const* args, Py_ssize_t n) {
  if (std::find(args, args + n, Py_Ellipsis) == args + n) return true;
  PyErr_SetString(PyExc_TypeError, "out=... is only allowed as a keyword argument.");
  return false;
}

bool check_no_ellipsis_in(PyObject* out) {
  if (!PyTuple_Check(out)) return true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(out); ++i) {
    if (PyTuple_GET_ITEM(out, i) != Py_Ellipsis) continue;
    return PyErr_SetString(PyExc_TypeError, "must use `...` as `out=...` and not per-operand/in a tuple"), false;
  }
  return true;
}

PyObject* as_arrays(PyObject* result) {
  if (!result || is_variable(result)) return result;
  Ref owned(result);
  if (!PyTuple_Check(result)) {
    if (!is_numpy_scalar(result)) return owned.release();
    return protect<true>([&] { return wrap<true>(as_tensor(result, true)); });
  }
  Ref arrays(PyTuple_New(PyTuple_GET_SIZE(result)));
  for (Py_ssize_t i = 0; arrays && i < PyTuple_GET_SIZE(result); ++i) {
    PyObject* item = as_arrays(Py_NewRef(PyTuple_GET_ITEM(result, i)));
    if (!item) return nullptr;
    PyTuple_SET_ITEM(arrays.get(), i, item);
  }
  return arrays.release();
}

PyObject* out_of(const UfuncRow& row, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  if (PyObject* out = keyword_of("out", args, n, kwnames)) return out;
  return n == row.nin + 1 ? args[row.nin] : nullptr;
}

// The arguments whose classes override ufuncs.
static Candidates candidates_among(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  Candidates candidates;
  auto consider = [&](PyObject* o) {
    if (TNP_UNLIKELY(overrides(o))) candidates.add(o);
  };
  for (Py_ssize_t i = 0; i < nargs; ++i) consider(args[i]);
  for (Py_ssize_t i = 0; i < nkw; ++i) {
    PyObject *name = PyTuple_GET_ITEM(kwnames, i), *out = args[nargs + i];
    if (PyUnicode_CompareWithASCIIString(name, "where") == 0) consider(out);
    if (PyUnicode_CompareWithASCIIString(name, "out") != 0) continue;
    if (!PyTuple_Check(out))
      consider(out);
    else
      for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(out); ++j) consider(PyTuple_GET_ITEM(out, j));
  }
  return candidates;
}

// NumPy's function as a fallback for a call that all candidates declined, if these are foreign.
// They may only accept NumPy arrays: pandas declines any object of another class with
// __array_ufunc__. Null without an exception if NumPy has none.
static Ref as_numpys_call(PyObject* ufunc, const char* method, const Candidates& candidates, PyObject* const* args,
                          Py_ssize_t nargs) {
  if (!fallback_allowed() || Py_TYPE(ufunc) != &ufunc_type || std::none_of(args, args + nargs, is_variable)) return {};
  for (PyObject* candidate : candidates) {
    if (is_variable(candidate)) return {};
  }
  Ref found = numpys_of(ufunc);
  if (!found || std::string_view(method) == "__call__") return found;
  Ref bound(PyObject_GetAttrString(found.get(), method));
  if (!bound) PyErr_Clear();
  return bound;
}

// NumPy's normal form of a call for __array_ufunc__: operands by position, other arguments by name,
// outputs as a tuple.
struct Spelling {
  std::string_view method;
  Py_ssize_t operands;  // number of operands; -1 for methods whose positional arguments are all operands
  std::array<const char*, 7> names;
};
static constexpr Spelling kSpellings[] = {
    {"reduce", 1, {"array", "axis", "dtype", "out", "keepdims", "initial", "where"}},
    {"accumulate", 1, {"array", "axis", "dtype", "out"}},
    {"reduceat", 2, {"array", "indices", "axis", "dtype", "out"}}};

static bool is_tuple_of_none(PyObject* value) {
  if (!PyTuple_Check(value)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    if (PyTuple_GET_ITEM(value, i) != Py_None) return false;
  }
  return true;
}

// Checks the number of outputs, and that they are given once, before any override is called.
static bool check_outputs(const UfuncRow& row, Py_ssize_t nargs, PyObject* out) {
  const Py_ssize_t most = row.nin + row.nout;
  if (nargs > most)
    return PyErr_Format(PyExc_TypeError, "%s() takes from %d to %zd positional arguments but %zd were given", row.name,
                        row.nin, most, nargs),
           false;
  if (!out) return true;
  if (nargs > row.nin)
    return PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument"), false;
  if (!PyTuple_Check(out)) {
    if (row.nout == 1 || out == Py_Ellipsis) return true;
    return PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays"), false;
  }
  if (PyTuple_GET_SIZE(out) == row.nout) return true;
  return PyErr_SetString(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output"), false;
}

// Raises TypeError if an operand's class opts out of ufuncs, regardless of the other operands.
static bool check_opt_outs(PyObject* operands, PyObject* kwargs) {
  PyObject* out = PyDict_GetItemString(kwargs, "out");
  for (PyObject* values : {operands, out}) {
    for (Py_ssize_t i = 0; values && i < PyTuple_GET_SIZE(values); ++i) {
      PyObject* o = PyTuple_GET_ITEM(values, i);
      if (!opts_out_of_ufuncs(o)) continue;
      return PyErr_Format(PyExc_TypeError, "operand '%.200s' does not support ufuncs (__array_ufunc__=None)",
                          Py_TYPE(o)->tp_name),
             false;
    }
  }
  return true;
}

// Sets `name` in `kwargs`, unless the value means "not given".
static bool set_keyword(PyObject* kwargs, PyObject* name, PyObject* value) {
  static PyObject* no_value = PyObject_GetAttrString(numpy_api().module, "_NoValue");
  const bool is_out = PyUnicode_CompareWithASCIIString(name, "out") == 0;
  if (value == no_value || (is_out && (value == Py_None || value == Py_Ellipsis || is_tuple_of_none(value))))
    return true;
  if (PyUnicode_CompareWithASCIIString(name, "sig") == 0) return PyDict_SetItemString(kwargs, "signature", value) == 0;
  Ref given(is_out && !PyTuple_Check(value) ? PyTuple_Pack(1, value) : Py_NewRef(value));
  return given && PyDict_SetItem(kwargs, name, given.get()) == 0;
}

// A call's (operands, kwargs) in NumPy's normal form; null with an exception.
static std::pair<Ref, Ref> spelled_as_numpys(PyObject* ufunc, std::string_view method, PyObject* const* args,
                                             Py_ssize_t nargs, PyObject* kwnames) {
  const Spelling* spelling = nullptr;
  for (const Spelling& s : kSpellings) {
    if (s.method == method) spelling = &s;
  }
  const bool is_call = method == "__call__" && Py_TYPE(ufunc) == &ufunc_type;
  Py_ssize_t count = spelling ? spelling->operands : is_call ? row_of(ufunc).nin : nargs;
  count = std::min(count, nargs);
  if (is_call && !check_outputs(row_of(ufunc), nargs, keyword_of("out", args, nargs, kwnames))) return {};
  Ref operands(tuple_of(args, count)), kwargs(PyDict_New());
  if (!operands || !kwargs) return {};
  bool done = true;
  for (Py_ssize_t i = count; spelling && done && i < nargs && i < std::ssize(spelling->names); ++i) {
    Ref name(PyUnicode_InternFromString(spelling->names[static_cast<size_t>(i)]));
    done = name && set_keyword(kwargs.get(), name.get(), args[i]);
  }
  if (is_call && nargs > count) {
    Ref out(PyTuple_New(nargs - count)), name(PyUnicode_InternFromString("out"));
    bool given = false;
    for (Py_ssize_t i = count; out && i < nargs; ++i) {
      given |= args[i] != Py_None;
      PyTuple_SET_ITEM(out.get(), i - count, Py_NewRef(args[i]));
    }
    done = out && name && (!given || set_keyword(kwargs.get(), name.get(), out.get()));
  }
  for (Py_ssize_t i = 0; kwnames && done && i < PyTuple_GET_SIZE(kwnames); ++i)
    done = set_keyword(kwargs.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]);
  if (!done) return {};
  return {std::move(operands), std::move(kwargs)};
}

// Calls the candidates' overrides in order and returns the first result that is not NotImplemented.
// Returns null with an exception set if all decline.
static PyObject* ask(const Candidates& candidates, PyObject* ufunc, const char* method, PyObject* const* args,
                     Py_ssize_t nargs, PyObject* kwnames) {
  auto [own, kwargs] = spelled_as_numpys(ufunc, method, args, nargs, kwnames);
  Ref first(own ? Py_BuildValue("(Os)", ufunc, method) : nullptr);
  Ref operands(first ? PySequence_Concat(first.get(), own.get()) : nullptr);
  if (!operands || !check_opt_outs(own.get(), kwargs.get())) return nullptr;
  for (PyObject* candidate : candidates) {
    Ref override(PyObject_GetAttrString(candidate, "__array_ufunc__"));
    if (!override) return nullptr;
    PyObject* answer = PyObject_Call(override.get(), operands.get(), kwargs.get());
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  if (Ref numpys = as_numpys_call(ufunc, method, candidates, args, nargs)) {
    Ref module(PyImport_ImportModule("torch_np.numpy._interop.not_held"));
    return module ? PyObject_CallMethod(module.get(), "call_with_views", "OOO", numpys.get(), own.get(), kwargs.get())
                  : nullptr;
  }
  Ref words(PyImport_ImportModule("numpy._core._internal"));
  Ref format(words ? PyObject_GetAttrString(words.get(), "array_ufunc_errmsg_formatter") : nullptr);
  Ref none(PyTuple_Pack(1, Py_None)), all(none ? PySequence_Concat(none.get(), operands.get()) : nullptr);
  Ref text(format && all ? PyObject_Call(format.get(), all.get(), kwargs.get()) : nullptr);
  if (text) PyErr_SetObject(PyExc_TypeError, text.get());
  return nullptr;
}

bool call_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result) {
  const Candidates candidates = candidates_among(args, nargs, kwnames);
  if (TNP_LIKELY(candidates.empty())) return false;
  *result = ask(candidates, ufunc, method, args, nargs, kwnames);
  return true;
}

bool call_wrapping(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result) {
  PyObject* const* wrapping = std::find_if(args, args + nargs, wraps_results);
  if (wrapping == args + nargs) return false;
  *result = nullptr;
  Ref subclasses(PyImport_ImportModule("torch_np.numpy._interop.subclasses"));
  Ref function(subclasses ? PyObject_GetAttrString(subclasses.get(), "_array_ufunc") : nullptr),
      name(PyUnicode_FromString(method));
  if (!function || !name) return true;
  std::vector<PyObject*> all{*wrapping, ufunc, name.get()};
  all.insert(all.end(), args, args + nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0));
  *result = PyObject_Vectorcall(function.get(), all.data(), static_cast<size_t>(nargs + 3), kwnames);
  return true;
}

PyObject* call_ufunc(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Candidates candidates = candidates_among(args, nargs, kwnames);
  if (TNP_UNLIKELY(!candidates.empty())) {  // finds the object by name, in this rare case only
    if (PyObject* object = ufunc_objects ? PyDict_GetItemString(ufunc_objects, row.name) : nullptr)
      return ask(candidates, object, "__call__", args, nargs, kwnames);
  }
  PyObject* result = row.binding(nullptr, args, nargs, kwnames);
  return TNP_LIKELY(result) ? result : retry_with_huge_integers(row, args, nargs, kwnames);
}

static bool add_ufunc(PyObject* module, const UfuncRow& row) {
  const std::string package = row.package[0] ? std::string(".") + row.package : "";
  Ref target(
      PyObject_GetAttrString(module, row.package[0] ? (std::string("_numpy_") + row.package).c_str() : "_numpy"));
  Ref public_module(PyUnicode_InternFromString(("torch_np.numpy" + package).c_str()));
  Ref object(target && public_module ? ufunc_type.tp_alloc(&ufunc_type, 0) : nullptr);
  if (!object) return false;
  auto* u = reinterpret_cast<THPUfunc*>(object.get());
  init_function(u->function, row.name, row.binding, row.doc, public_module.get());
  u->function.text_signature = row.text_signature;
  u->function.vectorcall = row.core ? call_generalized : vectorcall;
  u->row = &row;
  return PyObject_SetAttrString(target.get(), row.name, object.get()) == 0 &&
         (row.package[0] || PyDict_SetItemString(ufunc_objects, row.name, object.get()) == 0);
}

bool init_ufunc_type(PyObject* module) {
  if (PyType_Ready(&ufunc_type) < 0 ||
      PyModule_AddObjectRef(module, "ufunc", reinterpret_cast<PyObject*>(&ufunc_type)) < 0)
    return false;
  ufunc_objects = PyDict_New();
  if (!ufunc_objects) return false;
  for (const FamilyTables* family : family_tables) {
    for (const UfuncRow* row = family->ufuncs; row->name; ++row) {
      if (!add_ufunc(module, *row)) return false;
    }
  }
  return true;
}

}  // namespace tnp::python
