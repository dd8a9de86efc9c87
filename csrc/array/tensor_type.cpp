// torch_np.Tensor: the type, its constructor and properties. Operators come from tables.h,
// gradients from csrc/autograd.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "aten/autograd/variable.h"
#include "aten/core/new_wrapped.h"
#include "aten/core/sparse.h"
#include "aten/core/wrapped.h"
#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/memory_format.h"
#include "csrc/array/parts.h"
#include "csrc/autograd/detached.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/hidden_state.h"
#include "csrc/objects/size.h"

namespace tnp::python {

namespace {

// PyTorch's legacy constructor, with the default dtype: Tensor(), Tensor(2, 3) and Tensor(x.shape) with
// sizes, Tensor(data) with values.
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (kwargs && PyDict_GET_SIZE(kwargs) > 0)
    return PyErr_SetString(PyExc_TypeError, "Tensor() takes no keyword arguments"), nullptr;
  return protect<false>([&]() -> PyObject* {
    ScalarType dtype = default_dtype(Face::Torch);
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    Tensor t;
    if (n == 1 && !PyLong_Check(PyTuple_GET_ITEM(args, 0)) && !is_size(PyTuple_GET_ITEM(args, 0))) {
      PyObject* data = PyTuple_GET_ITEM(args, 0);
      if (is_variable(data)) {
        Ref alias(check(wrap<false>(tnp::alias(unwrap(data)))));
        return wrap_as<false>(type, unwrap(alias.get()), nullptr);
      }
      t = tensor_from_sequence(data, false, dtype);
    } else {
      const bool is_list = n == 1 && is_size(PyTuple_GET_ITEM(args, 0));
      DimVector sizes;
      read_int_list(is_list ? PyTuple_GET_ITEM(args, 0) : args, 0, false, sizes);
      t = empty_tensor(n == 0 ? IntList{0} : IntList(sizes), dtype);
    }
    return wrap_as<false>(type, t, nullptr);
  });
}

PyObject* get_shape(PyObject* self, void*) { return shape_of(self, make_size); }
PyObject* get_dtype(PyObject* self, void*) { return Py_XNewRef(torch_dtype(unwrap(self).dtype())); }
PyObject* get_device(PyObject* self, void*) { return make_device(visible_device(unwrap(self))); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).dim()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(unwrap(self).itemsize() * unwrap(self).numel());
}
PyObject* get_is_meta(PyObject* self, void*) { return PyBool_FromLong(unwrap(self).device().is_meta()); }
PyObject* get_is_cuda(PyObject* self, void*) { return PyBool_FromLong(visible_device(unwrap(self)).is_cuda()); }
PyObject* get_T(PyObject* self, void*) {
  return protect<false>([&] { return wrap<false>(tnp::transpose(unwrap(self), std::nullopt)); });
}
PyObject* get_mT(PyObject* self, void*) {
  return protect<false>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    TNP_CHECK(t.dim() != 1, ErrorKind::Runtime,
              "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
    return wrap<false>(t.dim() == 0 ? tnp::alias(t) : matrix_transpose(t));
  });
}
PyObject* get_mH(PyObject* self, void*) {
  return protect<false>([&]() -> PyObject* {
    TNP_CHECK(unwrap(self).dim() != 1, ErrorKind::Runtime,
              "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.");
    Ref transposed(get_mT(self, nullptr));
    if (!transposed || !unwrap(self).is_complex()) return transposed.release();
    return call_function(false, "conj", {transposed.get()});
  });
}
PyObject* get_H(PyObject* self, void*) {
  return protect<false>([&]() -> PyObject* {
    const int64_t ndim = unwrap(self).dim();
    TNP_CHECK(ndim == 0 || ndim == 2, ErrorKind::Runtime, "tensor.H is only supported on matrices (2-D tensors). Got ",
              ndim, "-D tensor.", ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    return get_mH(self, nullptr);
  });
}
PyObject* get_is_cpu(PyObject* self, void*) { return PyBool_FromLong(visible_device(unwrap(self)).is_cpu()); }
// A gradient always has the dtype of its tensor.
int set_grad_dtype(PyObject* self, PyObject* value, void*) {
  return protect<false>(-1, [&] {
    TNP_CHECK(value && dtype_from_object(value) == unwrap(self).dtype(), ErrorKind::NotImplemented,
              "a grad_dtype other than the tensor's dtype is not implemented");
    return 0;
  });
}
PyObject* get_real(PyObject* self, void*) { return call_function(false, "real", {self}); }
PyObject* get_imag(PyObject* self, void*) { return call_function(false, "imag", {self}); }
int assign_part(PyObject* self, PyObject* value, PyObject* part) {
  Ref view(part);
  if (!view) return -1;
  if (!value) return PyErr_SetString(PyExc_RuntimeError, "the parts of a tensor cannot be deleted"), -1;
  return PyObject_SetItem(view.get(), Py_Ellipsis, value);
}
int set_real(PyObject* self, PyObject* value, void*) { return assign_part(self, value, get_real(self, nullptr)); }
int set_imag(PyObject* self, PyObject* value, void*) { return assign_part(self, value, get_imag(self, nullptr)); }
PyObject* get_cuda_array_interface(PyObject* self, void*) {
  return protect<false>([&] { return cuda_array_interface(unwrap(self)); });
}
PyObject* get_array_interface(PyObject* self, void*) {
  return protect<false>([&] { return array_interface(unwrap(self)); });
}

PyObject* get_data(PyObject* self, void*) {
  return protect<false>([&] {
    const Tensor data = detached(unwrap(self));
    data.impl()->is_data = true;
    return wrap<false>(data);
  });
}
int set_data(PyObject* self, PyObject* value, void*) {
  if (!value) return PyErr_SetString(PyExc_RuntimeError, "Tensor.data cannot be deleted"), -1;
  if (!is_variable(value)) return PyErr_SetString(PyExc_TypeError, "Tensor.data must be a Tensor"), -1;
  return protect<false>(-1, [&] {
    TNP_CHECK(is_sparse(unwrap(self)) == is_sparse(unwrap(value)), ErrorKind::Runtime,
              "incompatible tensor type: a sparse and a strided tensor cannot exchange their data");
    // The object keeps its own tensor and gradient; only the viewed memory changes.
    TensorImpl& to = *unwrap(self).impl();
    TNP_CHECK(!unwrap(self).requires_grad() || is_differentiable(unwrap(value).dtype()), ErrorKind::Runtime,
              "data set to a tensor that requires gradients must be floating point or complex dtype");
    retire(detach(unwrap(self)));
    Tensor source = unwrap(value);
    const TensorImpl& from = *source.impl();
    to.storage = from.storage;
    to.data = source.address();
    to.sizes = from.sizes;
    to.strides = from.strides;
    to.dtype = from.dtype;
    to.set_access(from.access());
    to.writeable = from.writeable;
    to.base = nullptr;
    to.refresh();
    return 0;
  });
}

// x.size(), x.size(1), x.stride(), x.stride(1)
PyObject* list_or_item(PyObject* self, IntList list, PyObject* args, PyObject* kwargs, bool as_size,
                       const char* format) {
  static const char* names[] = {"dim", nullptr};
  PyObject* dim = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), &dim)) return nullptr;
  if (dim == Py_None) return as_size ? make_size(list) : tuple_of_ints(list);
  return protect<false>([&]() -> PyObject* {
    int64_t d = wrap_dim(read_integer(dim, false), unwrap(self).dim());
    TNP_CHECK(!list.empty(), ErrorKind::Axis, "Dimension specified as ", d, " but tensor has no dimensions");
    return PyLong_FromLongLong(list[static_cast<size_t>(d)]);
  });
}
PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return list_or_item(self, unwrap(self).sizes(), args, kwargs, true, "|O:size");
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Tensor& t = unwrap(self);
  if (TNP_LIKELY(!t.is_unaligned())) return list_or_item(self, t.strides(), args, kwargs, false, "|O:stride");
  DimVector strides = t.byte_strides();
  return protect<false>([&] {
    for (int64_t& s : strides) {
      TNP_CHECK(s % t.itemsize() == 0, ErrorKind::NotImplemented, "stride(): elements of ", t.itemsize(),
                " bytes have a stride of ", s, " bytes");
      s /= t.itemsize();
    }
    return list_or_item(self, strides, args, kwargs, false, "|O:stride");
  });
}
PyObject* numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).numel()); }
PyObject* dim(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).dim()); }
PyObject* element_size(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).itemsize()); }
PyObject* is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  PyObject* format = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:is_contiguous", const_cast<char**>(names), &format))
    return nullptr;
  return protect<false>([&] {
    const Tensor& t = unwrap(self);
    const std::string_view name = format ? read_string(format) : "torch_np.contiguous_format";
    // The channels-last formats exist for one number of axes only.
    if (name == "torch_np.channels_last" && t.dim() != 4) return PyBool_FromLong(0);
    if (name == "torch_np.channels_last_3d" && t.dim() != 5) return PyBool_FromLong(0);
    const MemoryFormat wanted = memory_format_of(name, t.dim());
    TNP_CHECK(wanted != MemoryFormat::Preserve, ErrorKind::Runtime,
              "preserve memory format is unsupported by is_contiguous()");
    return PyBool_FromLong(has_format(t, wanted));
  });
}
PyObject* storage_offset(PyObject* self, PyObject*) {
  return protect<false>([&] {
    note_hidden_read(self, "the storage offset");
    return PyLong_FromLongLong(innermost_part(unwrap(self)).storage_offset());
  });
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return protect<false>([&] {
    const Tensor& t = unwrap(self);
    if (t.numel() == 0 || t.device().is_meta()) return PyLong_FromLong(0);  // as in PyTorch
    t.storage().lend();
    return PyLong_FromVoidPtr(t.address());
  });
}
PyObject* is_floating_point(PyObject* self, PyObject*) { return PyBool_FromLong(unwrap(self).is_floating_point()); }
PyObject* is_complex(PyObject* self, PyObject*) { return PyBool_FromLong(unwrap(self).is_complex()); }

// x.float(), x.long(), ...
const char* name_of_conversion(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float64:
      return "double";
    case ScalarType::Float32:
      return "float";
    case ScalarType::Float16:
      return "half";
    case ScalarType::Int64:
      return "long";
    case ScalarType::Int32:
      return "int";
    case ScalarType::Int16:
      return "short";
    case ScalarType::Int8:
      return "char";
    case ScalarType::UInt8:
      return "byte";
    case ScalarType::Complex64:
      return "cfloat";
    case ScalarType::Complex128:
      return "cdouble";
    default:
      return dtype_name(dtype);
  }
}

// Reads the single argument of the conversions, a keyword; null for None. False: a Python exception
// is set.
TNP_COLD bool read_memory_format(ScalarType dtype, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                                 PyObject** format) {
  const char* function = name_of_conversion(dtype);
  if (nargs)
    return PyErr_Format(PyExc_TypeError, "%s() takes 0 positional arguments, but %zd were given", function, nargs),
           false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    if (PyUnicode_CompareWithASCIIString(name, "memory_format") != 0)
      return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", function, name), false;
    if (args[i] != Py_None) *format = args[i];
  }
  if (*format && !PyUnicode_Check(*format) && !is_memory_format(*format))
    return PyErr_Format(PyExc_TypeError, "%s(): memory_format must be a torch_np.memory_format, not %s", function,
                        Py_TYPE(*format)->tp_name),
           false;
  return true;
}

// x.to(dtype, memory_format=memory_format).
template <ScalarType dtype>
PyObject* to_dtype(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* format = nullptr;
  if (TNP_UNLIKELY(nargs || kwnames) && !read_memory_format(dtype, args, nargs, kwnames, &format)) return nullptr;
  return as_subclass_of(self, protect<false>([&] {
                          std::optional<std::string_view> name;
                          if (format) name = read_string(format);
                          return wrap<false>(tnp::to(unwrap(self), dtype, false, false, name));
                        }));
}

// x.where(condition, other) calls where(condition, x, other).
PyObject* where(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"condition", "other", nullptr};
  PyObject *condition, *other;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:where", const_cast<char**>(names), &condition, &other))
    return nullptr;
  return call_function(false, "where", {condition, self, other});
}

#define TNP_CONVERSION(name, dtype, dtype_name)                                                     \
  {name, as_method(to_dtype<ScalarType::dtype>), METH_FASTCALL | METH_KEYWORDS,                     \
   name                                                                                             \
   "($self, /, *, memory_format=None)\n--\n\n"                                                      \
   "The tensor with elements of dtype " dtype_name                                                  \
   ". Returned itself if nothing has to change.\n\n"                                                \
   "Args:\n"                                                                                        \
   "  memory_format: Memory format of the result; preserve_format is the layout of the tensor.\n\n" \
   "Shapes: the result has the shape of the tensor.\n"                                              \
   "Errors: RuntimeError for a `memory_format` that does not fit the number of dimensions."}
PyMethodDef methods[] = {
    {"where", as_method(where), METH_VARARGS | METH_KEYWORDS,
     "where($self, /, condition, other)\n--\n\n"
     "The elements of the tensor where `condition` is True, and those of `other` elsewhere.\n\n"
     "Args:\n"
     "  condition: Mask: a tensor of bools.\n"
     "  other: Values where the mask is False: a tensor or a number.\n\n"
     "Shapes: the tensor, `condition` and `other` broadcast to the shape of the result.\n"
     "Errors: RuntimeError if the shapes do not broadcast."},
    TNP_CONVERSION("double", Float64, "float64"),
    TNP_CONVERSION("float", Float32, "float32"),
    TNP_CONVERSION("half", Float16, "float16"),
    TNP_CONVERSION("bfloat16", BFloat16, "bfloat16"),
    TNP_CONVERSION("long", Int64, "int64"),
    TNP_CONVERSION("int", Int32, "int32"),
    TNP_CONVERSION("short", Int16, "int16"),
    TNP_CONVERSION("char", Int8, "int8"),
    TNP_CONVERSION("byte", UInt8, "uint8"),
    TNP_CONVERSION("bool", Bool, "bool"),
    TNP_CONVERSION("cfloat", Complex64, "complex64"),
    TNP_CONVERSION("cdouble", Complex128, "complex128"),
    {"size", as_method(size), METH_VARARGS | METH_KEYWORDS,
     "size($self, /, dim=None)\n--\n\n"
     "Shape of the tensor, or its length along the dimension `dim`.\n\n"
     "Args:\n"
     "  dim: Dimension; None gives the whole shape.\n\n"
     "Errors: IndexError if `dim` is out of range."},
    {"stride", as_method(stride), METH_VARARGS | METH_KEYWORDS,
     "stride($self, /, dim=None)\n--\n\n"
     "Strides of the tensor, or its stride along the dimension `dim`, counted in elements.\n\n"
     "Args:\n"
     "  dim: Dimension; None gives the strides of all dimensions.\n\n"
     "Errors: IndexError if `dim` is out of range; NotImplementedError if a stride is no whole number\n"
     "of elements."},
    {"numel", numel, METH_NOARGS, "numel($self, /)\n--\n\nNumber of elements."},
    {"nelement", numel, METH_NOARGS, "nelement($self, /)\n--\n\nNumber of elements."},
    {"dim", dim, METH_NOARGS, "dim($self, /)\n--\n\nNumber of dimensions."},
    {"ndimension", dim, METH_NOARGS, "ndimension($self, /)\n--\n\nNumber of dimensions."},
    {"element_size", element_size, METH_NOARGS, "element_size($self, /)\n--\n\nSize of one element in bytes."},
    {"is_contiguous", as_method(is_contiguous), METH_VARARGS | METH_KEYWORDS,
     "is_contiguous($self, /, memory_format='torch_np.contiguous_format')\n--\n\n"
     "Whether the elements lie without gaps in the order of a memory format.\n\n"
     "Args:\n"
     "  memory_format: Memory format: torch_np.contiguous_format (row-major), channels_last or\n"
     "    channels_last_3d.\n\n"
     "Errors: RuntimeError if `memory_format` is torch_np.preserve_format."},
    {"storage_offset", storage_offset, METH_NOARGS,
     "storage_offset($self, /)\n--\n\nPosition of the first element in the storage, counted in elements."},
    {"data_ptr", data_ptr, METH_NOARGS,
     "data_ptr($self, /)\n--\n\nMemory address of the first element; 0 without elements."},
    {"is_floating_point", is_floating_point, METH_NOARGS,
     "is_floating_point($self, /)\n--\n\nWhether the dtype is a real floating-point dtype."},
    {"is_complex", is_complex, METH_NOARGS, "is_complex($self, /)\n--\n\nWhether the dtype is complex."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "Shape: a torch_np.Size with the length of each dimension.", nullptr},
    {"dtype", get_dtype, nullptr, "Data type of the elements: a torch_np.dtype.", nullptr},
    {"device", get_device, nullptr, "Device of the memory: a torch_np.device.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of dimensions.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Size of one element in bytes.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Size of all elements in bytes.", nullptr},
    {"is_meta", get_is_meta, nullptr,
     "Whether the device is 'meta': the tensor has a shape, strides and a dtype, but no memory.", nullptr},
    {"is_cuda", get_is_cuda, nullptr, "Whether the memory is on a GPU.", nullptr},
    {"T", get_T, nullptr, "Transpose: a view with the dimensions in reverse order.", nullptr},
    {"mT", get_mT, nullptr, "Matrix transpose: a view with the last two dimensions exchanged.", nullptr},
    {"mH", get_mH, nullptr, "Conjugate transpose of a matrix or a batch of matrices.", nullptr},
    {"is_cpu", get_is_cpu, nullptr, "Whether the memory is on the CPU.", nullptr},
    {"grad_dtype", get_dtype, set_grad_dtype, "Dtype of `grad`, which is always the dtype of the tensor.", nullptr},
    {"H", get_H, nullptr, "Conjugate transpose of a matrix.", nullptr},
    {"real", get_real, set_real, "View of the real parts. Assigning numbers changes these.", nullptr},
    {"imag", get_imag, set_imag, "View of the imaginary parts. Assigning numbers changes these.", nullptr},
    {"data", get_data, set_data,
     "View of the same memory that is detached from the graph. Backward passes do not notice changes\n"
     "through it: see `detach()` for a view whose changes they notice. Assigning a tensor makes this\n"
     "one use its memory.",
     nullptr},
    {"__array_interface__", get_array_interface, nullptr,
     "Description of the memory in NumPy's array interface: a dict.", nullptr},
    {"__cuda_array_interface__", get_cuda_array_interface, nullptr,
     "Description of memory on a GPU for CuPy and Numba: the CUDA array interface.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__dictoffset__", T_PYSSIZET, offsetof(THPVariable, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(THPVariable, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

bool init_tensor_type(PyObject* module) {
  Slots slots = {
      {Py_tp_new, reinterpret_cast<void*>(construct)},
      {Py_tp_dealloc, reinterpret_cast<void*>(variable_dealloc<false>)},
      {Py_tp_traverse, reinterpret_cast<void*>(variable_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(variable_clear)},
      {Py_tp_getset, properties},
      {Py_tp_members, members},
      {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
      {Py_tp_doc,
       const_cast<char*>(
           "A tensor with the interface of torch.Tensor. `_np_compat()` gives the same tensor as an ndarray.")}};
  add_number_slots<false>(slots);
  add_comparison_slot<false>(slots);
  add_object_slots<false>(slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"torch_np.Tensor", sizeof(THPVariable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!tensor_type) return false;
  for (const FamilyTables* family : family_tables) {
    if (!add_methods(tensor_type, family->tensor_methods)) return false;
  }
  PyMethodDef* interchange = interchange_methods<false>();
  PyMethodDef* devices = device_methods<false>();
  if (!interchange || !devices || !add_methods(tensor_type, devices) || !add_methods(tensor_type, interchange) ||
      !add_methods(tensor_type, methods) || !add_methods(tensor_type, object_methods<false>()) ||
      !add_methods(tensor_type, pickle_methods<false>())) {
    return false;
  }
  Ref priority(PyFloat_FromDouble(1000.0));
  if (!priority || PyDict_SetItemString(tensor_type->tp_dict, "__array_priority__", priority.get()) < 0) return false;
  return PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)) == 0;
}

}  // namespace tnp::python
