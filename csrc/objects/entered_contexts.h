// Python's contexts that a thread has entered.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "aten/core/devices/device.h"
#include "aten/core/threads/thread_object.h"

namespace tnp::python {

// One object for all kinds: Note [Thread-local memory] in aten/core/threads/thread_object.h.
struct EnteredContexts {
  std::vector<Device> outer_devices;            // default devices before `with device(...)`, innermost last
  std::vector<PyObject*> torch_function_modes;  // owned; the innermost is last

  static EnteredContexts& get() { return ThreadObject<EnteredContexts>::get(); }
  static const EnteredContexts* get_if_made() { return ThreadObject<EnteredContexts>::get_if_made(); }
};

}  // namespace tnp::python
