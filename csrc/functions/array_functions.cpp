// Functions that make arrays from Python objects: np.array, asarray and related; torch_np.tensor,
// as_tensor, from_numpy. They are not operators of native_functions.yaml, since they accept any
// object.
#include "csrc/functions/array_functions.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/layout.h"
#include "csrc/args/call.h"
#include "csrc/args/fallback.h"
#include "csrc/args/plain_call.h"
#include "csrc/convert/array_method.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/functions/function.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"
#include "csrc/overrides/function_overrides.h"

namespace tnp::python {

namespace {

// --- np

enum ArraySlot { object, dtype, copy, order, subok, ndmin, ndmax, like, device, requires_grad, kArraySlots };
constexpr const char* kArrayNames[] = {"object", "dtype", "copy", "order",  "subok",
                                       "ndmin",  "ndmax", "like", "device", "requires_grad"};

constexpr Param kLike = {"like", Kind::Object, like, kKeywordOnly | kNullable | kIgnored, "None"};
constexpr Param kDevice = {"device", Kind::Device, device, kKeywordOnly | kNullable, "None", {"_device"}};
constexpr Param kRequiresGrad = {"_requires_grad", Kind::Bool, requires_grad, kKeywordOnly, "False"};

// Moves an array to the requested device. Without a requested device, one of our arrays is returned
// unchanged, and a new array is moved to the default device.
Tensor on_device(const Tensor& t, std::optional<tnp::Device> wanted, bool ours,
                 std::optional<bool> copy_mode = std::nullopt) {
  const tnp::Device to = wanted.value_or(ours || t.device().is_meta() ? t.device() : default_device());
  if (to == t.device()) return t;
  TNP_CHECK(copy_mode != false, ErrorKind::Value,
            "Unable to avoid copy while creating an array as requested: it is on ", t.device());
  return tnp::to(t, std::optional(to));
}

// Shared implementation of np.array and related functions. `subok` keeps an instance of an ndarray
// subclass.
PyObject* make_array(Args<true, kArraySlots>& args, std::optional<bool> copy_mode, Order layout, bool keep_subclass,
                     int min_dims) {
  PyObject* source = args.object(object);
  Ref made;  // our array as returned by __array__ replaces the object and its class
  bool trusted = false;
  if ((keep_subclass || copy_mode) && !is_variable(source)) made = array_of_method(source, copy_mode, &trusted);
  if (made) source = made.get();
  std::optional<ScalarType> type = args.opt_dtype(dtype);
  bool forced = copy_mode.value_or(false) && !trusted;
  Tensor t = as_tensor(source, true, type,
                       forced && layout == Order::K ? std::optional(true)
                       : copy_mode == false         ? copy_mode
                                                    : std::nullopt,
                       min_dims);
  bool fresh = !is_variable(source) || !t.is_same(unwrap(source));
  const bool any_order = layout == Order::A && !forced;  // order 'A' keeps the order of an existing array
  if (!any_order && !has_order(t, layout)) {
    TNP_CHECK(copy_mode != false, ErrorKind::Value,
              "Unable to avoid copy while creating an array as requested: its memory order is not the requested one");
    t = tnp::clone(t, layout);
  } else if (forced && layout != Order::K) {
    t = tnp::clone(t, layout == Order::A ? Order::K : layout);
  }
  if (t.is_wrapped_number()) t.impl()->is_wrapped_number = false;
  t = on_device(t, args.given(device) ? std::optional(args.device(device)) : std::nullopt, is_variable(source),
                copy_mode);
  if (args.given(requires_grad) && args.boolean(requires_grad)) {
    if (!fresh && t.is_same(unwrap(source))) t = tnp::clone(t);
    if (!t.is_leaf()) t = detach(t);
    t.set_requires_grad(true);
  }
  bool is_array = is_ndarray(source);
  if (is_array && t.is_same(unwrap(source)) && (keep_subclass || Py_TYPE(source) == ndarray_type))
    return Py_NewRef(source);
  if (is_array && Py_TYPE(source) != ndarray_type) {
    if (keep_subclass) return wrap_as<true>(Py_TYPE(source), t, source);
    if (t.is_same(unwrap(source))) t = tnp::alias(t);  // a base-class view of a subclass instance
  }
  return wrap<true>(t);
}

// Whether the only argument is an array that is its own conversion.
bool is_array_already(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return nargs == 1 && !kwnames && Py_TYPE(args[0]) == ndarray_type && unwrap(args[0]).dim() > 0;
}

// Whether the array is one that only NumPy holds, as the object or the dtype (by position or keyword)
// tells before anything is converted.
bool is_numpys(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs == 0 || is_variable(args[0]) || !may_fall_back()) return false;
  PyObject* const type = nargs > 1 ? args[1] : keyword_of("dtype", args, nargs, kwnames);
  return type && type != Py_None ? names_foreign_dtype(type) : is_certainly_not_held(args[0]);
}

template <class F>
PyObject* with_arguments(const Parser& parser, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, F&& body) {
  if (TNP_UNLIKELY(is_numpys(args, nargs, kwnames))) {
    static PyObject* const name = PyUnicode_InternFromString(parser[0].function());
    const Ref numpys(PyObject_GetAttr(numpy_api().module, name));
    bool called = false;
    PyObject* const result = numpys ? call_plainly(numpys.get(), args, nargs, kwnames, &called) : nullptr;
    if (called || !numpys) return result;
  }
  return or_numpys<true>(parser[0].function(), nullptr, args, nargs, kwnames, [&]() -> PyObject* {
    Args<true, kArraySlots> r;
    if (parser.parse(nullptr, args, nargs, kwnames, r.values()) < 0) return nullptr;
    // dtype= may convert text and objects to numbers, but not arrays of them.
    PyObject* const source = r.object(object);
    const bool may_convert = r.given(dtype) && !is_numpy_array(source);
    if (!is_variable(source) && !may_convert && may_fall_back() && is_certainly_not_held(source))
      return set_not_held_object(source), nullptr;
    return protect<true>(static_cast<PyObject*>(nullptr), &parser[0], [&] { return body(r); });
  });
}

std::optional<bool> copy_mode_of(Args<true, kArraySlots>& args, std::optional<bool> otherwise) {
  PyObject* o = args.object(copy);
  if (!o) return otherwise;
  if (o == Py_None) return std::nullopt;
  // numpy._CopyMode: ALWAYS, IF_NEEDED and NEVER. bool(IF_NEEDED) raises, so this reads the enum's
  // value.
  if (Py_TYPE(o) == numpy_api().copy_mode_type) {
    Ref number(check(PyObject_GetAttrString(o, "value")));
    long mode = PyLong_AsLong(number.get());
    return mode == 2 ? std::nullopt : std::optional(mode == 1);
  }
  TNP_CHECK(!PyUnicode_Check(o), ErrorKind::Value,
            "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  return args.opt_boolean(copy);
}

PyObject* np_array(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {{"object", Kind::Object, object, kRequired},
                                     {"dtype", Kind::Dtype, dtype, kNullable, "None"},
                                     {"copy", Kind::Object, copy, kKeywordOnly | kNullable, "True"},
                                     {"order", Kind::Order, order, kKeywordOnly | kNullable, "'K'"},
                                     {"subok", Kind::Bool, subok, kKeywordOnly, "False"},
                                     {"ndmin", Kind::Int, ndmin, kKeywordOnly, "0"},
                                     {"ndmax", Kind::Int, ndmax, kKeywordOnly, "0"},
                                     kLike,
                                     kDevice,
                                     kRequiresGrad};
  static const Parser parser{Signature("array", params, kArrayNames)};
  return with_arguments(parser, args, nargs, kwnames, [](Args<true, kArraySlots>& r) {
    int64_t least = r.integer(ndmin, 0), most = r.integer(ndmax, 0);
    TNP_CHECK(least <= kMaxDims, ErrorKind::Value, "ndmin bigger than allowable number of dimensions (", kMaxDims, ")");
    TNP_CHECK(most >= 0 && most <= kMaxDims, ErrorKind::Value, "ndmax must be in the range [0, NPY_MAXDIMS (", kMaxDims,
              ")]");
    PyObject* made = make_array(r, copy_mode_of(r, true), r.order(order, Order::K), r.boolean(subok, false),
                                static_cast<int>(std::max<int64_t>(least, 0)));
    if (made && most > 0 && unwrap(made).dim() > most) {
      Py_DECREF(made);
      raise_not_held("ndmax below the depth of the object needs an array of objects");
    }
    return made;
  });
}

template <bool keep_subclass>
PyObject* np_asarray(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {{"a", Kind::Object, object, kRequired},
                                     {"dtype", Kind::Dtype, dtype, kNullable, "None"},
                                     {"order", Kind::Order, order, kNullable, "None"},
                                     kDevice,
                                     {"copy", Kind::Object, copy, kKeywordOnly | kNullable, "None"},
                                     kLike,
                                     kRequiresGrad};
  static const Parser parser{Signature(keep_subclass ? "asanyarray" : "asarray", params, kArrayNames)};
  if (TNP_LIKELY(is_array_already(args, nargs, kwnames))) return Py_NewRef(args[0]);
  // An array that only NumPy holds is NumPy's result itself.
  if (nargs == 1 && !kwnames && is_numpy_array(args[0]) && is_certainly_not_held(args[0]) && may_fall_back() &&
      (keep_subclass || Py_TYPE(args[0]) == numpy_api().ndarray_type))
    return Py_NewRef(args[0]);
  return with_arguments(parser, args, nargs, kwnames, [](Args<true, kArraySlots>& r) {
    return make_array(r, copy_mode_of(r, std::nullopt), r.order(order, Order::K), keep_subclass, 0);
  });
}

template <Order layout>
PyObject* np_contiguous(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {
      {"a", Kind::Object, object, kRequired}, {"dtype", Kind::Dtype, dtype, kNullable, "None"}, kLike};
  static const Parser parser{
      Signature(layout == Order::C ? "ascontiguousarray" : "asfortranarray", params, kArrayNames)};
  if (is_array_already(args, nargs, kwnames) && has_order(unwrap(args[0]), layout)) return Py_NewRef(args[0]);
  return with_arguments(parser, args, nargs, kwnames,
                        [](Args<true, kArraySlots>& r) { return make_array(r, std::nullopt, layout, false, 1); });
}

PyObject* np_from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {{"x", Kind::Object, object, kRequired | kPositionalOnly},
                                     kDevice,
                                     {"copy", Kind::Object, copy, kKeywordOnly | kNullable, "None"}};
  static const Parser parser{Signature("from_dlpack", params, kArrayNames)};
  return with_arguments(parser, args, nargs, kwnames, [](Args<true, kArraySlots>& r) {
    Tensor t = from_dlpack(r.object(object), copy_mode_of(r, std::nullopt));
    return wrap<true>(r.given(device) ? on_device(t, r.device(device), true) : t);
  });
}

// --- torch_np

enum TensorSlot { data, tensor_dtype, tensor_device, tensor_requires_grad, tensor_copy, kTensorSlots };
constexpr const char* kTensorNames[] = {"data", "dtype", "device", "requires_grad", "copy"};

template <class F>
PyObject* with_tensor_arguments(const Parser& parser, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                F&& body) {
  Args<false, kTensorSlots> r;
  if (parser.parse(nullptr, args, nargs, kwnames, r.values()) < 0) return nullptr;
  return call<false>(parser[0], r.objects(), [&] {
    Tensor t = body(r);
    t.impl()->is_wrapped_number = false;
    t = on_device(t, r.given(tensor_device) ? std::optional(r.device(tensor_device)) : std::nullopt,
                  is_variable(r.object(data)));
    if (r.boolean(tensor_requires_grad, false)) t.set_requires_grad(true);
    return t;
  });
}

// The data argument; a view of the elements if it is a storage (torch_np/_torch/storage.py).
// `memory` keeps the view alive.
PyObject* data_of(Args<false, kTensorSlots>& r, Ref& memory) {
  PyObject* given = r.object(data);
  if (!(Py_TYPE(given)->tp_flags & Py_TPFLAGS_HEAPTYPE) || is_variable(given)) return given;
  static PyObject* const name = PyUnicode_InternFromString("_as_tensor");
  Ref method(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(given)), name));
  if (!method) return PyErr_Clear(), given;
  Ref dtype(r.given(tensor_dtype) ? Py_NewRef(r.object(tensor_dtype)) : Py_NewRef(Py_None));
  memory = Ref(PyObject_CallFunctionObjArgs(method.get(), given, dtype.get(), nullptr));
  check(memory.get());
  return memory.get();
}

PyObject* torch_tensor(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {{"data", Kind::Object, data, kRequired},
                                     {"dtype", Kind::Dtype, tensor_dtype, kKeywordOnly | kNullable, "None"},
                                     {"device", Kind::Device, tensor_device, kKeywordOnly | kNullable, "None"},
                                     {"requires_grad", Kind::Bool, tensor_requires_grad, kKeywordOnly, "False"}};
  static const Parser parser{Signature("tensor", params, kTensorNames)};
  return with_tensor_arguments(parser, args, nargs, kwnames, [](Args<false, kTensorSlots>& r) {
    NoGradGuard none;  // copies the values only, as in PyTorch
    Ref memory;
    return detach(as_tensor(data_of(r, memory), false, r.opt_dtype(tensor_dtype), true));
  });
}

PyObject* torch_as_tensor(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {{"data", Kind::Object, data, kRequired},
                                     {"dtype", Kind::Dtype, tensor_dtype, kNullable, "None"},
                                     {"device", Kind::Device, tensor_device, kNullable, "None"}};
  static const Parser parser{Signature("as_tensor", params, kTensorNames)};
  return with_tensor_arguments(parser, args, nargs, kwnames, [](Args<false, kTensorSlots>& r) {
    Ref memory;
    return as_tensor(data_of(r, memory), false, r.opt_dtype(tensor_dtype), std::nullopt);
  });
}

PyObject* torch_asarray(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Param params[] = {
      {"obj", Kind::Object, data, kRequired},
      {"dtype", Kind::Dtype, tensor_dtype, kKeywordOnly | kNullable, "None"},
      {"device", Kind::Device, tensor_device, kKeywordOnly | kNullable, "None"},
      {"copy", Kind::Bool, tensor_copy, kKeywordOnly | kNullable, "None"},
      {"requires_grad", Kind::Bool, tensor_requires_grad, kKeywordOnly | kNullable, "None"}};
  static const Parser parser{Signature("asarray", params, kTensorNames)};
  return with_tensor_arguments(parser, args, nargs, kwnames, [](Args<false, kTensorSlots>& r) {
    Ref memory;
    PyObject* given = data_of(r, memory);
    const std::optional<bool> copy = r.opt_boolean(tensor_copy);
    const std::optional<ScalarType> dtype = r.opt_dtype(tensor_dtype);
    if (copy == false) {
      if (is_numpy_scalar(given))
        raise_python(PyExc_RuntimeError,
                     "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ");
      if (PyList_Check(given) || PyTuple_Check(given))
        raise_python(PyExc_ValueError, "can't alias arbitrary sequence into a tensor.");
    }
    Tensor source;
    if (PyCapsule_CheckExact(given)) source = from_dlpack(given, std::nullopt);
    if (is_variable(given)) source = unwrap(given);
    if (!source.defined()) return as_tensor(given, false, dtype, copy);
    const bool casts = dtype && *dtype != source.dtype();
    TNP_CHECK(copy != false || !casts, ErrorKind::Value, "can't alias tensor with dtype '", source.dtype(),
              "' into dtype '", dtype.value_or(source.dtype()), "'.");
    const bool wants_grad = r.opt_boolean(tensor_requires_grad).value_or(source.requires_grad());
    if (source.requires_grad() && !wants_grad) source = detach(source);
    if (casts) return tnp::cast(source, *dtype);
    if (copy == true) return tnp::clone(source);
    // A new tensor over the memory: the argument itself must not come to require grad.
    return wants_grad && !source.requires_grad() ? detach(source) : source;
  });
}

// Returns the only positional argument; null with a TypeError if there are others.
PyObject* only_argument(const char* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs == 1 && (!kwnames || PyTuple_GET_SIZE(kwnames) == 0)) return args[0];
  const bool keywords = kwnames && PyTuple_GET_SIZE(kwnames) > 0;
  return keywords ? PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", function)
                  : PyErr_Format(PyExc_TypeError, "%s() takes exactly one argument (%zd given)", function, nargs);
}

PyObject* torch_from_numpy(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* source = only_argument("from_numpy", args, nargs, kwnames);
  if (!source) return nullptr;
  return protect<false>([&]() -> PyObject* {
    if (is_ndarray(source)) {  // a new tensor over the memory: `source` itself must not come to require grad
      const Tensor& t = unwrap(source);
      return wrap<false>(t.requires_grad() ? t : detach(t));
    }
    if (!is_numpy_array(source) && (is_variable(source) || !PyObject_HasAttrString(source, "__array_interface__"))) {
      PyErr_Format(PyExc_TypeError, "from_numpy(): expected a numpy.ndarray, got %s", Py_TYPE(source)->tp_name);
      return nullptr;
    }
    Tensor t = as_tensor(source, false, std::nullopt, false);
    t.impl()->is_wrapped_number = false;
    if (!t.impl()->writeable &&
        PyErr_WarnEx(PyExc_UserWarning,
                     "The given NumPy array is not writable: operators that would change the non-writable tensor raise "
                     "an error. Copy the array to get a tensor that can be changed.",
                     1) < 0)
      return nullptr;
    return wrap<false>(t);
  });
}

PyObject* torch_from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* source = only_argument("from_dlpack", args, nargs, kwnames);
  if (!source) return nullptr;
  return protect<false>([&] { return wrap<false>(from_dlpack(source, std::nullopt)); });
}

struct Row {
  const char* name;
  Binding binding;
  uint8_t flags;
  const char* doc;
};

constexpr Row kNumpyFunctions[] = {
    {"array", np_array, kTakesLike,
     "array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)\n--\n\n"
     "A new array with the elements of `object`.\n\n"
     "Args:\n"
     "  object: An array, a nested sequence of numbers, an object with a buffer, or an object that has\n"
     "    `__array__`.\n"
     "  dtype: Dtype of the result; None is the common dtype of the elements.\n"
     "  copy: Whether to copy. True copies always, False never, None only if necessary.\n"
     "  order: Memory order of a copy: 'C' (row-major), 'F' (column-major), 'A' ('F' if `object` is\n"
     "    column-major, else 'C') or 'K' (as `object`).\n"
     "  subok: Whether the result has the class of `object` if that is a subclass of ndarray.\n"
     "  ndmin: Least number of axes. Missing ones are added in front, with size 1.\n"
     "  ndmax: Largest depth of nested sequences that become axes; 0 sets no limit.\n"
     "  like: Must be None, or an object of another library whose `__array_function__` makes the\n"
     "    array.\n\n"
     "Shapes: the result has the shape of `object`, with leading axes of size 1 up to `ndmin`.\n"
     "Errors: ValueError for nested sequences of unequal length, and if `copy` is False and a copy is\n"
     "needed; TypeError for elements without a dtype."},
    {"asarray", np_asarray<false>, kTakesLike,
     "asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
     "`a` as an array. An array that already has the requested properties is returned itself, and the\n"
     "memory of a NumPy array or a buffer is shared.\n\n"
     "Args:\n"
     "  a: An array, or an object that can be converted to one.\n"
     "  dtype: Dtype of the result; None is the dtype of `a`.\n"
     "  order: Memory order: 'C' (row-major), 'F' (column-major), 'A' ('F' if `a` is column-major,\n"
     "    else 'C') or 'K' (as `a`). None is 'K'.\n"
     "  device: Device of the result; None is the device of `a`, or for an object that is not an\n"
     "    array, the default device.\n"
     "  copy: Whether to copy. True copies always, False never, None only if necessary.\n"
     "  like: Must be None, or an object of another library whose `__array_function__` makes the\n"
     "    array.\n\n"
     "Shapes: the result has the shape of `a`.\n"
     "Errors: ValueError for nested sequences of unequal length, and if `copy` is False and a copy is\n"
     "needed; TypeError for elements without a dtype."},
    {"asanyarray", np_asarray<true>, kTakesLike,
     "asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n"
     "`a` as an array. An instance of a subclass of ndarray keeps its class.\n\n"
     "Args:\n"
     "  a: An array, or an object that can be converted to one.\n"
     "  dtype: Dtype of the result; None is the dtype of `a`.\n"
     "  order: Memory order: 'C' (row-major), 'F' (column-major), 'A' ('F' if `a` is column-major,\n"
     "    else 'C') or 'K' (as `a`). None is 'K'.\n"
     "  device: Device of the result; None is the device of `a`, or for an object that is not an\n"
     "    array, the default device.\n"
     "  copy: Whether to copy. True copies always, False never, None only if necessary.\n"
     "  like: Must be None, or an object of another library whose `__array_function__` makes the\n"
     "    array.\n\n"
     "Shapes: the result has the shape of `a`.\n"
     "Errors: ValueError for nested sequences of unequal length, and if `copy` is False and a copy is\n"
     "needed; TypeError for elements without a dtype."},
    {"ascontiguousarray", np_contiguous<Order::C>, kTakesLike,
     "ascontiguousarray(a, dtype=None, *, like=None)\n--\n\n"
     "`a` as an array in row-major order with at least one axis.\n\n"
     "Args:\n"
     "  a: An array, or an object that can be converted to one.\n"
     "  dtype: Dtype of the result; None is the dtype of `a`.\n"
     "  like: Must be None, or an object of another library whose `__array_function__` makes the\n"
     "    array.\n\n"
     "Shapes: the result has the shape of `a`; a number gives the shape (1,).\n"
     "Errors: ValueError for nested sequences of unequal length; TypeError for elements without a\n"
     "dtype."},
    {"asfortranarray", np_contiguous<Order::F>, kTakesLike,
     "asfortranarray(a, dtype=None, *, like=None)\n--\n\n"
     "`a` as an array in column-major order with at least one axis.\n\n"
     "Args:\n"
     "  a: An array, or an object that can be converted to one.\n"
     "  dtype: Dtype of the result; None is the dtype of `a`.\n"
     "  like: Must be None, or an object of another library whose `__array_function__` makes the\n"
     "    array.\n\n"
     "Shapes: the result has the shape of `a`; a number gives the shape (1,).\n"
     "Errors: ValueError for nested sequences of unequal length; TypeError for elements without a\n"
     "dtype."},
    {"from_dlpack", np_from_dlpack, 0,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "An array that shares the memory of an object of another library, by the DLPack protocol.\n\n"
     "Args:\n"
     "  x: Object that has `__dlpack__` and `__dlpack_device__`.\n"
     "  device: Device of the result; None is the device of `x`.\n"
     "  copy: Whether to copy. True copies always, False never, None only if necessary.\n\n"
     "Shapes: the result has the shape of `x`.\n"
     "Errors: AttributeError if `x` has no `__dlpack__`."}};

constexpr Row kTorchFunctions[] = {
    {"tensor", torch_tensor, 0,
     "tensor(data, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
     "A new tensor with the values of `data`. It is not connected to the graph of `data`.\n\n"
     "Args:\n"
     "  data: A tensor, an array, a number, or a nested sequence of numbers.\n"
     "  dtype: Dtype of the result; None is described below.\n"
     "  device: Device of the result; None is the device of `data`, or for an object that is not a\n"
     "    tensor, the default device.\n"
     "  requires_grad: Whether the result requires a gradient.\n\n"
     "Shapes: the result has the shape of `data`.\n"
     "Dtypes: without `dtype`, arrays keep their dtype and Python floats get the default dtype.\n"
     "Errors: ValueError for nested sequences of unequal length; TypeError for elements without a\n"
     "dtype."},
    {"as_tensor", torch_as_tensor, 0,
     "as_tensor(data, dtype=None, device=None)\n--\n\n"
     "`data` as a tensor, without a copy if possible.\n\n"
     "Args:\n"
     "  data: A tensor, an array, a number, or a nested sequence of numbers.\n"
     "  dtype: Dtype of the result; None is the dtype of `data`.\n"
     "  device: Device of the result; None is the device of `data`, or for an object that is not a\n"
     "    tensor, the default device.\n\n"
     "Shapes: the result has the shape of `data`.\n"
     "Errors: ValueError for nested sequences of unequal length; TypeError for elements without a\n"
     "dtype."},
    {"asarray", torch_asarray, 0,
     "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None)\n--\n\n"
     "`obj` as a tensor, without a copy if possible.\n\n"
     "Args:\n"
     "  obj: A tensor, an array, a number, or a nested sequence of numbers.\n"
     "  dtype: Dtype of the result; None is the dtype of `obj`.\n"
     "  device: Device of the result; None is the device of `obj`, or for an object that is not a\n"
     "    tensor, the default device.\n"
     "  copy: Whether to copy. True copies always, False never, None only if necessary.\n"
     "  requires_grad: Whether the result requires a gradient; None is whether `obj` does. A tensor that\n"
     "    requires a gradient keeps its history.\n\n"
     "Shapes: the result has the shape of `obj`.\n"
     "Errors: ValueError for nested sequences of unequal length, and if `copy` is False and a copy is\n"
     "needed; TypeError for elements without a dtype."},
    {"from_numpy", torch_from_numpy, 0,
     "from_numpy(ndarray, /)\n--\n\n"
     "A tensor that shares the memory of a NumPy array.\n\n"
     "Args:\n"
     "  ndarray: The NumPy array.\n\n"
     "Shapes: the result has the shape of `ndarray`.\n"
     "Errors: TypeError if `ndarray` is not a NumPy array, or if its dtype has no counterpart."},
    {"from_dlpack", torch_from_dlpack, 0,
     "from_dlpack(ext_tensor, /)\n--\n\n"
     "A tensor that shares the memory of an object of another library, by the DLPack protocol.\n\n"
     "Args:\n"
     "  ext_tensor: Object that has `__dlpack__` and `__dlpack_device__`.\n\n"
     "Shapes: the result has the shape of `ext_tensor`.\n"
     "Errors: AttributeError if `ext_tensor` has no `__dlpack__`."}};

bool add(PyObject* module, std::span<const Row> rows, const char* public_name, uint8_t extra) {
  Ref name(PyUnicode_InternFromString(public_name));
  for (const Row& row : rows) {
    Ref function(name ? make_function(row.name, row.binding, row.doc, name.get(), row.flags | extra) : nullptr);
    if (!function || PyObject_SetAttrString(module, row.name, function.get()) < 0) return false;
  }
  return true;
}

}  // namespace

bool add_array_functions(PyObject* numpy_module, PyObject* torch_module) {
  return add(numpy_module, kNumpyFunctions, "torch_np.numpy", 0) &&
         add(torch_module, kTorchFunctions, "torch_np", kTorchFunction);
}

}  // namespace tnp::python
