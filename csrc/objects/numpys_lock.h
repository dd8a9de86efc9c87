// Lock of a NumPy bit generator.
#pragma once

#include "aten/random/generator.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// NumPy holds its lock together with the GIL for a single draw, and without the GIL for many draws.
class NumpysLock : public OuterLock {
 public:
  explicit NumpysLock(PyObject* lock)
      : acquire_(check(PyObject_GetAttrString(lock, "acquire"))),
        release_(check(PyObject_GetAttrString(lock, "release"))) {}

  bool lock(bool long_draw) override {
    GilGuard gil;
    // If this thread holds the GIL and Python has no other thread, the lock is free, and no thread
    // can take it.
    if (!long_draw && !PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get()))) return false;
    acquire();
    return true;
  }
  void unlock() noexcept override {
    GilGuard gil;
    PyObject *type, *value, *traceback;  // an exception may be pending
    PyErr_Fetch(&type, &value, &traceback);
    release();
    PyErr_Restore(type, value, traceback);
  }

 protected:
  void acquire() { Ref taken(check(PyObject_CallNoArgs(acquire_))); }
  void release() noexcept {
    Py_XDECREF(PyObject_CallNoArgs(release_));
    PyErr_Clear();
  }

 private:
  PyObject *acquire_, *release_;  // never released: NumPy's generator is never freed either
};

}  // namespace tnp::python
