#include "csrc/args/direct_call.h"

#include <new>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/profiler/profiler.h"
#include "csrc/args/call.h"
#include "csrc/objects/numpy_scalars.h"

namespace tnp::python {

namespace {

// A number as operand, and its role in promotion. A Python number is `weak`: it adopts the array's
// dtype if that has the same kind. A NumPy scalar has its own dtype.
struct Number {
  Scalar value;
  ScalarType dtype = ScalarType::Float64;
  bool weak = true;
};

// Returns false if `o` is not a number, or is a number that only the general path handles.
template <bool compat>
bool read_number(PyObject* o, Number& number) {
  new (&number) Number;
  if (PyFloat_CheckExact(o)) {
    number.value = Scalar(PyFloat_AS_DOUBLE(o));
    return true;
  }
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    number.value = Scalar(static_cast<int64_t>(PyLong_AsLongLongAndOverflow(o, &overflow)));
    number.dtype = ScalarType::Int64;
    return overflow == 0;
  }
  if constexpr (compat) {
    if (PyComplex_CheckExact(o)) {
      const Py_complex z = PyComplex_AsCComplex(o);
      number.value = Scalar(Complex<double>(z.real, z.imag));
      number.dtype = ScalarType::Complex128;
      return true;
    }
    const void* at = scalar_value(o, number.dtype);
    if (!at || is_bool(number.dtype)) return false;
    number.value = scalar_at(number.dtype, at);
    number.weak = false;
    return true;
  }
  return false;
}

// Whether the result of `number` and an array of `dtype` has this dtype.
bool follows(const Number& number, ScalarType dtype) {
  if (number.weak || number.dtype == dtype) return true;
  return promotion_rules() == PromotionRules::NumPy && promote_types(dtype, number.dtype) == dtype;
}

// Applies the operator to numbers alone and returns a NumPy scalar; null means that the caller must
// use the general path.
PyObject* direct_numbers(const PointwiseOp& op, const Number* numbers, int count) {
  ScalarType dtype = ScalarType::Int64;
  bool weak = true;
  for (int i = 0; i < count; ++i) {
    const Number& n = numbers[i];
    if (n.weak) {
      if (weak && n.value.is_complex())
        dtype = to_complex(default_dtype(Face::NumPy));
      else if (weak && n.value.is_float() && !is_complex(dtype))
        dtype = default_dtype(Face::NumPy);
    } else if (weak) {
      dtype = n.dtype;
      weak = false;
    } else if (n.dtype != dtype) {
      return nullptr;
    }
  }
  const auto rules = static_cast<int>(promotion_rules());
  const PointwiseLoop* loop = op.direct[rules][static_cast<int>(dtype)].load(std::memory_order_acquire);
  if (!loop || op.nout != 1) return nullptr;
  profiler::Operation profiled(op.name);
  alignas(16) char bytes[4][16];
  char* data[4];
  int64_t strides[4] = {};
  for (int i = 0; i < count; ++i) {
    if (loop->types[i + 1] != dtype || !takes_directly(dtype, numbers[i].value)) return profiled.drop(), nullptr;
    visit_dtype(dtype, [&]<class T>() { *reinterpret_cast<T*>(bytes[i + 1]) = numbers[i].value.to<T>(); });
    data[i + 1] = bytes[i + 1];
  }
  data[0] = bytes[0];
  loop->loop(data, strides, 1);
  if (TNP_UNLIKELY(take_floating_point_flags()) && op.watched_as)  // see run_direct()
    return profiled.drop(), nullptr;
  return numpy_scalar(loop->types[0], bytes[0]);
}

__attribute__((noinline)) Tensor run_profiled(const PointwiseOp& op, const DirectOperands& operands, TensorImpl* out) {
  profiler::Operation profiled(op.name);
  Tensor result = run_direct(op, operands, out);
  if (!result.defined()) profiled.drop();
  return result;
}

}  // namespace

template <bool compat>
PyObject* direct_call(const PointwiseOp& op, PyObject* const* operands, int count, PyObject* out) {
  DirectOperands direct;
  union Numbers {  // constructed on first use: few calls have numbers
    Number each[3];
    Numbers() {}
  } space;
  Number* numbers = space.each;
  const TensorImpl* last = nullptr;
  bool any_axis = !compat;
  for (int i = 0; i < count; ++i) {
    PyObject* o = operands[i];
    if (TNP_LIKELY(is_exact(o))) {
      const TensorImpl* t = unwrap(o).impl();
      if (TNP_UNLIKELY(!t || !is_direct(*t))) return nullptr;
      direct.inputs[i] = last = t;
      any_axis |= !t->sizes.empty();
    } else if (read_number<compat>(o, numbers[i])) {
      direct.constants[i] = &numbers[i].value;
    } else {
      return nullptr;
    }
  }
  if ((!last && (!compat || out)) || (out && !is_direct(*unwrap(out).impl()))) return nullptr;
  try {
    DialectGuard guard(direct_dialects[compat]);
    if constexpr (compat) {
      if (!last && scalars_are_arrays.load(std::memory_order_relaxed)) return nullptr;
      if (!last) return direct_numbers(op, numbers, count);
      for (int i = 0; i < count; ++i) {
        if (direct.constants[i] && TNP_UNLIKELY(!follows(numbers[i], last->dtype))) return nullptr;
      }
    }
    TensorImpl* const into = out ? unwrap(out).impl() : nullptr;
    Tensor result = TNP_UNLIKELY(profiler::is_on()) ? run_profiled(op, direct, into) : run_direct(op, direct, into);
    if (TNP_UNLIKELY(!result.defined())) return nullptr;
    if (out) return Py_NewRef(out);
    return TNP_LIKELY(any_axis) ? wrap_new<compat>(std::move(result)) : wrap_value(std::move(result));
  } catch (...) {
    return nullptr;  // out of memory: the general path raises the error
  }
}
template PyObject* direct_call<false>(const PointwiseOp&, PyObject* const*, int, PyObject*);
template PyObject* direct_call<true>(const PointwiseOp&, PyObject* const*, int, PyObject*);

}  // namespace tnp::python
