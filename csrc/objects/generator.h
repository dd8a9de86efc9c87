// torch_np._C.Generator: the Python object around a tnp::Generator.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/random/generator.h"

namespace tnp::python {

// The Generator of a _C.Generator, or of an object that carries one as `_generator` (torch_np.numpy.random.Generator).
// Throws PythonError (TypeError) for others. It is owned: `_generator` may be computed, and nobody else keep it.
intrusive_ptr<Generator> read_generator(PyObject* o);

// Adds the type and the functions about the default generator to torch_np._C. False: a Python exception is set.
bool init_generator(PyObject* module);

}  // namespace tnp::python
