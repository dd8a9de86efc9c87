// Conversion of dtypes and devices: from and to NumPy's dtype objects (with bfloat16 of ml_dtypes),
// torch_np's dtype objects, and aliases such as "float32".
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>
#include <string>

#include "aten/core/devices/device.h"
#include "aten/core/numbers/dtype.h"

namespace tnp::python {

PyObject* numpy_dtype(ScalarType t);  // np.dtype('float32'); borrowed
PyObject* torch_dtype(ScalarType t);  // torch_np.float32, of type torch_np.dtype; borrowed
// Anything np.dtype() accepts, or a torch_np.dtype; throws TypeError for other objects. Returns
// nullopt for None.
std::optional<ScalarType> dtype_from_object(PyObject* o);
// accepts 'cuda:1', or an object with .type and .index; nullopt for None
std::optional<Device> device_from_object(PyObject* o);
bool add_dtypes(PyObject* module);     // the type torch_np.dtype and its instances; call at import
ScalarType unwrap_dtype(PyObject* o);  // o must be a torch_np.dtype
bool is_torch_dtype(PyObject* o);

[[noreturn]] void raise_no_such_dtype(const std::string& what);  // NotHeldError, which lists the supported dtypes
// Our dtype for the kind ('b', 'i', 'u', 'f', 'c') and item size of a NumPy dtype or buffer format.
std::optional<ScalarType> dtype_of_kind(char kind, Py_ssize_t itemsize);
char kind_of(ScalarType t);

}  // namespace tnp::python
