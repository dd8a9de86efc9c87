// Guards: conditions on variables of closures and modules, and attributes of objects, that a trace
// depends on.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// The kinds of guards: X(kind, what is guarded, how it is compared, which part of the code does it).
// This is the only list: torch_np/_guards.py and the section "What is guarded" of docs/compile.md
// come from it. The first ones are the kinds of Guard, which torch_np._guards.walk finds. "Value":
// numbers, strings and bytes by their bits, so that 0.0 and -0.0 differ; other objects by identity.
#define TNP_GUARDS_OF_STATE(X)                                                                                  \
  X(Cell, "variable of a closure", "value", Guard)                                                              \
  X(Item, "global variable, builtin, attribute of a module, key of a dictionary", "value", Guard)               \
  X(Absent, "name that a module or dictionary does not have", "absence", Guard)                                 \
  X(List, "list", "length and values of the items", Guard)                                                      \
  X(Items, "set, deque; order of an OrderedDict", "values of the items, in order", Guard)                       \
  X(Dict, "dictionary, keyword defaults of a function", "keys and values, in order", Guard)                     \
  X(Attributes, "attributes of an instance, function or array", "names and values, in order", Guard)            \
  X(Slot, "attribute in `__slots__`", "value, or absence", Guard)                                               \
  X(Type, "class of an object", "identity", Guard)                                                              \
  X(Function, "code, defaults, keyword defaults, names and docstring of a function", "identity", Guard)         \
  X(Class, "name, method resolution order, methods, and attributes of a class that code names", "value", Guard) \
  X(Method, "method of a class of a library", "identity", Guard)                                                \
  X(Buffer, "NumPy array, bytearray or array.array of up to 4 KiB", "format, shape and contents, by comparison", Guard)

// Guards of the call's arguments and of the library's settings (call_key.h).
#define TNP_GUARDS_OF_CALLS(X)                                                                                  \
  X(Value, "number, string, bytes or slice among the arguments", "bits", CallKey)                               \
  X(Contents, "tuple, list, dict or OrderedDict among the arguments", "length and contents, in order", CallKey) \
  X(Geometry, "array among the arguments",                                                                      \
    "face, dtype, device, shape, strides, alignment, flags, gradient, attributes", CallKey)                     \
  X(Alias, "arrays that share memory", "which ones, and the distance", CallKey)                                 \
  X(Members, "instance among the arguments, used through its attributes alone",                                 \
    "class, and attributes that code names, as arguments", CallKey)                                             \
  X(Identity, "other object among the arguments", "identity", CallKey)                                          \
  X(GradMode, "grad mode", "value", CallKey)                                                                    \
  X(Autocast, "state of autocast on each type of device", "value", CallKey)                                     \
  X(Defaults, "default dtypes, default device, precision of float32 products", "value", CallKey)                \
  X(Promotion, "promotion rules of each face and device", "value", CallKey)                                     \
  X(Outside, "array in a variable or attribute",                                                                \
    "memory, shape, strides, dtype, flags, gradient; aliases of arguments", Outside)                            \
  X(History, "autograd history of arrays", "which ones share a node", Inputs)                                   \
  X(Hooks, "hooks of leaves that receive a gradient inside the function", "absence", Replay)                    \
  X(Read, "value that Python reads from an array", "bits", Replay)                                              \
  X(Errors, "error state (`np.errstate`)", "none: a replay obeys the state of its call", Replay)

// One location, and the value it held at trace time. No guard runs Python code.
struct Guard {
  enum class Kind : uint8_t {
#define TNP_KIND(kind, guarded, compared, part) kind,
    TNP_GUARDS_OF_STATE(TNP_KIND)
#undef TNP_KIND
  };
  // Of Cell to Method, `holder` is the object and `key` the name, the class that iterates (Items) or
  // the descriptor (Slot). `value` is a tuple if there are several; NotImplemented stands for any
  // value (Class), the descriptor for an empty slot.
  Kind kind;
  Ref holder, key, value;
  bool holds() const;
};

class Guards {
 public:
  Guards() = default;
  // `found`: the result of torch_np._guards.walk, a list of (kind, holder, key, value, where).
  // Throws PythonError.
  explicit Guards(PyObject* found);
  bool hold() const;
  // Whether a guard compares the contents of this object.
  bool has_holder(PyObject* o) const;
  // A list of (kind, key, value, where), for torch_np.compiler.explain.
  Ref described() const;
  int visit(visitproc visit, void* arg) const;

 private:
  std::vector<Guard> guards_;
  std::vector<Ref> where_;
};

// _C._guard_kinds(): the table above, as a list of (kind, guarded, compared, part).
PyObject* guard_kinds(PyObject*, PyObject*);
// _C._buffer_state(o): format, shape, strides and contents of a buffer, as bytes; None if it is too
// large or not contiguous.
PyObject* buffer_state(PyObject*, PyObject* o);

}  // namespace tnp::python
