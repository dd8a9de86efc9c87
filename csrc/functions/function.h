// torch_np._C.Function: the Python type of all functions of both faces. Covers generated bindings,
// functions of csrc, composite functions in Python, and ufuncs, whose type derives from it.
#pragma once

#include <string>

#include "csrc/functions/tables.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

enum FunctionFlag : uint8_t {
  kOverridable = 1,     // np: dispatches to __array_function__ (NEP 18) of its arguments
  kTakesLike = 2,       // np: dispatches to __array_function__ of like= only (NEP 35); for functions that create arrays
  kTakesArrays = 4,     // has arguments that are lists of arrays
  kKeepsClass = 8,      // a composite whose results adopt the class of the first argument
  kGivesValues = 16,    // a composite whose 0-d results become scalars: Note [Values]
  kNested = 32,         // the lists of arrays may be nested
  kTorchFunction = 64,  // torch: dispatches to __torch_function__ of its arguments
};

struct Function {
  PyObject_HEAD vectorcallfunc vectorcall;
  // The native function; null for a composite.
  Binding binding;
  // For a composite, the Python function. For a native function, a copy without override dispatch,
  // created on first use.
  PyObject* implementation;
  // `name`, `text_signature` and `doc` are set for native functions only. Composites read them from
  // `implementation`.
  const char* name;
  // "(x1, x2)"; If null, `doc` begins with the signature, as in a PyMethodDef.
  const char* text_signature;
  const char* doc;
  PyObject* module;  // name of the public module
  PyObject* dict;
  PyObject* weakrefs;
  // For a composite: the path of NumPy's function below `numpy`, made on first use. It lives as long as
  // the process.
  const std::string* numpys_path;
  uint8_t flags;
};
inline Function& function_of(PyObject* o) { return *reinterpret_cast<Function*>(o); }

extern PyTypeObject function_type;
bool is_function(PyObject* o);

// Creates the function object of a native function. `module`: the public module name, a str. `name`
// and `doc` must live as long as the process.
PyObject* make_function(const char* name, Binding binding, const char* doc, PyObject* module, uint8_t flags);
// Initialises the Function fields of a new object whose type derives from Function.
void init_function(Function& f, const char* name, Binding binding, const char* doc, PyObject* module);

// The inspect.Signature of a function without its own __signature__.
PyObject* signature_of(PyObject* plain);

// Getter of __doc__. Each type needs its own entry, since Python gives a type without one a __doc__
// of None.
PyObject* function_doc(PyObject* o, void*);

// A new reference to the function without override dispatch. Returns null without an exception if
// `o` is not one of our functions, or has no override dispatch.
PyObject* implementation_of(PyObject* o);

bool init_function_type(PyObject* module);

}  // namespace tnp::python
