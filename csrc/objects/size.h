// torch_np.Size: a tuple of ints.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

#include "aten/core/tensor.h"

namespace tnp::python {

bool init_size_type(PyObject* module);
PyObject* make_size(IntList sizes);

// Whether an object is a torch_np.Size.
bool is_size(PyObject* obj);

// The public name of the PyTorch face, which reprs show: "torch_np"; "torch" if torch_np.install()
// has named the class Size so.
std::string torch_face();

}  // namespace tnp::python
