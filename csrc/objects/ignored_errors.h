// Floating-point errors that a function written here ignores, as `np.errstate` would, in the calls
// that it makes through Python.
#pragma once

#include "aten/core/errors/floating_point_error_kinds.h"

namespace tnp::python {

// Errors that this thread's calls do not report to NumPy.
extern thread_local constinit FloatingPointErrors ignored_floating_point_errors;

class IgnoreErrors {
 public:
  explicit IgnoreErrors(FloatingPointErrors errors) : before_(ignored_floating_point_errors) {
    ignored_floating_point_errors |= errors;
  }
  ~IgnoreErrors() { ignored_floating_point_errors = before_; }
  IgnoreErrors(const IgnoreErrors&) = delete;
  IgnoreErrors& operator=(const IgnoreErrors&) = delete;

 private:
  FloatingPointErrors before_;
};

}  // namespace tnp::python
