// torch_np._C.Function: the Python type of all functions of both faces. Covers generated bindings,
// functions of csrc, composite functions in Python, and ufuncs, whose type derives from it.
#pragma once

#include "csrc/functions/tables.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

enum FunctionFlag : uint8_t {
  kOverridable = 1,   // np: dispatches to __array_function__ (NEP 18) of its arguments,
  kTakesLike = 2,     // or of like= only (NEP 35): makes arrays
  kTakesArrays = 4,   // has list-of-array arguments
  kKeepsClass = 8,    // a composite whose results adopt the class of the first argument
  kGivesValues = 16,  // or whose 0-d results are scalars: Note [Values]
  kNested = 32,       // its lists of arrays may be nested
};

struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  // Native code; null for a composite.
  Binding binding;
  // Composite: the Python function. Native: a copy without override dispatch, made on demand.
  PyObject* implementation;
  // Native only, like the next two; composites read them from their implementation.
  const char* name;
  // "(x1, x2)"; null: `doc` begins with the signature, as for methods.
  const char* text_signature;
  const char* doc;
  PyObject* module;  // name of the public module
  PyObject* dict;
  PyObject* weakrefs;
  uint8_t flags;
};
inline Function& function_of(PyObject* o) { return *reinterpret_cast<Function*>(o); }

extern PyTypeObject function_type;
bool is_function(PyObject* o);

// Makes a native function with the public module name `module` (a str). The strings must live as
// long as the process.
PyObject* make_function(const char* name, Binding binding, const char* doc, PyObject* module, uint8_t flags);
// Initialises the function part of a new object of a derived type.
void init_function(Function& f, const char* name, Binding binding, const char* doc, PyObject* module);

// The inspect.Signature of a function without its own __signature__.
PyObject* signature_of(PyObject* plain);

// Getter of __doc__. Each type needs its own entry, since Python gives a type without one a __doc__
// of None.
PyObject* function_doc(PyObject* o, void*);

// A new reference to the function without override dispatch. Null without an exception: `o` is not
// our function, or has no override dispatch.
PyObject* implementation_of(PyObject* o);

bool init_function_type(PyObject* module);

}  // namespace tnp::python
