// call<compat>: the frame around every native call. It speaks the dialect of the face, turns C++ exceptions into
// Python's (with argument names as the caller spelled them), and wraps the result in the face's type.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "csrc/args/args.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// `arguments`: among which are the arrays whose device has a say about promotion.
template <bool compat, class F>
PyObject* call(const Signature& signature, std::span<PyObject* const> arguments, F&& body) {
  return protect<compat>(static_cast<PyObject*>(nullptr), &signature, [&]() -> PyObject* {
    if (compat && TNP_UNLIKELY(numpy_promotion_by_device)) thread_state.dialect = numpy_dialect_for(arguments);
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      Py_RETURN_NONE;
    } else {
      return wrap<compat>(body());
    }
  });
}

// Several results under their names: `results`, an owned tuple or null, as an object of a class that
// init_named_results() made.
template <bool compat>
PyObject* named_result(PyTypeObject* type, PyObject* results);

// `result_class` is a ResultClass, or a function that reads one from arguments and may raise.
template <bool compat, class F, class From>
PyObject* call(const Signature& signature, std::span<PyObject* const> arguments, F&& body, From&& result_class) {
  ResultClass from;
  PyObject* result;
  if constexpr (std::is_invocable_v<From>) {
    result = call<compat>(signature, arguments, [&] {
      from = result_class();
      return body();
    });
  } else {
    from = result_class;
    result = call<compat>(signature, arguments, std::forward<F>(body));
  }
  if (TNP_LIKELY(!from.operand || Py_TYPE(from.operand) == ndarray_type || Py_TYPE(from.operand) == tensor_type))
    return result;
  return take_class(from, result);
}

}  // namespace tnp::python
