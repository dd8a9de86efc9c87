// Lookup of generated bindings by Python name. See lookup.h.
#include "csrc/functions/lookup.h"

#include <cstring>
#include <string_view>
#include <unordered_map>

#include "csrc/objects/not_held.h"

namespace tnp::python {

namespace {

using Names = std::unordered_map<std::string_view, Binding>;

Binding binding_of(const PyMethodDef& method) {
  return reinterpret_cast<Binding>(reinterpret_cast<void (*)()>(method.ml_meth));
}

// Functions of torch_np or torch_np.numpy including ufuncs, but without subpackages.
Names functions_of(bool compat) {
  Names names;
  for (const FamilyTables* family : family_tables) {
    for (const FunctionRow* row = family->functions; row->method.ml_name; ++row) {
      if (row->compat == compat && !row->package[0]) names.emplace(row->method.ml_name, binding_of(row->method));
    }
    for (const UfuncRow* row = family->ufuncs; compat && row->name; ++row) {
      if (!row->package[0]) names.emplace(row->name, row->binding);
    }
  }
  return names;
}

Names methods_of(bool compat) {
  Names names;
  for (const FamilyTables* family : family_tables) {
    const PyMethodDef* m = compat ? family->ndarray_methods : family->tensor_methods;
    for (; m->ml_name; ++m) names.emplace(m->ml_name, binding_of(*m));
  }
  return names;
}

Binding find_in(const Names& names, const char* name) {
  auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

PyObject* call_binding(Binding binding, const char* name, std::initializer_list<PyObject*> args, bool method) {
  if (!binding) {
    PyErr_Format(PyExc_NotImplementedError, "%s is not part of this build of torch_np", name);
    return nullptr;
  }
  Within call;  // callers expect one of our arrays
  PyObject* const* first = args.begin();
  auto n = static_cast<Py_ssize_t>(args.size());
  return method ? binding(*first, first + 1, n - 1, nullptr) : binding(nullptr, first, n, nullptr);
}

}  // namespace

const UfuncRow* find_ufunc(const char* name) {
  for (const FamilyTables* family : family_tables) {
    for (const UfuncRow* row = family->ufuncs; row->name; ++row) {
      if (!row->package[0] && std::strcmp(row->name, name) == 0) return row;
    }
  }
  return nullptr;
}

const DunderRow* find_dunder(const char* dunder) {
  for (const FamilyTables* family : family_tables) {
    for (const DunderRow* row = family->dunders; row->dunder; ++row) {
      if (std::strcmp(row->dunder, dunder) == 0) return row;
    }
  }
  return nullptr;
}

const DunderRow* find_dunder_of_ufunc(const char* ufunc) {
  for (const FamilyTables* family : family_tables) {
    for (const DunderRow* row = family->dunders; row->dunder; ++row) {
      if (row->ufunc && std::strcmp(row->ufunc, ufunc) == 0) return row;
    }
  }
  return nullptr;
}

Binding find_function(bool compat, const char* name) {
  static const Names names[] = {functions_of(false), functions_of(true)};
  return find_in(names[compat], name);
}

Binding find_method(bool compat, const char* name) {
  static const Names names[] = {methods_of(false), methods_of(true)};
  return find_in(names[compat], name);
}

PyObject* submodule(PyObject* module, const std::string& attribute) {
  if (PyObject_HasAttrString(module, attribute.c_str())) return PyObject_GetAttrString(module, attribute.c_str());
  PyObject* made = PyModule_New(("torch_np._C." + attribute).c_str());
  if (made && PyObject_SetAttrString(module, attribute.c_str(), made) < 0) Py_CLEAR(made);
  return made;
}

PyObject* call_function(bool compat, const char* name, std::initializer_list<PyObject*> args) {
  return call_binding(find_function(compat, name), name, args, false);
}

PyObject* call_method(bool compat, const char* name, std::initializer_list<PyObject*> self_and_args) {
  return call_binding(find_method(compat, name), name, self_and_args, true);
}

}  // namespace tnp::python
