// Translation of C++ exceptions to Python's: the frame around every call from Python, and our own
// exception classes.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string_view>
#include <type_traits>
#include <utility>

#include "csrc/objects/dialects.h"
#include "csrc/objects/floating_point_errors.h"
#include "csrc/objects/in_flight.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Borrowed references, created on first use.
PyObject* linalg_error();    // torch_np.linalg.LinAlgError, a subclass of RuntimeError as in PyTorch
PyObject* overflow_error();  // torch face: a subclass of OverflowError and of RuntimeError

// The function that Python called. Error messages use its argument names.
class CalledFunction {
 public:
  virtual const char* function() const = 0;
  // Returns the Python name of a native argument, or the native name itself if the function has no
  // such argument.
  virtual std::string_view name_of(std::string_view native) const = 0;

 protected:
  ~CalledFunction() = default;
};

// Translates the exception in flight to a Python exception; `called` may be null. Call it in a
// catch (...) block.
template <bool compat>
TNP_COLD void set_python_error(const CalledFunction* called);

// Returns `result`, or `failure` if giving the floating-point errors to NumPy raises.
inline PyObject* after_floating_point_errors(PyObject* result, PyObject* failure) {
  if (give_floating_point_errors() || !result) return result;
  Py_DECREF(result);
  return failure;
}
template <class R>
R after_floating_point_errors(R result, R failure) {
  return give_floating_point_errors() ? std::move(result) : std::move(failure);
}

// Runs `body`. If it throws, translates the exception to a Python exception and returns `failure`.
// All calls from Python pass through this function. After `body`, reports floating-point errors on
// both faces, because the call may have computed pending results.
template <bool compat, class R, class F>
R guarded(R failure, const CalledFunction* called, F&& body) {
  InFlight call;
  try {
    R result = body();
    if (has_floating_point_errors()) return after_floating_point_errors(std::move(result), std::move(failure));
    return result;
  } catch (...) {
    set_python_error<compat>(called);
    return failure;
  }
}
template <bool compat, class F>
PyObject* guarded(F&& body) {
  return guarded<compat>(static_cast<PyObject*>(nullptr), nullptr, std::forward<F>(body));
}

// Same as guarded(), with the face's dialect set.
template <bool compat, class R, class F>
R protect(R failure, const CalledFunction* called, F&& body) {
  return guarded<compat>(std::move(failure), called, [&]() -> R {
    DialectGuard guard(face_dialects[compat]);
    return body();
  });
}
template <bool compat, class R, class F>
R protect(R failure, F&& body) {
  return protect<compat>(std::move(failure), nullptr, std::forward<F>(body));
}
template <bool compat, class F>
PyObject* protect(F&& body) {
  return protect<compat>(static_cast<PyObject*>(nullptr), nullptr, std::forward<F>(body));
}

}  // namespace tnp::python
