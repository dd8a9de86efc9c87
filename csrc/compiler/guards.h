// What a record depends on besides its arguments: variables of closures and modules, attributes of objects.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// One place, and what it held when the record was made.
struct Guard {
  enum class Kind : uint8_t {
    Cell,    // of a closure
    Item,    // of a dict
    Absent,  // a key that a dict has not
    Length,  // of a dict, `value`
    List,    // the items of a list are those of the tuple `value`
  };
  Kind kind;
  Ref holder, key, value;
  bool holds() const;
};

class Guards {
 public:
  Guards() = default;
  // Of what torch_np.compiler's walk found: a list of (kind, holder, key, value). Throws PythonError.
  explicit Guards(PyObject* found);
  bool hold() const;

 private:
  std::vector<Guard> guards_;
};

}  // namespace tnp::python
