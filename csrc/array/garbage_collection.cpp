// tp_traverse and tp_clear of both array types.
#include "csrc/array/parts.h"
#include "csrc/autograd/autograd.h"

namespace tnp::python {

int variable_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<THPVariable*>(self)->dict);
  return visit_graph(unwrap(self), visit, arg);
}

int variable_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<THPVariable*>(self)->dict);
  clear_graph(unwrap(self));
  return 0;
}

}  // namespace tnp::python
