// NumPy's legacy generator, the one behind numpy.random's functions, as one of ours.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/random/generator.h"

namespace tnp::python {

// A Generator that draws from the very memory that `state`, a numpy.random.RandomState over an MT19937, draws from,
// under its lock: both go on where the other one stopped. See Note [NumPy's state]. Null if `probe`, another
// RandomState, which is used up, does not lie in memory as is expected, or `state` has another bit generator.
intrusive_ptr<Generator> share_numpys_generator(PyObject* state, PyObject* probe);

}  // namespace tnp::python
