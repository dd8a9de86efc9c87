// Functions of torch_np._C on the memory of arrays, for torch_np's Python code.
#include <algorithm>

#include "aten/autograd/variable.h"
#include "aten/core/observer.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/iterator/layout.h"
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

// The addresses of the first byte of an array with elements, and of the byte behind its last one.
std::pair<const char*, const char*> bounds(const Tensor& t) {
  const DimVector strides = t.byte_strides();
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the range exists, as the array is in memory
  const ByteRange range = byte_range(t.sizes(), strides, 1, t.itemsize()).value();
  return {t.address() + range.low, t.address() + range.high};
}

// Whether `dense`, whose range of bytes has no gaps, has a byte of the first or the last element of `t`.
bool has_an_end(const Tensor& dense, const Tensor& t) {
  if (!has_order(dense, Order::A)) return false;
  const auto [low, high] = bounds(dense);
  const auto [first, last] = bounds(t);
  return (low <= first && first < high) || (low < last && last <= high);
}

PyObject* shares_memory(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2 || !is_variable(args[0]) || !is_variable(args[1]))
    return PyErr_SetString(PyExc_TypeError, "_shares_memory() takes two torch_np arrays"), nullptr;
  return protect<true>([&]() -> PyObject* {
    const Tensor &a = unwrap(args[0]), &b = unwrap(args[1]);
    if (!tnp::may_share_memory(a, b)) Py_RETURN_FALSE;
    const Overlap overlap = memory_overlap(a, b);
    if (overlap == Overlap::None) Py_RETURN_FALSE;
    if (overlap == Overlap::Same || has_an_end(a, b) || has_an_end(b, a)) Py_RETURN_TRUE;
    Py_RETURN_NONE;
  });
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
  if (PySlice_Check(args[1])) {
    return protect<true>([&] { return wrap<true>(clone(get_item(reshape(unwrap(args[0]), {-1}), args[1], true))); });
  }
  const Py_ssize_t i = PyNumber_AsSsize_t(args[1], PyExc_IndexError);
  return i == -1 && PyErr_Occurred() ? nullptr : flat_element_of(args[0], i);
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

// _compute_requires_grad(*values)
PyObject* py_compute_requires_grad(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  for (Py_ssize_t i = 0; i < nargs; ++i)
    if (is_variable(args[i]) && compute_requires_grad(unwrap(args[i]))) Py_RETURN_TRUE;
  Py_RETURN_FALSE;
}

// _are_plain(*arrays)
PyObject* are_plain(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!is_variable(args[i]) || !unwrap(args[i]).device().is_cpu() || compute_requires_grad(unwrap(args[i])))
      Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

// _common_shape(arrays)
PyObject* common_shape(PyObject*, PyObject* arrays) {
  const Ref list(PySequence_Fast(arrays, "_common_shape() takes a sequence of arrays"));
  if (!list) return nullptr;
  return protect<true>([&]() -> PyObject* {
    DimVector common;  // the last axis first
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
      PyObject* const o = PySequence_Fast_GET_ITEM(list.get(), i);
      if (!is_variable(o)) Py_RETURN_NONE;
      const IntList sizes = unwrap(o).sizes();
      while (common.size() < sizes.size()) common.push_back(1);
      for (size_t d = 0; d < sizes.size(); ++d) {
        const int64_t size = sizes[sizes.size() - 1 - d];
        if (common[d] != 1 && size != 1 && common[d] != size) Py_RETURN_NONE;
        if (common[d] == 1) common[d] = size;
      }
    }
    std::reverse(common.begin(), common.end());
    return tuple_of_ints(common);
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
    {"_shares_memory", as_method(shares_memory), METH_FASTCALL,
     "_shares_memory(a, b): whether two arrays have a byte in common. None if strides and ranges do not\n"
     "tell."},
    {"_flat_element", as_method(py_flat_element), METH_FASTCALL,
     "_flat_element(array, i): element `array.flat[i]`, or a copy of the elements of a slice."},
    {"_field", as_method(py_field), METH_FASTCALL,
     "_field(array, dtype, offset): view of a part of each element. None if NumPy has to make it: for\n"
     "dtypes that the engine lacks, and for arguments that it refuses."},
    {"_compute_requires_grad", as_method(py_compute_requires_grad), METH_FASTCALL,
     "_compute_requires_grad(*values): whether an operator on the values gets a gradient: gradients are\n"
     "enabled, and one of the arrays among them requires grad."},
    {"_are_plain", as_method(are_plain), METH_FASTCALL,
     "_are_plain(*arrays): whether all are arrays on the CPU for which no gradient is recorded."},
    {"_common_shape", common_shape, METH_O,
     "_common_shape(arrays): shape to which the arrays broadcast. None if there is none."},
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
