// Guards: conditions on variables of closures and modules, and attributes of objects, that a record
// depends on.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "csrc/objects/python_error.h"

namespace tnp::python {

// One location, and the value it held at recording.
struct Guard {
  enum class Kind : uint8_t {
    Cell,    // variable of a closure
    Item,    // value of a dict's key
    Absent,  // key that a dict does not have
    Length,  // length of a dict, in `value`
    List,    // items of a list, in the tuple `value`
  };
  Kind kind;
  Ref holder, key, value;
  bool holds() const;
};

class Guards {
 public:
  Guards() = default;
  // `found`: the result of torch_np.compiler's walk, a list of (kind, holder, key, value). Throws
  // PythonError.
  explicit Guards(PyObject* found);
  bool hold() const;

 private:
  std::vector<Guard> guards_;
};

}  // namespace tnp::python
