// Arguments that may override a call of a function (NEP 18) or of a ufunc (NEP 13).
#pragma once

#include <Python.h>

#include "aten/core/containers/small_vector.h"
#include "aten/core/macros.h"

namespace tnp::python {

// A list of borrowed arguments, one per class, in the order in which both protocols try them: the
// order of the call, but subclasses before their base classes.
class Candidates {
 public:
  TNP_COLD void add(PyObject* o);
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  PyObject* operator[](size_t i) const { return items_[i]; }
  PyObject* const* begin() const { return items_.begin(); }
  PyObject* const* end() const { return items_.end(); }

 private:
  SmallVector<PyObject*, 8> items_;
};

}  // namespace tnp::python
