// torch_np._C._Composition: a function of torch_np.numpy that is written in Python, as users see it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

bool init_composition_type(PyObject* module);
// The plain function within, borrowed; null if `o` is no composition.
PyObject* composition_of(PyObject* o);

}  // namespace tnp::python
