// The dialect that a call speaks: that of its face, in the promotion rules that the process has chosen for the device
// of its arrays.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <span>

#include "aten/core/threads/thread_state.h"

namespace tnp::python {

// By face: [0] torch_np, [1] torch_np.numpy. With the promotion rules of the CPU.
extern Dialect face_dialects[2];
// The same with a watch for floating-point errors that is open already: of direct calls.
extern Dialect direct_dialects[2];

// Whether torch_np.numpy has other promotion rules on another device than on the CPU.
extern bool numpy_promotion_by_device;
// That of torch_np.numpy for a call with these arguments: in the rules of the first device other than the CPU that an
// array among them is on, by itself or in a list or tuple. Numbers, and arrays of the CPU beside those of a device,
// have no say.
Dialect numpy_dialect_for(std::span<PyObject* const> arguments);

// _C._set_promotion_rules(rules, device): of torch_np.numpy. `device`: 'cpu' or 'cuda', or None for all that have no
// rules of their own. `rules`: 'numpy' or 'torch', or None for no rules of its own ('numpy' where device is None).
// Returns what was set before.
PyObject* set_promotion_rules(PyObject*, PyObject* args);
// _C._get_promotion_rules(device): those that hold there.
PyObject* get_promotion_rules(PyObject*, PyObject* device);

}  // namespace tnp::python
