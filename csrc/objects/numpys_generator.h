// Adapter for NumPy's legacy generator, which numpy.random's functions use.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/random/generator.h"

namespace tnp::python {

// A Generator that shares the state of `state`, a numpy.random.RandomState over an MT19937, under
// NumPy's lock. Draws from one of them advance the other as well. See Note [NumPy's state]. `probe`
// is a second RandomState that the function modifies to check the memory layout. Returns null if
// the layout is not as expected, or if `state` has another bit generator.
intrusive_ptr<Generator> share_numpys_generator(PyObject* state, PyObject* probe);

}  // namespace tnp::python
