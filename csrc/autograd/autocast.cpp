// Automatic mixed precision in Python: the thread's state, and calls of functions that are composed
// in Python and have a rule of their own.
#include "aten/autograd/autocast.h"

#include "csrc/autograd/autograd.h"
#include "csrc/objects/dtypes.h"

namespace tnp::python {

namespace {

constexpr int kNumDeviceTypes = 2;  // with a state: the CPU, GPUs

bool is_device_type(int type) {
  if (type >= 0 && type < kNumDeviceTypes) return true;
  PyErr_SetString(PyExc_RuntimeError, "unknown device type for autocast");
  return false;
}

PyObject* is_on(PyObject*, PyObject*) { return PyBool_FromLong(is_autocast_on()); }

PyObject* get_state(PyObject*, PyObject* argument) {
  const auto type = static_cast<int>(PyLong_AsLong(argument));
  if (PyErr_Occurred()) return nullptr;
  if (!is_device_type(type)) return nullptr;
  return Py_BuildValue("(OO)", autocast_state.devices >> type & 1 ? Py_True : Py_False,
                       torch_dtype(autocast_state.dtypes[type]));
}

PyObject* set_state(PyObject*, PyObject* args) {
  int type, on;
  PyObject* dtype;
  if (!PyArg_ParseTuple(args, "ipO:_set_autocast", &type, &on, &dtype)) return nullptr;
  if (!is_device_type(type)) return nullptr;
  if (!is_torch_dtype(dtype)) return PyErr_SetString(PyExc_TypeError, "dtype must be a torch_np.dtype"), nullptr;
  const auto bit = static_cast<uint8_t>(1 << type);
  auto& devices = autocast_state.devices;
  devices = static_cast<uint8_t>(on ? devices | bit : devices & ~bit);
  autocast_state.dtypes[type] = unwrap_dtype(dtype);
  Py_RETURN_NONE;
}

PyObject* is_cache_enabled(PyObject*, PyObject*) { return PyBool_FromLong(autocast_state.is_cache_enabled); }
PyObject* set_cache_enabled(PyObject*, PyObject* value) {
  const int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  autocast_state.is_cache_enabled = on != 0;
  Py_RETURN_NONE;
}

PyObject* clear_cache(PyObject*, PyObject*) {
  clear_autocast_cache();
  Py_RETURN_NONE;
}

PyObject* increment_nesting(PyObject*, PyObject*) { return PyLong_FromLong(++autocast_state.nesting); }
PyObject* decrement_nesting(PyObject*, PyObject*) { return PyLong_FromLong(--autocast_state.nesting); }

void add_tensors(PyObject* o, Tensors& found) {
  if (is_variable(o)) {
    found.push_back(unwrap(o));
  } else if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) add_tensors(PySequence_Fast_GET_ITEM(o, i), found);
  }
}

Ref cast(PyObject* o, const AutocastCall& call) {
  if (is_variable(o)) {
    const Tensor& t = unwrap(o);
    const Tensor made = call.cast(t);
    if (made.is_same(t)) return Ref(Py_NewRef(o));
    return Ref(check(is_ndarray(o) ? wrap<true>(made) : wrap<false>(made)));
  }
  if (!PyTuple_CheckExact(o) && !PyList_CheckExact(o)) return Ref(Py_NewRef(o));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  Ref items(check(PyList_New(n)));
  for (Py_ssize_t i = 0; i < n; ++i)
    PyList_SET_ITEM(items.get(), i, cast(PySequence_Fast_GET_ITEM(o, i), call).release());
  return PyTuple_CheckExact(o) ? Ref(check(PyList_AsTuple(items.get()))) : std::move(items);
}

PyObject* call_with_rule(PyObject*, PyObject* args) {
  PyObject *function, *arguments, *keywords;
  int cpu, cuda;
  if (!PyArg_ParseTuple(args, "OiiO!O!:_autocast_call", &function, &cpu, &cuda, &PyTuple_Type, &arguments, &PyDict_Type,
                        &keywords))
    return nullptr;
  return guarded<false>([&]() -> PyObject* {
    Tensors found;
    add_tensors(arguments, found);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) add_tensors(value, found);
    const auto rules = std::pair(static_cast<AutocastRule>(cpu), static_cast<AutocastRule>(cuda));
    if (!has_autocast_rule(rules.first, rules.second, {found})) return PyObject_Call(function, arguments, keywords);
    const AutocastCall call(rules.first, rules.second, {found});
    const Ref casts = cast(arguments, call), named(check(PyDict_New()));
    for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);)
      check(PyDict_SetItem(named.get(), key, cast(value, call).get()) == 0);
    return PyObject_Call(function, casts.get(), named.get());
  });
}

PyMethodDef functions[] = {
    {"_is_autocast_on", is_on, METH_NOARGS, "Whether operators of this thread cast on any type of device."},
    {"_get_autocast", get_state, METH_O, "_get_autocast(device type) -> (enabled, dtype); 0 is the CPU, 1 GPUs"},
    {"_set_autocast", set_state, METH_VARARGS, "_set_autocast(device type, enabled, dtype)"},
    {"_is_autocast_cache_enabled", is_cache_enabled, METH_NOARGS, nullptr},
    {"_set_autocast_cache_enabled", set_cache_enabled, METH_O, nullptr},
    {"_clear_autocast_cache", clear_cache, METH_NOARGS, nullptr},
    {"_increment_autocast_nesting", increment_nesting, METH_NOARGS, nullptr},
    {"_decrement_autocast_nesting", decrement_nesting, METH_NOARGS, nullptr},
    {"_autocast_call", call_with_rule, METH_VARARGS,
     "_autocast_call(function, rule on the CPU, rule on GPUs, args, kwargs): calls a function with cast operands.\n"
     "Rules are numbers of AutocastRule (aten/core/autocast.h)."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

int add_autocast(PyObject* module) { return PyModule_AddFunctions(module, functions); }

}  // namespace tnp::python
