// What the garbage collector may know of an object of the two types.
#include "csrc/array/parts.h"
#include "csrc/autograd/autograd.h"

namespace tnp::python {

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<THPVariable*>(self)->dict);
  return visit_hooks(unwrap(self), visit, arg);
}

int tensor_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<THPVariable*>(self)->dict);
  clear_hooks(unwrap(self));
  return 0;
}

}  // namespace tnp::python
