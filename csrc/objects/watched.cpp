#include "csrc/objects/watched.h"

#include "csrc/objects/variable.h"

namespace tnp::python {

bool torch_functions_watched = false;
void (*install_watch)() = nullptr;
thread_local constinit TorchFunctionState torch_function_state;
PyObject* disabled_torch_function = nullptr;

void watch_torch_functions() {
  if (torch_functions_watched) return;
  torch_functions_watched = true;
  if (install_watch) install_watch();
}

bool type_overrides_torch_functions(PyTypeObject* type) {
  static PyObject* name = PyUnicode_InternFromString("__torch_function__");
  if (type == tensor_type || type == parameter_type || type == ndarray_type) return false;
  PyObject* found = _PyType_Lookup(type, name);
  return found && found != disabled_torch_function && type != &PyType_Type;
}

}  // namespace tnp::python
