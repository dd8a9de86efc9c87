// Arguments and results of boxed calls (aten/compiler/boxed.h) as Python objects.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/boxed.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// A list of the arguments: tensors as Tensors, dtypes, devices and numbers as on the torch face,
// enumerators as ints, the default generator as None. Throws PythonError.
Ref list_of_arguments(const compiler::BoxedCall& call);

// The inverse, for an operator with these kinds of arguments. An argument that is the same object
// as in `originals` (a list, or null) has the value that it has in `call`; other values replace it.
// Throws PythonError or Error.
compiler::BoxedCall call_with(const compiler::BoxedCall& call, std::string_view kinds, PyObject* originals,
                              PyObject* arguments);

// Results of an operator: one object, a tuple, or None. Throws PythonError.
Ref object_of(const compiler::BoxedResults& results, bool is_list);
// The inverse: a Tensor, a sequence of them (None: undefined), a number or None. Throws PythonError.
compiler::BoxedResults results_of(PyObject* object, const char* name);

}  // namespace tnp::python
