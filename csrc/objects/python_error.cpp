#include "csrc/objects/python_error.h"

namespace tnp::python {

void raise_python(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw PythonError();
}

std::string text_of(PyObject* o) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(o, &n);
  if (!s) throw PythonError();
  return std::string(s, static_cast<size_t>(n));
}

}  // namespace tnp::python
