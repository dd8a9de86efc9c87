// The GIL, taken and let go of from C++.
//
// Note [The end of the interpreter] A thread that is without the GIL when the interpreter ends (a daemon thread in a
// long operation) never gets it again. Before version 3.14, CPython ends such a thread by pthread_exit, which unwinds
// its stack as an exception does: destructors would run that drop references without the GIL, and the first one that
// may not throw would end the process by std::terminate. Here the thread waits forever instead, as CPython 3.14 lets
// it: it goes when the process does. What unwinds is caught where C++ waits for the GIL or calls Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace tnp::python {

[[noreturn]] inline void wait_for_the_end() {
  for (;;) pause();
}

// f(), which runs Python code, or waits for the GIL, and may be told to end the thread meanwhile. (The exception that
// ends a thread has no object: to UBSan, the reference to it is one to null.)
template <class F>
__attribute__((no_sanitize("undefined"))) decltype(auto) call_python(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

// Whether this thread holds the GIL, by its thread state of the main interpreter. PyGILState_Check() does not know: it
// says yes to every thread once there was a subinterpreter, and when the interpreter ends.
inline bool holds_gil() {
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* current = PyThreadState_GetUnchecked();
#else
  PyThreadState* current = _PyThreadState_UncheckedGet();  // before 3.12: of whichever thread holds the GIL
#endif
  return current && current == PyGILState_GetThisThreadState();
}

// Holds the GIL, in a thread that may hold it already.
class GilGuard {
 public:
  GilGuard() : state_(call_python([] { return PyGILState_Ensure(); })) {}
  ~GilGuard() { PyGILState_Release(state_); }
  GilGuard(const GilGuard&) = delete;
  GilGuard& operator=(const GilGuard&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace tnp::python
