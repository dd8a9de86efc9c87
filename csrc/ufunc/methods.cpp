// reduce, accumulate, outer, at, reduceat and resolve_dtypes of ufunc objects.
//
// If a ufunc's table row names a reduction or scan (add: sum, cumsum), the method calls it. Other
// ufuncs fold their own loop. While gradients are recorded, they fold by calling themselves
// (differentiable_folds.h).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "aten/autograd/variable.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/cast_error.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/products.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/overlap.h"
#include "aten/ops/indexing/indexing.h"
#include "aten/ops/pointwise/pointwise_at.h"
#include "aten/ops/reduction/fold.h"
#include "csrc/args/fallback.h"
#include "csrc/convert/convert.h"
#include "csrc/indexing/indexing.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/overrides/function_overrides.h"
#include "csrc/ufunc/differentiable_folds.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

enum ReduceSlot { array, axis, dtype, out, keepdims, initial, where, indices, kNumReduceSlots };
constexpr const char* kSlotNames[] = {"input", "dim", "dtype", "out", "keepdim", "initial", "where", "indices"};

const Parser& reduce_parser() {
  static constexpr Param params[] = {
      {"array", Kind::ArrayLike, array, kRequired},     {"axis", Kind::IntList, axis, kNullable, "0"},
      {"dtype", Kind::Dtype, dtype, kNullable, "None"}, {"out", Kind::Out, out, kNullable, "None"},
      {"keepdims", Kind::Bool, keepdims, 0, "False"},   {"initial", Kind::Scalar, initial, kNullable, "<no value>"},
      {"where", Kind::Mask, where, 0, "True"}};
  static const Parser parser{Signature("reduce", params, kSlotNames)};
  return parser;
}
const Parser& accumulate_parser() {
  static constexpr Param params[] = {{"array", Kind::ArrayLike, array, kRequired},
                                     {"axis", Kind::IntList, axis, kNullable, "0"},
                                     {"dtype", Kind::Dtype, dtype, kNullable, "None"},
                                     {"out", Kind::Out, out, kNullable, "None"}};
  static const Parser parser{Signature("accumulate", params, kSlotNames)};
  return parser;
}

const Parser& reduceat_parser() {
  static constexpr Param params[] = {{"array", Kind::ArrayLike, array, kRequired},
                                     {"indices", Kind::ArrayLike, indices, kRequired},
                                     {"axis", Kind::IntList, axis, kNullable, "0"},
                                     {"dtype", Kind::Dtype, dtype, kNullable, "None"},
                                     {"out", Kind::Out, out, kNullable, "None"}};
  static const Parser parser{Signature("reduceat", params, kSlotNames)};
  return parser;
}

// Only binary ufuncs with one result have reducing methods.
bool check_binary(PyObject* self, const char* method, const char* noun) {
  const UfuncRow& row = row_of(self);
  if (row_of(self).core) return PyErr_Format(PyExc_RuntimeError, "%s not defined on ufunc with signature", noun), false;
  if (row.nin != 2) return PyErr_Format(PyExc_ValueError, "%s only supported for binary functions", method), false;
  if (row.nout != 1)
    return PyErr_Format(PyExc_ValueError, "%s only supported for functions returning a single value", method), false;
  return true;
}

Tensor cast_to(const Tensor& t, ScalarType to) {
  if (t.dtype() == to) return t;
  Ref object(check(wrap<true>(t)));
  Ref cast(check(call_method(true, "astype", {object.get(), check(numpy_dtype(to))})));
  return unwrap(cast.get());
}

// The identity of the ufunc, which is the result of an empty reduction. Returns nullopt if the yaml
// defines none.
std::optional<Scalar> identity_of(const UfuncRow& row, ScalarType dtype) {
  std::string_view text = row.identity ? row.identity : "None";
  if (text == "None") return std::nullopt;
  if (text == "True" || text == "False") return Scalar(text == "True");
  if (text.find_first_not_of("-0123456789") == std::string_view::npos) {
    int64_t value = std::strtoll(row.identity, nullptr, 10);
    if (value < 0 && is_unsigned(dtype))
      return Scalar(static_cast<uint64_t>(value) >> (64 - 8 * element_size(dtype)));  // all bits set
    return is_bool(dtype) ? Scalar(value != 0) : Scalar(value);
  }
  return Scalar(std::strtod(row.identity, nullptr));
}

// NumPy's rule: ufuncs with an identity, and fmax and fmin, may be folded in any order.
FoldOrder fold_order(const UfuncRow& row) {
  const bool any =
      (row.identity && std::string_view(row.identity) != "None") || row.op->promotion == Promotion::Arithmetic;
  return any ? FoldOrder::Associative : FoldOrder::LeftToRight;
}

// Raises Dtype if NumPy has no loop of that dtype, even if a fold would work:
// logical_or.reduce(dtype='i4').
void check_fold_dtype(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type) {
  if (type && row.op) loop_types(row.op->promotion, row.name, std::array{t, t}, type);
}

// The accumulation dtype for a given `out`: NumPy's loop for both, unless the caller requests a
// dtype.
std::optional<ScalarType> type_for_out(const Tensor& t, std::optional<ScalarType> type, const Tensor& out) {
  return type || !out.defined() ? type : std::optional(promote_types(t.dtype(), out.dtype()));
}

// Same as type_for_out(), by the operator's own promotion rule. Operators with bool results combine
// bools, whatever the dtype of `out`.
std::optional<ScalarType> loop_for_out(const UfuncRow& row, const Tensor& t, std::optional<ScalarType> type,
                                       const Tensor& out) {
  const Promotion rule = row.op->promotion;
  if (type || !out.defined() || rule == Promotion::Comparison || rule == Promotion::Logical) return type;
  return loop_types(rule, row.name, std::array{out, t}, std::nullopt).compute;
}

// Copies the result of a fold to `out`, if `out` is defined. Casts without a casting check.
Tensor fold_into(const Tensor& out, const Tensor& made) {
  if (!out.defined()) return made;
  return copy_to_out(out, made.dtype() == out.dtype() ? made : tnp::cast(made, out.dtype()));
}

Tensor reduce_tensor(const UfuncRow& row, Tensor t, OptIntList dim, bool keepdim, std::optional<ScalarType> type,
                     const ReduceOptions& options) {
  check_fold_dtype(row, t, type);
  if (row.reduce) {
    if (type && !row.reduce_takes_dtype) {
      t = cast_to(t, *type);
      type = std::nullopt;
    }
    return row.reduce(t, dim, keepdim, type, options);
  }
  TNP_CHECK(row.op, ErrorKind::NotImplemented, row.name, ".reduce");
  type = loop_for_out(row, t, type, options.out);
  const bool reorderable = fold_order(row) == FoldOrder::Associative;
  TNP_CHECK(reorderable || (dim ? static_cast<int64_t>(dim->size()) : t.dim()) <= 1, ErrorKind::Value,
            "reduction operation '", row.name, "' is not reorderable, so at most one axis may be specified");
  std::optional<Scalar> initial = options.initial;
  if (!initial)
    // the identity is also combined with a single element: hypot.reduce([-2.0]) is 2
    initial = identity_of(row, type.value_or(t.dtype()));
  if (fold_requires_grad(row, t, type, options.initial_tensor)) {
    if (type) t = cast_to(t, *type);
    Tensor start = options.initial_tensor;
    if (!start.defined() && initial) start = scalar_tensor(*initial, t.dtype(), t.device());
    const bool given = options.initial.has_value();
    const Tensor made = differentiable_reduce(row, t, dim, keepdim, start, given, options.where, reorderable);
    return options.out.defined() ? copy_to_out(options.out, made) : made;
  }
  check_out_requires_no_grad(false, options.out);
  return (reorderable ? fold_associative : fold)(*row.op, t, dim, keepdim, type, initial, options.where, options.out);
}

PyObject* reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const UfuncRow& row = row_of(self);
  PyObject* overridden = nullptr;
  if (call_override(self, "reduce", args, nargs, kwnames, &overridden)) return overridden;
  if (!check_binary(self, "reduce", "Reduction")) return nullptr;
  Args<true, kNumReduceSlots> a;
  const Parser& parser = reduce_parser();
  if (parser.parse(nullptr, args, nargs, kwnames, a.values()) < 0) return nullptr;
  PyObject* result = call<true, ZeroDim::Value>(
      parser[0], a.objects(),
      [&] {
        Tensor t = a.tensor(array);
        int64_t first = 0;
        OptIntList dims = a.object(axis) ? a.opt_int_list(axis) : OptIntList(IntList(&first, 1));
        if (t.dim() == 0 && dims && dims->size() == 1 && ((*dims)[0] == 0 || (*dims)[0] == -1))
          dims = IntList(&first, 0);
        return reduce_tensor(row, t, dims, a.boolean(keepdims, false), a.opt_dtype(dtype),
                             reduce_options(a, {out, initial, where}));
      },
      ResultClass{.out = a.object(out)});
  return is_variable(a.object(array)) ? as_subclass_of(a.object(array), result) : result;
}

// The axis for a method along one axis: an int, a 1-tuple, or None if the array has one axis.
int64_t one_axis(const char* method, const Tensor& t, const OptIntList& dims) {
  TNP_CHECK((dims ? static_cast<int64_t>(dims->size()) : t.dim()) == 1, ErrorKind::Value, method,
            " does not allow multiple axes");
  return wrap_dim(dims ? (*dims)[0] : 0, t.dim(), "axis");
}

PyObject* accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const UfuncRow& row = row_of(self);
  PyObject* overridden = nullptr;
  if (call_override(self, "accumulate", args, nargs, kwnames, &overridden)) return overridden;
  if (!check_binary(self, "accumulate", "Accumulation")) return nullptr;
  Args<true, kNumReduceSlots> a;
  const Parser& parser = accumulate_parser();
  if (parser.parse(nullptr, args, nargs, kwnames, a.values()) < 0) return nullptr;
  PyObject* result = call<true>(parser[0], a.objects(), [&]() -> Tensor {
    Tensor t = a.tensor(array);
    TNP_CHECK(t.dim() > 0, ErrorKind::Type, "cannot accumulate on a scalar");
    int64_t first = 0;
    const int64_t d = one_axis("accumulate", t, a.object(axis) ? a.opt_int_list(axis) : OptIntList(IntList(&first, 1)));
    std::optional<ScalarType> type = a.opt_dtype(dtype);
    const Tensor& target = a.out(out);
    check_fold_dtype(row, t, type);
    const FloatingPointWatch watch(row.op && row.op->watched_as && t.device().is_cpu() ? "accumulate" : nullptr);
    if (row.accumulate) {
      if (row.accumulate_takes_dtype) type = type_for_out(t, type, target);
      if (type && !row.accumulate_takes_dtype) {
        t = cast_to(t, *type);
        type = std::nullopt;
      }
      Tensor made = row.accumulate(t, d, type);
      return fold_into(target, made);
    }
    TNP_CHECK(row.op, ErrorKind::NotImplemented, row.name, ".accumulate");
    type = loop_for_out(row, t, type, target);
    const bool associative = fold_order(row) == FoldOrder::Associative;
    if (fold_requires_grad(row, t, type)) {
      const Tensor made = differentiable_accumulate(row, type ? cast_to(t, *type) : t, d, associative);
      return target.defined() ? copy_to_out(target, made) : made;
    }
    check_out_requires_no_grad(false, target);
    return (associative ? fold_running_associative : fold_running)(*row.op, t, d, type, target);
  });
  return is_variable(a.object(array)) ? as_subclass_of(a.object(array), result) : result;
}

// outer(A, B): A[..., None, None] op B, with one new axis for each axis of B.
PyObject* outer(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const UfuncRow& row = row_of(self);
  PyObject* overridden = nullptr;
  if (call_override(self, "outer", args, nargs, kwnames, &overridden)) return overridden;
  if (row_of(self).core)
    return PyErr_SetString(PyExc_TypeError, "method outer is not allowed in ufunc with non-trivial signature"), nullptr;
  if (row.nin != 2)
    return PyErr_SetString(PyExc_ValueError, "outer product only supported for binary functions"), nullptr;
  if (nargs != 2)
    return PyErr_Format(PyExc_TypeError, "outer() takes exactly 2 positional arguments (%zd given)", nargs), nullptr;
  return protect<true>([&]() -> PyObject* {
    std::array<Ref, 2> operands;
    Tensor a = is_variable(args[0]) ? unwrap(args[0]) : as_tensor(args[0], true);
    Tensor b = is_variable(args[1]) ? unwrap(args[1]) : as_tensor(args[1], true);
    operands[0] = Ref(check(wrap<true>(a)));
    operands[1] = Ref(check(wrap<true>(b)));
    if (b.dim() > 0) {
      DimVector sizes(a.sizes());
      sizes.resize(sizes.size() + static_cast<size_t>(b.dim()), 1);
      Ref shape(check(tuple_of_ints(sizes)));
      operands[0] = Ref(check(call_function(true, "reshape", {operands[0].get(), shape.get()})));
      // A subclass's __array_finalize__ may have changed the shape; matrices stay 2-d.
      TNP_CHECK(unwrap(operands[0].get()).sizes() == IntList(sizes), ErrorKind::Type, row.name,
                ".outer() called with ndarray-subclass of type '", Py_TYPE(operands[0].get())->tp_name,
                "' which modified its shape after a reshape");
    }
    std::vector<PyObject*> all{operands[0].get(), operands[1].get()};
    Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nkw; ++i) all.push_back(args[nargs + i]);
    return PyObject_Vectorcall(self, all.data(), 2, kwnames);
  });
}

// places_of() for an array on a GPU. Does not check bounds, since the kernel that reads the
// positions detects indices out of bounds.
Tensor places_on_device(const Tensor& a, PyObject* indices) {
  const Device device = a.device();
  const Tensor zero = wrapped_number(Scalar(0));
  if (a.dim() == 1 && is_variable(indices) && is_integer(unwrap(indices).dtype()) &&
      unwrap(indices).device() == device) {
    const Tensor size = wrapped_number(Scalar(a.size(0))),
                 given = tnp::contiguous(tnp::cast(unwrap(indices), ScalarType::Int64));
    const Tensor from_end = tnp::logical_and(tnp::lt(given, zero), tnp::ge(given, tnp::neg(size)));
    return tnp::where(from_end, tnp::add(given, size), given);
  }
  const Tensor numbers = tnp::reshape(tnp::arange(Scalar(a.numel()), ScalarType::Int64, device), a.sizes());
  return tnp::clone(get_item(numbers, indices, true), Order::C);
}

// For each element that `indices` selects, its position in C order.
Tensor places_of(const Tensor& a, PyObject* indices) {
  if (!a.device().is_cpu()) return places_on_device(a, indices);
  if (is_variable(indices) && !unwrap(indices).device().is_cpu())
    raise_devices_differ(a.device(), unwrap(indices).device());
  if (a.dim() == 1 && is_variable(indices) && is_integer(unwrap(indices).dtype())) {
    Tensor places = unwrap(indices);
    const int64_t count = places.numel(), n = a.size(0);
    if (places.dtype() != ScalarType::Int64 || !places.is_contiguous()) {
      places = empty_tensor(places.sizes(), ScalarType::Int64);
      copy_into(places, unwrap(indices));
    }
    // A private copy: writes must not change the indices, and since other threads may write too,
    // each index is read once (see Note [Changing indices]).
    Tensor counted = empty_tensor(places.sizes(), ScalarType::Int64);
    const int64_t* place = places.data_ptr<int64_t>();
    auto* to = counted.data_ptr<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = __atomic_load_n(place + i, __ATOMIC_RELAXED);
      to[i] = TNP_LIKELY(at >= 0 && at < n) ? at : wrap_index(at, 0, n);
    }
    return counted;
  }
  // Index an array of positions in the same way.
  Tensor numbers = tnp::view(tnp::arange(Scalar(a.numel()), ScalarType::Int64), a.sizes());
  Tensor chosen = get_item(numbers, indices, true);
  Tensor places = empty_tensor(chosen.sizes(), ScalarType::Int64);
  copy_into(places, chosen);
  return places;
}

// Returns a contiguous tensor with the elements of `t`, broadcast to the shape of `places`. The
// result does not alias `a`, because `a` will be modified.
Tensor spread_over(const Tensor& places, const Tensor& t, const Tensor& a) {
  if (t.sizes() == places.sizes() && t.is_contiguous() && !may_share_memory(t, a)) return t;
  Tensor spread = empty_tensor(places.sizes(), t.dtype(), places.device());
  copy_into(spread, t);
  return spread;
}

// at(a, indices, b): like a[indices] = op(a[indices], b), but repeated indices accumulate.
PyObject* at(PyObject* self, PyObject* args) {
  const UfuncRow& row = row_of(self);
  PyObject *target, *indices, *operand = nullptr;
  if (!PyArg_ParseTuple(args, "OO|O:at", &target, &indices, &operand)) return nullptr;
  PyObject* overridden = nullptr;
  if (call_override(self, "at", &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), nullptr, &overridden))
    return overridden;
  if (row_of(self).core)
    return PyErr_SetString(PyExc_TypeError, "Only single output, non-signature ufuncs support at"), nullptr;
  Ref view;
  if (is_numpy_array(target)) {
    view = Ref(protect<true>([&] { return wrap<true>(from_foreign(target, Foreign::View)); }));
    if (!view) return nullptr;
    target = view.get();
  }
  if (!is_variable_and_no_scalar(target))
    return PyErr_SetString(PyExc_TypeError, "first operand must be array"), nullptr;
  if (row.nin > 2 || row.nout != 1)
    return PyErr_SetString(PyExc_ValueError, "Only unary and binary ufuncs supported at this time"), nullptr;
  if ((row.nin == 2) != (operand != nullptr)) {
    return PyErr_SetString(PyExc_ValueError, row.nin == 2 ? "second operand needed for ufunc"
                                                          : "second operand provided when ufunc is unary"),
           nullptr;
  }
  // The ufunc's name for messages with {op}.
  const Signature named(row.name, {}, {});
  return call<true>(named, {&PyTuple_GET_ITEM(args, 0), static_cast<size_t>(PyTuple_GET_SIZE(args))}, [&] {
    TNP_CHECK(row.op, ErrorKind::NotImplemented, row.name, ".at");
    const Tensor& whole = unwrap(target);
    check_writeable(whole, "output array");
    // Converting the indices and the operand may run Python code that changes the array's shape:
    // keep the current one.
    const Tensor a = view_of(whole, whole.sizes(), whole.strides(), whole.address());
    Tensor b = operand ? (is_variable(operand) ? unwrap(operand) : as_tensor(operand, true)) : Tensor();
    if (b.defined() && b.device() != a.device() && b.dim() > 0) raise_devices_differ(a.device(), b.device());
    const bool requires_grad = compute_requires_grad(whole) || (b.defined() && compute_requires_grad(b));
    Tensor places = [&] {
      NoGradGuard no_grad;
      return places_of(a, indices);
    }();
    if (requires_grad) {
      TNP_CHECK(a.sizes() == whole.sizes(), ErrorKind::Runtime, "the array changed its shape during the call");
      return differentiable_at(row, whole, places, b);
    }
    NoGradGuard no_grad;
    if (b.defined() && b.is_wrapped_number()) b = scalar_tensor(b.item(), b.dtype());  // not weak here: -1 is an int64
    if (b.defined() && b.device() != a.device()) b = tnp::to(b, std::optional(a.device()));  // a number
    a.storage().prepare_change();  // Python code may have created more readers
    const Tensor operand = b.defined() ? spread_over(places, b, a) : Tensor();
    a.bump_version();  // first, as a floating-point error may be raised when elements have changed already
    pointwise_at(*row.op, a, places, operand, fold_order(row));
  });
}

Tensor reduce_segments(const UfuncRow& row, const Tensor& t, int64_t d, IntList starts,
                       std::optional<ScalarType> type) {
  const int64_t n = t.size(d), count = static_cast<int64_t>(starts.size());
  const IntList dims(&d, 1);
  check_fold_dtype(row, t, type);
  if (!row.reduce) {
    TNP_CHECK(row.op, ErrorKind::NotImplemented, row.name, ".reduceat");
    if (!fold_requires_grad(row, t, type)) return fold_segments(*row.op, t, d, starts, type, fold_order(row));
  }
  // Ufuncs with a reduction operator use it for long segments (it is more accurate), and while
  // gradients are recorded.
  constexpr int64_t kLong = 64;
  if (row.op && !compute_requires_grad(t) && (count == 0 || n / count < kLong)) {
    Tensor few = tnp::narrow(t, d, 0, std::min<int64_t>(n, 1));
    ScalarType computed = n > 0 ? reduce_tensor(row, few, dims, true, type, {}).dtype() : t.dtype();
    return fold_segments(*row.op, t, d, starts, computed, fold_order(row));
  }
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = starts[static_cast<size_t>(i)], end = i + 1 < count ? starts[static_cast<size_t>(i + 1)] : n;
    const Tensor segment = tnp::narrow(t, d, start, std::max<int64_t>(end - start, 1));
    const bool alone = !row.reduce && segment.size(d) == 1;  // no identity: hypot.reduceat keeps -2
    parts.push_back(alone ? (type ? cast_to(segment, *type) : segment)
                          : reduce_tensor(row, segment, dims, true, type, {}));
  }
  if (parts.empty()) return tnp::narrow(t, d, 0, 0);
  return tnp::join(parts, d, parts[0].dtype());
}

// reduceat(array, indices, axis=0): segment i is array[indices[i]:indices[i + 1]], or one element
// if that slice is empty.
PyObject* reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const UfuncRow& row = row_of(self);
  PyObject* overridden = nullptr;
  if (call_override(self, "reduceat", args, nargs, kwnames, &overridden)) return overridden;
  if (!check_binary(self, "reduceat", "Reduceat")) return nullptr;
  Args<true, kNumReduceSlots> a;
  const Parser& parser = reduceat_parser();
  if (parser.parse(nullptr, args, nargs, kwnames, a.values()) < 0) return nullptr;
  PyObject* result = call<true>(parser[0], a.objects(), [&]() -> Tensor {
    Tensor t = a.tensor(array);
    TNP_CHECK(t.dim() > 0, ErrorKind::Type, "cannot reduceat on a scalar");
    int64_t first = 0;
    const int64_t d = one_axis("reduceat", t, a.object(axis) ? a.opt_int_list(axis) : OptIntList(IntList(&first, 1)));
    std::optional<ScalarType> type = a.opt_dtype(dtype);
    Tensor list = a.tensor(indices);
    if (list.numel() == 0 && !is_variable(a.object(indices)))
      list = cast_to(list, ScalarType::Int64);  // [] has no dtype
    TNP_CHECK(list.dim() == 1 && is_integer(list.dtype()), ErrorKind::Type,
              "reduceat() needs a 1-d array of integers as indices");
    Tensor dense = tnp::contiguous(tnp::to(cast_to(list, ScalarType::Int64), Device{}));
    const IntList starts(dense.data_ptr<int64_t>(), static_cast<size_t>(dense.numel()));
    const int64_t n = t.size(d);
    for (int64_t s : starts)
      TNP_CHECK(s >= 0 && s < n, ErrorKind::Index, "index ", s, " out-of-bounds in ", row.name, ".reduceat [0, ", n,
                ")");
    const Tensor& target = a.out(out);
    if (row.reduce_takes_dtype)
      type = type_for_out(t, type, target);
    else if (row.op && !row.reduce)
      type = loop_for_out(row, t, type, target);
    const FloatingPointWatch watch(row.op && row.op->watched_as && t.device().is_cpu() ? "reduceat" : nullptr);
    return fold_into(target, reduce_segments(row, t, d, starts, type));
  });
  return is_variable(a.object(array)) ? as_subclass_of(a.object(array), result) : result;
}

// resolve_dtypes((dtype, ..., None)): the dtypes of the loop for such operands, results last.
PyObject* resolve_dtypes(PyObject* self, PyObject* args, PyObject* kwargs) {
  const UfuncRow& row = row_of(self);
  static const char* names[] = {"dtypes", "signature", "casting", "reduction", nullptr};
  PyObject *dtypes, *signature = Py_None, *casting = Py_None;
  int reduction = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|$OOp:resolve_dtypes", const_cast<char**>(names), &PyTuple_Type,
                                   &dtypes, &signature, &casting, &reduction))
    return nullptr;
  return protect<true>([&]() -> PyObject* {
    TNP_CHECK(row.op, ErrorKind::NotImplemented, row.name, ".resolve_dtypes()");
    TNP_CHECK(PyTuple_GET_SIZE(dtypes) == row.nin + row.nout, ErrorKind::Type,
              "resolve_dtypes: {dtypes} must be a tuple of length ", row.nin + row.nout);
    TNP_CHECK(!reduction || (row.nin == 2 && row.nout == 1), ErrorKind::Value,
              "ufunc is not compatible with reduction operations.");
    TNP_CHECK(!reduction || PyTuple_GET_ITEM(dtypes, 0) == Py_None, ErrorKind::Type,
              "When the reduction flag is set, the first dtype must be None.");
    std::vector<Tensor> operands;
    for (int i = 0; i < row.nin; ++i) {
      PyObject* o = PyTuple_GET_ITEM(dtypes, reduction ? 1 : i);  // both operands of a reduction come from its input
      if (o == reinterpret_cast<PyObject*>(&PyLong_Type))
        operands.push_back(wrapped_number(Scalar(int64_t{0})));
      else if (o == reinterpret_cast<PyObject*>(&PyFloat_Type))
        operands.push_back(wrapped_number(Scalar(0.0)));
      else if (o == reinterpret_cast<PyObject*>(&PyComplex_Type))
        operands.push_back(wrapped_number(Scalar(Complex<double>(0, 0))));
      else {
        TNP_CHECK(!PyUnicode_Check(o), ErrorKind::Type,
                  "resolve_dtypes: Provided dtype must be a valid NumPy dtype, int, float, complex, or None.");
        const std::optional<ScalarType> dtype = o == Py_None ? std::nullopt : dtype_from_object(o);
        TNP_CHECK(dtype, ErrorKind::Type,
                  "resolve_dtypes: {dtypes} must be dtypes, or int, float or complex, of all operands");
        operands.push_back(empty_tensor({0}, *dtype));
      }
    }
    LoopRequest request;
    if (signature != Py_None) request = read_loop_request(row, signature);
    if (signature == Py_None) {
      if (reduction && row.reduce_takes_dtype) {  // sums and products of small integers are int64 or uint64
        for (Tensor& t : operands) {
          if (is_integral(t.dtype()))
            t = empty_tensor({0}, t.dtype() == ScalarType::Bool || is_signed_integer(t.dtype()) ? ScalarType::Int64
                                                                                                : ScalarType::UInt64);
        }
      }
      LoopTypes types = loop_types(row.op->promotion, row.name, operands, std::nullopt);
      request[0] = types.compute;
    }
    LoopDtypes loop = find_requested_loop(row, request, operands);
    Casting rule = casting == Py_None ? Casting::SameKind : read_casting(casting);
    for (int i = 0; i < row.nin; ++i) {
      const Tensor& t = operands[static_cast<size_t>(i)];
      ScalarType to = loop[static_cast<size_t>(i)];
      if (!t.is_wrapped_number() && !can_cast(t.dtype(), to, rule))
        raise_cannot_cast_input(row.name, i, t.dtype(), to, rule);
    }
    Ref result(check(PyTuple_New(row.nin + row.nout)));
    for (int i = 0; i < row.nin + row.nout; ++i) {
      PyTuple_SET_ITEM(result.get(), i, Py_NewRef(check(numpy_dtype(loop[static_cast<size_t>(i)]))));
    }
    return result.release();
  });
}

// --- the methods with fallback to NumPy if the engine cannot hold an argument

template <size_t n>
struct MethodName {
  char text[n];
  constexpr MethodName(const char (&name)[n]) { std::copy_n(name, n, text); }
};

std::string path_of(PyObject* self, const char* method) {
  const UfuncRow& row = row_of(self);
  return (row.package[0] ? std::string(row.package) + "." : "") + row.name + "." + method;
}

template <MethodName name, auto method>
PyObject* or_numpys_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (TNP_UNLIKELY(nargs > 1 && !check_no_ellipsis(args + 1, nargs - 1))) return nullptr;
  PyObject* given_out = kwnames ? keyword_of("out", args, nargs, kwnames) : nullptr;
  if (TNP_UNLIKELY(given_out && !check_no_ellipsis_in(given_out))) return nullptr;
  PyObject* result = nullptr;
  if (TNP_UNLIKELY(nargs > 0 && !is_exact(args[0])) && call_wrapping(self, name.text, args, nargs, kwnames, &result))
    return result;
  result = method(self, args, nargs, kwnames);
  if (TNP_UNLIKELY(!result)) result = fall_back(path_of(self, name.text).c_str(), nullptr, args, nargs, kwnames);
  if (TNP_UNLIKELY(given_out == Py_Ellipsis)) result = as_arrays(result);
  return result;
}
PyObject* at_or_numpys(PyObject* self, PyObject* args) {
  PyObject* result = at(self, args);
  return TNP_LIKELY(result) ? result : fall_back(path_of(self, "at").c_str(), nullptr, args, nullptr);
}
PyObject* resolve_dtypes_or_numpys(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* result = resolve_dtypes(self, args, kwargs);
  return TNP_LIKELY(result) ? result : fall_back(path_of(self, "resolve_dtypes").c_str(), nullptr, args, kwargs);
}

}  // namespace

PyMethodDef ufunc_methods[] = {
    {"reduce", as_method(or_numpys_method<"reduce", reduce>), METH_FASTCALL | METH_KEYWORDS,
     "reduce($self, array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)\n--\n\n"
     "Reduces the elements along `axis` by applying the ufunc repeatedly.\n\n"
     "Args:\n"
     "  array: Input array, or an object that can be converted to one.\n"
     "  axis: Axis or axes to reduce; None reduces all.\n"
     "  dtype: Dtype in which the result is computed; None is the ufunc's choice for the input.\n"
     "  out: Array that receives the result, with the shape of the result.\n"
     "  keepdims: Whether reduced axes stay in the result, with size 1.\n"
     "  initial: Number that the reduction begins with; None is the identity of the ufunc.\n"
     "  where: Mask of the elements that take part.\n\n"
     "Shapes: the result lacks the axes in `axis`, or has them with size 1 if `keepdims`.\n"
     "Errors: ValueError if the ufunc does not have two operands and one result, or if there are no\n"
     "elements and no identity; AxisError if `axis` is out of range."},
    {"accumulate", as_method(or_numpys_method<"accumulate", accumulate>), METH_FASTCALL | METH_KEYWORDS,
     "accumulate($self, array, /, axis=0, dtype=None, out=None)\n--\n\n"
     "Reductions of the elements along `axis` up to each element.\n\n"
     "Args:\n"
     "  array: Input array, or an object that can be converted to one.\n"
     "  axis: Axis to accumulate along.\n"
     "  dtype: Dtype in which the result is computed; None is the ufunc's choice for the input.\n"
     "  out: Array that receives the result, with the shape of the result.\n\n"
     "Shapes: the result has the shape of `array`.\n"
     "Errors: ValueError if the ufunc does not have two operands and one result; TypeError if `array`\n"
     "is 0-d; AxisError if `axis` is out of range."},
    {"outer", as_method(or_numpys_method<"outer", outer>), METH_FASTCALL | METH_KEYWORDS,
     "outer($self, A, B, /, **kwargs)\n--\n\n"
     "Result of the ufunc for each pair of an element of `A` and an element of `B`.\n\n"
     "Args:\n"
     "  A: First operand.\n"
     "  B: Second operand.\n"
     "  kwargs: Keyword arguments of the ufunc, such as `out` and `dtype`.\n\n"
     "Shapes: the result has the shape of `A` followed by that of `B`.\n"
     "Errors: ValueError if the ufunc does not have two operands."},
    {"at", at_or_numpys, METH_VARARGS,
     "at($self, a, indices, b=None, /)\n--\n\n"
     "Applies the ufunc in place to the elements of `a` at `indices`.\n\n"
     "An element that is indexed several times is changed several times.\n\n"
     "Args:\n"
     "  a: Array that is changed.\n"
     "  indices: Index of the elements, as in `a[indices]`.\n"
     "  b: Second operand, if the ufunc has two.\n\n"
     "Shapes: `b` broadcasts to the shape of `a[indices]`.\n"
     "Errors: ValueError if the ufunc has more than two operands or more than one result, or if `b` is\n"
     "missing or superfluous; IndexError if an index is out of range."},
    {"reduceat", as_method(or_numpys_method<"reduceat", reduceat>), METH_FASTCALL | METH_KEYWORDS,
     "reduceat($self, array, /, indices, axis=0, dtype=None, out=None)\n--\n\n"
     "Reductions of the slices of `array` that begin at `indices`.\n\n"
     "Slice i ends at the next index. If that index is not larger, the slice is the single element at\n"
     "index i.\n\n"
     "Args:\n"
     "  array: Input array, or an object that can be converted to one.\n"
     "  indices: Starts of the slices: a 1-d array of integers.\n"
     "  axis: Axis along which the slices lie.\n"
     "  dtype: Dtype in which the result is computed; None is the ufunc's choice for the input.\n"
     "  out: Array that receives the result, with the shape of the result.\n\n"
     "Shapes: the result has the shape of `array`, with the number of `indices` along `axis`.\n"
     "Errors: IndexError if an index is out of range; TypeError if `array` is 0-d or `indices` is no\n"
     "1-d array of integers; ValueError if the ufunc does not have two operands and one result."},
    {"resolve_dtypes", as_method(resolve_dtypes_or_numpys), METH_VARARGS | METH_KEYWORDS,
     "resolve_dtypes($self, dtypes, *, signature=None, casting=None, reduction=False)\n--\n\n"
     "Dtypes of the operands and results that a call of the ufunc uses.\n\n"
     "Args:\n"
     "  dtypes: Tuple with an entry for each operand and result: a dtype; int, float or complex for a\n"
     "    Python number; None for the dtype of a result that is not given.\n"
     "  signature: Requested dtypes of the loop, as in a call of the ufunc; None requests none.\n"
     "  casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'; None is 'same_kind'.\n"
     "  reduction: Whether the call is a reduction. The first entry of `dtypes` must be None then.\n\n"
     "Errors: TypeError if `dtypes` has another length or an invalid entry, if there is no such loop,\n"
     "or if `casting` forbids a cast; ValueError if `reduction` is True and the ufunc cannot reduce."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tnp::python
