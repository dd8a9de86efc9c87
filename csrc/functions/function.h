// torch_np._C.Function: what the functions of both faces are to Python, whether generated bindings, functions of
// csrc, compositions in Python, or ufuncs, whose type is derived from it.
#pragma once

#include "csrc/functions/tables.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

enum FunctionFlag : uint8_t {
  kOverridable = 1,   // np: honours __array_function__ (NEP 18) of its arguments,
  kTakesLike = 2,     // or of like= alone (NEP 35): makes arrays
  kTakesArrays = 4,   // arguments of it are lists of arrays
  kKeepsClass = 8,    // a composition whose results take the class of the first argument
  kGivesValues = 16,  // or whose 0-d results are values: Note [Values]
  kNested = 32,       // its lists of arrays may hold lists of arrays
};

struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  // Native code; null: a composition.
  Binding binding;
  // Of a composition: the Python function. Of native ones: themselves without the detour, made when asked for.
  PyObject* implementation;
  // Of native ones, as the next; compositions ask their implementation.
  const char* name;
  // "(x1, x2)"; null: `doc` begins with it, as of methods.
  const char* text_signature;
  const char* doc;
  PyObject* module;  // the name of the public one
  PyObject* dict;
  PyObject* weakrefs;
  uint8_t flags;
};
inline Function& function_of(PyObject* o) { return *reinterpret_cast<Function*>(o); }

extern PyTypeObject function_type;
bool is_function(PyObject* o);

// A new function of native code, said to be of the module `module` (a str). Texts live as long as the process.
PyObject* make_function(const char* name, Binding binding, const char* doc, PyObject* module, uint8_t flags);
// Fills in what a new object of a derived type has of a function.
void init_function(Function& f, const char* name, Binding binding, const char* doc, PyObject* module);

// The inspect.Signature of a function that has no __signature__ of its own.
PyObject* signature_of(PyObject* plain);

// The getter of __doc__. Each type needs it in its own table, for Python gives a type without one a __doc__ of None.
PyObject* function_doc(PyObject* o, void*);

// A new reference to the function without the detour to classes that override it; null without an exception: `o` is
// none of ours, or has no detour.
PyObject* implementation_of(PyObject* o);

bool init_function_type(PyObject* module);

}  // namespace tnp::python
