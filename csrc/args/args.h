// Args: the matched arguments of one call, converted to C++ values on demand, by slot.
//
// The reading functions report errors by throwing PythonError (a Python exception is set) or
// tnp::Error. call<compat>() turns both into a null return. References that the reading functions
// return are valid as long as the Args object lives.
#pragma once

#include <array>
#include <bit>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "aten/autograd/variable.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/observer.h"
#include "aten/core/tensor.h"
#include "aten/kernels/out_options.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/reduction.h"
#include "csrc/args/readers.h"
#include "csrc/args/signature.h"
#include "csrc/objects/generator.h"

namespace tnp::python {

template <bool compat, int N>
class Args {
 public:
  Args() {}  // unions start uninitialised
  Args(const Args&) = delete;
  Args& operator=(const Args&) = delete;
  ~Args() {
    for (uint32_t rest = made_; rest; rest &= rest - 1) converted_[std::countr_zero(rest)].~Tensor();
    for (int i = 0; i < num_int_lists_; ++i) int_lists_[i].~DimVector();
    if (has_scratch_) scratch_.~Scratch();
  }

  PyObject** values() { return values_.data() + 1; }
  // null for arguments that are not given
  std::span<PyObject* const> objects() const { return std::span(values_).subspan(1); }
  bool given(int slot) const { return object(slot) != nullptr && object(slot) != Py_None; }
  PyObject* object(int slot) const { return values_[static_cast<size_t>(slot) + 1]; }

  const Tensor& tensor(int slot) {  // Tensor, TensorOrNumber, ArrayLike
    PyObject* o = object(slot);
    if (TNP_LIKELY(compat ? is_variable(o) : Py_TYPE(o) == tensor_type || Py_TYPE(o) == parameter_type))
      return borrow(slot, unwrap(o));
    return other_tensor(slot, o);
  }
  // On the torch face, an array may stand for a NumPy scalar while a function is traced.
  __attribute__((noinline)) const Tensor& other_tensor(int slot, PyObject* o) {
    const bool may_be_scalar = !compat && Py_TYPE(o) == ndarray_type && is_tracing();
    if (is_variable(o) && !may_be_scalar) return borrow(slot, unwrap(o));
    return keep(slot, as_tensor(o, compat));
  }
  const Tensor& tensor_or_undefined(int slot) { return given(slot) ? tensor(slot) : undefined(); }
  const std::vector<Tensor>& tensor_list(int slot) {
    std::vector<Tensor>& list = scratch().next(scratch().tensor_lists, scratch().num_tensor_lists);
    read_tensor_list(object(slot), compat, list);
    return list;
  }
  int64_t integer(int slot) { return read_integer(object(slot), compat); }
  int64_t integer(int slot, int64_t otherwise) { return given(slot) ? integer(slot) : otherwise; }
  std::optional<int64_t> opt_integer(int slot) { return given(slot) ? std::optional(integer(slot)) : std::nullopt; }
  double floating(int slot) { return read_double(object(slot), slot); }
  double floating(int slot, double otherwise) { return given(slot) ? floating(slot) : otherwise; }
  std::optional<double> opt_floating(int slot) { return given(slot) ? std::optional(floating(slot)) : std::nullopt; }
  bool boolean(int slot) { return read_bool(object(slot)); }
  bool boolean(int slot, bool otherwise) { return given(slot) ? boolean(slot) : otherwise; }
  std::optional<bool> opt_boolean(int slot) { return given(slot) ? std::optional(boolean(slot)) : std::nullopt; }
  Scalar scalar(int slot) { return read_scalar(object(slot), slot); }
  Scalar scalar(int slot, Scalar otherwise) { return given(slot) ? scalar(slot) : otherwise; }
  std::optional<Scalar> opt_scalar(int slot) { return given(slot) ? std::optional(scalar(slot)) : std::nullopt; }
  std::string_view string(int slot) { return read_string(object(slot)); }
  std::string_view string(int slot, std::string_view otherwise) { return given(slot) ? string(slot) : otherwise; }
  std::optional<std::string_view> opt_string(int slot) {
    return given(slot) ? std::optional(string(slot)) : std::nullopt;
  }
  Distribution distribution(int slot) { return read_distribution(object(slot)); }
  IntList int_list(int slot) {
    TNP_INTERNAL_ASSERT(num_int_lists_ < kMostIntLists);
    DimVector& list = *new (&int_lists_[num_int_lists_++]) DimVector;
    read_int_list(object(slot), reinterpret_cast<Py_ssize_t>(values_[0]), compat, list);
    return list;
  }
  IntList int_list(int slot, IntList otherwise) { return given(slot) ? int_list(slot) : otherwise; }
  OptIntList opt_int_list(int slot) { return given(slot) ? OptIntList(int_list(slot)) : std::nullopt; }
  using FloatList = std::span<const double>;
  FloatList float_list(int slot) {
    std::vector<double>& list = scratch().next(scratch().float_lists, scratch().num_float_lists);
    read_float_list(object(slot), slot, list);
    return list;
  }
  FloatList float_list(int slot, FloatList otherwise) { return given(slot) ? float_list(slot) : otherwise; }
  std::optional<FloatList> opt_float_list(int slot) {
    return given(slot) ? std::optional(float_list(slot)) : std::nullopt;
  }
  using BoolList = std::span<const bool>;
  BoolList bool_list(int slot) {
    BoolVector& list = scratch().next(scratch().bool_lists, scratch().num_bool_lists);
    read_bool_list(object(slot), list);
    return {list.data.get(), list.size};
  }
  BoolList bool_list(int slot, BoolList otherwise) { return given(slot) ? bool_list(slot) : otherwise; }
  std::optional<BoolList> opt_bool_list(int slot) {
    return given(slot) ? std::optional(bool_list(slot)) : std::nullopt;
  }
  ScalarType dtype(int slot) {
    std::optional<ScalarType> t = dtype_from_object(object(slot));
    return t ? *t : default_dtype(compat ? Face::NumPy : Face::Torch);
  }
  std::optional<ScalarType> opt_dtype(int slot) { return given(slot) ? dtype_from_object(object(slot)) : std::nullopt; }
  Device device(int slot, Device otherwise = {}) {
    return given(slot) ? device_from_object(object(slot)).value_or(otherwise) : otherwise;
  }
  Order order(int slot, Order otherwise = Order::K) { return given(slot) ? read_order(object(slot)) : otherwise; }
  Casting casting(int slot, Casting otherwise = Casting::SameKind) {
    return given(slot) ? read_casting(object(slot)) : otherwise;
  }
  const Tensor& out(int slot, int index = 0) {  // undefined if not given
    if (slot < 0 || !given(slot)) return undefined();
    PyObject* o = object(slot);
    if (TNP_LIKELY(index == 0 && is_variable(o))) return borrow(slot, unwrap(o));
    return scratch().outs[static_cast<size_t>(index & 1)] = read_out(o, index);
  }
  Generator* generator(int slot) {  // null: the default generator
    if (!given(slot)) return nullptr;
    return (scratch().generator = read_generator(object(slot))).get();
  }
  const Tensor& mask(int slot) {  // undefined if not given or True
    if (slot < 0 || !object(slot) || object(slot) == Py_True) return undefined();
    return keep(slot, read_mask(object(slot), compat));
  }

 private:
  static const Tensor& undefined() {
    static const Tensor none;
    return none;
  }
  static constexpr int kMostIntLists = 4;
  // State that few calls need. It is created on first use, so that other calls do not pay for it.
  struct Scratch {
    std::array<Tensor, 2> outs;
    intrusive_ptr<Generator> generator;
    // Upper limits of the number of lists of one signature, as kMostIntLists.
    // tools/codegen/signatures.py has the same limits and fails the build when a signature exceeds
    // them.
    std::array<std::vector<Tensor>, 2> tensor_lists;
    std::array<std::vector<double>, 2> float_lists;
    std::array<BoolVector, 2> bool_lists;
    size_t num_tensor_lists = 0, num_float_lists = 0, num_bool_lists = 0;
    template <class T, size_t n>
    T& next(std::array<T, n>& lists, size_t& used) {
      TNP_INTERNAL_ASSERT(used < n);
      return lists[used++];
    }
  };
  Scratch& scratch() {
    if (!has_scratch_) {
      new (&scratch_) Scratch;
      has_scratch_ = true;
    }
    return scratch_;
  }
  // Borrows the object's current tensor, without counting a reference. Note [Calls in flight]
  // explains how long the tensor lives.
  const Tensor& borrow(int slot, const Tensor& t) {
    return *new (&converted_[static_cast<size_t>(slot)]) Tensor(intrusive_ptr<TensorImpl>::adopt(t.impl()));
  }
  // Stores a tensor that was converted from a number, a sequence or a foreign array. The Args
  // object owns the tensor.
  const Tensor& keep(int slot, Tensor made) {
    Tensor& place = converted_[static_cast<size_t>(slot)];
    const uint32_t bit = uint32_t{1} << slot;
    if (made_ & bit) return place = std::move(made);
    made_ |= bit;
    return *new (&place) Tensor(std::move(made));
  }

  std::array<PyObject*, N + 1> values_{};  // [0]: the number of varargs, see Parser::parse
  uint32_t made_ = 0;                      // bitmask of the slots whose `converted_` is alive
  bool has_scratch_ = false;
  uint8_t num_int_lists_ = 0;
  union {
    Tensor converted_[N];
  };
  union {
    DimVector int_lists_[kMostIntLists];
  };
  union {
    Scratch scratch_;
  };
  static_assert(N <= 32);
};

// Slots of NumPy's common parameters of a ufunc or a reduction; -1 means that this face does not
// have the parameter.
struct PointwiseSlots {
  int out = -1, where = -1, dtype = -1, casting = -1, order = -1;
  OutDtype out_dtype = OutDtype::SameKind;
};
struct ReduceSlots {
  int out = -1, initial = -1, where = -1;
  OutDtype out_dtype = OutDtype::SameKind;
};

template <bool compat, int N>
PointwiseOptions pointwise_options(Args<compat, N>& args, PointwiseSlots slots) {
  PointwiseOptions options;
  if (slots.out >= 0 && args.given(slots.out)) {
    check_out_tuple(args.object(slots.out), 2);
    options.out[0] = args.out(slots.out, 0);
    options.out[1] = args.out(slots.out, 1);
    options.out_dtype = slots.out_dtype;
  }
  options.where = args.mask(slots.where);
  if (slots.dtype >= 0) options.dtype = args.opt_dtype(slots.dtype);
  if (slots.casting >= 0) options.casting = args.casting(slots.casting);
  if (slots.order >= 0) options.order = args.order(slots.order);
  return options;
}

template <bool compat, int N>
ReduceOptions reduce_options(Args<compat, N>& args, ReduceSlots slots) {
  ReduceOptions options;
  if (slots.out >= 0 && args.given(slots.out)) check_out_tuple(args.object(slots.out), 1);
  options.out = args.out(slots.out);
  options.out_dtype = slots.out_dtype;
  if (slots.initial >= 0 && args.given(slots.initial)) read_initial(args.object(slots.initial), options);
  options.where = args.mask(slots.where);
  return options;
}

// Reads out= for operators with kernels, which write to it directly.
template <bool compat, int N>
OutOptions out_options(Args<compat, N>& args, int slot, OutDtype rule = OutDtype::SameKind) {
  return {args.out(slot), rule};
}

// The dtype for operators that compute in the dtype of `out`: that of `dtype` or of `out`.
template <bool compat, int N>
std::optional<ScalarType> dtype_of_out(Args<compat, N>& args, int dtype, int slot) {
  const std::optional<ScalarType> given = args.opt_dtype(dtype);
  if (TNP_LIKELY(!args.given(slot))) return given;
  const Tensor& out = args.out(slot);
  if (given) check_out_dtype(OutDtype::Exact, *given, out.dtype());
  return out.dtype();
}

// Implements out= for composite operators: copies the result into the array given as out=
// (casting='same_kind').
template <bool compat, int N>
Tensor into_out(Args<compat, N>& args, int slot, Tensor result, OutDtype rule = OutDtype::SameKind) {
  const Tensor& out = args.out(slot);
  return out.defined() ? copy_to_out(out, result, Resizing::Warned, rule) : std::move(result);
}
// Returns the slot of out=, after checking that memory_format=, which it would override, is not
// given too.
template <bool compat, int N>
int without_format(Args<compat, N>& args, int out, int memory_format) {
  TNP_CHECK(!args.given(out) || !args.given(memory_format), ErrorKind::Runtime,
            "{memory_format} cannot be given with {out}");
  return out;
}
// Same as into_out() for operators without tensor inputs.
template <bool compat, int N>
Tensor into_new_out(Args<compat, N>& args, int slot, Tensor result, OutDtype rule = OutDtype::SameKind) {
  const Tensor& out = args.out(slot);
  return out.defined() ? copy_to_out(out, result, Resizing::Silent, rule) : std::move(result);
}

// Same as into_new_out() for results with one axis, written to an `out` of as many elements in any
// shape.
template <bool compat, int N>
Tensor into_line_out(Args<compat, N>& args, int slot, const Tensor& result, OutDtype rule = OutDtype::SameKind) {
  const Tensor& out = args.out(slot);
  if (!out.defined()) return result;
  const bool fits = out.numel() == result.numel();
  return copy_to_out(out,
                     fits ? view_of(result, out.sizes(), contiguous_strides(out.sizes()), result.address()) : result,
                     Resizing::Silent, rule);
}
// Same as into_out() for operators with several results.
template <bool compat, int N, class... T>
std::tuple<T...> into_outs(Args<compat, N>& args, int slot, std::tuple<T...> results) {
  if (TNP_LIKELY(!args.given(slot))) return results;
  std::array<Tensor, sizeof...(T)> list = std::apply(
      [](auto&&... each) { return std::array<Tensor, sizeof...(T)>{std::move(each)...}; }, std::move(results));
  copy_to_outs(args.object(slot), list);
  return std::apply([](auto&&... each) { return std::tuple<T...>{std::move(each)...}; }, std::move(list));
}

}  // namespace tnp::python
