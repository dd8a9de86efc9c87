// The interceptor of tensor subclasses with __torch_dispatch__, one for each thread.
//
// Note [Innermost dispatch] Such tensors live as long as the program wants, so no `with` statement
// bounds their interceptor. It is below all other interceptors of the thread from the first such tensor
// on, and stays there while it runs a handler: a subclass may contain tensors of another one.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/interceptor.h"

namespace tnp::python {

// Called when an interceptor of this thread is pushed or popped.
void note_pushed(compiler::Interceptor* i);
void note_popped(compiler::Interceptor* i);

// The thread's interceptor of subclasses. Raises NotImplemented while a function is traced.
compiler::Interceptor& ensure_dispatch();

bool add_dispatch(PyObject* module);

}  // namespace tnp::python
