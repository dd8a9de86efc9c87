// Functions of torch_np._C on the memory of arrays, for torch_np's Python code.
#include "aten/autograd/variable.h"
#include "aten/core/observer.h"
#include "aten/functions/copies.h"
#include "aten/iterator/overlap.h"
#include "csrc/args/readers.h"
#include "csrc/array/object_protocol.h"
#include "csrc/array/pickling.h"
#include "csrc/convert/convert.h"
#include "csrc/convert/held.h"
#include "csrc/indexing/indexing.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/variable.h"
#include "csrc/objects/watched.h"

namespace tnp::python {

namespace {

PyObject* may_share_memory(PyObject*, PyObject* args) {
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "OO:_may_share_memory", &a, &b)) return nullptr;
  if (!is_variable(a) || !is_variable(b)) Py_RETURN_FALSE;
  return protect<true>([&] { return PyBool_FromLong(tnp::may_share_memory(unwrap(a), unwrap(b))); });  // may compute
}

PyObject* numpy_view(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_numpy_view() takes a torch_np array"), nullptr;
  return protect<true>(
      [&] { return to_numpy(unwrap(o).device().is_cpu() ? unwrap(o) : cpu(detach(unwrap(o))), true); });
}

// _flat_element(array, i) implements ndarray.flat[i].
PyObject* py_flat_element(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2 || !is_variable(args[0]))
    return PyErr_SetString(PyExc_TypeError, "_flat_element() takes an array and an index"), nullptr;
  return protect<true>(
      [&] { return wrap_result<true>(flat_element(unwrap(args[0]), read_integer(args[1], true)), is_exact(args[0])); });
}

// _field(array, dtype, offset): None if the general path is needed.
PyObject* py_field(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || !is_ndarray(args[0]))
    return PyErr_SetString(PyExc_TypeError, "_field() takes an array, a dtype and an offset"), nullptr;
  return protect<true>([&]() -> PyObject* {
    const Tensor& t = unwrap(args[0]);
    if (names_foreign_dtype(args[1]) || !PyLong_CheckExact(args[2]) || !t.device().is_cpu() ||
        compute_requires_grad(t) || observer())
      Py_RETURN_NONE;
    const std::optional<ScalarType> dtype = dtype_from_object(args[1]);
    const int64_t offset = read_integer(args[2], true);
    if (!dtype || offset < 0 || offset > t.itemsize() - element_size(*dtype)) Py_RETURN_NONE;
    DimVector strides(t.strides());
    for (int64_t& stride : strides) stride *= t.stride_unit();
    const Tensor field = view_with_byte_strides(t, t.sizes(), strides, t.address() + offset, *dtype);
    return wrap_as<true>(Py_TYPE(args[0]), field, args[0]);
  });
}

// Parameters are leaves: their tensors are not views and have no history.
PyObject* make_subclass(PyObject*, PyObject* args) {
  PyObject *type, *data;
  int requires_grad = 0;
  if (!PyArg_ParseTuple(args, "O!O!|p:_make_subclass", &PyType_Type, &type, tensor_type, &data, &requires_grad))
    return nullptr;
  if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type))
    return PyErr_SetString(PyExc_TypeError, "_make_subclass() takes a class derived from Tensor"), nullptr;
  return protect<false>([&] {
    Tensor t = detach(unwrap(data));
    if (requires_grad) t.set_requires_grad(true);
    return wrap_as<false>(reinterpret_cast<PyTypeObject*>(type), t, nullptr);
  });
}

PyObject* set_parameter_type(PyObject*, PyObject* type) {
  if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type))
    return PyErr_SetString(PyExc_TypeError, "_set_parameter_type() takes a class derived from Tensor"), nullptr;
  // Operators on parameters return Tensors.
  if (PyObject_SetAttrString(type, "__torch_function__", disabled_torch_function) < 0) return nullptr;
  Py_INCREF(type);
  parameter_type = reinterpret_cast<PyTypeObject*>(type);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_may_share_memory", may_share_memory, METH_VARARGS, "Whether the memory ranges of two arrays overlap."},
    {"_flat_element", as_method(py_flat_element), METH_FASTCALL, "_flat_element(array, i): element `array.flat[i]`."},
    {"_field", as_method(py_field), METH_FASTCALL,
     "_field(array, dtype, offset): view of a part of each element. None if NumPy has to make it: for\n"
     "dtypes that the engine lacks, and for arguments that it refuses."},
    {"_numpy_view", numpy_view, METH_O,
     "The array as a numpy.ndarray, even if it requires a gradient: for printing and I/O. It shares\n"
     "memory on the CPU, and is a copy of memory on a GPU."},
    {"_set_repr_functions", as_method(set_repr_functions), METH_VARARGS | METH_KEYWORDS,
     "Sets the Python functions for repr and str of the two array types."},
    {"_make_subclass", make_subclass, METH_VARARGS,
     "_make_subclass(cls, data, requires_grad=False): leaf of the class `cls`, a subclass of Tensor,\n"
     "that shares the memory of `data`."},
    {"_set_parameter_type", set_parameter_type, METH_O, "Registers the class torch_np.nn.Parameter."},
    {"_reconstruct", reconstruct, METH_O, "Empty array of a class, for unpickling. `__setstate__` fills it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_array_helpers(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
