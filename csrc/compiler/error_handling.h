// Tracks how the program handles floating-point errors: np.errstate and the warning filters.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/tracer.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Scope around a function that is being traced, on its thread.
class ErrorHandling {
 public:
  ErrorHandling();
  ~ErrorHandling();
  ErrorHandling(const ErrorHandling&) = delete;
  ErrorHandling& operator=(const ErrorHandling&) = delete;
  // Compares the current state with the state at the construction of the innermost object.
  static compiler::Tracer::Errors now();

 private:
  Ref state_, filters_;
  ErrorHandling* outer_;
};

}  // namespace tnp::python
