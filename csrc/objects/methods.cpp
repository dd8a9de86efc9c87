#include "csrc/objects/methods.h"

#include "csrc/objects/python_error.h"

namespace tnp::python {

bool add_methods(PyTypeObject* type, PyMethodDef* methods) {
  for (PyMethodDef* m = methods; m && m->ml_name; ++m) {
    PyObject* descriptor = m->ml_flags & METH_STATIC  ? PyStaticMethod_New(Ref(PyCFunction_New(m, nullptr)).get())
                           : m->ml_flags & METH_CLASS ? PyDescr_NewClassMethod(type, m)
                                                      : PyDescr_NewMethod(type, m);
    int failed = descriptor ? PyDict_SetItemString(type->tp_dict, m->ml_name, descriptor) : -1;
    Py_XDECREF(descriptor);
    if (failed) return false;
  }
  PyType_Modified(type);
  return true;
}

}  // namespace tnp::python
