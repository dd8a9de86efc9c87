// Adapter for NumPy's legacy generator, which numpy.random's functions use.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/random/generator.h"

namespace tnp::python {

// A Generator that shares the state of `state`, a numpy.random.RandomState over an MT19937, under
// NumPy's lock. Draws from one of them advance the other as well. Null if `state` has another bit
// generator.
//
// Its state is NumPy's memory: see Note [NumPy's state]. If that memory is not as expected, or the
// switch is off, each draw gets and sets the state by NumPy's methods. `probe` is a second
// RandomState that the function modifies to check the memory layout.
intrusive_ptr<Generator> share_numpys_generator(PyObject* state, PyObject* probe);

// The first way. Null if the layout is not as expected.
intrusive_ptr<Generator> generator_in_numpys_memory(PyObject* state, PyObject* probe);

}  // namespace tnp::python
