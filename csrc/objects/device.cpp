#include "csrc/objects/device.h"

#include <string>
#include <string_view>
#include <vector>

#include "aten/core/devices/default_device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/entered_contexts.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

PyTypeObject* device_type = nullptr;

struct THPDevice {
  PyObject_HEAD Device device;
};
Device device_of(PyObject* o) { return reinterpret_cast<THPDevice*>(o)->device; }

PyObject* device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject* type = nullptr;
  int index = -1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|i:device", const_cast<char**>(names), &type, &index))
    return nullptr;
  return protect<false>([&] {
    Device device = device_from_object(type).value_or(Device{});
    TNP_CHECK(index < 128 && (index <= 0 || device.is_cuda()), ErrorKind::Runtime, "Invalid device index ", index);
    if (index >= 0) device.index = static_cast<int8_t>(index);
    return make_device(device);
  });
}
PyObject* device_str(PyObject* self) { return PyUnicode_FromString(to_string(device_of(self)).c_str()); }
PyObject* device_repr(PyObject* self) {
  Device d = device_of(self);
  return d.is_cuda() ? PyUnicode_FromFormat("device(type='cuda', index=%d)", d.index)
                     : PyUnicode_FromFormat("device(type='%s')", to_string(d).c_str());
}
PyObject* device_get_type(PyObject* self, void*) {
  const Device d = device_of(self);
  return PyUnicode_FromString(d.is_cuda() ? "cuda" : to_string(d).c_str());
}
PyObject* device_get_index(PyObject* self, void*) {
  if (!device_of(self).is_cuda()) Py_RETURN_NONE;
  return PyLong_FromLong(device_of(self).index);
}
Py_hash_t device_hash(PyObject* self) {
  return static_cast<int>(device_of(self).type) * 131 + device_of(self).index + 7;
}
PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != device_type || Py_TYPE(b) != device_type) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((device_of(a) == device_of(b)) == (op == Py_EQ));
}
PyObject* device_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(s)", device_type, to_string(device_of(self)).c_str());
}

// `with device('meta'):` sets the default device of this thread.
std::vector<Device>& outer_devices() { return EnteredContexts::get().outer_devices; }

PyObject* device_enter(PyObject* self, PyObject*) {
  return protect<false>([&] {
    const Device device = device_of(self);
    const Device before = exchange_this_threads_device(Device{});
    if (device.is_cpu() && !default_device().is_cpu()) {
      exchange_this_threads_device(before);
      TNP_RAISE(ErrorKind::NotImplemented, "with device('cpu'): the default device of the process is ",
                to_string(default_device()), "; call set_default_device('cpu') instead");
    }
    outer_devices().push_back(before);
    exchange_this_threads_device(device);
    return Py_NewRef(self);
  });
}
PyObject* device_exit(PyObject*, PyObject*) {
  if (outer_devices().empty())
    return PyErr_SetString(PyExc_RuntimeError, "device.__exit__(): the device has not been entered"), nullptr;
  return protect<false>([&] {
    exchange_this_threads_device(outer_devices().back());
    outer_devices().pop_back();
    Py_RETURN_NONE;
  });
}
// device(function): the function with this default device.
PyObject* device_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* function;
  if ((kwargs && PyDict_GET_SIZE(kwargs) > 0) || !PyArg_ParseTuple(args, "O:device", &function)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "device() takes no keyword arguments");
    return nullptr;
  }
  Ref module(PyImport_ImportModule("torch_np._torch.device"));
  return module ? PyObject_CallMethod(module.get(), "on_device", "OO", self, function) : nullptr;
}

PyMethodDef device_methods[] = {
    {"__reduce__", device_reduce, METH_NOARGS, "Description of the device for pickle."},
    {"__enter__", device_enter, METH_NOARGS, "Makes this the device of new arrays of this thread."},
    {"__exit__", device_exit, METH_VARARGS, "Restores the device of new arrays of this thread."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef device_properties[] = {
    {"type", device_get_type, nullptr, "Kind of the device: 'cpu', 'cuda' or 'meta'.", nullptr},
    {"index", device_get_index, nullptr, "Number of the GPU; None for the CPU.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot device_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(device_new)},
    {Py_tp_repr, reinterpret_cast<void*>(device_repr)},
    {Py_tp_str, reinterpret_cast<void*>(device_str)},
    {Py_tp_hash, reinterpret_cast<void*>(device_hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(device_compare)},
    {Py_tp_methods, device_methods},
    {Py_tp_call, reinterpret_cast<void*>(device_call)},
    {Py_tp_getset, device_properties},
    {Py_tp_doc, const_cast<char*>("Device of a tensor's memory, such as device('cpu') or device('cuda:0').")},
    {0, nullptr}};
PyType_Spec device_spec = {"torch_np.device", sizeof(THPDevice), 0, Py_TPFLAGS_DEFAULT, device_slots};

}  // namespace

bool init_device_type(PyObject* module) {
  device_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&device_spec));
  return device_type && PyModule_AddObjectRef(module, "device", reinterpret_cast<PyObject*>(device_type)) == 0;
}

PyObject* make_device(Device device) {
  PyObject* out = device_type->tp_alloc(device_type, 0);
  if (out) reinterpret_cast<THPDevice*>(out)->device = device;
  return out;
}

bool names_device(PyObject* o) {
  if (!PyUnicode_Check(o)) return Py_TYPE(o) == device_type;
  const char* text = PyUnicode_AsUTF8(o);
  if (!text) return PyErr_Clear(), false;
  const std::string_view name(text);
  return name == "cpu" || name == "meta" || name == "cuda" || name.starts_with("cuda:");
}

}  // namespace tnp::python
