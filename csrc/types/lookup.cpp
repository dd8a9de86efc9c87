// Generated bindings by the name that Python knows them by: operators and a few methods are calls of those.
#include <cstring>

#include "csrc/types/common.h"
#include "csrc/types/ufunc.h"

namespace tnp::python {

namespace {

Binding find_in(const PyMethodDef* table, const char* name) {
  for (; table && table->ml_name; ++table) {
    if (std::strcmp(table->ml_name, name) == 0)
      return reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(table->ml_meth));
  }
  return nullptr;
}

PyObject* call_binding(Binding binding, const char* name, std::initializer_list<PyObject*> args, bool method) {
  if (!binding) {
    PyErr_Format(PyExc_NotImplementedError, "%s is not part of this build of torch_np", name);
    return nullptr;
  }
  PyObject* const* first = args.begin();
  auto n = static_cast<Py_ssize_t>(args.size());
  return method ? binding(*first, first + 1, n - 1, nullptr) : binding(nullptr, first, n, nullptr);
}

}  // namespace

const UfuncRow* find_ufunc(const char* name) {
  for (const UfuncRow* row = ufuncs; row->name; ++row) {
    if (row->package[0] == '\0' && std::strcmp(row->name, name) == 0) return row;
  }
  return find_generalized(name);
}

Binding find_function(bool compat, const char* name) {
  if (compat) {
    if (const UfuncRow* row = find_ufunc(name)) return row->binding;
  }
  for (const FunctionTable* table = function_tables; table->functions; ++table) {
    if (table->compat != compat || table->package[0] != '\0') continue;
    if (Binding found = find_in(table->functions, name)) return found;
  }
  return nullptr;
}

Binding find_method(bool compat, const char* name) { return find_in(compat ? ndarray_methods : tensor_methods, name); }

PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args) {
  return call_binding(find_function(compat, name), name, args, false);
}

PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args) {
  return call_binding(find_method(compat, name), name, self_and_args, true);
}

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
