// KeptPythonError: carries a Python exception through C++ code that requires that no exception is
// set.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "csrc/objects/gil.h"

namespace tnp::python {

class KeptPythonError {
 public:
  KeptPythonError(PyObject* type, PyObject* value, PyObject* traceback)  // takes over the references
      : type_(type, drop), value_(value, drop), traceback_(traceback, drop) {}
  void restore() const {
    PyErr_Restore(Py_XNewRef(type_.get()), Py_XNewRef(value_.get()), Py_XNewRef(traceback_.get()));
  }

 private:
  static void drop(PyObject* o) {
    if (!o || !Py_IsInitialized()) return;
    GilGuard gil;
    Py_DECREF(o);
  }
  std::shared_ptr<PyObject> type_, value_, traceback_;
};

}  // namespace tnp::python
