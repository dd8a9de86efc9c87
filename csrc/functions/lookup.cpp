// Generated bindings by the name that Python knows them by. See lookup.h.
#include "csrc/functions/lookup.h"

#include <cstring>

#include "csrc/functions/generalized.h"

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

}  // namespace tnp::python
