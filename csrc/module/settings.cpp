// Process-wide settings: default dtypes and device, precision, threads.
#include <cstring>

#include "aten/core/devices/default_device.h"
#include "aten/core/memory/fill_new_memory.h"
#include "aten/core/numbers/matmul_precision.h"
#include "aten/core/threads/parallel.h"
#include "csrc/args/readers.h"
#include "csrc/module/modules.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dialects.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/numpy_scalars.h"
#include "csrc/objects/switches.h"

namespace tnp::python {

namespace {

PyObject* set_default_dtype(PyObject*, PyObject* args) {
  PyObject* object;
  int numpy_face;
  if (!PyArg_ParseTuple(args, "Op:_set_default_dtype", &object, &numpy_face)) return nullptr;
  return protect<true>([&] {
    ScalarType t = dtype_from_object(object).value_or(ScalarType::Float64);
    tnp::set_default_dtype(t, numpy_face ? Face::NumPy : Face::Torch);
    return Py_NewRef(Py_None);
  });
}

PyObject* get_default_dtype(PyObject*, PyObject* args) {
  int numpy_face, of_integers = 0;
  if (!PyArg_ParseTuple(args, "p|p:_get_default_dtype", &numpy_face, &of_integers)) return nullptr;
  const Face face = numpy_face ? Face::NumPy : Face::Torch;
  ScalarType t = of_integers ? default_integer_dtype(face) : default_dtype(face);
  return Py_XNewRef(numpy_face ? numpy_dtype(t) : torch_dtype(t));
}

PyObject* torch_default_dtype(PyObject*, PyObject*) { return Py_XNewRef(torch_dtype(default_dtype(Face::Torch))); }

PyObject* set_scalars(PyObject*, PyObject* arrays) {
  const int wanted = PyObject_IsTrue(arrays);
  return wanted < 0 ? nullptr : PyBool_FromLong(scalars_are_arrays.exchange(wanted == 1));
}

constexpr const char* kPrecisions[] = {"highest", "high", "medium"};  // in the order of Float32MatmulPrecision

PyObject* set_float32_matmul_precision(PyObject*, PyObject* precision) {
  const char* text = PyUnicode_Check(precision) ? PyUnicode_AsUTF8(precision) : nullptr;
  if (!text) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "set_float32_matmul_precision(): precision must be a str, not %.200s",
                   Py_TYPE(precision)->tp_name);
    return nullptr;
  }
  for (int i = 0; i < 3; ++i) {
    if (std::strcmp(text, kPrecisions[i]) != 0) continue;
    tnp::set_float32_matmul_precision(static_cast<Float32MatmulPrecision>(i));
    Py_RETURN_NONE;
  }
  return PyErr_Format(PyExc_ValueError,
                      "set_float32_matmul_precision(): precision must be 'highest', 'high' or 'medium', not %R",
                      precision);
}
PyObject* get_float32_matmul_precision(PyObject*, PyObject*) {
  return PyUnicode_FromString(kPrecisions[static_cast<int>(float32_matmul_precision())]);
}

PyObject* get_default_device(PyObject*, PyObject*) {
  return protect<false>([&] { return make_device(default_device()); });
}
PyObject* py_set_default_device(PyObject*, PyObject* o) {
  return protect<false>([&] {
    set_default_device(device_from_object(o).value_or(Device{}));
    return Py_NewRef(Py_None);
  });
}

PyObject* py_get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(get_num_threads()); }
PyObject* py_set_num_threads(PyObject*, PyObject* n) {
  return protect<false>([&] {
    int64_t v = read_integer(n, false);
    TNP_CHECK(v >= 1 && v <= 1'000'000, ErrorKind::Value, "expected a positive number of threads, got ", v);
    set_num_threads(static_cast<int>(v));
    return Py_NewRef(Py_None);
  });
}

PyObject* get_fill(PyObject*, PyObject*) { return PyBool_FromLong(fills_new_memory); }
PyObject* set_fill(PyObject*, PyObject* fill) {
  const int wanted = PyObject_IsTrue(fill);
  if (wanted < 0) return nullptr;
  fills_new_memory = wanted == 1;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_get_fills_new_memory", get_fill, METH_NOARGS, "Whether empty() and resize_() fill new memory."},
    {"_set_fills_new_memory", set_fill, METH_O,
     "_set_fills_new_memory(fill): sets whether empty() and resize_() fill new memory."},
    {"_set_default_dtype", set_default_dtype, METH_VARARGS,
     "_set_default_dtype(dtype, numpy_face): sets the default floating dtype of a face."},
    {"_get_default_dtype", get_default_dtype, METH_VARARGS,
     "_get_default_dtype(numpy_face, of_integers=False): default floating or integer dtype of a face."},
    {"get_default_dtype", torch_default_dtype, METH_NOARGS,
     "get_default_dtype()\n--\n\n"
     "Returns the dtype of new floating-point tensors."},
    {"_set_scalars", set_scalars, METH_O,
     "_set_scalars(arrays): sets whether results that NumPy returns as scalars are 0-d arrays. Returns\n"
     "the previous setting."},
    {"_set_promotion_rules", set_promotion_rules, METH_VARARGS,
     "_set_promotion_rules(rules, device): sets the promotion rules of NumPy's face, 'numpy', 'torch'\n"
     "or None, for 'cpu', 'cuda' or None."},
    {"_get_promotion_rules", get_promotion_rules, METH_O,
     "_get_promotion_rules(device): promotion rules of NumPy's face on a device, 'numpy' or 'torch'."},
    {"_set_float32_matmul_precision", set_float32_matmul_precision, METH_O,
     "_set_float32_matmul_precision(precision): sets the precision of float32 matrix products,\n"
     "'highest', 'high' or 'medium'."},
    {"_get_float32_matmul_precision", get_float32_matmul_precision, METH_NOARGS,
     "_get_float32_matmul_precision(): precision of float32 matrix products."},
    {"_get_default_device", get_default_device, METH_NOARGS, "_get_default_device(): device of new arrays."},
    {"_set_default_device", py_set_default_device, METH_O,
     "_set_default_device(device): sets the device of new arrays."},
    {"get_num_threads", py_get_num_threads, METH_NOARGS,
     "get_num_threads()\n--\n\n"
     "Number of threads that operators use.\n\n"
     "The initial value is that of the environment variable TORCH_NP_NUM_THREADS. Without it, it is\n"
     "the number of processors that the process may use."},
    {"set_num_threads", py_set_num_threads, METH_O,
     "set_num_threads(n, /)\n--\n\n"
     "Sets the number of threads that operators use.\n\n"
     "Args:\n"
     "  n: Number of threads, at least 1.\n\n"
     "Errors: ValueError if `n` is not positive."},
    {"_switches", switches, METH_NOARGS,
     "_switches(): devices that an environment variable turns off, as a list of (variable, what it\n"
     "does, what it reads, why, what happens without it)."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_settings(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
