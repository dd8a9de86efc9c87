// Whether calls of the PyTorch face look for overrides (`__torch_function__`).
//
// Programs without subclasses of Tensor and without modes never do. The first such object starts
// the watch, and it never ends.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/macros.h"

namespace tnp::python {

extern bool torch_functions_watched;
// Installs the checks in the methods of Tensor; set by csrc/array/tensor_overrides.cpp.
extern void (*install_watch)();

// Starts the watch.
TNP_COLD void watch_torch_functions();

// Whether overrides are disabled in this thread.
struct TorchFunctionState {
  bool all_disabled = false;         // neither classes nor modes override
  bool subclasses_disabled = false;  // classes do not override, modes do
};
extern thread_local constinit TorchFunctionState torch_function_state;

// torch._C._disabled_torch_function_impl, which marks classes without overrides; null until the
// module is filled.
extern PyObject* disabled_torch_function;

// Whether objects of this type override functions.
bool type_overrides_torch_functions(PyTypeObject* type);

// Starts the watch if objects of this class, which is derived from Tensor, override functions.
inline void watch_class(PyTypeObject* type) {
  if (TNP_UNLIKELY(!torch_functions_watched) && type_overrides_torch_functions(type)) watch_torch_functions();
}

}  // namespace tnp::python
