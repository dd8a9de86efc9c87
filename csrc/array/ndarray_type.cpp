// torch_np.numpy.ndarray: the type, its constructor and properties. Operators come from tables.h,
// gradients from csrc/autograd, composite operators and printing from Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "aten/autograd/variable.h"
#include "aten/core/wrapped.h"
#include "aten/functions/shape.h"
#include "csrc/args/fallback.h"
#include "csrc/args/packed.h"
#include "csrc/array/ndarray_new.h"
#include "csrc/array/object_protocol.h"
#include "csrc/array/parts.h"
#include "csrc/array/resize.h"
#include "csrc/convert/convert.h"
#include "csrc/indexing/indexing.h"
#include "csrc/objects/hidden_state.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/subclass_objects.h"

namespace tnp::python {

namespace {

// --- metadata

PyObject* get_shape(PyObject* self, void*) {
  return shape_of(self, [](IntList sizes) { return tuple_of_ints(sizes); });
}
PyObject* get_dtype(PyObject* self, void*) { return Py_XNewRef(numpy_dtype(unwrap(self).dtype())); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).dim()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).numel()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(unwrap(self).itemsize() * unwrap(self).numel());
}
PyObject* get_strides(PyObject* self, void*) {
  return tuple_of_ints(unwrap(self).strides(), unwrap(self).stride_unit());
}
PyObject* get_flags(PyObject* self, void*) { return make_flags(self); }
PyObject* get_data(PyObject* self, void*) { return PyMemoryView_FromObject(self); }
PyObject* get_device(PyObject* self, void*) {
  return PyUnicode_FromString(to_string(visible_device(unwrap(self))).c_str());
}
int set_device(PyObject*, PyObject*, void*) {
  PyErr_SetString(
      PyExc_AttributeError,
      "attribute 'device' of 'ndarray' objects is not writable: to_device() returns a copy on another device");
  return -1;
}
PyObject* get_base(PyObject* self, void*) {
  const Tensor& t = unwrap(self);
  note_hidden_read(self, "the base");
  if (t.impl()->base) return wrap<true>(Tensor(t.impl()->base));
  return protect<true>([&] {
    Ref owner = owner_of_memory(t);
    return owner ? owner.release() : Py_NewRef(Py_None);
  });
}
PyObject* get_cuda_array_interface(PyObject* self, void*) {
  return protect<true>([&] { return cuda_array_interface(unwrap(self)); });
}
PyObject* get_array_interface(PyObject* self, void*) {
  return protect<true>([&] { return array_interface(unwrap(self)); });
}

// __array_struct__: taken from a NumPy view, which keeps the array alive.
PyObject* get_array_struct(PyObject* self, void*) {
  return protect<true>([&] {
    const Tensor& t = unwrap(self);
    // After AttributeError, NumPy tries __array__. A bfloat16 would have a void type in this
    // struct.
    if (!t.device().is_cpu() || t.dtype() == ScalarType::BFloat16)
      raise_python(PyExc_AttributeError, "__array_struct__: NumPy's interface cannot describe this array");
    Ref view(check(to_numpy(t)));
    return PyObject_GetAttrString(view.get(), "__array_struct__");
  });
}

// Changes the array in place: gives it the shape, strides and dtype of `as`, a view of the same
// memory.
void become(const Tensor& self, const Tensor& as, const char* what) {
  check_untracked(self, what);
  TNP_CHECK(&self.storage() == &as.storage(), ErrorKind::Value, "incompatible shape for a non-contiguous array");
  TensorImpl& impl = *self.impl();
  impl.data = as.address();
  impl.sizes = DimVector(as.sizes());
  impl.strides = DimVector(as.strides());
  impl.dtype = as.dtype();
  impl.set_access(as.impl()->access());
  impl.refresh();
}

int set_shape(PyObject* self, PyObject* value, void*) {
  if (!value) return PyErr_SetString(PyExc_AttributeError, "Cannot delete array shape"), -1;
  return protect<true>(-1, [&] {
    NoGradGuard no_grad;
    Ref shape(PyLong_Check(value) ? PyTuple_Pack(1, value) : Py_NewRef(value));
    Ref view(check(call_function(true, "reshape", {self, shape.get()})));
    if (unwrap(view.get()).impl() == unwrap(self).impl()) return 0;
    if (&unwrap(view.get()).storage() != &unwrap(self).storage()) {
      PyErr_SetString(
          PyExc_AttributeError,
          "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
      return -1;
    }
    become(unwrap(self), unwrap(view.get()), "assignment to shape");
    return 0;
  });
}

int set_dtype(PyObject* self, PyObject* value, void*) {
  if (!value) return PyErr_SetString(PyExc_AttributeError, "Cannot delete array dtype"), -1;
  return protect<true>(-1, [&] {
    NoGradGuard no_grad;
    Ref view(check(call_method(true, "view", {self, value})));
    if (unwrap(view.get()).impl() != unwrap(self).impl())
      become(unwrap(self), unwrap(view.get()), "assignment to dtype");
    return 0;
  });
}

int set_strides(PyObject* self, PyObject* value, void*) {
  if (!value) return PyErr_SetString(PyExc_AttributeError, "Cannot delete array strides"), -1;
  if (PyErr_WarnEx(PyExc_DeprecationWarning,
                   "Setting the strides on a NumPy array has been deprecated in NumPy 2.4.\n"
                   "As an alternative, you can create a new view using np.lib.stride_tricks.as_strided.",
                   1) < 0)
    return -1;
  return protect<true>(-1, [&] {
    const Tensor& t = unwrap(self);
    DimVector strides;
    read_int_list(value, 0, true, strides);
    TNP_CHECK(static_cast<int64_t>(strides.size()) == t.dim(), ErrorKind::Value,
              "strides must be same length as shape (", t.dim(), ")");
    int64_t low = 0, high = t.itemsize();  // byte range of the elements, relative to the first
    for (int64_t d = 0; d < t.dim(); ++d) {
      const int64_t stride = strides[static_cast<size_t>(d)];
      int64_t reach = 0;
      TNP_CHECK(!__builtin_mul_overflow(std::max<int64_t>(t.size(d) - 1, 0), stride, &reach) &&
                    !__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high),
                ErrorKind::Value, "strides is not compatible with available memory");
    }
    const int64_t before = t.address() - t.storage().data();
    TNP_CHECK(t.numel() == 0 || (low >= -before && high <= static_cast<int64_t>(t.storage().bytes()) - before),
              ErrorKind::Value, "strides is not compatible with available memory");
    become(t, view_with_byte_strides(t, t.sizes(), strides, t.address(), t.dtype()), "assignment to strides");
    return 0;
  });
}

// --- parts and transposes

PyObject* get_T(PyObject* self, void*) {
  if (stands_for_scalar(self)) return Py_NewRef(self);
  return as_subclass_of(self, protect<true>([&] { return wrap<true>(tnp::transpose(unwrap(self), std::nullopt)); }));
}
PyObject* get_mT(PyObject* self, void*) {
  if (unwrap(self).dim() < 2)
    return PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined"), nullptr;
  return as_subclass_of(self, protect<true>([&] { return wrap<true>(tnp::matrix_transpose(unwrap(self))); }));
}
PyObject* get_part(PyObject* self, Tensor part(const Tensor&)) {
  return as_scalar_of(self, as_subclass_of(self, protect<true>([&] { return wrap<true>(part(unwrap(self))); })));
}
// As in NumPy, the real part of a real array is the array itself.
PyObject* get_real(PyObject* self, void*) {
  const bool is_itself = !unwrap(self).is_complex() && !stands_for_scalar(self);
  return is_itself ? Py_NewRef(self) : get_part(self, tnp::real);
}
PyObject* get_imag(PyObject* self, void*) { return get_part(self, tnp::imag); }

int assign_part(PyObject* self, PyObject* value, const char* part) {
  if (!value) return PyErr_Format(PyExc_AttributeError, "Cannot delete array %s part", part + 1), -1;
  Ref view(call_function(true, part, {self}));
  return view ? PyObject_SetItem(view.get(), Py_Ellipsis, value) : -1;
}
int set_real(PyObject* self, PyObject* value, void*) { return assign_part(self, value, "_real"); }
int set_imag(PyObject* self, PyObject* value, void*) {
  if (value && !unwrap(self).is_complex())
    return PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set"), -1;
  return assign_part(self, value, "_imag");
}

// --- methods

// x.view(dtype, type), by position or by name
PyObject* view_of_memory(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject *dtype = nargs > 0 ? args[0] : nullptr, *type = nargs > 1 ? args[1] : nullptr;
  if (kwnames || nargs > 2) {
    static const char* names[] = {"dtype", "type", nullptr};
    const Ref positional(tuple_of(args, nargs)), named(named_arguments(args + nargs, kwnames));
    if (!positional || !named ||
        !PyArg_ParseTupleAndKeywords(positional.get(), named.get(), "|OO:view", const_cast<char**>(names), &dtype,
                                     &type))
      return nullptr;
  }
  if (dtype && is_array_class(dtype)) {
    if (type) return PyErr_SetString(PyExc_ValueError, "Cannot specify output type twice."), nullptr;
    type = dtype;
    dtype = nullptr;
  }
  if (type && !is_array_class(type))
    return PyErr_SetString(PyExc_ValueError, "type must be a sub-type of ndarray type"), nullptr;
  PyTypeObject* wanted = type ? reinterpret_cast<PyTypeObject*>(type) : Py_TYPE(self);
  if (!dtype) return protect<true>([&] { return wrap_as<true>(wanted, tnp::alias(unwrap(self)), self); });
  static const Binding binding = find_method(true, "view");
  if (wanted == ndarray_type) return binding(self, &dtype, 1, nullptr);
  Ref result(call_method(true, "view", {self, dtype}));  // raises where NumPy holds the dtype
  if (!result) return nullptr;
  Tensor t = unwrap(result.get());
  result = Ref();
  if (t.is_same(unwrap(self)) && wanted == Py_TYPE(self)) return Py_NewRef(self);
  return protect<true>([&] { return wrap_as<true>(wanted, t, self); });
}

PyObject* view(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* result = view_of_memory(self, args, nargs, kwnames);
  if (TNP_LIKELY(result)) return result;
  bool names_class = false;  // of ours, which NumPy does not know
  const Py_ssize_t given = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
  for (Py_ssize_t i = 0; i < given; ++i) names_class |= is_array_class(args[i]);
  return names_class ? nullptr : fall_back("view", self, args, nargs, kwnames);
}

PyObject* set_flags(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"write", "align", "uic", nullptr};
  PyObject *write = Py_None, *align = Py_None, *uic = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOO:setflags", const_cast<char**>(names), &write, &align, &uic))
    return nullptr;
  if (uic != Py_None && PyObject_IsTrue(uic))
    return PyErr_SetString(PyExc_ValueError, "cannot set WRITEBACKIFCOPY flag to True"), nullptr;
  if (write == Py_None) Py_RETURN_NONE;
  Ref flags(make_flags(self));
  if (!flags || PyObject_SetAttrString(flags.get(), "writeable", write) < 0) return nullptr;
  Py_RETURN_NONE;
}

// As in NumPy, views do not count the memory that they share.
PyObject* size_of(PyObject* self, PyObject*) {
  const Tensor& t = unwrap(self);
  note_hidden_read(t, "the size in memory");
  const bool owner = !t.is_view() && t.storage().owns_memory() && !t.device().is_meta();
  const int64_t sizes_and_strides = 2 * t.dim() * static_cast<int64_t>(sizeof(int64_t));
  return PyLong_FromLongLong(Py_TYPE(self)->tp_basicsize + sizes_and_strides + (owner ? t.numel() * t.itemsize() : 0));
}

PyObject* copy_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Binding binding = find_method(true, "copy");
  return as_scalar_of(self, as_subclass_of(self, binding(self, args, nargs, kwnames)));
}

// Method of NumPy 2.5: NumPy's array subclasses call it, since assigning to `shape` is deprecated
// there.
PyObject* set_shape_method(PyObject* self, PyObject* shape) {
  return set_shape(self, shape, nullptr) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyMethodDef methods[] = {
    {"_set_shape", set_shape_method, METH_O,
     "_set_shape($self, shape, /)\n--\n\n"
     "Changes the shape of the array in place, as assigning to `shape` does.\n\n"
     "Args:\n"
     "  shape: New shape: an integer or a sequence of integers.\n\n"
     "Errors: ValueError if the number of elements differs; AttributeError if the new shape needs a\n"
     "copy."},
    {"__sizeof__", size_of, METH_NOARGS,
     "Size of the object in bytes, including its elements if it owns their memory."},
    {"view", as_method(view), METH_FASTCALL | METH_KEYWORDS,
     "view($self, /, *args, **kwargs)\n--\n\n"
     "A view of the same memory as an array of another dtype or class, or as a new object.\n\n"
     "Args:\n"
     "  args: Optional positional arguments: `dtype`, then `type`. An array class as the only one is\n"
     "    read as `type`.\n"
     "  kwargs: The same arguments by name. `dtype` is the dtype of the view, and `type` its class,\n"
     "    ndarray or a subclass.\n\n"
     "Shapes: the view has the shape of the array. With a dtype of another size, the last axis is\n"
     "longer or shorter by the ratio of the sizes.\n"
     "Errors: ValueError if the last axis is not dense, or if its bytes are not a multiple of\n"
     "elements; ValueError if `type` is not a class of arrays; TypeError if `dtype` is not a dtype."},
    {"copy", as_method(copy_method), METH_FASTCALL | METH_KEYWORDS,
     "copy($self, /, order='C')\n--\n\n"
     "Copy of the array in new memory.\n\n"
     "Args:\n"
     "  order: Memory order of the copy: 'C' (row-major), 'F' (column-major), 'A' ('F' if the array is\n"
     "    column-major, else 'C') or 'K' (as the array).\n\n"
     "Shapes: the result has the shape of the array.\n"
     "Errors: TypeError if `order` is not a str; ValueError if it is none of these."},
    {"astype", as_method(astype_method), METH_FASTCALL | METH_KEYWORDS,
     "astype($self, /, dtype, order='K', casting='unsafe', subok=True, copy=True)\n--\n\n"
     "A copy of the array with its elements cast to another dtype.\n\n"
     "Args:\n"
     "  dtype: Dtype of the result.\n"
     "  order: Memory order of the result: 'C' (row-major), 'F' (column-major), 'A' ('F' if the array\n"
     "    is column-major, else 'C') or 'K' (as the array).\n"
     "  casting: Allowed casts: 'no', 'equiv', 'safe', 'same_kind', 'unsafe' or 'same_value'.\n"
     "    'same_value' allows a cast that changes no value.\n"
     "  subok: Whether the result has the class of the array if that is a subclass of ndarray.\n"
     "  copy: Whether to copy always. False returns the array itself if nothing has to change.\n\n"
     "Shapes: the result has the shape of the array.\n"
     "Errors: TypeError if `casting` forbids the cast, or if `dtype` is not a dtype; ValueError if\n"
     "casting='same_value' and a value would change."},
    {"tobytes", as_method(tobytes_method), METH_FASTCALL | METH_KEYWORDS,
     "tobytes($self, /, order='C')\n--\n\n"
     "The elements as bytes.\n\n"
     "Args:\n"
     "  order: 'C' for row-major, 'F' for column-major order; 'A' is 'F' if the array is column-major,\n"
     "    else 'C'. None is 'C'.\n\n"
     "Errors: ValueError if `order` is none of these."},
    {"fill", fill_method, METH_O,
     "fill($self, value, /)\n--\n\n"
     "Sets every element to the number `value`, cast as in an assignment.\n\n"
     "Args:\n"
     "  value: A number or a 0-d array.\n\n"
     "Errors: ValueError if `value` is a sequence; TypeError if it is an array with axes; the errors\n"
     "of an assignment."},
    {"resize", as_method(resize_method), METH_FASTCALL | METH_KEYWORDS,
     "resize($self, /, *new_shape, refcheck=True)\n--\n\n"
     "Changes the shape and the number of elements of the array in place.\n\n"
     "The elements stay in memory order. New elements are 0.\n\n"
     "Args:\n"
     "  new_shape: New shape: one sequence of integers, or one integer for each axis.\n"
     "  refcheck: Whether to refuse if other objects refer to the array or its memory. With False,\n"
     "    views keep the old memory.\n\n"
     "Errors: ValueError if the array does not own its memory, is not dense, or is referenced by\n"
     "another object and `refcheck` is True; MemoryError if there is not enough memory."},
    {"setflags", as_method(set_flags), METH_VARARGS | METH_KEYWORDS,
     "setflags($self, /, *, write=None, align=None, uic=None)\n--\n\n"
     "Makes the array read-only or writeable.\n\n"
     "Args:\n"
     "  write: Whether the elements can be written; None changes nothing.\n"
     "  align: Ignored.\n"
     "  uic: Must be None or False: no array has the flag WRITEBACKIFCOPY.\n\n"
     "Errors: ValueError if `uic` is True, or if the memory cannot be made writeable."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"shape", get_shape, set_shape,
     "Shape: a tuple with the length of each axis. Assigning to it changes the shape in place.", nullptr},
    {"dtype", get_dtype, set_dtype,
     "Data type of the elements: a numpy.dtype. Assigning to it reinterprets the memory in place.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Size of one element in bytes.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Size of all elements in bytes.", nullptr},
    {"strides", get_strides, set_strides, "Distance in bytes between neighbours along each axis.", nullptr},
    {"flags", get_flags, nullptr, "Flags of the memory layout, such as C_CONTIGUOUS and WRITEABLE.", nullptr},
    {"data", get_data, nullptr, "Memoryview of the elements.", nullptr},
    {"base", get_base, nullptr, "The array that this array is a view of, or the object that owns the memory, or None.",
     nullptr},
    {"device", get_device, set_device, "Device of the memory, such as 'cpu'.", nullptr},
    {"_device", get_device, nullptr, "Device of the memory, such as 'cpu' or 'cuda:0'.", nullptr},
    {"T", get_T, nullptr, "Transpose: a view with the axes in reverse order.", nullptr},
    {"mT", get_mT, nullptr, "Matrix transpose: a view with the last two axes exchanged.", nullptr},
    {"real", get_real, set_real, "View of the real parts.", nullptr},
    {"imag", get_imag, set_imag, "View of the imaginary parts.", nullptr},
    {"__array_interface__", get_array_interface, nullptr,
     "Description of the memory in NumPy's array interface: a dict.", nullptr},
    {"__array_struct__", get_array_struct, nullptr,
     "Description of the memory in NumPy's array interface for C: a capsule.", nullptr},
    {"__cuda_array_interface__", get_cuda_array_interface, nullptr,
     "Description of memory on a GPU for CuPy and Numba: the CUDA array interface.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(THPVariable, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

bool init_ndarray_type(PyObject* module) {
  Slots slots = {{Py_tp_new, reinterpret_cast<void*>(new_ndarray)},
                 {Py_tp_dealloc, reinterpret_cast<void*>(variable_dealloc<true>)},
                 {Py_tp_getset, properties},
                 {Py_tp_traverse, reinterpret_cast<void*>(variable_traverse)},
                 {Py_tp_clear, reinterpret_cast<void*>(variable_clear)},
                 {Py_tp_members, members},
                 {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                 {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                 {Py_tp_doc, const_cast<char*>(
                                 "ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)\n--\n\n"
                                 "An array with the interface of numpy.ndarray. `_torch()` gives the same\n"
                                 "array as a torch_np.Tensor.\n\n"
                                 "Args:\n"
                                 "  shape: Shape of the array.\n"
                                 "  dtype: Dtype of the elements; None is float64.\n"
                                 "  buffer: Object whose buffer holds the elements; None allocates new\n"
                                 "    memory.\n"
                                 "  offset: Position of the first element in `buffer`, in bytes.\n"
                                 "  strides: Distance in bytes between neighbours along each axis.\n"
                                 "  order: Memory order without `strides`: 'C' for row-major or 'F' for\n"
                                 "    column-major.")}};
  add_number_slots<true>(slots);
  add_comparison_slot<true>(slots);
  add_object_slots<true>(slots);
  slots.push_back({0, nullptr});
  // No __dict__, as in NumPy. The garbage collector tracks few arrays: Note [Cycles].
  PyType_Spec spec = {"torch_np.numpy.ndarray", sizeof(THPVariable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  ndarray_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!ndarray_type) return false;
  for (const FamilyTables* family : family_tables) {
    if (!add_methods(ndarray_type, family->ndarray_methods)) return false;
  }
  PyMethodDef* interchange = interchange_methods<true>();
  PyMethodDef* devices = device_methods<true>();
  if (!interchange || !devices || !add_methods(ndarray_type, devices) || !add_methods(ndarray_type, interchange) ||
      !add_methods(ndarray_type, methods) || !add_methods(ndarray_type, object_methods<true>()) ||
      !add_methods(ndarray_type, pickle_methods<true>()) || !show_numpys_signatures(ndarray_type) ||
      !add_subclass_methods()) {
    return false;
  }
  Ref priority(PyFloat_FromDouble(0.0));
  if (!priority || PyDict_SetItemString(ndarray_type->tp_dict, "__array_priority__", priority.get()) < 0) return false;
  // ndarray.__hash__ is None, as in NumPy; the slot still hashes values on a device
  // (object_protocol.cpp).
  if (PyDict_SetItemString(ndarray_type->tp_dict, "__hash__", Py_None) < 0) return false;
  return init_array_class() && add_masked_arrays(module) &&
         PyModule_AddObjectRef(module, "ndarray", reinterpret_cast<PyObject*>(ndarray_type)) == 0;
}

}  // namespace tnp::python
