// torch_np.device.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/devices/device.h"

namespace tnp::python {

bool init_device_type(PyObject* module);
PyObject* make_device(Device device);
// Whether `o` is a string such as 'cpu', 'cuda' or 'cuda:1', or a device object. x.to() uses it to
// tell a device from a dtype.
bool names_device(PyObject* o);

}  // namespace tnp::python
