// DLPack, both ways: __dlpack__ and from_dlpack, with and without versions (see dlpack.h).
#include "csrc/convert/dlpack.h"

#include <memory>

#include "aten/autograd/variable.h"
#include "aten/core/promotion.h"
#include "csrc/convert/internal.h"
#include "csrc/types/variable.h"

namespace tnp::python {

namespace {

using namespace tnp::dlpack;

// --- giving

struct Export {
  Tensor tensor;
  DimVector sizes, strides;
};

DataType data_type(ScalarType t) {
  uint8_t code = is_bool(t) ? kBool : t == ScalarType::BFloat16 ? kBfloat : is_complex(t) ? kComplex
                 : is_floating(t) ? kFloat : is_unsigned(t) ? kUInt : kInt;
  return {code, static_cast<uint8_t>(element_size(t) * 8), 1};
}

DLTensor describe(Export& e) {
  const Tensor& t = e.tensor;
  tnp::Device device = t.device();
  return {t.data(), {device.is_cuda() ? kCUDA : kCPU, device.index}, static_cast<int32_t>(t.dim()), data_type(t.dtype()),
          e.sizes.data(), e.strides.data(), 0};
}

template <class Managed>
void delete_export(Managed* m) {
  delete static_cast<Export*>(m->context);
  delete m;
}

// A capsule whose tensor nobody took still owns it; one that was taken has been renamed.
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
  auto* e = new Export{t, t.sizes(), t.strides()};
  if (versioned) {
    uint64_t flags = (t.impl()->writeable ? 0 : kReadOnly) | (copied ? kIsCopied : 0);
    auto* m = new ManagedTensorVersioned{{1, 0}, e, delete_export<ManagedTensorVersioned>, flags, describe(*e)};
    return make_capsule(m, "dltensor_versioned");
  }
  auto* m = new ManagedTensor{describe(*e), e, delete_export<ManagedTensor>};
  return make_capsule(m, "dltensor");
}

// A pair of ints, or null if it is None or missing.
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

// --- taking

ScalarType scalar_type(DataType d) {
  TNP_CHECK(d.lanes == 1, ErrorKind::Buffer, "DLPack tensors with several lanes are not supported");
  for (int i = 0; i < kNumScalarTypes; ++i) {
    auto t = static_cast<ScalarType>(i);
    DataType ours = data_type(t);
    if (ours.code == d.code && ours.bits == d.bits) return t;
  }
  TNP_RAISE(ErrorKind::Buffer, "torch_np has no dtype for a DLPack tensor of type code ", static_cast<int>(d.code), " with ",
            static_cast<int>(d.bits), " bits");
}

template <class Managed>
Tensor adopt(Managed* m, bool readonly) {
  // From here on the tensor is ours: every way out calls its deleter.
  std::unique_ptr<Managed, void (*)(Managed*)> owned(m, [](Managed* p) { if (p->deleter) p->deleter(p); });
  const DLTensor& d = m->tensor;
  TNP_CHECK(d.device.type == kCPU || d.device.type == kCUDAHost, ErrorKind::Buffer, "unsupported device of a DLPack tensor: type ",
            static_cast<int>(d.device.type));
  TNP_CHECK(d.ndim >= 0 && d.ndim <= kMaxDims, ErrorKind::Runtime, "maxdims of DLPack tensor is higher than the supported maxdims");
  ScalarType dtype = scalar_type(d.dtype);
  IntList sizes(d.shape, static_cast<size_t>(d.ndim));
  DimVector strides = d.strides ? DimVector(IntList(d.strides, sizes.size())) : contiguous_strides(sizes);
  char* data = static_cast<char*>(d.data) + d.byte_offset;
  TNP_CHECK(numel_of(sizes) == 0 || is_aligned(data, dtype), ErrorKind::Buffer, "the DLPack tensor is not aligned");
  std::optional<ByteRange> range = byte_range(sizes, strides, element_size(dtype), element_size(dtype));
  TNP_CHECK(range, ErrorKind::Buffer, "the DLPack tensor of shape ", sizes, " and strides ", strides, " is larger than an address");
  auto storage = make_intrusive<Storage>(data + range->low, static_cast<size_t>(range->high - range->low), tnp::Device{}, [m] {
    if (m->deleter && Py_IsInitialized()) {
      PyGILState_STATE state = PyGILState_Ensure();
      m->deleter(m);
      PyGILState_Release(state);
    }
  });
  owned.release();
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, sizes, strides, data);
  impl->writeable = !readonly;
  return Tensor(std::move(impl));
}

Tensor take_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* m = static_cast<ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    TNP_CHECK(m->version.major <= 1, ErrorKind::Buffer, "the DLPack tensor has version ", m->version.major, ", we know 1");
    check(PyCapsule_SetName(capsule, "used_dltensor_versioned") == 0);
    return adopt(m, m->flags & kReadOnly);
  }
  auto* m = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!m) throw PythonError();
  check(PyCapsule_SetName(capsule, "used_dltensor") == 0);
  // Such producers cannot say read-only. NumPy takes no chances; PyTorch trusts that they do not give what is.
  return adopt(m, promotion_rules() == PromotionRules::NumPy);
}

// producer.__dlpack__(...), with what the producer knows: copy and max_version came with version 1.0.
Ref call_dlpack(PyObject* producer, std::optional<bool> copy) {
  Ref method(check(PyObject_GetAttrString(producer, "__dlpack__")));
  Ref no_args(check(PyTuple_New(0))), kwargs(check(Py_BuildValue("{s:(ii)}", "max_version", 1, 0)));
  if (copy) check(PyDict_SetItemString(kwargs.get(), "copy", *copy ? Py_True : Py_False) == 0);
  Ref capsule(PyObject_Call(method.get(), no_args.get(), kwargs.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  return Ref(PyObject_CallNoArgs(method.get()));
}

}  // namespace

PyObject* dlpack_device(const Tensor& t) {
  return check(Py_BuildValue("(ii)", t.device().is_cuda() ? kCUDA : kCPU, static_cast<int>(t.device().index)));
}

PyObject* dlpack_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* slots[4] = {};
  read_arguments("__dlpack__", {"stream", "max_version", "dl_device", "copy"}, 0, 0, args, nargs, kwnames, slots);
  Tensor t = unwrap(self);
  if (slots[0] && slots[0] != Py_None && t.device().is_cpu()) raise_python(PyExc_RuntimeError, "an array in host memory only supports stream=None.");
  int64_t version[2] = {0, 0}, device[2];
  bool versioned = read_pair(slots[1], "max_version", version) && version[0] >= 1;
  check_exportable(t, false, "a DLPack tensor", ErrorKind::Buffer);
  if (read_pair(slots[2], "dl_device", device)) {
    TNP_CHECK(device[0] == kCPU && device[1] == 0, ErrorKind::Buffer, "unsupported device requested: (", device[0], ", ", device[1], ")");
  }
  bool copy = false;
  if (slots[3] && slots[3] != Py_None) {
    int truth = PyObject_IsTrue(slots[3]);
    check(truth >= 0);
    copy = truth == 1;
  }
  if (copy) t = copy_tensor(t, t.dtype());
  TNP_CHECK(versioned || t.impl()->writeable, ErrorKind::Buffer, "Cannot export readonly array since signalling readonly is "
            "unsupported by DLPack (supported by newer DLPack version).");
  return export_capsule(t, versioned, copy);
}

Tensor from_dlpack(PyObject* producer, std::optional<bool> copy) {
  if (PyCapsule_CheckExact(producer)) return take_capsule(producer);
  if (is_variable(producer)) {
    const Tensor& t = unwrap(producer);
    return copy == true ? copy_tensor(t, t.dtype()) : detach(t);
  }
  Ref capsule = call_dlpack(producer, copy);
  if (!capsule) throw PythonError();
  if (!PyCapsule_CheckExact(capsule.get())) raise_python(PyExc_TypeError, "__dlpack__() did not return a capsule");
  return take_capsule(capsule.get());
}

}  // namespace tnp::python
