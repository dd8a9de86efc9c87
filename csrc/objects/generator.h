// torch_np._C.Generator: the Python wrapper of a tnp::Generator.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/random/generator.h"

namespace tnp::python {

// Returns the tnp::Generator of `o`, which is a _C.Generator or an object with an attribute
// `_generator` (torch_np.numpy.random.Generator). Throws PythonError (TypeError) for other objects.
// Returns an owning pointer, since `_generator` may be a computed property.
intrusive_ptr<Generator> read_generator(PyObject* o);

// A new object for the generator, which shares its state.
PyObject* generator_object(Generator* generator);

// Adds the type and the functions for the default generator to torch_np._C. Returns false with a
// Python exception set on failure.
bool init_generator(PyObject* module);

}  // namespace tnp::python
