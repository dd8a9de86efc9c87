// call<compat>: the frame around every native call. It sets the promotion rules of the face, turns C++ exceptions into
// Python's (with argument names as the caller spelled them), and wraps the result in the face's type.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "csrc/args/args.h"
#include "csrc/types/variable.h"

namespace tnp::python {

// Sets the Python exception for what is being thrown right now. Call in a catch (...) block.
template <bool compat>
TNP_COLD void set_python_error(const Signature* signature);

// Which promotion rules each face has in this process: [0] torch_np, [1] torch_np.numpy. See _C._set_promotion_rules.
extern PromotionRules face_rules[2];

template <bool compat, class F>
PyObject* call(const Signature& signature, F&& body) {
  try {
    PromotionRulesGuard rules(face_rules[compat]);
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      Py_RETURN_NONE;
    } else {
      return wrap<compat>(body());
    }
  } catch (...) {
    set_python_error<compat>(&signature);
    return nullptr;
  }
}

// Whose class a result takes when it is an object of a subclass of the face's type: that of the main operand, but for
// what was written into `out`, and, in operators whose scalars are no arrays in NumPy, but for 0-d results.
struct ResultClass {
  PyObject* operand = nullptr;
  PyObject* out = nullptr;
  bool scalars = true;
};
PyObject* take_class(const ResultClass& from, PyObject* result);

template <bool compat, class F>
PyObject* call(const Signature& signature, F&& body, ResultClass from) {
  PyObject* result = call<compat>(signature, std::forward<F>(body));
  if (TNP_LIKELY(!from.operand || Py_TYPE(from.operand) == ndarray_type || Py_TYPE(from.operand) == tensor_type))
    return result;
  return take_class(from, result);
}

}  // namespace tnp::python
