// Length, iteration, membership, indexing, hashing, printing and the number-like methods of both
// types.
#include "csrc/array/object_protocol.h"

#include "aten/autograd/variable.h"
#include "aten/core/observer.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/wrapped.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/aligned.h"
#include "aten/ops/indexing/indexing.h"
#include "csrc/args/fallback.h"
#include "csrc/array/parts.h"
#include "csrc/indexing/indexing.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/overrides/torch_function.h"

namespace tnp::python {

namespace {

// Python functions that _C._set_repr_functions registered for printing. [compat][0: repr, 1: str]
PyObject* text_functions[2][2] = {};

template <bool compat, int which>
PyObject* text(PyObject* self) {
  if constexpr (!compat) {
    // As in PyTorch, str() of a class with an own __repr__ calls that.
    static PyObject* const name = PyUnicode_InternFromString("__repr__");
    if (which == 1 && Py_TYPE(self) != tensor_type &&
        _PyType_Lookup(Py_TYPE(self), name) != _PyType_Lookup(tensor_type, name))
      return PyObject_Repr(self);
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__repr__", {self}, &done)) return done;
  }
  PyObject* function = text_functions[compat][which];
  if (compat && stands_for_scalar(self)) {
    const Ref scalar =
        protect<true>(Ref(), [&] { return Ref(numpy_scalar(unwrap(self).dtype(), unwrap(self).data())); });
    return !scalar ? nullptr : which == 0 ? PyObject_Repr(scalar.get()) : PyObject_Str(scalar.get());
  }
  if (!function) return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(self)->tp_name, self);
  return PyObject_CallOneArg(function, self);
}

template <bool compat>
Py_ssize_t length(PyObject* self) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__len__", {self}, &done)) {
      const Ref owned(done);
      return owned ? PyNumber_AsSsize_t(owned.get(), PyExc_OverflowError) : -1;
    }
  }
  const Tensor& t = unwrap(self);
  if (t.dim() > 0) return static_cast<Py_ssize_t>(t.size(0));
  if (compat && stood_for_scalar(self))
    return PyErr_Format(PyExc_TypeError, "object of type '%s' has no len()", class_name_of(self).c_str()), -1;
  PyErr_SetString(PyExc_TypeError, compat ? "len() of unsized object" : "len() of a 0-d tensor");
  return -1;
}

// Whether the elements can be read directly as numbers: host memory, no gradient, no observer, and
// 0-d results as scalars.
TNP_INLINE bool may_be_read(const Tensor& t) {
  return t.impl()->in_host_memory() && !compute_requires_grad(t) && !observer() &&
         TNP_LIKELY(!scalars_are_arrays.load(std::memory_order_relaxed));
}

TNP_COLD profiler::Ticket begin_profiled(const char* name, const Tensor& t) {
  return profiler::begin(name, profiler::Kind::Operator, t.device());
}

template <bool compat>
PyObject* get(PyObject* self, PyObject* key) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__getitem__", {self, key}, &done)) return done;
  }
  PyObject* result = protect<compat>([&] {
    const Tensor& t = unwrap(self);
    const profiler::Operation profiled([&] { return begin_profiled("getitem", t); });
    if constexpr (!compat) {
      return wrap<false>(get_item(t, key, false));
    } else {
      if (may_be_read(t)) {
        if (const char* at = integer_key_address(t, key)) return numpy_scalar(t.dtype(), at);
      }
      bool is_value = false;
      Tensor part = get_item(t, key, true, &is_value);
      if (!is_value && part.dim() == 0 && stands_for_scalar(self)) part = tnp::clone(part);  // s[...]
      return wrap_result<true>(std::move(part), is_value);
    }
  });
  if (compat && TNP_UNLIKELY(!result) && stood_for_scalar(self) && PyErr_ExceptionMatches(PyExc_IndexError))
    PyErr_SetString(PyExc_IndexError, "invalid index to scalar variable.");
  return as_subclass_of(self, result);
}

// Fallback after a failure, for x[key] = text, which NumPy parses as a number, and similar
// assignments.
TNP_COLD int set_by_numpy(PyObject* self, PyObject* key, PyObject* value) {
  PyObject* args[] = {key, value};
  return value && Ref(fall_back("__setitem__", self, args, 2, nullptr)) ? 0 : -1;
}

PyObject* number_of(PyObject* self);

// Whether NumPy converts the scalar as a number, which raises for NaN and infinity.
bool is_set_as_number(PyObject* array, PyObject* value) {
  return value && is_exact(value) && stands_for_scalar(value) && is_integer(unwrap(array).dtype()) &&
         !is_integer(unwrap(value).dtype()) && !is_bool(unwrap(value).dtype());
}

// Whether the class of the array has its own __getitem__.
bool overrides_get_item(PyObject* array) {
  return Py_TYPE(array)->tp_as_mapping->mp_subscript != ndarray_type->tp_as_mapping->mp_subscript;
}

// Whether array[key] is a view of several elements by its form: integers, slices, None and `...`, other
// than `...` alone and an integer for each axis.
bool is_view_key(PyObject* key, int64_t ndim) {
  const bool is_tuple = PyTuple_Check(key);
  const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(key) : 1;
  int64_t integers = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = is_tuple ? PyTuple_GET_ITEM(key, i) : key;
    if (PySlice_Check(item) || item == Py_None || item == Py_Ellipsis) continue;
    if (!PyIndex_Check(item) || PyBool_Check(item) || is_variable(item) || is_numpy_array(item)) return false;
    ++integers;
  }
  return key != Py_Ellipsis && !(integers == count && integers >= ndim);
}

// The array self[key] of a class with its own __getitem__, which NumPy assigns to: M[:, 0] of a matrix
// is a column of shape (n, 1). Null if it is not such an array, with an exception or without.
TNP_COLD Ref part_to_assign(PyObject* self, PyObject* key) {
  if (!overrides_get_item(self) || !is_view_key(key, unwrap(self).dim())) return Ref();
  Ref part(PyObject_GetItem(self, key));
  return part && is_variable(part.get()) ? std::move(part) : Ref();
}

template <bool compat>
int set(PyObject* self, PyObject* key, PyObject* value) {
  if (compat && TNP_UNLIKELY(!is_exact(self)) && value) {
    const Ref part = part_to_assign(self, key);
    if (part) return set<compat>(part.get(), Py_Ellipsis, value);
    if (PyErr_Occurred()) return -1;
  }
  if (compat && stands_for_scalar(self))
    return PyErr_Format(PyExc_TypeError, "'%s' object does not support item %s", class_name_of(self).c_str(),
                        value ? "assignment" : "deletion"),
           -1;
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && value &&
        overridden_attribute("__setitem__", {self, key, value}, &done))
      return Ref(done) ? 0 : -1;
  }
  if (compat && TNP_UNLIKELY(observer() != nullptr) && is_set_as_number(self, value)) {
    const Ref number(number_of(value));
    return number ? set<compat>(self, key, number.get()) : -1;
  }
  const int failed = protect<compat>(-1, [&] {
    const Tensor& t = unwrap(self);
    const profiler::Operation profiled([&] { return begin_profiled("setitem", t); });
    set_item(t, key, value, compat);
    return 0;
  });
  return !compat || TNP_LIKELY(!failed) ? failed : set_by_numpy(self, key, value);
}

void check_one_number(PyObject* value) {
  if (PyList_Check(value) || PyTuple_Check(value))
    raise_python(PyExc_ValueError, "fill(): setting an array element with a sequence");
  const int64_t ndim = is_variable(value)      ? unwrap(value).dim()
                       : is_numpy_array(value) ? as_tensor(value, true).dim()
                                               : 0;
  if (ndim != 0)
    raise_python(PyExc_TypeError, "fill(): only 0-dimensional arrays can be converted to Python scalars, 'value' has " +
                                      std::to_string(ndim) + " axes");
}

// Sequence item: a for loop calls it until IndexError. The error at the end of the loop is not a
// C++ exception.
template <bool compat>
PyObject* item(PyObject* self, Py_ssize_t i) {
  if constexpr (!compat) {
    if (TNP_UNLIKELY(torch_functions_watched) && i >= 0 && unwrap(self).dim() > 0 && i < unwrap(self).size(0) &&
        (overrides_torch_functions(self) || has_torch_function_mode())) {
      const Ref key(PyLong_FromSsize_t(i));
      return key ? get<false>(self, key.get()) : nullptr;
    }
  }
  const Tensor& t = unwrap(self);
  if (t.dim() == 0 || i < 0 || i >= t.size(0)) {
    PyErr_SetString(PyExc_IndexError, t.dim() == 0 ? "too many indices for array" : "index out of bounds");
    return nullptr;
  }
  // Pending results use the general path, because computing them may raise an error.
  if (compat && t.dim() == 1 && may_be_read(t) && t.impl()->access() != Access::Pending)
    return numpy_scalar(t.dtype(), element_address(t, i));
  return as_subclass_of(self, protect<compat>([&] {
                          return wrap_result<compat>(get_item(t, static_cast<int64_t>(i), compat), t.dim() == 1);
                        }));
}

template <bool compat>
PyObject* iterate(PyObject* self) {
  if (compat && stood_for_scalar(self))
    return PyErr_Format(PyExc_TypeError, "'%s' object is not iterable", class_name_of(self).c_str());
  if (unwrap(self).dim() == 0) {
    PyErr_SetString(PyExc_TypeError, compat ? "iteration over a 0-d array" : "iteration over a 0-d tensor");
    return nullptr;
  }
  return PySeqIter_New(self);
}

// (self == value).any(), as in NumPy
template <bool compat>
int contains(PyObject* self, PyObject* value) {
  if (compat && stood_for_scalar(self)) {
    PyErr_Format(PyExc_TypeError, "argument of type '%s' is not iterable", class_name_of(self).c_str());
    return -1;
  }
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__contains__", {self, value}, &done)) {
      const Ref owned(done);
      return owned ? PyObject_IsTrue(owned.get()) : -1;
    }
    if (!is_variable(value) && !PyNumber_Check(value)) {
      PyErr_Format(PyExc_RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %R.",
                   Py_TYPE(value));
      return -1;
    }
  }
  Ref equal(PyObject_RichCompare(self, value, Py_EQ));
  if (!equal) return -1;
  if (!is_variable(equal.get())) return PyObject_IsTrue(equal.get());
  Ref any(call_function(compat, "any", {equal.get()}));
  return any ? PyObject_IsTrue(any.get()) : -1;
}

PyObject* number_of(PyObject* self) {
  return protect<true>([&] { return python_number(unwrap(self).item()); });
}

// Hashes 0-d values that are not NumPy scalars because of their gradient or device, or stand for one in
// a function that is being traced. Arrays are unhashable.
Py_hash_t hash_array(PyObject* self) {
  const Tensor& t = unwrap(self);
  if (t.dim() > 0 || (t.device().is_cpu() && !t.requires_grad() && !stands_for_scalar(self))) {
    PyErr_Format(PyExc_TypeError, "unhashable type: '%s'", Py_TYPE(self)->tp_name);
    return -1;
  }
  Ref number(number_of(self));  // equal numbers have equal hashes
  return number ? PyObject_Hash(number.get()) : -1;
}

template <bool compat>
PyObject* format(PyObject* self, PyObject* spec) {
  if (!PyUnicode_Check(spec)) return PyErr_SetString(PyExc_TypeError, "__format__() argument must be str"), nullptr;
  if (!compat && unwrap(self).dim() == 0 && !unwrap(self).device().is_meta()) {  // as in PyTorch: format the number
    Ref number(number_of(self));
    return number ? PyObject_Format(number.get(), spec) : nullptr;
  }
  if (PyUnicode_GET_LENGTH(spec) == 0) {
    if (is_exact(self) || unwrap(self).dim() > 0) return PyObject_Str(self);
    Ref number(
        // a 0-d array of a subclass is printed as a base-class array
        protect<compat>([&] { return wrap<compat>(tnp::alias(unwrap(self))); }));
    return number ? PyObject_Str(number.get()) : nullptr;
  }
  if (unwrap(self).dim() > 0) {
    PyErr_Format(PyExc_TypeError, "unsupported format string passed to %s.__format__", Py_TYPE(self)->tp_name);
    return nullptr;
  }
  Ref number(number_of(self));
  return number ? PyObject_Format(number.get(), spec) : nullptr;
}

// round(x) of a 0-d array returns a Python int, as for NumPy scalars. With digits, or for other
// arrays, it returns an array.
template <bool compat>
PyObject* round_(PyObject* self, PyObject* args) {
  PyObject* digits = Py_None;
  if (!PyArg_ParseTuple(args, "|O:__round__", &digits)) return nullptr;
  if (unwrap(self).dim() > 0) {
    return digits == Py_None ? call_function(compat, "round", {self}) : PyObject_CallMethod(self, "round", "O", digits);
  }
  if (digits != Py_None) return PyObject_CallMethod(self, "round", "O", digits);
  Ref number(number_of(self));
  return number ? PyObject_CallMethod(number.get(), "__round__", nullptr) : nullptr;
}

// math.floor(x), math.ceil(x), math.trunc(x) of a 0-d array return a Python int.
template <int which>
PyObject* to_whole(PyObject* self, PyObject*) {
  constexpr const char* names[] = {"__floor__", "__ceil__", "__trunc__"};
  Ref number(number_of(self));
  return number ? PyObject_CallMethod(number.get(), names[which], nullptr) : nullptr;
}

// Methods of Python numbers that NumPy scalars also have (is_integer(), ...).
template <int which>
PyObject* of_number(PyObject* self, PyObject*) {
  constexpr const char* names[] = {"is_integer", "as_integer_ratio", "bit_count"};
  if (unwrap(self).dim() > 0) {
    return PyErr_Format(PyExc_TypeError, "only 0-dimensional arrays have %s()", names[which]);
  }
  Ref number(number_of(self));
  if (!number) return nullptr;
  if (which == 0 && PyLong_Check(number.get())) Py_RETURN_TRUE;
  return PyObject_CallMethod(number.get(), names[which], nullptr);
}

template <bool compat>
PyObject* complex_(PyObject* self, PyObject*) {
  if (compat && unwrap(self).dim() > 0) {
    return PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars"), nullptr;
  }
  Ref number(number_of(self));
  if (!number) return nullptr;
  Py_complex z = PyComplex_AsCComplex(number.get());
  return PyErr_Occurred() ? nullptr : PyComplex_FromCComplex(z);
}

// x.item(), x.item(3), x.item(1, 2): one element as a Python number.
template <bool compat>
PyObject* item_method(PyObject* self, PyObject* args) {
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  const bool is_empty_index =
      n == 1 && PyTuple_Check(PyTuple_GET_ITEM(args, 0)) && PyTuple_GET_SIZE(PyTuple_GET_ITEM(args, 0)) == 0;
  if (n == 0 || (compat && is_empty_index)) {
    if (unwrap(self).numel() != 1) {
      PyErr_Format(compat ? PyExc_ValueError : PyExc_RuntimeError,
                   compat ? "can only convert an array of size 1 to a Python scalar"
                          : "a Tensor with %lld elements cannot be converted to Scalar",
                   static_cast<long long>(unwrap(self).numel()));
      return nullptr;
    }
    return number_of(self);
  }
  PyObject* key = n == 1 ? PyTuple_GET_ITEM(args, 0) : args;
  return protect<compat>([&]() -> PyObject* {
    Tensor t = unwrap(self);
    if (!PyTuple_Check(key) && t.dim() != 1) {  // a flat index
      Ref index(check(PyNumber_Index(key)));
      long long i = PyLong_AsLongLong(index.get());
      if (i == -1 && PyErr_Occurred()) throw PythonError();
      long long total = t.numel();
      TNP_CHECK(i >= -total && i < total, ErrorKind::Index, "index ", static_cast<int64_t>(i),
                " is out of bounds for size ", static_cast<int64_t>(total));
      return python_number(view_of(t, {}, {}, element_address(t, i < 0 ? i + total : i)).item());
    }
    TNP_CHECK(!PyTuple_Check(key) || PyTuple_GET_SIZE(key) == t.dim(), ErrorKind::Value,
              "incorrect number of indices for array");
    NoGradGuard no_grad;
    return python_number(get_item(t, key, true).item());
  });
}

template <class T>
PyObject* python_element(const T& v) {
  if constexpr (std::is_same_v<T, bool>)
    return PyBool_FromLong(v);
  else if constexpr (is_complex_v<T>)
    return PyComplex_FromDoubles(v.re, v.im);
  else if constexpr (!std::is_integral_v<T>)
    return PyFloat_FromDouble(static_cast<double>(v));
  else if constexpr (std::is_unsigned_v<T>)
    return PyLong_FromUnsignedLongLong(v);
  else
    return PyLong_FromLongLong(v);
}

template <class T>
PyObject* list_of(const Tensor& t, int64_t d, const char* data) {
  if (d == t.dim()) return python_element(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(data)));
  const int64_t n = t.size(d), step = t.stride(d) * t.itemsize();
  const bool innermost = d + 1 == t.dim();
  Ref list(PyList_New(static_cast<Py_ssize_t>(n)));
  if (!list) return nullptr;
  for (int64_t i = 0; i < n; ++i, data += step) {
    PyObject* o = innermost ? python_element(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(data)))
                            : list_of<T>(t, d + 1, data);
    if (!o) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), o);
  }
  return list.release();
}

// The elements of a wrapped tensor, which its transformation gives one by one.
static PyObject* list_of_items(const Tensor& t) {
  if (t.dim() == 0) return check(python_number(t.item()));
  Ref list(check(PyList_New(t.size(0))));
  for (int64_t i = 0; i < t.size(0); ++i) PyList_SET_ITEM(list.get(), i, list_of_items(tnp::select(t, 0, i)));
  return list.release();
}

template <bool compat>
PyObject* to_list(PyObject* self, PyObject*) {
  if (TNP_UNLIKELY(!unwrap(self).impl()->in_host_memory()) && is_wrapped(unwrap(self)))
    return protect<compat>([&] { return list_of_items(unwrap(self)); });
  return protect<compat>([&] {
    const Tensor t = aligned(tnp::cpu(unwrap(self)));
    PyObject* list = nullptr;
    visit_dtype(t.dtype(), [&]<class T>() { list = list_of<T>(t, 0, t.data()); });
    return list;
  });
}

// sq_concat always raises: without this slot, operator.concat(a, b) would compute `a + b`. It also
// raises the final error of `a + b` if neither operand supports it.
PyObject* no_concatenation(PyObject* a, PyObject* b) {
  return PyErr_Format(
      PyExc_TypeError,
      "unsupported operand type(s) for +: '%.100s' and '%.100s' (arrays are joined by np.concatenate())",
      Py_TYPE(a)->tp_name, Py_TYPE(b)->tp_name);
}

}  // namespace

template <bool compat>
PyObject* subscript(PyObject* self, PyObject* key) {
  return get<compat>(self, key);
}
template PyObject* subscript<false>(PyObject*, PyObject*);
template PyObject* subscript<true>(PyObject*, PyObject*);

template <bool compat>
void add_object_slots(Slots& slots) {
  slots.insert(slots.end(), {
                                {Py_mp_length, slot(length<compat>)},
                                {Py_sq_length, slot(length<compat>)},
                                {Py_mp_subscript, slot(get<compat>)},
                                {Py_mp_ass_subscript, slot(set<compat>)},
                                {Py_sq_item, slot(item<compat>)},
                                {Py_sq_contains, slot(contains<compat>)},
                                {Py_tp_iter, slot(iterate<compat>)},
                                {Py_tp_repr, slot(text<compat, 0>)},
                                {Py_tp_str, slot(text<compat, 1>)},
                                // The hash of a Tensor is its id, as in PyTorch, although ==
                                // compares elements.
                                {Py_tp_hash, compat ? slot(hash_array) : slot(+[](PyObject* self) {
                                   return reinterpret_cast<Py_hash_t>(self);
                                 })},
                            });
  if (compat) slots.push_back({Py_sq_concat, slot(no_concatenation)});
}
template void add_object_slots<false>(Slots&);
template void add_object_slots<true>(Slots&);

template <bool compat>
PyMethodDef* object_methods() {
  static PyMethodDef methods[] = {
      {"__format__", format<compat>, METH_O,
       "__format__($self, spec, /)\n--\n\n"
       "Text of the array. A 0-d array is formatted as its number.\n\n"
       "Args:\n"
       "  spec: Format specification, such as '.3f'.\n\n"
       "Errors: TypeError if `spec` is not empty and the array has axes."},
      {"__round__", round_<compat>, METH_VARARGS, "Rounded array. A 0-d array without `ndigits` gives a Python int."},
      {"__floor__", to_whole<0>, METH_NOARGS, "Floor of a 0-d array as a Python int, for math.floor."},
      {"__ceil__", to_whole<1>, METH_NOARGS, "Ceiling of a 0-d array as a Python int, for math.ceil."},
      {"__trunc__", to_whole<2>, METH_NOARGS, "Truncation of a 0-d array to a Python int, for math.trunc."},
      {"is_integer", of_number<0>, METH_NOARGS,
       "is_integer($self, /)\n--\n\n"
       "Whether the number of a 0-d array is whole.\n\n"
       "Errors: TypeError if the array has axes."},
      {"as_integer_ratio", of_number<1>, METH_NOARGS,
       "as_integer_ratio($self, /)\n--\n\n"
       "The number of a 0-d array as a fraction: a pair of ints.\n\n"
       "Errors: TypeError if the array has axes."},
      {"bit_count", of_number<2>, METH_NOARGS,
       "bit_count($self, /)\n--\n\n"
       "Number of ones in the binary representation of the integer in a 0-d array.\n\n"
       "Errors: TypeError if the array has axes."},
      {"__complex__", complex_<compat>, METH_NOARGS,
       "__complex__($self, /)\n--\n\n"
       "The only number of the array as a Python complex number. An ndarray must be 0-d."},
      {"item", item_method<compat>, METH_VARARGS,
       "item($self, /, *args)\n--\n\n"
       "One element as a Python number.\n\n"
       "Args:\n"
       "  args: Index of the element: one integer in row-major order, or one for each axis. None is\n"
       "    needed for an array with one element.\n\n"
       "Errors: ValueError (torch_np: RuntimeError) without an index if the number of elements is not\n"
       "one; ValueError if the number of indices is wrong; IndexError if an index is out of range."},
      {"tolist", to_list<compat>, METH_NOARGS,
       "tolist($self, /)\n--\n\nThe elements as nested lists of Python numbers. A 0-d array gives a number."},
      {nullptr, nullptr, 0, nullptr}};
  return methods;
}
template PyMethodDef* object_methods<false>();
template PyMethodDef* object_methods<true>();

PyObject* set_repr_functions(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"torch_repr", "torch_str", "numpy_repr", "numpy_str", nullptr};
  PyObject* given[4] = {};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOO", const_cast<char**>(names), &given[0], &given[1], &given[2],
                                   &given[3]))
    return nullptr;
  for (int i = 0; i < 4; ++i) {
    if (given[i]) Py_XSETREF(text_functions[i / 2][i % 2], Py_NewRef(given[i]));
  }
  Py_RETURN_NONE;
}

PyObject* flat_element_of(PyObject* self, Py_ssize_t i) {
  const Tensor& t = unwrap(self);
  const Py_ssize_t size = static_cast<Py_ssize_t>(t.numel()), at = i < 0 ? i + size : i;
  if (at < 0 || at >= size)
    return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for size %zd", i, size), nullptr;
  return protect<true>([&] {
    if (is_exact(self) && may_be_read(t)) return numpy_scalar(t.dtype(), element_address(t, at));
    return wrap_result<true>(flat_element(t, at), is_exact(self));
  });
}

PyObject* fill_method(PyObject* self, PyObject* value) {
  const int failed = protect<true>(-1, [&] {
    check_one_number(value);
    if (stands_for_scalar(self)) return 0;  // NumPy fills a copy of the scalar
    set_item(unwrap(self), Py_Ellipsis, value, true);
    return 0;
  });
  if (TNP_LIKELY(!failed)) Py_RETURN_NONE;
  return fall_back("fill", self, &value, 1, nullptr);
}

}  // namespace tnp::python
