// Native functions on tensor memory for UntypedStorage, Tensor.set_ and the files of torch_np.
#include "aten/autograd/variable.h"
#include "aten/core/shapes.h"
#include "csrc/args/readers.h"
#include "csrc/convert/convert.h"
#include "csrc/module/modules.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// The whole storage of `t` as bytes, without autograd history.
Tensor bytes_of_storage(const Tensor& t) {
  const intrusive_ptr<Storage>& storage = t.impl()->storage;
  const DimVector sizes{static_cast<int64_t>(storage->bytes())}, strides{1};
  auto impl = make_intrusive<TensorImpl>(storage, ScalarType::UInt8, sizes, strides, storage->data());
  impl->writeable = t.impl()->writeable;
  return Tensor(std::move(impl));
}

PyObject* storage_bytes(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_storage_bytes() takes a tensor"), nullptr;
  return protect<false>([&] { return wrap<false>(bytes_of_storage(unwrap(o))); });
}

// Tensor.untyped_storage(): an object of the Python class `storage_class`, whose attribute `_bytes` is the memory.
PyTypeObject* storage_class = nullptr;
PyObject* bytes_name = nullptr;
PyObject* untyped_storage(PyObject* self, PyObject*) {
  return protect<false>([&] {
    Ref made(check(storage_class->tp_alloc(storage_class, 0)));
    const Ref bytes(check(wrap<false>(bytes_of_storage(unwrap(self)))));
    if (PyObject_SetAttr(made.get(), bytes_name, bytes.get()) < 0) throw PythonError{};
    return made.release();
  });
}
PyMethodDef untyped_storage_definition = {"untyped_storage", untyped_storage, METH_NOARGS,
                                          "untyped_storage($self)\n--\n\n"
                                          "Returns the memory of the tensor as a storage of bytes."};
PyObject* untyped_storage_method(PyObject*, PyObject* type) {
  if (!PyType_Check(type)) return PyErr_SetString(PyExc_TypeError, "_untyped_storage_method() takes a class"), nullptr;
  storage_class = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
  bytes_name = PyUnicode_InternFromString("_bytes");
  return bytes_name ? PyDescr_NewMethod(face_type<false>(), &untyped_storage_definition) : nullptr;
}

PyObject* storage_id(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "_storage_id() takes a tensor"), nullptr;
  return PyLong_FromVoidPtr(unwrap(o).impl()->storage.get());
}

// Raises an error unless all elements with `sizes` and `strides` (in elements), starting at element
// `offset`, are within the storage.
void check_bounds(const Storage& storage, ScalarType dtype, int64_t offset, IntList sizes, IntList strides) {
  const int64_t itemsize = element_size(dtype);
  TNP_CHECK(sizes.size() == strides.size(), ErrorKind::Runtime, "{size} has ", static_cast<int64_t>(sizes.size()),
            " numbers, but {stride} has ", static_cast<int64_t>(strides.size()));
  check_ndim(sizes.size());
  const int64_t numel = numel_of(sizes);
  for (const int64_t s : strides)
    TNP_CHECK(s >= 0, ErrorKind::Runtime, "strides must not be negative, but are ", strides);
  const auto bytes = static_cast<int64_t>(storage.bytes());
  TNP_CHECK(offset >= 0 && offset <= bytes / itemsize, ErrorKind::Runtime, "storage_offset ", offset,
            " is outside of a storage of ", bytes, " bytes");
  TNP_CHECK(reinterpret_cast<uintptr_t>(storage.data()) % static_cast<size_t>(std::min<int64_t>(itemsize, 8)) == 0,
            ErrorKind::Runtime, "the storage is not aligned for ", dtype);
  if (numel == 0) return;
  const std::optional<ByteRange> range = byte_range(sizes, strides, itemsize, itemsize);
  TNP_CHECK(range && range->high <= bytes - offset * itemsize, ErrorKind::Runtime, "sizes ", sizes, ", strides ",
            strides, " and storage_offset ", offset, " reach beyond a storage of ", bytes, " bytes");
}

// _set_storage(tensor, bytes, dtype, storage_offset, size, stride): makes the tensor a view of the
// storage of `bytes`.
PyObject* set_storage(PyObject*, PyObject* args) {
  PyObject *self, *bytes, *dtype, *size, *stride;
  long long offset;
  if (!PyArg_ParseTuple(args, "OOOLOO:_set_storage", &self, &bytes, &dtype, &offset, &size, &stride)) return nullptr;
  if (!is_variable(self) || !is_variable(bytes))
    return PyErr_SetString(PyExc_TypeError, "_set_storage() takes two tensors"), nullptr;
  return protect<false>([&]() -> PyObject* {
    const Tensor &to = unwrap(self), &from = unwrap(bytes);
    if (grad_enabled()) check_untracked(to, "set_()");
    DimVector sizes, strides;
    read_int_list(size, 0, false, sizes);
    read_int_list(stride, 0, false, strides);
    const ScalarType type = dtype_from_object(dtype).value();
    from.address();  // computes a pending array
    const intrusive_ptr<Storage> storage = from.impl()->storage;
    check_bounds(*storage, type, offset, sizes, strides);
    TensorImpl& impl = *to.impl();
    // keeps the old memory until the end of the scope, since freeing it may run Python code
    Tensor before = detach(to);
    impl.storage = storage;
    impl.data = storage->data() + offset * element_size(type);
    impl.sizes = sizes;
    impl.strides = strides;
    impl.dtype = type;
    impl.set_access(from.impl()->access());
    impl.writeable = from.impl()->writeable;
    impl.base = nullptr;
    impl.refresh();
    return Py_NewRef(self);
  });
}

PyMethodDef functions[] = {
    {"_storage_bytes", storage_bytes, METH_O, "Whole storage of a tensor, as a tensor of uint8."},
    {"_untyped_storage_method", untyped_storage_method, METH_O,
     "_untyped_storage_method(storage): the method Tensor.untyped_storage, which makes objects of a class."},
    {"_storage_id", storage_id, METH_O, "Identity of a tensor's storage: a number that all its views share."},
    {"_set_storage", set_storage, METH_VARARGS,
     "_set_storage(tensor, bytes, dtype, storage_offset, size, stride): makes `tensor` a view of the\n"
     "storage of `bytes`."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_storages(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
