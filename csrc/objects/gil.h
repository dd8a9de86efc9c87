// Acquiring and releasing the GIL from C++.
//
// Note [The end of the interpreter] If the interpreter is finalised while a thread runs without the
// GIL (a daemon thread in a long operation), the thread can never acquire the GIL again. Before
// version 3.14, CPython ends such a thread by pthread_exit, which unwinds its stack like an
// exception. Destructors would then drop references without the GIL, and the first noexcept frame
// would call std::terminate. Therefore we catch the unwinding wherever C++ waits for the GIL or
// calls Python, and the thread sleeps until the process exits, as in CPython 3.14.
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

// Calls f(), which runs Python code or waits for the GIL. If CPython unwinds the thread at
// finalisation, catches the unwinding and sleeps. (The unwinding exception has no object: UBSan
// sees a reference to null.)
template <class F>
__attribute__((no_sanitize("undefined"))) decltype(auto) call_python(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

// Whether this thread holds the GIL. Determined by comparing the current thread state with this
// thread's state in the main interpreter. PyGILState_Check() is unreliable: it returns true for
// every thread after a subinterpreter was created, and during finalisation.
inline bool holds_gil() {
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* current = PyThreadState_GetUnchecked();
#else
  PyThreadState* current = _PyThreadState_UncheckedGet();  // before 3.12: the state of any thread that holds the GIL
#endif
  return current && current == PyGILState_GetThisThreadState();
}

// Scope guard that acquires the GIL. The thread may already hold the GIL.
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
