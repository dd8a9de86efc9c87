// DLPack import and export: __dlpack__ and from_dlpack, versioned and unversioned (see dlpack.h).
#include "aten/core/memory/dlpack.h"

#include <algorithm>
#include <memory>

#include "aten/autograd/variable.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/profiler/marks.h"
#include "aten/functions/copies.h"
#include "csrc/convert/internal.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

using namespace tnp::dlpack;

// --- export

struct Export {
  Tensor tensor;
  DimVector sizes, strides;
  Loan loan;
};

DLTensor describe(Export& e) {
  const Tensor& t = e.tensor;
  tnp::Device device = t.device();
  return {t.address(),
          {device.is_cuda() ? kCUDA : kCPU, device.index},
          static_cast<int32_t>(t.dim()),
          data_type(t.dtype()),
          e.sizes.data(),
          e.strides.data(),
          0};
}

template <class Managed>
void delete_export(Managed* m) {
  delete static_cast<Export*>(m->context);
  delete m;
}

// Creates a capsule. The capsule owns the DLPack tensor until a consumer takes ownership and
// renames the capsule.
template <class Managed>
PyObject* make_capsule(Managed* m, const char* name) {
  PyObject* capsule = PyCapsule_New(m, name, [](PyObject* c) {
    for (const char* untaken : {"dltensor", "dltensor_versioned"}) {
      if (!PyCapsule_IsValid(c, untaken)) continue;
      auto* own = static_cast<Managed*>(PyCapsule_GetPointer(c, untaken));
      if (own->deleter) own->deleter(own);
    }
  });
  if (!capsule) {
    m->deleter(m);
    throw PythonError();
  }
  return capsule;
}

PyObject* export_capsule(const Tensor& t, bool versioned, bool copied) {
  DimVector strides = t.byte_strides();
  for (int64_t d = 0; d < t.dim(); ++d) {
    int64_t& stride = strides[static_cast<size_t>(d)];
    TNP_CHECK(stride % t.itemsize() == 0 || t.size(d) == 1, ErrorKind::Buffer, "DLPack has no strides of ", stride,
              " bytes between elements of ", t.itemsize());
    stride /= t.itemsize();
  }
  auto* e = new Export{t, t.sizes(), strides, Loan(t.impl()->storage)};
  if (versioned) {
    uint64_t flags = (t.impl()->writeable ? 0 : kReadOnly) | (copied ? kIsCopied : 0);
    auto* m = new ManagedTensorVersioned{{1, 0}, e, delete_export<ManagedTensorVersioned>, flags, describe(*e)};
    return make_capsule(m, "dltensor_versioned");
  }
  auto* m = new ManagedTensor{describe(*e), e, delete_export<ManagedTensor>};
  return make_capsule(m, "dltensor");
}

// Reads a pair of ints. Returns false if `o` is None or null.
bool read_pair(PyObject* o, const char* name, int64_t out[2]) {
  if (!o || o == Py_None) return false;
  if (!PyTuple_Check(o) || PyTuple_GET_SIZE(o) != 2) {
    raise_python(PyExc_TypeError, std::string(name) + " must be None or a tuple with two elements");
  }
  for (int i = 0; i < 2; ++i) {
    out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(o, i));
    if (out[i] == -1 && PyErr_Occurred()) throw PythonError();
  }
  return true;
}

// --- import

ScalarType dtype_of(DataType d) {
  TNP_CHECK(d.lanes == 1, ErrorKind::Buffer, "DLPack tensors with several lanes are not supported");
  const std::optional<ScalarType> dtype = scalar_type(d);
  TNP_CHECK(dtype, ErrorKind::Buffer, "torch_np has no dtype for a DLPack tensor of type code ",
            static_cast<int>(d.code), " with ", static_cast<int>(d.bits), " bits");
  return *dtype;
}

template <class Managed>
Tensor adopt(Managed* m, bool readonly) {
  // From here on we own the tensor: every exit calls its deleter.
  std::unique_ptr<Managed, void (*)(Managed*)> owned(m, [](Managed* p) {
    if (p->deleter) p->deleter(p);
  });
  const DLTensor& d = m->tensor;
  TNP_CHECK(d.device.type == kCPU || d.device.type == kCUDAHost || d.device.type == kCUDA, ErrorKind::Buffer,
            "unsupported device of a DLPack tensor: type ", static_cast<int>(d.device.type));
  tnp::Device device;
  if (d.device.type == kCUDA) {
    device = {tnp::DeviceType::CUDA, static_cast<int8_t>(d.device.id)};
    TNP_CHECK(d.device.id >= 0 && d.device.id < 128, ErrorKind::Buffer,
              "unsupported device of a DLPack tensor: number ", d.device.id);
    runtime_of(device);  // raises an error if there is no such GPU
  }
  TNP_CHECK(d.ndim >= 0 && d.ndim <= kMaxDims, ErrorKind::Runtime,
            "maxdims of DLPack tensor is higher than the supported maxdims");
  ScalarType dtype = dtype_of(d.dtype);
  TNP_CHECK(d.ndim == 0 || d.shape, ErrorKind::Buffer, "the DLPack tensor has ", d.ndim, " dimensions and no shape");
  IntList sizes(d.shape, static_cast<size_t>(d.ndim));
  TNP_CHECK(std::none_of(sizes.begin(), sizes.end(), [](int64_t n) { return n < 0; }), ErrorKind::Buffer,
            "the DLPack tensor has a negative size: shape ", sizes);
  // raises an error if the product overflows, since the strides would overflow too
  const int64_t numel = numel_of(sizes);
  TNP_CHECK(d.data || numel == 0, ErrorKind::Buffer, "the DLPack tensor of shape ", sizes, " has no memory");
  DimVector strides = d.strides ? DimVector(IntList(d.strides, sizes.size())) : contiguous_strides(sizes);
  char* data = static_cast<char*>(d.data) + d.byte_offset;
  TNP_CHECK(numel == 0 || device.is_cpu() || is_aligned(data, dtype), ErrorKind::Buffer,
            "the DLPack tensor is not aligned");
  std::optional<ByteRange> range = byte_range(sizes, strides, element_size(dtype), element_size(dtype));
  TNP_CHECK(range, ErrorKind::Buffer, "the DLPack tensor of shape ", sizes, " and strides ", strides,
            " is larger than an address");
  auto storage = make_intrusive<Storage>(data + range->low, static_cast<size_t>(range->high - range->low), device,
                                         // Without a deleter, the producer may have freed `m` by
                                         // then.
                                         [m, deleter = m->deleter] {
                                           if (deleter && Py_IsInitialized()) {
                                             GilGuard gil;
                                             deleter(m);
                                           }
                                         });
  owned.release();
  for (int64_t& s : strides) s *= element_size(dtype);
  auto impl = make_impl_with_byte_strides(std::move(storage), dtype, sizes, strides, data);
  impl->writeable = !readonly;
  return Tensor(std::move(impl));
}

Tensor take_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* m = static_cast<ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    TNP_CHECK(m->version.major <= 1, ErrorKind::Buffer, "the DLPack tensor has version ", m->version.major,
              ", torch_np supports version 1");
    check(PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0);
    return adopt(m, m->flags & kReadOnly);
  }
  auto* m = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!m) throw PythonError();
  check(PyCapsule_SetName(capsule, "used_dltensor") == 0);
  return adopt(m, dialect().unversioned_dlpack_is_read_only());
}

// Our current stream on the producer's GPU, as the integer that DLPack defines (1 is the default
// stream). Null if the producer is on the CPU.
Ref stream_for(PyObject* producer) {
  Ref place(PyObject_CallMethod(producer, "__dlpack_device__", nullptr));
  int64_t device[2];
  if (!place) {
    PyErr_Clear();
    return Ref();
  }
  Ref numbers(check(PySequence_Tuple(place.get())));
  if (!read_pair(numbers.get(), "__dlpack_device__()", device) || device[0] != kCUDA || device[1] < 0 ||
      device[1] >= 128)
    return Ref();
  const StreamHandle stream =
      runtime_of({tnp::DeviceType::CUDA, static_cast<int8_t>(device[1])}).current_stream(static_cast<int>(device[1]));
  return Ref(check(PyLong_FromUnsignedLongLong(stream ? stream : 1)));
}

// Makes the consumer's stream wait for ours (None and 1: the default stream, 2: the per-thread
// default stream, -1: no wait).
void hand_over(const Tensor& t, PyObject* stream) {
  int64_t theirs = 1;
  if (stream && stream != Py_None) {
    theirs = PyLong_AsLongLong(stream);
    if (theirs == -1 && PyErr_Occurred()) throw PythonError();
    TNP_CHECK(theirs != 0 && theirs >= -1, ErrorKind::Value, "__dlpack__(): stream ", theirs,
              " is ambiguous or invalid; see DLPack's documentation");
  }
  const int device = t.device().index;
  DeviceRuntime& runtime = runtime_of(t.device());
  const StreamHandle ours = runtime.current_stream(device),
                     reader = theirs == 1 ? 0 : static_cast<StreamHandle>(theirs);
  if (theirs == -1 || ours == reader) return;
  EventHandle event = runtime.new_event(device, false);
  runtime.record_event(event, device, ours);
  runtime.wait_event(device, reader, event);
  runtime.delete_event(event);
  runtime.record_stream(t.storage().data(), t.device(), reader);
}

// Calls producer.__dlpack__(...). Producers older than DLPack 1.0 do not accept copy and
// max_version and are called without them. A producer on a GPU receives the reading stream.
// `asked`: whether the producer accepted `copy`.
Ref call_dlpack(PyObject* producer, std::optional<bool> copy, bool& asked) {
  Ref method(check(PyObject_GetAttrString(producer, "__dlpack__")));
  Ref no_args(check(PyTuple_New(0))), kwargs(check(Py_BuildValue("{s:(ii)}", "max_version", 1, 0)));
  if (copy) check(PyDict_SetItemString(kwargs.get(), "copy", *copy ? Py_True : Py_False) == 0);
  Ref stream = stream_for(producer);
  if (stream) check(PyDict_SetItemString(kwargs.get(), "stream", stream.get()) == 0);
  Ref capsule(PyObject_Call(method.get(), no_args.get(), kwargs.get()));
  asked = true;
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  asked = false;
  if (!stream) return Ref(PyObject_CallNoArgs(method.get()));
  Ref only_stream(check(Py_BuildValue("{s:O}", "stream", stream.get())));
  return Ref(PyObject_Call(method.get(), no_args.get(), only_stream.get()));
}

}  // namespace

PyObject* dlpack_device(const Tensor& t) {
  if (t.device().is_meta()) raise_no_data("__dlpack_device__");
  return check(Py_BuildValue("(ii)", t.device().is_cuda() ? kCUDA : kCPU, static_cast<int>(t.device().index)));
}

PyObject* dlpack_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* slots[4] = {};
  read_arguments("__dlpack__", {"stream", "max_version", "dl_device", "copy"}, 0, 0, args, nargs, kwnames, slots);
  Tensor t = unwrap(self);
  if (t.device().is_meta()) raise_no_data("__dlpack__");
  if (slots[0] && slots[0] != Py_None && t.device().is_cpu())
    raise_python(PyExc_RuntimeError, "an array in host memory only supports stream=None.");
  int64_t version[2] = {0, 0}, device[2];
  bool versioned = read_pair(slots[1], "max_version", version) && version[0] >= 1;
  if (read_pair(slots[2], "dl_device", device)) {
    const bool here = device[0] == (t.device().is_cpu() ? kCPU : kCUDA) && device[1] == t.device().index;
    TNP_CHECK(here || (device[0] == kCPU && device[1] == 0), ErrorKind::Buffer, "unsupported device requested: (",
              device[0], ", ", device[1], ")");
    if (!here) {
      TNP_CHECK(slots[3] != Py_False, ErrorKind::Buffer, "the array is on ", t.device(),
                "; exporting it to the CPU needs a copy");
      t = cpu(t);
    }
  }
  if (t.device().is_cpu())
    check_exportable(t, false, "a DLPack tensor", ErrorKind::Buffer);
  else
    TNP_CHECK(!t.requires_grad(), ErrorKind::Buffer,
              "Can't make a DLPack tensor of an array that requires grad: changes "
              "there would not be seen by autograd. Use detach() (in np: _detach()) first");
  bool copy = false;
  if (slots[3] && slots[3] != Py_None) {
    int truth = PyObject_IsTrue(slots[3]);
    check(truth >= 0);
    copy = truth == 1;
  }
  if (copy) t = copy_tensor(t, t.dtype());
  profiler::note_crossing(copy ? "copied for DLPack" : "to another library", t.numel() * t.itemsize());
  if (t.device().is_cuda()) hand_over(t, slots[0]);
  TNP_CHECK(versioned || t.impl()->writeable, ErrorKind::Buffer,
            "Cannot export readonly array since signalling readonly is "
            "unsupported by DLPack (supported by newer DLPack version).");
  return export_capsule(t, versioned, copy);
}

// Whether the array uses our __dlpack__: its class does not override it.
static bool exports_as_ours(PyObject* o) {
  if (is_exact(o)) return true;
  static PyObject* name = PyUnicode_InternFromString("__dlpack__");
  return is_variable(o) &&
         _PyType_Lookup(Py_TYPE(o), name) == _PyType_Lookup(is_ndarray(o) ? ndarray_type : tensor_type, name);
}

Tensor from_dlpack(PyObject* producer, std::optional<bool> copy) {
  if (PyCapsule_CheckExact(producer)) return take_capsule(producer);
  if (exports_as_ours(producer)) {
    const Tensor& t = unwrap(producer);
    if (copy == true) return copy_tensor(t, t.dtype());
    TNP_CHECK(!t.requires_grad(), ErrorKind::Buffer,
              "Can't share the memory of an array that requires grad: changes there would not be seen by autograd. Use "
              "detach() (in np: _detach()) first");
    return detach(t);
  }
  bool asked = false;
  Ref capsule = call_dlpack(producer, copy, asked);
  if (!capsule) throw PythonError();
  if (!PyCapsule_CheckExact(capsule.get())) raise_python(PyExc_TypeError, "__dlpack__() did not return a capsule");
  Tensor t = take_capsule(capsule.get());
  return copy == true && !asked ? copy_tensor(t, t.dtype()) : t;
}

}  // namespace tnp::python
