#include "csrc/objects/floating_point_errors.h"

#include "aten/iterator/cast.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/ignored_errors.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

thread_local constinit FloatingPointErrors ignored_floating_point_errors = kNoErrors;

namespace {

// Issues the warning; -1: a filter turned it into an exception.
int give_warning(const char* message) {
  if (message != kDiscardsImaginaryPart) return PyErr_WarnEx(PyExc_RuntimeWarning, message, 1);
  Ref module(PyImport_ImportModule("numpy.exceptions"));
  Ref category(module ? PyObject_GetAttrString(module.get(), "ComplexWarning") : nullptr);
  return category ? PyErr_WarnEx(category.get(), message, 1) : -1;
}

}  // namespace

bool give_floating_point_errors() {
  // Take the reports first: a warning may run Python code, which calls us again.
  const std::vector<FloatingPointReport> reports = take_floating_point_reports();
  if (PyErr_Occurred()) return true;
  return call_python([&] {
    for (const auto& [operation, errors] : reports) {
      const int left = errors & ~ignored_floating_point_errors;
      if (errors && !left) continue;
      const int given = errors ? numpy_api().give_floating_point_errors(operation, left) : give_warning(operation);
      if (given < 0) return false;
    }
    return true;
  });
}

}  // namespace tnp::python
