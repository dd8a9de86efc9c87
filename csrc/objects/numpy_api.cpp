// Look-up of NumPy's types and exceptions. See numpy_api.h.
#include "csrc/objects/numpy_api.h"

#include <initializer_list>

namespace tnp::python {

namespace {

NumpyApi api;

// A new reference to module.a.b, or null with an exception set.
PyObject* lookup(const char* module_name, std::initializer_list<const char*> path) {
  PyObject* object = PyImport_ImportModule(module_name);
  for (const char* name : path) {
    if (!object) return nullptr;
    PyObject* next = PyObject_GetAttrString(object, name);
    Py_DECREF(object);
    object = next;
  }
  return object;
}

}  // namespace

const NumpyApi& numpy_api() { return api; }

bool init_numpy_api() {
  if (api.module) return true;
  auto find = [](PyObject*& place, std::initializer_list<const char*> path) {
    place = lookup("numpy", path);
    return place != nullptr;
  };
  auto find_type = [](PyTypeObject*& place, const char* name) {
    place = reinterpret_cast<PyTypeObject*>(lookup("numpy", {name}));
    return place != nullptr;
  };
  if (!find_type(api.ndarray_type, "ndarray") || !find_type(api.generic_type, "generic") ||
      !find_type(api.bool_type, "bool_") || !find_type(api.ufunc_type, "ufunc") ||
      !find_type(api.dtype_type, "dtype") || !find_type(api.copy_mode_type, "_CopyMode")) {
    return false;
  }
  if (!find(api.asarray, {"asarray"})) return false;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto t = static_cast<ScalarType>(i);
    PyObject* scalar = t == ScalarType::BFloat16 ? lookup("ml_dtypes", {"bfloat16"})
                                                 : lookup("numpy", {t == ScalarType::Bool ? "bool_" : dtype_name(t)});
    api.scalars[i] = reinterpret_cast<PyTypeObject*>(scalar);
    if (!scalar) return false;
    api.dtypes[i] = PyObject_CallOneArg(reinterpret_cast<PyObject*>(api.dtype_type), scalar);
    if (!api.dtypes[i]) return false;
  }
  if (!find(api.no_value, {"_NoValue"}) || !find(api.axis_error, {"exceptions", "AxisError"}) ||
      !find(api.linalg_error, {"linalg", "LinAlgError"})) {
    return false;
  }
  api.ufunc_type_error = lookup("numpy", {"_core", "_exceptions", "UFuncTypeError"});
  if (!api.ufunc_type_error) {  // a private name; its public base is TypeError
    PyErr_Clear();
    api.ufunc_type_error = Py_NewRef(PyExc_TypeError);
  }
  PyObject* capsule = lookup("numpy", {"_core", "_multiarray_umath", "_UFUNC_API"});
  auto* table = capsule ? static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr)) : nullptr;
  Py_XDECREF(capsule);
  if (!table) return false;
  constexpr int kGiveFloatingpointErrors = 46;  // index in NumPy's C API table, since 2.0
  api.give_floating_point_errors = reinterpret_cast<int (*)(const char*, int)>(table[kGiveFloatingpointErrors]);
  api.module = PyImport_ImportModule("numpy");
  return api.module != nullptr;
}

}  // namespace tnp::python
