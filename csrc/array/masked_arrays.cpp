// Masked arrays: what every operation of numpy.ma's MaskedArray passes through, in C++.
// torch_np/numpy/ma/_class.py registers the class, which is NumPy's source executed over this
// package's arrays, and falls back to that source where a function returns NotImplemented.
//
// A masked array is an ndarray of a Python class. Its mask and its settings are in its __dict__:
// `_mask` is a bool array or `nomask`, `_baseclass` the class of `data`, and so on.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "aten/core/devices/default_device.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "csrc/array/parts.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/indexing/indexing.h"
#include "csrc/objects/ignored_errors.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/subclass_objects.h"

namespace tnp::python {

namespace {

// What _set_masked_arrays() registered. Null before numpy.ma is imported.
struct {
  PyTypeObject* type = nullptr;            // MaskedArray
  PyObject* nomask = nullptr;              // numpy.False_
  PyObject* masked = nullptr;              // the constant
  PyObject* check_fill_value = nullptr;    // (fill_value, dtype) -> 0-d array
  PyObject* python_finalize = nullptr;     // NumPy's own __array_finalize__
  PyObject* update_from_method = nullptr;  // the method of this file, as the class has it
} numpy_ma;

enum Name : uint8_t { Mask, FillValue, HardMask, SharedMask, IsField, BaseClass, OptInfo, BaseDict, kNumNames };
PyObject* names[kNumNames];
PyObject* update_from_name;

bool intern_names() {
  constexpr const char* kTexts[kNumNames] = {"_mask",    "_fill_value", "_hardmask", "_sharedmask",
                                             "_isfield", "_baseclass",  "_optinfo",  "_basedict"};
  for (size_t i = 0; i < kNumNames; ++i) {
    names[i] = PyUnicode_InternFromString(kTexts[i]);
    if (!names[i]) return false;
  }
  update_from_name = PyUnicode_InternFromString("_update_from");
  return update_from_name != nullptr;
}

// --- attributes

// The object's __dict__, which the object keeps alive.
PyObject* dict_of(PyObject* o) { return Ref(check(PyObject_GenericGetDict(o, nullptr))).get(); }

void set(PyObject* dict, Name name, PyObject* value) { check(PyDict_SetItem(dict, names[name], value) == 0); }

// The value in `dict`, or `standard`; borrowed.
PyObject* get(PyObject* dict, Name name, PyObject* standard) {
  PyObject* found = PyDict_GetItemWithError(dict, names[name]);
  if (!found && PyErr_Occurred()) throw PythonError();
  return found ? found : standard;
}

// getattr(o, name, standard)
Ref attribute(PyObject* o, Name name, PyObject* standard) {
  if (is_exact(o)) return Ref(Py_NewRef(standard));
  Ref found(PyObject_GetAttr(o, names[name]));
  if (found) return found;
  check(PyErr_ExceptionMatches(PyExc_AttributeError) != 0);
  PyErr_Clear();
  return Ref(Py_NewRef(standard));
}

void merge_attribute(PyObject* into, PyObject* o, PyObject* name) {
  Ref found(PyObject_GetAttr(o, name));
  if (found) return check(PyDict_Update(into, found.get()) == 0);
  check(PyErr_ExceptionMatches(PyExc_AttributeError) != 0);
  PyErr_Clear();
}

bool is_masked_array(PyObject* o) { return is_subclass_of(o, numpy_ma.type); }

// MaskedArray._update_from: takes over the settings of `from`, and the attributes of other classes.
void update_from(PyObject* self, PyObject* from) {
  PyObject* const own = dict_of(self);
  Ref info(check(PyDict_New()));
  if (is_exact(from)) {
    set(own, FillValue, Py_None);
    set(own, HardMask, Py_False);
    set(own, SharedMask, Py_False);
    set(own, IsField, Py_False);
    set(own, BaseClass, reinterpret_cast<PyObject*>(ndarray_type));
  } else if (Py_TYPE(from) == numpy_ma.type) {
    PyObject* const theirs = dict_of(from);
    if (PyObject* found = get(theirs, OptInfo, nullptr)) check(PyDict_Update(info.get(), found) == 0);
    if (PyObject* found = get(theirs, BaseDict, nullptr)) check(PyDict_Update(info.get(), found) == 0);
    set(own, FillValue, get(theirs, FillValue, Py_None));
    set(own, HardMask, get(theirs, HardMask, Py_False));
    set(own, SharedMask, get(theirs, SharedMask, Py_False));
    set(own, IsField, get(theirs, IsField, Py_False));
    set(own, BaseClass, get(theirs, BaseClass, reinterpret_cast<PyObject*>(numpy_ma.type)));
  } else {
    static PyObject* const dict_name = PyUnicode_InternFromString("__dict__");
    merge_attribute(info.get(), from, names[OptInfo]);
    merge_attribute(info.get(), from, names[BaseDict]);
    if (!is_masked_array(from)) merge_attribute(info.get(), from, dict_name);
    PyTypeObject* const base = is_ndarray(from) || is_numpy_array(from) ? Py_TYPE(from) : ndarray_type;
    set(own, FillValue, attribute(from, FillValue, Py_None).get());
    set(own, HardMask, attribute(from, HardMask, Py_False).get());
    set(own, SharedMask, attribute(from, SharedMask, Py_False).get());
    set(own, IsField, attribute(from, IsField, Py_False).get());
    set(own, BaseClass, attribute(from, BaseClass, reinterpret_cast<PyObject*>(base)).get());
  }
  set(own, OptInfo, info.get());
  set(own, BaseDict, info.get());
  if (PyDict_GET_SIZE(info.get()) > 0) check(PyDict_Update(own, info.get()) == 0);
}

PyObject* update_from_method(PyObject* self, PyObject* from) {
  return protect<true>([&] {
    update_from(self, from);
    return Py_NewRef(Py_None);
  });
}

// --- masks

// Whether both arrays begin at the same address.
bool begin_together(const Tensor& a, const Tensor& b) {
  return &a.storage() == &b.storage() && a.address() == b.address();
}

// The mask of `self`, which was made from an array with `mask`: the same memory for a view of the
// whole array, and a copy for others.
Tensor mask_made_from(const Tensor& self, const Tensor& from, const Tensor& mask) {
  if (begin_together(self, from)) return tnp::alias(mask);
  const Order order = self.is_row_major() ? Order::C : self.is_column_major() ? Order::F : Order::K;
  return tnp::astype(mask, self.dtype() == from.dtype() ? mask.dtype() : ScalarType::Bool, order);
}

// Returns the mask in the shape of `self`: as it is if that needs a copy, undefined if the number of
// elements differs.
Tensor in_shape_of(const Tensor& self, Tensor mask) {
  if (std::ranges::equal(mask.sizes(), self.sizes())) return mask;
  if (mask.numel() != self.numel()) return {};
  Tensor shaped = tnp::reshape(mask, self.sizes());
  return &shaped.storage() == &mask.storage() ? shaped : mask;
}

// Checks the fill value again for the array's dtype, which copies it.
void check_fill_value(PyObject* self, PyObject* own) {
  PyObject* const fill = get(own, FillValue, Py_None);
  if (fill == Py_None) return;
  PyObject* const arguments[] = {fill, numpy_dtype(unwrap(self).dtype())};
  set(own, FillValue, Ref(check(PyObject_Vectorcall(numpy_ma.check_fill_value, arguments, 2, nullptr))).get());
}

// MaskedArray.__array_finalize__
PyObject* finalize_method(PyObject* self, PyObject* from) {
  return protect<true>([&]() -> PyObject* {
    if (is_numpy_array(from)) return PyObject_CallFunctionObjArgs(numpy_ma.python_finalize, self, from, nullptr);
    if (TNP_LIKELY(_PyType_Lookup(Py_TYPE(self), update_from_name) == numpy_ma.update_from_method))
      update_from(self, from);
    else
      check(static_cast<bool>(Ref(PyObject_CallMethodOneArg(self, update_from_name, from))));
    PyObject* const own = dict_of(self);
    const Ref mask = is_ndarray(from) ? attribute(from, Mask, numpy_ma.nomask) : Ref(Py_NewRef(numpy_ma.nomask));
    if (mask.get() == numpy_ma.nomask) {
      set(own, Mask, numpy_ma.nomask);
    } else if (TNP_LIKELY(is_exact(mask.get()))) {
      Tensor made = in_shape_of(unwrap(self), mask_made_from(unwrap(self), unwrap(from), unwrap(mask.get())));
      set(own, Mask, made.defined() ? Ref(check(wrap<true>(std::move(made)))).get() : numpy_ma.nomask);
    } else {
      return PyObject_CallFunctionObjArgs(numpy_ma.python_finalize, self, from, nullptr);
    }
    check_fill_value(self, own);
    return Py_NewRef(Py_None);
  });
}

// A masked array over the memory of `t` with the settings of `from` and the mask `mask`, an array or
// nomask.
PyObject* masked_view(const Tensor& t, PyObject* mask, PyObject* from) {
  Ref made(check(new_unfinalized(numpy_ma.type, tnp::alias(t))));
  update_from(made.get(), from);
  set(dict_of(made.get()), Mask, mask);
  return made.release();
}

// --- operands

// An operand that is exactly a MaskedArray over an ndarray, exactly an ndarray, or a number.
struct Operand {
  PyObject* object = nullptr;
  Tensor data;
  PyObject* mask = nullptr;  // borrowed: an ndarray of bools, or nomask
  bool is_masked_array = false;

  bool has_mask() const { return mask != numpy_ma.nomask; }
  const Tensor& mask_tensor() const { return unwrap(mask); }
  // The data as an ndarray, a new reference.
  Ref array() const { return Ref(check(is_masked_array ? wrap<true>(tnp::alias(data)) : wrap<true>(data))); }
};

bool is_mask(PyObject* mask) {
  return mask == numpy_ma.nomask || (Py_TYPE(mask) == ndarray_type && unwrap(mask).dtype() == ScalarType::Bool);
}

// Whether `o` is exactly a MaskedArray whose data is exactly an ndarray.
bool is_plain(PyObject* o) {
  if (Py_TYPE(o) != numpy_ma.type) return false;
  PyObject* const own = dict_of(o);
  return get(own, BaseClass, nullptr) == reinterpret_cast<PyObject*>(ndarray_type) &&
         is_mask(get(own, Mask, numpy_ma.nomask));
}

bool is_small_number(PyObject* o) {
  if (PyFloat_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o)) return true;
  if (!PyLong_CheckExact(o)) {
    ScalarType dtype;
    return scalar_value(o, dtype) != nullptr;
  }
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(o, &overflow);
  return overflow == 0;
}

bool read(PyObject* o, Operand& operand) {
  operand.object = o;
  operand.mask = numpy_ma.nomask;
  if (is_plain(o)) {
    operand.data = unwrap(o);
    operand.mask = get(dict_of(o), Mask, numpy_ma.nomask);
    operand.is_masked_array = true;
  } else if (Py_TYPE(o) == ndarray_type) {
    operand.data = unwrap(o);
  } else if (is_small_number(o)) {
    operand.data = as_tensor(o, true, std::nullopt, std::nullopt);
  } else {
    return false;
  }
  return true;
}

// The result of a call of Python's: a NumPy scalar, or an ndarray. Undefined for other objects.
Tensor result_tensor(PyObject* result) {
  if (Py_TYPE(result) == ndarray_type) return unwrap(result);
  ScalarType dtype;
  return scalar_value(result, dtype) ? as_tensor(result, true, std::nullopt, std::nullopt) : Tensor();
}

Tensor call(PyObject* function, std::initializer_list<PyObject*> arguments, Ref& result) {
  result = Ref(check(PyObject_Vectorcall(function, arguments.begin(), arguments.size(), nullptr)));
  return result_tensor(result.get());
}

// The mask of one operand, as the mask of a result with another operand.
Tensor mask_beside(const Operand& a, const Operand& other) {
  if (other.data.dim() == 0 || std::ranges::equal(other.data.sizes(), a.data.sizes()))
    return tnp::clone(a.mask_tensor());
  return tnp::logical_or(a.mask_tensor(), tnp::zeros(other.data.sizes(), ScalarType::Bool, other.data.device()));
}

Tensor common_mask(const Operand& a, const Operand& b) {
  if (a.has_mask() && b.has_mask()) return tnp::logical_or(a.mask_tensor(), b.mask_tensor());
  if (a.has_mask()) return mask_beside(a, b);
  return b.has_mask() ? mask_beside(b, a) : Tensor();
}

bool is_any(const Tensor& mask) { return tnp::any(mask).item<bool>(); }

// A single element: the constant if it is masked.
PyObject* element(Ref result, const Tensor& mask) {
  return mask.defined() && mask.item<bool>() ? Py_NewRef(numpy_ma.masked) : result.release();
}

Ref mask_object(const Tensor& mask) {
  return Ref(check(mask.defined() ? wrap<true>(mask) : Py_NewRef(numpy_ma.nomask)));
}

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

// --- operations

// _masked_unary(f, domain, a): numpy.ma's function of one operand. `domain` is None, or a function that
// returns which elements are outside of the domain of `f`.
PyObject* masked_unary(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3) return PyErr_SetString(PyExc_TypeError, "_masked_unary() takes three arguments"), nullptr;
  const IgnoreErrors ignore(kDivideByZero | kInvalid);
  return protect<true>([&]() -> PyObject* {
    PyObject *const f = args[0], *const domain = args[1];
    Operand a;
    if (!read(args[2], a)) return not_implemented();
    const Ref data = a.array();
    Ref result;
    const Tensor r = call(f, {data.get()}, result);
    if (!r.defined()) return not_implemented();
    const NoErrorWatchGuard unwatched;
    Tensor mask = a.has_mask() ? a.mask_tensor() : Tensor();
    if (domain != Py_None) {
      Ref outside;
      const Tensor o = call(domain, {data.get()}, outside);
      if (!o.defined()) return not_implemented();
      const Tensor bad = tnp::logical_or(tnp::logical_not(tnp::isfinite(r)), o);
      mask = mask.defined() ? tnp::logical_or(bad, mask) : bad;
    }
    if (r.dim() == 0) return element(std::move(result), mask);
    if (mask.defined() && can_cast(a.data.dtype(), r.dtype(), Casting::SameKind))
      tnp::copyto(r, a.data, Casting::SameKind, mask);
    return masked_view(r, domain == Py_None ? a.mask : mask_object(mask).get(), a.object);
  });
}

// Elements outside of the domain of a division: |a| * tiny >= |b|.
Tensor outside_of_division(const Tensor& a, const Tensor& b) {
  const Tensor tiny = tnp::full({}, Scalar(std::numeric_limits<double>::min()), ScalarType::Float64, a.device());
  return tnp::ge(tnp::mul(tnp::abs(a), tiny), tnp::abs(b));
}

// _masked_binary(f, a, b, divides): numpy.ma's function of two operands. A function that `divides` masks
// elements that are not finite, or that are divided by almost nothing.
PyObject* masked_binary(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 4) return PyErr_SetString(PyExc_TypeError, "_masked_binary() takes four arguments"), nullptr;
  const IgnoreErrors ignore(kDivideByZero | kInvalid);
  return protect<true>([&]() -> PyObject* {
    PyObject* const f = args[0];
    const bool divides = args[3] == Py_True;
    Operand a, b;
    if (!read(args[1], a) || !read(args[2], b)) return not_implemented();
    const Ref x = a.array(), y = b.array();
    Ref result;
    const Tensor r = call(f, {x.get(), y.get()}, result);
    if (!r.defined()) return not_implemented();
    const NoErrorWatchGuard unwatched;
    Tensor mask = common_mask(a, b);
    if (divides) {
      const Tensor bad = tnp::logical_or(tnp::logical_not(tnp::isfinite(r)), outside_of_division(a.data, b.data));
      mask = mask.defined() ? tnp::logical_or(bad, mask) : bad;
    }
    if (r.dim() == 0) return element(std::move(result), mask);
    if (divides) {
      tnp::copyto(r, tnp::zeros({}, r.dtype(), r.device()), Casting::Unsafe, mask);
      const Tensor kept = tnp::mul(mask, a.data);
      if (can_cast(kept.dtype(), r.dtype(), Casting::Safe)) tnp::add_(r, kept);
    } else if (mask.defined() && is_any(mask)) {
      tnp::copyto(r, a.data, Casting::Unsafe, mask);
    }
    PyObject* const from = a.is_masked_array ? a.object : b.is_masked_array ? b.object : result.get();
    return masked_view(r, mask_object(mask).get(), from);
  });
}

// --- construction

// Whether the items of a list are numbers, or sequences, which have no mask that NumPy would read.
bool has_no_masked_items(PyObject* list) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(list, i);
    if (!PyFloat_CheckExact(item) && !PyLong_CheckExact(item) && !PyList_CheckExact(item) &&
        !PyTuple_CheckExact(item) && !PyBool_Check(item) && !is_exact(item) && !PyComplex_CheckExact(item))
      return false;
  }
  return true;
}

// The mask for data with these sizes; undefined if the sizes do not fit.
Tensor read_mask(PyObject* mask, const Tensor& data, bool copy, bool& shared) {
  if (mask == Py_True || mask == Py_False || mask == Py_None)
    return tnp::full(data.sizes(), Scalar(mask == Py_True), ScalarType::Bool, data.device());
  Tensor m = as_tensor(mask, true, ScalarType::Bool, copy ? std::optional<bool>(true) : std::nullopt);
  if (std::ranges::equal(m.sizes(), data.sizes())) return m;
  shared = false;
  if (m.numel() == 1) return tnp::clone(tnp::broadcast_to(tnp::reshape(m, {}), data.sizes()), Order::C);
  return m.numel() == data.numel() ? tnp::reshape(m, data.sizes()) : Tensor();
}

// _masked_array(data, mask, dtype, copy): MaskedArray(data, mask, dtype, copy) of an ndarray or of a
// sequence of numbers.
PyObject* masked_array(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 4) return PyErr_SetString(PyExc_TypeError, "_masked_array() takes four arguments"), nullptr;
  return protect<true>([&]() -> PyObject* {
    PyObject *const data = args[0], *const mask = args[1];
    const bool is_array = Py_TYPE(data) == ndarray_type, is_list = PyList_CheckExact(data) || PyTuple_CheckExact(data);
    if ((!is_array && !is_list) || (is_list && mask == numpy_ma.nomask && !has_no_masked_items(data)) ||
        (Py_TYPE(mask) != ndarray_type && !PyList_CheckExact(mask) && !PyTuple_CheckExact(mask) &&
         !PyBool_Check(mask) && mask != numpy_ma.nomask && mask != Py_None) ||
        names_foreign_dtype(args[2]) || (is_list && is_certainly_not_held(data)))
      return not_implemented();
    if (is_list && !default_device().is_cpu()) return not_implemented();  // np.array() places its array
    const int truth = PyObject_IsTrue(args[3]);
    check(truth >= 0);
    const bool copy = truth != 0;
    const std::optional<ScalarType> dtype = args[2] == Py_None ? std::nullopt : dtype_from_object(args[2]);
    const Tensor t = as_tensor(data, true, dtype, copy ? std::optional<bool>(true) : std::nullopt);
    Tensor m;
    bool shared = !copy;
    if (mask != numpy_ma.nomask) {
      m = read_mask(mask, t, copy, shared);
      if (!m.defined()) return not_implemented();
      if (m.device() != t.device()) m = tnp::astype_on(m, ScalarType::Bool, true, t.device());
    } else if (is_list) {
      shared = false;
    }
    const Ref base(check(wrap<true>(t)));
    Ref made(check(masked_view(t, mask_object(m).get(), base.get())));
    set(dict_of(made.get()), SharedMask, shared ? Py_True : Py_False);
    return made.release();
  });
}

// --- elements

bool names_fields(PyObject* key) {
  return PyUnicode_Check(key) ||
         (PyList_Check(key) && PyList_GET_SIZE(key) > 0 && PyUnicode_Check(PyList_GET_ITEM(key, 0)));
}

// _masked_item(array, key): array[key]
PyObject* masked_item(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) return PyErr_SetString(PyExc_TypeError, "_masked_item() takes an array and a key"), nullptr;
  return protect<true>([&]() -> PyObject* {
    PyObject *const self = args[0], *const key = args[1];
    if (!is_plain(self) || names_fields(key)) return not_implemented();
    PyObject* const own = dict_of(self);
    PyObject* const mask = get(own, Mask, numpy_ma.nomask);
    bool is_value = false;
    Tensor part = get_item(unwrap(self), key, true, &is_value);
    const Tensor part_mask = mask == numpy_ma.nomask ? Tensor() : get_item(unwrap(mask), key, true);
    if (is_value && part.dim() == 0) {
      if (part_mask.defined() && part_mask.item<bool>()) return Py_NewRef(numpy_ma.masked);
      return wrap_result<true>(std::move(part), true);
    }
    Ref made(check(masked_view(part, mask_object(part_mask).get(), self)));
    if (part_mask.defined()) set(dict_of(made.get()), SharedMask, Py_True);
    return made.release();
  });
}

// _masked_assign(array, key, value): array[key] = value
PyObject* masked_assign(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3) return PyErr_SetString(PyExc_TypeError, "_masked_assign() takes three arguments"), nullptr;
  const IgnoreErrors ignore(kOverflow | kInvalid);
  return protect<true>([&]() -> PyObject* {
    PyObject *const self = args[0], *const key = args[1], *const value = args[2];
    const bool masks = value == numpy_ma.masked;
    if (!is_plain(self) || names_fields(key) || is_masked_array(key)) return not_implemented();
    if (!masks && !is_small_number(value) && Py_TYPE(value) != ndarray_type && !PyList_CheckExact(value))
      return not_implemented();
    PyObject* const own = dict_of(self);
    Ref mask(Py_NewRef(get(own, Mask, numpy_ma.nomask)));
    if (mask.get() != numpy_ma.nomask && !masks && get(own, HardMask, Py_False) != Py_False) return not_implemented();
    if (!masks) {
      const Ref data(check(wrap<true>(tnp::alias(unwrap(self)))));
      check(PyObject_SetItem(data.get(), key, value) == 0);
    } else if (mask.get() == numpy_ma.nomask) {
      mask = mask_object(tnp::zeros(unwrap(self).sizes(), ScalarType::Bool, unwrap(self).device()));
      set(own, Mask, mask.get());
    }
    if (mask.get() != numpy_ma.nomask) check(PyObject_SetItem(mask.get(), key, masks ? Py_True : Py_False) == 0);
    return Py_NewRef(Py_None);
  });
}

// _masked_view(array, mask, like): a masked array over the memory of `array`
PyObject* py_masked_view(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || Py_TYPE(args[0]) != ndarray_type || !is_mask(args[1]))
    return PyErr_SetString(PyExc_TypeError, "_masked_view() takes an array, a mask and an array"), nullptr;
  return protect<true>([&] { return masked_view(unwrap(args[0]), args[1], args[2]); });
}

// --- attributes of the class

PyObject* masked_data(PyObject*, PyObject* self) {
  return protect<true>([&]() -> PyObject* {
    static PyObject* const view = PyObject_GetAttrString(reinterpret_cast<PyObject*>(ndarray_type), "view");
    const Ref base = attribute(self, BaseClass, Py_None);
    if (TNP_LIKELY(base.get() == reinterpret_cast<PyObject*>(ndarray_type) && is_ndarray(self)))
      return wrap<true>(tnp::alias(unwrap(self)));
    return PyObject_CallFunctionObjArgs(view, self, base.get(), nullptr);
  });
}

PyObject* masked_shape(PyObject*, PyObject* self) {
  if (!is_ndarray(self)) return PyErr_SetString(PyExc_TypeError, "_masked_shape() takes an array"), nullptr;
  return shape_of(self, [](IntList sizes) { return tuple_of_ints(sizes); });
}

PyObject* masked_dtype(PyObject*, PyObject* self) {
  if (!is_ndarray(self)) return PyErr_SetString(PyExc_TypeError, "_masked_dtype() takes an array"), nullptr;
  return Py_XNewRef(numpy_dtype(unwrap(self).dtype()));
}

// _masked_filled(array, fill_value): array.filled(), with a 0-d array of the array's dtype
PyObject* masked_filled(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) return PyErr_SetString(PyExc_TypeError, "_masked_filled() takes an array and a number"), nullptr;
  return protect<true>([&]() -> PyObject* {
    PyObject* const self = args[0];
    if (!is_plain(self)) return not_implemented();
    PyObject* const mask = get(dict_of(self), Mask, numpy_ma.nomask);
    if (mask == numpy_ma.nomask || !is_any(unwrap(mask))) return wrap<true>(tnp::alias(unwrap(self)));
    if (!is_small_number(args[1]) && Py_TYPE(args[1]) != ndarray_type) return not_implemented();
    const Tensor value = as_tensor(args[1], true);
    const Tensor& t = unwrap(self);
    if (!can_cast(value.dtype(), t.dtype(), Casting::SameKind) && !value.is_wrapped_number()) return not_implemented();
    Tensor filled = tnp::clone(t, Order::K);
    tnp::copyto(filled, value, Casting::SameKind, unwrap(mask));
    return wrap<true>(std::move(filled));
  });
}

// The methods of the class, which add_methods() adds.
PyMethodDef methods[] = {
    {"_update_from", update_from_method, METH_O,
     "_update_from($self, obj, /)\n--\n\nTakes over the settings of another array."},
    {"__array_finalize__", finalize_method, METH_O,
     "__array_finalize__($self, obj, /)\n--\n\nGives a new array the settings and the mask of `obj`."},
    {nullptr, nullptr, 0, nullptr}};

// _set_masked_arrays(cls, nomask, masked, check_fill_value)
PyObject* set_masked_arrays(PyObject*, PyObject* args) {
  PyObject *cls, *nomask, *masked, *check_fill_value;
  if (!PyArg_ParseTuple(args, "O!OOO:_set_masked_arrays", &PyType_Type, &cls, &nomask, &masked, &check_fill_value))
    return nullptr;
  auto* const type = reinterpret_cast<PyTypeObject*>(cls);
  if (!PyType_IsSubtype(type, ndarray_type))
    return PyErr_SetString(PyExc_TypeError, "_set_masked_arrays() takes a class derived from ndarray"), nullptr;
  Ref python_finalize(PyObject_GetAttrString(cls, "__array_finalize__"));
  if (!python_finalize || !add_methods(type, methods)) return nullptr;
  numpy_ma = {reinterpret_cast<PyTypeObject*>(Py_NewRef(cls)),
              Py_NewRef(nomask),
              Py_NewRef(masked),
              Py_NewRef(check_fill_value),
              python_finalize.release(),
              PyDict_GetItemWithError(type->tp_dict, update_from_name)};
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_set_masked_arrays", set_masked_arrays, METH_VARARGS,
     "_set_masked_arrays(cls, nomask, masked, check_fill_value): registers numpy.ma.MaskedArray, and\n"
     "gives it the methods that every operation calls."},
    {"_masked_unary", as_method(masked_unary), METH_FASTCALL,
     "_masked_unary(f, domain, a): numpy.ma's version of a function of one operand. NotImplemented for\n"
     "operands that are no plain masked arrays, arrays or numbers."},
    {"_masked_binary", as_method(masked_binary), METH_FASTCALL,
     "_masked_binary(f, a, b, divides): numpy.ma's version of a function of two operands, as\n"
     "_masked_unary."},
    {"_masked_array", as_method(masked_array), METH_FASTCALL,
     "_masked_array(data, mask, dtype, copy): a MaskedArray of an array or a sequence of numbers.\n"
     "NotImplemented for other arguments."},
    {"_masked_item", as_method(masked_item), METH_FASTCALL,
     "_masked_item(array, key): element or part of a masked array. NotImplemented for other arrays and\n"
     "for names of fields."},
    {"_masked_assign", as_method(masked_assign), METH_FASTCALL,
     "_masked_assign(array, key, value): assigns numbers, or the constant `masked`. NotImplemented for\n"
     "other arrays and values."},
    {"_masked_view", as_method(py_masked_view), METH_FASTCALL,
     "_masked_view(array, mask, like): a MaskedArray over the memory of `array` with the settings of\n"
     "`like`."},
    {"_masked_filled", as_method(masked_filled), METH_FASTCALL,
     "_masked_filled(array, fill_value): the data with `fill_value` in place of masked elements.\n"
     "NotImplemented for other arrays and values."},
    {"_masked_data", masked_data, METH_O, "The data of a masked array, as its base class."},
    {"_masked_shape", masked_shape, METH_O, "The shape of a masked array."},
    {"_masked_dtype", masked_dtype, METH_O, "The dtype of a masked array."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_masked_arrays(PyObject* module) { return intern_names() && PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
