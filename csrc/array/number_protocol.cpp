// Python's number operators (x + y, -x, x @ y, x += y ...) of both types, as calls of the generated
// bindings. The result has the type of the left operand. For an operand of unknown type, an
// operator returns NotImplemented, so that Python tries the other operand.
#include <array>

#include "aten/autograd/variable.h"
#include "aten/compiler/tracer.h"
#include "aten/core/autocast.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/iterator/overlap.h"
#include "csrc/args/direct_call.h"
#include "csrc/args/kinds.h"
#include "csrc/array/parts.h"
#include "csrc/array/temporaries.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/not_held.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/overrides/operands.h"
#include "csrc/overrides/torch_function.h"
#include "csrc/ufunc/ufunc.h"

namespace tnp::python {

namespace {

enum Op {
  Add,
  Subtract,
  Multiply,
  TrueDivide,
  FloorDivide,
  Remainder,
  Power,
  LeftShift,
  RightShift,
  And,
  Or,
  Xor,
  MatMul,
  DivMod,
  Negative,
  Positive,
  Absolute,
  Invert,
  kNumOps
};

constexpr const char* kDunders[kNumOps] = {
    "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__lshift__", "__rshift__",
    "__and__", "__or__",  "__xor__", "__matmul__",  "__divmod__",   "__neg__", "__pos__", "__abs__",    "__invert__"};

// Tensor's methods that stand for an operator in __torch_function__, as in PyTorch: with a Tensor as
// the left operand, with a Tensor as the right operand only, and in place.
struct OverridableNames {
  const char *forward, *reflected, *inplace;
};
constexpr OverridableNames kOverridableNames[kNumOps] = {{"add", "add", "add_"},
                                                         {"sub", "__rsub__", "sub_"},
                                                         {"mul", "mul", "mul_"},
                                                         {"div", "__rtruediv__", "div_"},
                                                         {"__floordiv__", "__rfloordiv__", "floor_divide_"},
                                                         {"remainder", "__rmod__", "remainder_"},
                                                         {"pow", "__rpow__", "pow_"},
                                                         {"__lshift__", "__rlshift__", "__ilshift__"},
                                                         {"__rshift__", "__rrshift__", "__irshift__"},
                                                         {"__and__", "bitwise_and", "__iand__"},
                                                         {"__or__", "bitwise_or", "__ior__"},
                                                         {"__xor__", "bitwise_xor", "__ixor__"},
                                                         {"matmul", "__rmatmul__", "__imatmul__"},
                                                         {"__divmod__", "__rdivmod__", nullptr},
                                                         {"neg", nullptr, nullptr},
                                                         {"positive", nullptr, nullptr},
                                                         {"abs", nullptr, nullptr},
                                                         {"__invert__", nullptr, nullptr}};

// Calls an override of `a operator b`, if there is one.
TNP_COLD bool overridden_binary(Op op, PyObject* a, PyObject* b, PyObject** result) {
  return is_tensor(a) ? overridden_operator(kOverridableNames[op].forward, {a, b}, result)
                      : overridden_operator(kOverridableNames[op].reflected, {b, a}, result);
}

Binding bindings[2][kNumOps];
Binding inplace_bindings[kNumOps];
const UfuncRow* ufunc_rows[kNumOps];

PyObject* not_built(Op op) {
  PyErr_Format(PyExc_NotImplementedError, "operator %s is not part of this build of torch_np", kDunders[op]);
  return nullptr;
}

template <bool compat>
PyObject* call_operator(Op op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames = nullptr) {
  if (!bindings[compat][op]) return not_built(op);
  if constexpr (compat) {
    // Foreign operands may override the ufunc.
    if (ufunc_rows[op] && n == 2 && TNP_UNLIKELY(!is_variable(args[0]) || !is_variable(args[1]))) {
      return call_ufunc(*ufunc_rows[op], args, n, kwnames);
    }
  }
  return bindings[compat][op](nullptr, args, n, kwnames);
}

// Sequence repetition, as in [0] * x.sum(), where the sum is a 0-d integer array in place of a NumPy
// scalar. NumPy's scalars repeat the sequence; its 0-d arrays, np.array(3), multiply the elements.
bool repeats(PyObject* array, PyObject* other) {
  return (PyList_Check(other) || PyTuple_Check(other) || PyUnicode_Check(other) || PyBytes_Check(other)) &&
         unwrap(array).impl()->is_value && is_integer(unwrap(array).dtype());
}

// Whether `o * n` repeats a sequence.
bool is_repeated(PyObject* o) {
  const PyNumberMethods* const numbers = Py_TYPE(o)->tp_as_number;
  const PySequenceMethods* const items = Py_TYPE(o)->tp_as_sequence;
  return items && items->sq_repeat && !(numbers && numbers->nb_multiply);
}

// Whether `o` is a Python or NumPy number. Numbers do not override operators, so no protocol need
// be checked.
bool is_number(PyObject* o) {
  ScalarType dtype;
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || scalar_value(o, dtype) != nullptr;
}

// Whether this is an instance of a subclass whose own __array_ufunc__ overrides operators.
template <bool compat>
bool decides(Op op, PyObject* o) {
  return compat && TNP_UNLIKELY(!is_exact(o)) && ufunc_rows[op] && is_variable(o) && overrides_ufuncs(o);
}

// NumPy's scalars have no operator @.
PyObject* no_product_of_scalars(PyObject* a, PyObject* b) {
  return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for @: '%s' and '%s'", class_name_of(a).c_str(),
                      class_name_of(b).c_str());
}

template <bool compat, Op op>
PyObject* binary(PyObject* a, PyObject* b) {
  const bool exact = is_exact(a) && is_exact(b), ours = exact || is_variable(a);
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_binary(op, a, b, &done)) return done;
  }
  if constexpr (compat) {
    if (TNP_UNLIKELY(exact && Py_TYPE(a) != Py_TYPE(b)) && leaves_to_tensor(a, b)) return binary<false, op>(a, b);
    if (op == MatMul && exact && stands_for_scalar(a) && stands_for_scalar(b)) return no_product_of_scalars(a, b);
    const PointwiseOp* pointwise = !exact && ufunc_rows[op] ? ufunc_rows[op]->op : nullptr;
    if (pointwise && (is_exact(a) ? is_number(b) : is_exact(b) && is_number(a))) {
      PyObject* args[] = {a, b};
      if (PyObject* done = direct_call<true>(*pointwise, args, 2)) return done;
    }
  }
  if (TNP_UNLIKELY(!exact && (!ours || !is_variable(b)))) {
    if (compat && op == Multiply && repeats(ours ? a : b, ours ? b : a)) Py_RETURN_NOTIMPLEMENTED;
    if (compat && op == Multiply && stands_for_scalar(ours ? a : b) && is_repeated(ours ? b : a))
      return PyErr_Format(PyExc_TypeError, "can't multiply sequence by non-int of type 'numpy.%s'",
                          dtype_name(unwrap(ours ? a : b).dtype()));
    if (compat && op == MatMul && stands_for_scalar(ours ? a : b)) return no_product_of_scalars(a, b);
    if (!takes_operand<compat>(ours ? a : b, ours ? b : a)) {
      if (PyErr_Occurred()) return nullptr;
      if constexpr (compat) return leave_to_operand(kDunders[op], a, b);
      PyObject* done;
      if (!compat && overridden_binary(op, a, b, &done)) return done;
      Py_RETURN_NOTIMPLEMENTED;
    }
  }
  if (TNP_UNLIKELY(may_be_temporary(a) || may_be_temporary(b))) {
    const bool is_cast = op == Power && is_autocast_on();
    const PointwiseOp* pointwise = ufunc_rows[op] && !is_cast ? ufunc_rows[op]->op : nullptr;
    if (PyObject* done = pointwise ? compute_in_temporary<compat>(*pointwise, a, b) : nullptr) return done;
    if (PyErr_Occurred()) return nullptr;
  }
  PyObject* args[] = {a, b};
  if (TNP_LIKELY(exact)) {
    const PointwiseOp* pointwise = ufunc_rows[op] ? ufunc_rows[op]->op : nullptr;
    if (PyObject* done = pointwise ? direct_call<compat>(*pointwise, args, 2) : nullptr) return done;
    return call_operator<compat>(op, args, 2);
  }
  if (decides<compat>(op, a) || decides<compat>(op, b)) return call_ufunc(*ufunc_rows[op], args, 2, nullptr);
  PyObject* result = call_operator<compat>(op, args, 2);
  if (!result) return nullptr;  // an exception is set, so the other operand is not tried
  const bool a_decides = !is_exact(a) && is_variable(a), b_decides = !is_exact(b) && is_variable(b);
  if (a_decides && !(b_decides && array_priority(b) > array_priority(a))) return as_subclass_of(a, result);
  if (!b_decides) return result;
  return a_decides ? in_class_of(b, result) : as_subclass_of(b, result);
}

// divmod(a, b), computed as floor_divide and remainder, since the engine has no operator for both.
template <bool compat>
PyObject* divmod(PyObject* a, PyObject* b) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_binary(DivMod, a, b, &done)) return done;
  }
  if (bindings[compat][DivMod]) return binary<compat, DivMod>(a, b);
  Ref first(Py_NewRef(a)), second(Py_NewRef(b));  // both are read twice: see Note [Temporaries]
  Ref quotient(binary<compat, FloorDivide>(a, b));
  if (!quotient) return nullptr;
  if (quotient.get() == Py_NotImplemented) return quotient.release();
  Ref rest(binary<compat, Remainder>(a, b));
  return rest ? PyTuple_Pack(2, quotient.get(), rest.get()) : nullptr;
}

// x ** 2 and similar powers have their own operators, which are many times faster than pow and at
// least as accurate. NumPy does the same.
template <bool compat>
const char* power_by_name(PyObject* a, PyObject* b) {
  if (!is_variable(a) || !(PyFloat_CheckExact(b) || PyLong_CheckExact(b))) return nullptr;
  if (TNP_UNLIKELY(is_autocast_on()) && unwrap(a).device().is_cuda()) return nullptr;  // pow has a rule there
  ScalarType dtype = unwrap(a).dtype();
  bool inexact = is_differentiable(dtype);
  if (PyLong_CheckExact(b)) {
    int overflow = 0;
    long n = PyLong_AsLongAndOverflow(b, &overflow);
    if (n == 2 && (compat || !is_bool(dtype))) return "square";
    return n == -1 && !overflow && inexact ? "reciprocal" : nullptr;
  }
  double exponent = PyFloat_AS_DOUBLE(b);
  if (!inexact) return nullptr;
  return exponent == 2 ? "square" : exponent == 0.5 ? "sqrt" : exponent == -1 ? "reciprocal" : nullptr;
}

template <bool compat>
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_binary(Power, a, b, &done)) return done;
  }
  if (const char* name = decides<compat>(Power, a) ? nullptr : power_by_name<compat>(a, b)) {
    PyObject* result = call_function(compat, name, {a});
    return as_subclass_of(a, result);
  }
  return binary<compat, Power>(a, b);
}

template <bool compat, Op op>
PyObject* unary(PyObject* a) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute(kOverridableNames[op].forward, {a}, &done))
      return done;
  }
  if (decides<compat>(op, a)) return call_ufunc(*ufunc_rows[op], &a, 1, nullptr);
  PyObject* result = call_operator<compat>(op, &a, 1);
  return as_subclass_of(a, result);
}

// Calls the native in-place method, which also handles recording for autograd.
PyObject* torch_inplace(Op op, PyObject* self, PyObject* other) {
  return inplace_bindings[op] ? inplace_bindings[op](self, &other, 1, nullptr) : nullptr;
}

// Whether a op= b means the same on both faces. If the dtypes differ, PyTorch's promotion rules and
// errors differ from NumPy's.
bool means_the_same_in_place(const Tensor& a, const Tensor& b) {
  if (&a.storage() == &b.storage() && !a.is_same(b) && memory_overlap(a, b) == Overlap::Some) return false;
  if (!b.is_wrapped_number()) return a.dtype() == b.dtype();
  return !is_bool(b.dtype()) && (a.is_complex() || !b.is_complex());
}

// Computes `a op= b` by NumPy's out-of-place operator and a copy that autograd records. Used for
// mixed dtypes, and for y @= m, which has no in-place variant. Operands that alias the target are
// copied first, because the operator saves its operands. Returns false with an exception set on
// failure.
bool assign_differentiably(Op op, PyObject* a, PyObject* b) {
  auto apart = [a](PyObject* operand) {
    const Tensor& t = unwrap(operand);
    return protect<true>(Ref(), [&] {
      return t.storage().data() == unwrap(a).storage().data() ? Ref(check(wrap<true>(tnp::clone(t))))
                                                              : Ref(Py_NewRef(operand));
    });
  };
  const Ref x = apart(a), y = apart(b);
  if (!x || !y) return false;
  PyObject* args[] = {x.get(), y.get()};
  Ref made(call_operator<true>(op, args, 2));
  if (!made) return false;
  return protect<true>(false, [&] {
    const Tensor &to = unwrap(a), &from = unwrap(made.get());
    TNP_CHECK(from.sizes() == to.sizes(), ErrorKind::Value, "non-broadcastable output operand with shape ", to.sizes(),
              " doesn't match the broadcast shape ", from.sizes());
    TNP_CHECK(can_cast(from.dtype(), to.dtype(), Casting::SameKind), ErrorKind::Casting, "Cannot cast ufunc '",
              ufunc_rows[op]->name, "' output from dtype('", from.dtype(), "') to dtype('", to.dtype(),
              "') with casting rule 'same_kind'");
    tnp::copy_(to, from);
    return true;
  });
}

template <bool compat, Op op>
PyObject* inplace(PyObject* a, PyObject* b) {
  if (!is_variable(a)) return binary<compat, op>(a, b);
  if constexpr (compat) {
    if (TNP_UNLIKELY(unwrap(a).impl()->is_value)) return binary<true, op>(a, b);
    PyObject* operands[] = {a, b};
    const PointwiseOp* pointwise = ufunc_rows[op] ? ufunc_rows[op]->op : nullptr;
    if (PyObject* done = pointwise ? direct_call<true>(*pointwise, operands, 2, a) : nullptr)
      return has_floating_point_errors() ? after_floating_point_errors(done, nullptr) : done;
  }
  static PyObject* out_names = Py_BuildValue("(s)", "out");
  if constexpr (!compat && op != MatMul) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_operator(kOverridableNames[op].inplace, {a, b}, &done))
      return done;
  }
  if (!is_variable(b) && !takes_operand<compat>(a, b)) {
    if (PyErr_Occurred()) return nullptr;
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (decides<compat>(op, a) || decides<compat>(op, b)) {
    PyObject* args[] = {a, b, a};
    return call_ufunc(*ufunc_rows[op], args, 2, out_names);
  }
  Ref result;
  if constexpr (!compat) {
    if (!inplace_bindings[op]) return binary<compat, op>(a, b);
    result = Ref(torch_inplace(op, a, b));
  } else {
    if (!is_variable(b) && ufunc_rows[op] && overrides_ufuncs(b)) {
      PyObject* args[] = {a, b, a};
      return call_ufunc(*ufunc_rows[op], args, 2, out_names);
    }
    bool requires_grad = false, in_place = false;
    Ref other = protect<true>(Ref(), [&] {
      Tensor t = is_variable(b) ? unwrap(b) : as_tensor(b, true);
      requires_grad = compute_requires_grad(unwrap(a), t);
      in_place = inplace_bindings[op] && means_the_same_in_place(unwrap(a), t);
      if (unwrap(a).is_view()) check_inplace(unwrap(a), requires_grad);
      return requires_grad && !is_variable(b) ? Ref(check(wrap<false>(t))) : Ref(Py_NewRef(b));
    });
    if (!other && clear_not_held()) {
      PyObject* args[] = {a, b, a};
      result = Ref(call_operator<compat>(op, args, 2, out_names));
    } else if (!other) {
      PyObject* args[] = {a, b, a};
      result = Ref(ufunc_rows[op] ? retry_with_huge_integers(*ufunc_rows[op], args, 2, out_names) : nullptr);
    } else if (requires_grad && in_place) {
      result = Ref(torch_inplace(op, a, other.get()));
    } else if (requires_grad && (op == MatMul || inplace_bindings[op])) {
      if (!assign_differentiably(op, a, other.get())) return nullptr;
      return Py_NewRef(a);
    } else {
      PyObject* args[] = {a, b, a};
      result = Ref(call_operator<compat>(op, args, 2, out_names));
    }
  }
  return result ? Py_NewRef(a) : nullptr;
}

// --- conversion to Python numbers

template <bool compat>
int truth(PyObject* self) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__bool__", {self}, &done)) {
      const Ref owned(done);
      return owned ? PyObject_IsTrue(owned.get()) : -1;
    }
  }
  return protect<compat>(-1, [&]() -> int {
    const Tensor& t = unwrap(self);
    if (t.numel() == 1) return t.item().template to<bool>();
    if (t.numel() == 0) {
      if (compat)
        PyErr_SetString(PyExc_ValueError,
                        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array "
                        "is not empty.");
      else
        PyErr_SetString(PyExc_RuntimeError, "Boolean value of Tensor with no values is ambiguous");
    } else if (compat) {
      PyErr_SetString(PyExc_ValueError,
                      "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()");
    } else {
      PyErr_SetString(PyExc_RuntimeError, "Boolean value of Tensor with more than one value is ambiguous");
    }
    return -1;
  });
}

// The element of a 0-d array (torch: of an array with one element) as a Python number.
template <bool compat>
PyObject* element(PyObject* self) {
  return protect<compat>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    if (compat && t.dim() > 0) {
      PyErr_SetString(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
      return nullptr;
    }
    if (t.numel() != 1) {
      PyErr_Format(PyExc_RuntimeError, "a Tensor with %lld elements cannot be converted to Scalar",
                   static_cast<long long>(t.numel()));
      return nullptr;
    }
    return python_number(t.item());
  });
}

// NumPy's scalar in place of a complex 0-d array that stands for it; null for other arrays. It warns when
// it becomes a real number.
template <bool compat>
Ref complex_scalar(PyObject* self, PyObject* number) {
  if (!compat || !PyComplex_Check(number) || !stands_for_scalar(self)) return Ref();
  if (compiler::Tracer* const tracer = compiler::active_tracer())
    tracer->fail("a complex scalar becomes a real number, which warns");
  const Py_complex z = PyComplex_AsCComplex(number);
  return Ref(numpy_scalar(ScalarType::Complex128, &z));
}

template <bool compat>
PyObject* to_int(PyObject* self) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__int__", {self}, &done)) return done;
  }
  Ref number(element<compat>(self));
  if (!number) return nullptr;
  if (const Ref scalar = complex_scalar<compat>(self, number.get())) return PyNumber_Long(scalar.get());
  if (PyComplex_Check(number.get()))
    return PyErr_SetString(PyExc_TypeError,
                           "int() argument must be a string, a bytes-like object or a real number, not 'complex'"),
           nullptr;
  return PyNumber_Long(number.get());
}

template <bool compat>
PyObject* to_float(PyObject* self) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__float__", {self}, &done)) return done;
  }
  Ref number(element<compat>(self));
  if (!number) return nullptr;
  if (const Ref scalar = complex_scalar<compat>(self, number.get())) return PyNumber_Float(scalar.get());
  if (PyComplex_Check(number.get()))
    return PyErr_SetString(PyExc_TypeError, "float() argument must be a string or a real number, not 'complex'"),
           nullptr;
  return PyNumber_Float(number.get());
}

template <bool compat>
PyObject* to_index(PyObject* self) {
  if constexpr (!compat) {
    PyObject* done;
    if (TNP_UNLIKELY(torch_functions_watched) && overridden_attribute("__index__", {self}, &done)) return done;
  }
  const Tensor& t = unwrap(self);
  if (!is_integer(t.dtype()) || (compat ? t.dim() != 0 : t.numel() != 1)) {
    PyErr_SetString(PyExc_TypeError, compat ? "only integer scalar arrays can be converted to a scalar index"
                                            : "only integer tensors of a single element can be converted to an index");
    return nullptr;
  }
  return element<compat>(self);
}

}  // namespace

template <bool compat>
void add_number_slots(Slots& slots) {
  slots.insert(slots.end(),
               {
                   {Py_nb_add, slot(binary<compat, Add>)},
                   {Py_nb_subtract, slot(binary<compat, Subtract>)},
                   {Py_nb_multiply, slot(binary<compat, Multiply>)},
                   {Py_nb_true_divide, slot(binary<compat, TrueDivide>)},
                   {Py_nb_floor_divide, slot(binary<compat, FloorDivide>)},
                   {Py_nb_remainder, slot(binary<compat, Remainder>)},
                   {Py_nb_divmod, slot(divmod<compat>)},
                   {Py_nb_power, slot(power<compat>)},
                   {Py_nb_lshift, slot(binary<compat, LeftShift>)},
                   {Py_nb_rshift, slot(binary<compat, RightShift>)},
                   {Py_nb_and, slot(binary<compat, And>)},
                   {Py_nb_or, slot(binary<compat, Or>)},
                   {Py_nb_xor, slot(binary<compat, Xor>)},
                   {Py_nb_matrix_multiply, slot(binary<compat, MatMul>)},
                   {Py_nb_inplace_add, slot(inplace<compat, Add>)},
                   {Py_nb_inplace_subtract, slot(inplace<compat, Subtract>)},
                   {Py_nb_inplace_multiply, slot(inplace<compat, Multiply>)},
                   {Py_nb_inplace_true_divide, slot(inplace<compat, TrueDivide>)},
                   {Py_nb_inplace_floor_divide, slot(inplace<compat, FloorDivide>)},
                   {Py_nb_inplace_remainder, slot(inplace<compat, Remainder>)},
                   {Py_nb_inplace_power, slot(+[](PyObject* a, PyObject* b, PyObject* modulus) -> PyObject* {
                      if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
                      return inplace<compat, Power>(a, b);
                    })},
                   {Py_nb_inplace_lshift, slot(inplace<compat, LeftShift>)},
                   {Py_nb_inplace_rshift, slot(inplace<compat, RightShift>)},
                   {Py_nb_inplace_and, slot(inplace<compat, And>)},
                   {Py_nb_inplace_or, slot(inplace<compat, Or>)},
                   {Py_nb_inplace_xor, slot(inplace<compat, Xor>)},
                   {Py_nb_inplace_matrix_multiply, slot(inplace<compat, MatMul>)},
                   {Py_nb_negative, slot(unary<compat, Negative>)},
                   {Py_nb_positive, slot(unary<compat, Positive>)},
                   {Py_nb_absolute, slot(unary<compat, Absolute>)},
                   {Py_nb_invert, slot(unary<compat, Invert>)},
                   {Py_nb_bool, slot(truth<compat>)},
                   {Py_nb_int, slot(to_int<compat>)},
                   {Py_nb_float, slot(to_float<compat>)},
                   {Py_nb_index, slot(to_index<compat>)},
               });
}
template void add_number_slots<false>(Slots&);
template void add_number_slots<true>(Slots&);

bool init_number_protocol() {
  for (int op = 0; op < kNumOps; ++op) {
    const DunderRow* row = find_dunder(kDunders[op]);
    if (!row) continue;
    bindings[0][op] = row->torch;
    bindings[1][op] = row->numpy;
    inplace_bindings[op] = row->inplace;
    ufunc_rows[op] = row->ufunc ? find_ufunc(row->ufunc) : nullptr;
  }
  return true;
}

}  // namespace tnp::python
