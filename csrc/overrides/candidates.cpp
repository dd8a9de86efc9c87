#include "csrc/overrides/candidates.h"

namespace tnp::python {

void Candidates::add(PyObject* o) {
  size_t at = items_.size();
  for (size_t i = items_.size(); i-- > 0;) {
    if (Py_TYPE(items_[i]) == Py_TYPE(o)) return;
    if (PyType_IsSubtype(Py_TYPE(o), Py_TYPE(items_[i]))) at = i;
  }
  items_.insert(at, o);
}

}  // namespace tnp::python
