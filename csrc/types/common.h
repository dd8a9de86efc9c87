// What the files of csrc/types share: guarded calls, making and replacing objects, and the slots and methods that each
// file contributes to the two types.
#pragma once

#include <vector>

#include "csrc/args/call.h"
#include "csrc/python_error.h"
#include "csrc/types/tables.h"
#include "csrc/types/variable.h"

namespace tnp::python {

// Runs `body` under the face's promotion rules; what it throws becomes a Python exception, and `failure` the result.
template <bool compat, class R, class F>
R protect(R failure, F&& body) {
  try {
    PromotionRulesGuard rules(face_rules[compat]);
    return body();
  } catch (...) {
    set_python_error<compat>(nullptr);
    return failure;
  }
}
template <bool compat, class F>
PyObject* protect(F&& body) {
  return protect<compat>(static_cast<PyObject*>(nullptr), std::forward<F>(body));
}

// --- variable.cpp
// As wrap, but of a subclass of the face's type; calls its __array_finalize__(parent) (null: None).
template <bool compat>
PyObject* wrap_as(PyTypeObject* type, const Tensor& t, PyObject* parent);
// Makes `self` hold another tensor (Tensor.data, __setstate__).
template <bool compat>
void replace_tensor(PyObject* self, const Tensor& t);
template <bool compat>
void variable_dealloc(PyObject* self);
int tensor_traverse(PyObject* self, visitproc visit, void* arg);
int tensor_clear(PyObject* self);
PyObject* python_number(const Scalar& v);
PyObject* tuple_of_ints(IntList v, int64_t factor = 1);
inline bool is_exact(PyObject* o) { return Py_TYPE(o) == ndarray_type || Py_TYPE(o) == tensor_type; }
// `result` (owned, may be null) as an object of `self`'s class; results for exact types pass through.
PyObject* as_subclass_of(PyObject* self, PyObject* result);

// --- lookup.cpp: generated bindings by their Python name
Binding find_function(bool compat, const char* name);  // torch_np.add, torch_np.numpy.add (also ufuncs); or null
Binding find_method(bool compat, const char* name);
const UfuncRow* find_ufunc(const char* name);
// Calls one of them with positional arguments; NotImplementedError if this build has none of that name.
PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args);
PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args);

// --- what each file adds to the two types
using Slots = std::vector<PyType_Slot>;
template <bool compat>
void add_number_slots(Slots& slots);  // number_protocol.cpp
template <bool compat>
void add_comparison_slot(Slots& slots);  // comparison.cpp
template <bool compat>
void add_object_slots(Slots& slots);  // object_protocol.cpp
template <bool compat>
PyMethodDef* object_methods();  // object_protocol.cpp
template <bool compat>
PyMethodDef* pickle_methods();  // pickling.cpp
template <bool compat>
PyMethodDef* interchange_methods();  // interchange.cpp
bool init_number_protocol();
// Puts methods and properties into a type that is ready; later ones replace earlier ones.
bool add_methods(PyTypeObject* type, PyMethodDef* methods);

// --- the types and objects of single files; false: a Python exception is set
bool init_tensor_type(PyObject* module);
bool init_ndarray_type(PyObject* module);
bool add_array_functions(PyObject* numpy_module, PyObject* torch_module);  // np.array, torch_np.tensor, ...
bool init_ufunc_type(PyObject* module, PyObject* numpy_module);
bool init_flags_type(PyObject* module);
bool init_size_type(PyObject* module);
bool init_device_type(PyObject* module);
bool add_memory_module(PyObject* module);                                                             // torch_np.cpu
bool add_cuda_module(PyObject* module);                                                               // torch_np.cuda
PyObject* astype_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);  // astype.cpp
PyObject* make_flags(PyObject* array);
PyObject* make_size(IntList sizes);
PyObject* make_device(Device device);
// The new ufunc object's call, with `__array_ufunc__` of foreign operands honoured.
PyObject* call_ufunc(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

inline PyCFunction as_method(PyObject* (*f)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}
inline PyCFunction as_method(PyObject* (*f)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace tnp::python
