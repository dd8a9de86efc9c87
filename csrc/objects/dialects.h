// The dialect of a call: its face, with the promotion rules that the process has chosen for the
// device of its arrays.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <span>

#include "aten/core/threads/thread_state.h"

namespace tnp::python {

// The dialect of each face with the CPU's promotion rules. Index 0 is torch_np, and 1 is
// torch_np.numpy.
extern Dialect face_dialects[2];
// Same as face_dialects, for direct calls, which have already begun to watch for floating-point
// errors.
extern Dialect direct_dialects[2];

// Whether torch_np.numpy has different promotion rules on a GPU than on the CPU.
extern bool numpy_promotion_by_device;
// The dialect of torch_np.numpy for a call with these arguments. The first array on a device other
// than the CPU, possibly in a list or tuple, determines the rules. If there is no such array, the
// CPU's rules apply.
Dialect numpy_dialect_for(std::span<PyObject* const> arguments);

// _C._set_promotion_rules(rules, device): sets the rules of torch_np.numpy. `device`: 'cpu',
// 'cuda', or None for all devices without their own rules. `rules`: 'numpy', 'torch', or None to
// remove a device's own rules ('numpy' if device is None). Returns the previous setting.
PyObject* set_promotion_rules(PyObject*, PyObject* args);
// _C._get_promotion_rules(device): the effective rules.
PyObject* get_promotion_rules(PyObject*, PyObject* device);

}  // namespace tnp::python
