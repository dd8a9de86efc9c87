// call<compat>: the frame around every native call. It selects the face's dialect, translates C++
// exceptions to Python's (with argument names as the caller spelled them), and wraps the result in
// the face's type.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "aten/core/errors/pending_warnings.h"
#include "csrc/args/args.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Whether 0-d results are converted to scalars. Returns false with out=, or if an argument is an
// instance of a subclass.
inline bool gives_values(ZeroDim zero_dim, const ResultClass& from, std::span<PyObject* const> arguments) {
  if (zero_dim == ZeroDim::Array || (from.out && from.out != Py_None)) return false;
  if (zero_dim == ZeroDim::ValueOfAnyClass) return true;
  if (zero_dim == ZeroDim::ValueOfNumber)
    return from.operand && PyObject_TypeCheck(from.operand, numpy_api().generic_type);
  for (PyObject* o : arguments) {
    if (o && TNP_UNLIKELY(!is_exact(o)) && is_ndarray(o)) return false;
  }
  return true;
}

template <class T>
inline bool may_be_zero_dim(const T& result) {
  if constexpr (std::is_same_v<T, Tensor>)
    return result.defined() && result.dim() == 0;
  else
    return true;  // several results
}

// `arguments` contains the arrays whose device takes part in promotion. `from` determines the class
// of the result.
template <bool compat, ZeroDim zero_dim, class F>
PyObject* framed(const Signature& signature, std::span<PyObject* const> arguments, F&& body, const ResultClass& from) {
  return protect<compat>(static_cast<PyObject*>(nullptr), &signature, [&]() -> PyObject* {
    if (compat && TNP_UNLIKELY(numpy_promotion_by_device)) thread_state.dialect = numpy_dialect_for(arguments);
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      Py_RETURN_NONE;
    } else if constexpr (compat && zero_dim != ZeroDim::Array) {
      auto result = body();
      const bool values = may_be_zero_dim(result) && gives_values(zero_dim, from, arguments);
      return wrap_result<true>(std::move(result), values);
    } else {
      return wrap_result<compat>(body(), false);
    }
  });
}

template <bool compat, ZeroDim zero_dim = ZeroDim::Array, class F>
PyObject* call(const Signature& signature, std::span<PyObject* const> arguments, F&& body) {
  return framed<compat, zero_dim>(signature, arguments, std::forward<F>(body), {});
}

// Finishes a call with out=: issues PyTorch's warnings and checks this face's limits. Returns
// `result`, or null if a check or a warning raises an exception.
TNP_COLD PyObject* after_call_with_out(PyObject* out, PyObject* result);

// Issues the queued warnings of a call that returned `result`: an owned object, or null after an error.
// Returns null if a warning raises an exception.
TNP_COLD PyObject* give_warnings(PyObject* result);
inline PyObject* with_warnings(PyObject* result) {
  return TNP_LIKELY(num_pending_warnings == 0) ? result : give_warnings(result);
}

// Converts `results`, an owned tuple or null, to an instance of a class made by
// init_named_results().
template <bool compat>
PyObject* named_result(PyTypeObject* type, PyObject* results);

// `result_class` is a ResultClass, or a function that reads one from the arguments and may raise.
template <bool compat, ZeroDim zero_dim = ZeroDim::Array, class F, class From>
PyObject* call(const Signature& signature, std::span<PyObject* const> arguments, F&& body, From&& result_class) {
  ResultClass from;
  PyObject* result;
  if constexpr (std::is_invocable_v<From>) {
    result = framed<compat, zero_dim>(
        signature, arguments,
        [&] {
          from = result_class();
          return body();
        },
        from);
  } else {
    from = result_class;
    result = framed<compat, zero_dim>(signature, arguments, std::forward<F>(body), from);
  }
  if constexpr (!compat) {
    if (TNP_UNLIKELY(from.out && from.out != Py_None)) result = after_call_with_out(from.out, result);
  }
  if (TNP_LIKELY(!from.operand || Py_TYPE(from.operand) == ndarray_type || Py_TYPE(from.operand) == tensor_type))
    return result;
  return take_class(from, result);
}

}  // namespace tnp::python
