// Guards: conditions on variables of closures and modules, and attributes of objects, that a trace
// depends on.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// One location, and the value it held at trace time. Values are compared by identity, numbers and
// strings by their bits. No guard runs Python code.
struct Guard {
  // As torch_np/_guards.py numbers them.
  enum class Kind : uint8_t {
    Cell,        // variable of a closure
    Item,        // value of a dict's key
    Absent,      // key that a dict does not have
    List,        // items of a list, in the tuple `value`
    Items,       // items of another container; `key` is the base class that iterates over it
    Dict,        // keys and values of a dict, in order, in the tuple `value`
    Attributes,  // the same of an object's __dict__
    Slot,        // slot of an object, by the descriptor `key`; `value` is the descriptor if it is empty
    Type,        // class of an object
    Function,    // code, defaults and keyword defaults of a function, in the tuple `value`
    Class,       // method resolution order and own attributes of a class; NotImplemented: any value. Attributes named
                 // in the frozenset `key` may be added
    Weak,        // referent of a weak reference, by address: the trace does not keep it alive
  };
  Kind kind;
  Ref holder, key, value;
  bool holds() const;
};

class Guards {
 public:
  Guards() = default;
  // `found`: the result of torch_np._guards.walk, a list of (kind, holder, key, value). Throws
  // PythonError.
  explicit Guards(PyObject* found);
  bool hold() const;

 private:
  std::vector<Guard> guards_;
};

}  // namespace tnp::python
