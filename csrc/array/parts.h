// Declarations shared by the files of csrc/array, which together build the two array types.
#pragma once

#include "csrc/args/call.h"
#include "csrc/functions/lookup.h"
#include "csrc/objects/device.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/size.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

// Converts a function pointer to the void pointer of a PyType_Slot.
template <class R, class... A>
void* slot(R (*f)(A...)) {
  return reinterpret_cast<void*>(f);
}

// --- contributions of each file to the two types
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
PyMethodDef* device_methods();  // device_methods.cpp
template <bool compat>
PyMethodDef* interchange_methods();               // interchange.cpp
bool show_numpys_signatures(PyTypeObject* type);  // numpys_signatures.cpp; returns false with an exception set
bool init_number_protocol();
void init_tensor_overrides();              // tensor_overrides.cpp
bool add_subclass_methods();               // subclass_methods.cpp
bool add_masked_arrays(PyObject* module);  // masked_arrays.cpp

int variable_traverse(PyObject* self, visitproc visit, void* arg);  // garbage_collection.cpp
int variable_clear(PyObject* self);

// --- types and objects that one file defines; false means that an exception is set
bool init_tensor_type(PyObject* module);
bool init_ndarray_type(PyObject* module);
bool init_flags_type(PyObject* module);
bool init_array_class();                                                                              // array_class.cpp
PyObject* astype_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);  // astype.cpp
PyObject* make_flags(PyObject* array);

// ndarray.tobytes
PyObject* tobytes_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace tnp::python
