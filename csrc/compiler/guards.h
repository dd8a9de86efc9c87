// What a record depends on besides its arguments: variables of closures and modules, attributes of objects.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// One place, and what it held when the record was made. Values are compared by identity, numbers and texts by their
// bits. No guard runs code written in Python.
struct Guard {
  // As torch_np/_guards.py numbers them.
  enum class Kind : uint8_t {
    Cell,        // of a closure
    Item,        // of a dict
    Absent,      // a key that a dict does not have
    List,        // the items of a list are those of the tuple `value`
    Items,       // the same of a container; `key` is the base class that iterates over it
    Dict,        // keys and values of a dict, in order, are those of the tuple
    Attributes,  // the same of an object's __dict__
    Slot,        // of an object, by the descriptor `key`; `value` is the descriptor where the slot is empty
    Type,        // of an object
    Function,    // code, defaults and keyword defaults of a function are those of the tuple
    Class,       // the method resolution order, then the class's own attributes; NotImplemented: any value
    Weak,        // reference, by the address of what it refers to: the record does not keep that
  };
  Kind kind;
  Ref holder, key, value;
  bool holds() const;
};

class Guards {
 public:
  Guards() = default;
  // Of what torch_np._guards.walk found: a list of (kind, holder, key, value). Throws PythonError.
  explicit Guards(PyObject* found);
  bool hold() const;

 private:
  std::vector<Guard> guards_;
};

}  // namespace tnp::python
