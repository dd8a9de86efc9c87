// Methods for devices that are not operators of native_functions.yaml: ndarray's _cuda(), _cpu()
// and _to(), and pinned memory and streams of both types. Names that NumPy does not have start with
// an underscore.
#include "aten/core/devices/device_runtime.h"
#include "aten/functions/copies.h"
#include "aten/iterator/copy.h"
#include "csrc/array/parts.h"

namespace tnp::python {

namespace {

// Returns a copy of `self` on `device`, or `self` if it is already there.
PyObject* moved(PyObject* self, Device device, bool non_blocking) {
  if (unwrap(self).device() == device) return Py_NewRef(self);
  if (device.is_cuda()) runtime_of(device);  // raises an error if there is no such device
  return as_subclass_of(self, wrap<true>(tnp::transfer(unwrap(self), device, non_blocking)));
}

PyObject* to_cuda(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", "non_blocking", nullptr};
  PyObject* device = Py_None;
  int non_blocking = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|Op:_cuda", const_cast<char**>(names), &device, &non_blocking))
    return nullptr;
  return protect<true>([&]() -> PyObject* {
    const Device here = unwrap(self).device();
    const Device to = device != Py_None ? device_from_object(device).value()
                      : here.is_cuda()  ? here
                                        : parse_device("cuda");
    if (!to.is_cuda()) return PyErr_Format(PyExc_RuntimeError, "_cuda() takes a GPU, not '%S'", device);
    return moved(self, to, non_blocking != 0);
  });
}

PyObject* to_cpu(PyObject* self, PyObject*) {
  return protect<true>([&] { return moved(self, Device{}, false); });
}

PyObject* to(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", "dtype", "non_blocking", "copy", nullptr};
  PyObject *device = Py_None, *dtype = Py_None;
  int non_blocking = 0, copy = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOpp:_to", const_cast<char**>(names), &device, &dtype, &non_blocking,
                                   &copy))
    return nullptr;
  if (device != Py_None && dtype == Py_None && !names_device(device)) std::swap(device, dtype);
  return protect<true>([&]() -> PyObject* {
    Ref result(Py_NewRef(self));
    if (device != Py_None)
      result = Ref(check(moved(self, device_from_object(device).value_or(Device{}), non_blocking != 0)));
    if (std::optional<ScalarType> wanted = dtype_from_object(dtype); wanted && *wanted != unwrap(result.get()).dtype())
      result = Ref(check(as_subclass_of(self, call_method(true, "astype", {result.get(), dtype}))));
    if (!copy || result.get() != self) return result.release();
    return as_subclass_of(self, call_method(true, "copy", {self}));
  });
}

// Method of the array API, as in NumPy 2.
PyObject* to_device(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"", "stream", nullptr};
  PyObject *device, *stream = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:to_device", const_cast<char**>(names), &device, &stream))
    return nullptr;
  if (stream != Py_None)
    return PyErr_Format(PyExc_ValueError,
                        "The stream argument in to_device() is not supported: the current stream is used");
  if (!names_device(device))
    return PyErr_Format(PyExc_ValueError, "Unsupported device: %R. Expected 'cpu', 'cuda', 'cuda:<number>' or 'meta'",
                        device);
  return protect<true>([&] { return moved(self, device_from_object(device).value(), false); });
}

// A dense copy in page-locked memory, from which copies to a GPU can be asynchronous.
template <bool compat>
PyObject* pin_memory(PyObject* self, PyObject*) {
  return protect<compat>([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    TNP_CHECK(t.device().is_cpu(), ErrorKind::Runtime, "only CPU memory can be pinned, but the array is on ",
              t.device());
    DeviceRuntime& r = runtime_of({DeviceType::CUDA, 0});
    if (r.is_pinned(t.storage().data())) return Py_NewRef(self);
    const auto bytes = static_cast<size_t>(t.numel() * t.itemsize());
    Allocation block = r.allocate_pinned(bytes);
    auto storage = make_intrusive<Storage>(block.data, bytes, Device{}, [block, &r] { r.free_pinned(block); });
    Tensor pinned(make_intrusive<TensorImpl>(std::move(storage), t.dtype(), t.sizes(), contiguous_strides(t.sizes()),
                                             static_cast<char*>(block.data)));
    copy_into(pinned, t);
    return wrap<compat>(pinned);
  });
}

template <bool compat>
PyObject* is_pinned(PyObject* self, PyObject*) {
  return protect<compat>([&] {
    DeviceRuntime* r = loaded_device_runtime();
    return PyBool_FromLong(r && unwrap(self).device().is_cpu() && r->is_pinned(unwrap(self).storage().data()));
  });
}

template <bool compat>
PyObject* record_stream(PyObject* self, PyObject* stream) {
  return protect<compat>([&] {
    Ref number(check(PyObject_GetAttrString(stream, "cuda_stream")));
    const unsigned long long handle = PyLong_AsUnsignedLongLong(number.get());
    check(!PyErr_Occurred());
    const Tensor& t = unwrap(self);
    if (t.device().is_cuda()) runtime_of(t.device()).record_stream(t.storage().data(), t.device(), handle);
    return Py_NewRef(Py_None);
  });
}

constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

PyMethodDef ndarray_only[] = {
    {"_cuda", as_method(to_cuda), kKeywords,
     "_cuda($self, /, device=None, non_blocking=False)\n--\n\n"
     "The array on a GPU. An array that is there already is returned itself.\n\n"
     "Args:\n"
     "  device: GPU of the result: a number or a name such as 'cuda:1'. None is the current GPU, or\n"
     "    for an array on a GPU, that one.\n"
     "  non_blocking: Whether a copy from pinned memory may run asynchronously.\n\n"
     "Errors: RuntimeError if there is no such GPU."},
    {"_cpu", to_cpu, METH_NOARGS,
     "_cpu($self, /)\n--\n\n"
     "The array in the memory of the CPU. An array that is there already is returned itself."},
    {"_to", as_method(to), kKeywords,
     "_to($self, /, device=None, dtype=None, non_blocking=False, copy=False)\n--\n\n"
     "The array on another device or with another dtype.\n\n"
     "A dtype may also be passed as the first argument.\n\n"
     "Args:\n"
     "  device: Device of the result; None is the device of the array.\n"
     "  dtype: Dtype of the result; None is the dtype of the array.\n"
     "  non_blocking: Whether a copy from or to pinned memory may run asynchronously.\n"
     "  copy: Whether to copy always. False returns the array itself if nothing has to change.\n\n"
     "Errors: RuntimeError if there is no such device."},
    {"to_device", as_method(to_device), kKeywords,
     "to_device($self, device, /, *, stream=None)\n--\n\n"
     "The array on another device. An array that is there already is returned itself.\n\n"
     "Args:\n"
     "  device: Device of the result: 'cpu', 'cuda', 'cuda:<number>' or 'meta'.\n"
     "  stream: Not implemented; must be None.\n\n"
     "Errors: ValueError if `device` is not a device or `stream` is not None; RuntimeError if there is\n"
     "no such GPU."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

template <bool compat>
PyMethodDef* device_methods() {
  constexpr int skip = compat ? 0 : 1;  // Tensor's names have no underscore: skip it
  static PyMethodDef methods[] = {{"_pin_memory" + skip, pin_memory<compat>, METH_NOARGS,
                                   "_pin_memory($self, /)\n--\n\n"
                                   "The array in page-locked memory of the CPU.\n\n"
                                   "Copies between such memory and a GPU can run asynchronously. An array in\n"
                                   "such memory is returned itself.\n\n"
                                   "Errors: RuntimeError if the array is not on the CPU or there is no GPU." +
                                       skip},
                                  {"_is_pinned" + skip, is_pinned<compat>, METH_NOARGS,
                                   "_is_pinned($self, /)\n--\n\nWhether the array is in page-locked memory." + skip},
                                  {"_record_stream" + skip, record_stream<compat>, METH_O,
                                   "_record_stream($self, stream, /)\n--\n\n"
                                   "Tells the memory allocator that `stream` uses the array.\n\n"
                                   "The memory is reused only after the work that `stream` has been given so\n"
                                   "far.\n\n"
                                   "Args:\n"
                                   "  stream: A torch_np.cuda.Stream." +
                                       skip},
                                  {nullptr, nullptr, 0, nullptr}};
  return !compat || add_methods(ndarray_type, ndarray_only) ? methods : nullptr;
}
template PyMethodDef* device_methods<false>();
template PyMethodDef* device_methods<true>();

}  // namespace tnp::python
