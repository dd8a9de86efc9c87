// The stack of TorchFunctionMode objects of each thread, and the context managers that disable
// overrides.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// Takes the innermost mode from the stack, so that functions that the mode calls reach the next one.
// The destructor puts it back. The stack must not be empty.
class ModeTaken {
 public:
  ModeTaken();
  ~ModeTaken();
  ModeTaken(const ModeTaken&) = delete;
  ModeTaken& operator=(const ModeTaken&) = delete;
  PyObject* get() const { return mode_; }

 private:
  PyObject* mode_;
};

bool add_torch_function_modes(PyObject* module);

}  // namespace tnp::python
