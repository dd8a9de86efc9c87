// Generated from native_functions/arrays.yaml. <false>: torch_np, <true>: torch_np.numpy.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

template <bool compat>
PyObject* THPVariable_filled(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_product(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_swapped(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_assign_(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_joined(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_chosen(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_linalg_places(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_nn_functional_normalized(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_numbers(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
template <bool compat>
PyObject* THPVariable_nn_functional_norm_of(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
extern PyTypeObject* torch_chosen_type;
extern PyTypeObject* torch_nn_functional_normalized_type;
extern PyTypeObject* numpy_NormalizedResult_type;

}  // namespace tnp::python
