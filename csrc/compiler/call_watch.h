// Watches the calls that Python code makes while a function is traced.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>

#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Scope around a function that is being traced, on its thread. For each call, `notice` is called
// with the frame and the function: with the frame of a function in Python as it starts, and None;
// with the frame that calls a function in C, and that function. If it returns True, calls inside
// that function are not watched. Operators made by custom_op are not watched either. A profiler (sys.setprofile) pauses
// meanwhile.
class CallWatch {
 public:
  explicit CallWatch(PyObject* notice);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

 private:
  static int see(PyObject* self, PyFrameObject* frame, int event, PyObject* function);
  PyObject* const notice_;
  // The frame of a function in Python, or which calls a function in C, that is not watched.
  const PyFrameObject* unwatched_ = nullptr;
  bool is_c_ = false;
  const Ref self_;  // a capsule of this
  const Py_tracefunc profiler_;
  PyObject* const profiled_;
};

}  // namespace tnp::python
