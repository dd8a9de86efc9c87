// How the program handles floating-point errors: np.errstate, and the filters of warnings.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/recorder.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Stands around a function that is recorded, on its thread.
class ErrorHandling {
 public:
  ErrorHandling();
  ~ErrorHandling();
  ErrorHandling(const ErrorHandling&) = delete;
  ErrorHandling& operator=(const ErrorHandling&) = delete;
  // Now, compared with what was when the innermost object was made.
  static compiler::Recorder::Errors now();

 private:
  Ref state_, filters_;
  ErrorHandling* outer_;
};

}  // namespace tnp::python
