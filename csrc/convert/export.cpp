// Export of tensors as NumPy arrays over the same memory: to_numpy, __array__, __array_interface__.
#include <algorithm>

#include "aten/autograd/variable.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/observer.h"
#include "aten/core/profiler/marks.h"
#include "aten/functions/shape.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

// A Python object that exposes the bytes of a Storage and keeps them alive: the `base` of the NumPy
// arrays that we make.
struct MemoryObject {
  PyObject_HEAD Storage* storage;
  bool readonly;
};

int memory_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* m = reinterpret_cast<MemoryObject*>(self);
  return PyBuffer_FillInfo(view, self, m->storage->data(), static_cast<Py_ssize_t>(m->storage->bytes()), m->readonly,
                           flags);
}
void memory_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* m = reinterpret_cast<MemoryObject*>(self);
  if (!m->readonly) m->storage->give_back();
  m->storage->release();
  type->tp_free(self);
  Py_DECREF(type);
}
PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(memory_dealloc)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(memory_get_buffer)},
    {Py_tp_doc, const_cast<char*>("Owner of memory that torch_np shares with a NumPy array.")},
    {0, nullptr},
};
PyType_Spec memory_spec = {"torch_np.Memory", sizeof(MemoryObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, memory_slots};

Ref lend(const Tensor& t) {
  static PyTypeObject* type = nullptr;
  if (!type) type = reinterpret_cast<PyTypeObject*>(check(PyType_FromSpec(&memory_spec)));
  const bool readonly = !t.impl()->writeable;
  Ref o(check(type->tp_alloc(type, 0)));
  auto* m = reinterpret_cast<MemoryObject*>(o.get());
  m->readonly = true;
  m->storage = &t.storage();
  m->storage->retain();
  if (!readonly)
    m->storage->lend();
  else if (observer())
    observer()->lent(*m->storage);
  m->readonly = readonly;  // from here on, deallocating `m` ends the loan
  return o;
}

// Functions of NumPy's C API, at their places in its table, which NumPy keeps since 1.7.
struct ArrayMaker {
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject* dtype, int ndim, const int64_t* sizes, const int64_t* strides,
                              void* data, int flags, PyObject*) = nullptr;
  int (*set_base_object)(PyObject* array, PyObject* base) = nullptr;

  ArrayMaker() {
    const Ref umath(PyImport_ImportModule("numpy._core._multiarray_umath"));
    const Ref capsule(umath ? PyObject_GetAttrString(umath.get(), "_ARRAY_API") : nullptr);
    auto** table = capsule ? static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
    PyErr_Clear();
    if (!table) return;
    constexpr size_t kNewFromDescr = 94, kSetBaseObject = 282;
    new_from_descr = reinterpret_cast<decltype(new_from_descr)>(table[kNewFromDescr]);
    set_base_object = reinterpret_cast<decltype(set_base_object)>(table[kSetBaseObject]);
  }
};

// The NumPy array of a tensor with elements. Null without an exception if NumPy has no such API.
PyObject* over_memory(const Tensor& t) {
  static const ArrayMaker make;
  if (!make.new_from_descr || !make.set_base_object) return nullptr;
  constexpr int kWriteable = 0x0400;
  const DimVector strides = t.byte_strides();
  Ref memory = lend(t);
  Ref array(check(make.new_from_descr(numpy_api().ndarray_type, Py_NewRef(numpy_dtype(t.dtype())),
                                      static_cast<int>(t.dim()), t.sizes().data(), strides.data(), t.address(),
                                      t.impl()->writeable ? kWriteable : 0, nullptr)));
  check(make.set_base_object(array.get(), memory.release()) == 0);
  return array.release();
}

}  // namespace

void check_exportable(const Tensor& t, bool detach, const char* what, ErrorKind kind) {
  TNP_CHECK(detach || !t.requires_grad(), kind, "Can't make ", what,
            " of an array that requires grad: changes "
            "there would not be seen by autograd. Use detach() (in np: _detach()) first");
  if (t.device().is_meta()) raise_no_data();
  TNP_CHECK(t.device().is_cpu(), kind == ErrorKind::Buffer ? kind : ErrorKind::Type, "can't convert an array on ",
            t.device(), " to ", what, ". Use cpu() (in np: _cpu()) to copy it to host memory first");
}

PyObject* to_numpy(const Tensor& t, bool detach) {
  const bool allowed = detach || !grad_enabled();  // as in PyTorch
  TNP_CHECK(allowed || !t.requires_grad(), ErrorKind::Runtime,
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead, or in np "
            "array._detach(): changes there would not be seen by autograd");
  check_exportable(t, allowed, "a NumPy array");
  profiler::note_crossing("to NumPy", t.numel() * t.itemsize());
  if (t.numel() > 0) {
    if (PyObject* const array = over_memory(t)) return array;
  }
  const NumpyApi& np = numpy_api();
  Ref shape(check(tuple_of_ints(t.sizes())));
  // NumPy checks the strides and the offset of arrays without elements against the buffer's bytes.
  Ref strides(t.numel() == 0 ? Py_NewRef(Py_None) : check(tuple_of_ints(t.strides(), t.stride_unit())));
  Ref memory = lend(t);
  const char* const address = t.address();
  int64_t begin = address - t.storage().data();
  if (t.numel() == 0) begin = std::clamp<int64_t>(begin, 0, static_cast<int64_t>(t.storage().bytes()));
  Ref offset(check(PyLong_FromLongLong(begin)));
  return check(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(np.ndarray_type), shape.get(),
                                            numpy_dtype(t.dtype()), memory.get(), offset.get(), strides.get(),
                                            nullptr));
}

namespace {

Tensor copied(const Tensor& t, ScalarType dtype) {
  profiler::note_crossing("copied for NumPy", t.numel() * t.itemsize());
  return copy_tensor(t, dtype);
}

}  // namespace

PyObject* array_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* slots[2] = {};
  read_arguments("__array__", {"dtype", "copy"}, 0, 1, args, nargs, kwnames, slots);
  const Tensor& t = unwrap(self);
  check_exportable(t, false, "a NumPy array");
  PyObject *dtype = slots[0] == Py_None ? nullptr : slots[0], *copy = slots[1] ? slots[1] : Py_None;
  int must_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  check(must_copy >= 0);
  if (!dtype) {
    if (!must_copy) return to_numpy(t);
    return to_numpy(copied(t, t.dtype()));
  }
  Ref wanted(check(PyObject_CallOneArg(reinterpret_cast<PyObject*>(numpy_api().dtype_type), dtype)));
  int same = PyObject_RichCompareBool(wanted.get(), numpy_dtype(t.dtype()), Py_EQ);
  check(same >= 0);
  if (same && !must_copy) return to_numpy(t);
  if (copy == Py_False) {
    raise_python(PyExc_ValueError, "Unable to avoid copy while creating an array as requested: its dtype is " +
                                       std::string(dtype_name(t.dtype())));
  }
  std::optional<ScalarType> ours;
  try {
    ours = dtype_from_object(wanted.get());
  } catch (PythonError&) {
    PyErr_Clear();
  }
  if (ours) return to_numpy(copied(t, *ours));
  Ref array(to_numpy(t));  // the engine lacks the dtype, so NumPy casts
  return check(PyObject_CallMethod(array.get(), "astype", "O", wanted.get()));
}

namespace {

// The entries that both interfaces share. A consumer would interpret BFloat16 as two raw bytes.
Ref interface_of(const Tensor& t, const char* name, int version) {
  if (t.dtype() == ScalarType::BFloat16)
    raise_python(PyExc_AttributeError, std::string(name) + " cannot describe bfloat16");
  Ref typestr(check(PyObject_GetAttrString(numpy_dtype(t.dtype()), "str")));
  Ref shape(check(tuple_of_ints(t.sizes()))), strides;
  if (t.is_row_major())
    strides = Ref(Py_NewRef(Py_None));
  else
    strides = Ref(check(tuple_of_ints(t.strides(), t.stride_unit())));
  t.storage().lend();
  profiler::note_crossing("to another library", t.numel() * t.itemsize());
  Ref address(check(PyLong_FromVoidPtr(t.numel() > 0 || t.device().is_cpu() ? t.address() : nullptr)));
  return Ref(check(Py_BuildValue("{s:O,s:O,s:O,s:(OO),s:i}", "shape", shape.get(), "typestr", typestr.get(), "strides",
                                 strides.get(), "data", address.get(), t.impl()->writeable ? Py_False : Py_True,
                                 "version", version)));
}

}  // namespace

// Consumers may use another stream: the interface tells them to wait for the stream that computes
// the array.
PyObject* cuda_array_interface(const Tensor& t) {
  if (!t.device().is_cuda()) raise_python(PyExc_AttributeError, "__cuda_array_interface__: the array is on the CPU");
  TNP_CHECK(!t.requires_grad(), ErrorKind::Runtime,
            "Can't make __cuda_array_interface__ of an array that requires grad: changes "
            "there would not be seen by autograd. Use detach() (in np: _detach()) first");
  Ref interface = interface_of(t, "__cuda_array_interface__", 3);
  const StreamHandle stream = runtime_of(t.device()).current_stream(t.device().index);
  Ref number(check(PyLong_FromUnsignedLongLong(stream ? stream : 1)));  // 1: the default stream
  check(PyDict_SetItemString(interface.get(), "stream", number.get()) == 0);
  return interface.release();
}

PyObject* array_interface(const Tensor& t) {
  // After AttributeError, NumPy tries __array__, whose error explains the remedy.
  if (t.device().is_cuda()) raise_python(PyExc_AttributeError, "__array_interface__: the array is on a GPU");
  check_exportable(t, false, "__array_interface__");
  return interface_of(t, "__array_interface__", 3).release();
}

}  // namespace tnp::python
