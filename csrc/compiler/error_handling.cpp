#include "csrc/compiler/error_handling.h"

#include <utility>

#include "aten/core/observer.h"
#include "aten/core/threads/thread_state.h"
#include "csrc/objects/gil.h"

namespace tnp::python {

namespace {

using Errors = compiler::Tracer::Errors;

thread_local ErrorHandling* innermost = nullptr;

Ref attribute(const char* module_name, const char* name) {
  const Ref module(PyImport_ImportModule(module_name));
  Ref found(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
  if (!found) PyErr_Clear();
  return found;
}

Ref state_now() {
  const Ref variable = attribute("numpy._core.umath", "_extobj_contextvar");
  PyObject* state = nullptr;
  if (!variable || PyContextVar_Get(variable.get(), nullptr, &state) != 0) PyErr_Clear();
  return Ref(state);
}

// Whether np.errstate ignores all kinds of errors.
bool ignores_all() {
  const Ref geterr = attribute("numpy", "geterr");
  const Ref modes(geterr ? PyObject_CallNoArgs(geterr.get()) : nullptr);
  if (!modes) return PyErr_Clear(), false;
  PyObject *kind, *mode;
  for (Py_ssize_t at = 0; PyDict_Next(modes.get(), &at, &kind, &mode);)
    if (PyUnicode_CompareWithASCIIString(mode, "ignore") != 0) return false;
  return true;
}

// Whether the first filter ignores all RuntimeWarnings.
bool is_silent(PyObject* filters) {
  if (!filters || !PyList_Check(filters) || PyList_GET_SIZE(filters) == 0) return false;
  PyObject* filter = PyList_GET_ITEM(filters, 0);
  if (!PyTuple_Check(filter) || PyTuple_GET_SIZE(filter) < 5) return false;
  const bool is_ignore = PyUnicode_Check(PyTuple_GET_ITEM(filter, 0)) &&
                         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(filter, 0), "ignore") == 0;
  const bool is_for_all = PyTuple_GET_ITEM(filter, 1) == Py_None && PyTuple_GET_ITEM(filter, 3) == Py_None;
  const int covers = PyObject_IsSubclass(PyExc_RuntimeWarning, PyTuple_GET_ITEM(filter, 2));
  if (covers < 0) PyErr_Clear();
  return is_ignore && is_for_all && covers == 1;
}

}  // namespace

ErrorHandling::ErrorHandling()
    : state_(state_now()), filters_(attribute("warnings", "filters")), outer_(std::exchange(innermost, this)) {}
ErrorHandling::~ErrorHandling() { innermost = outer_; }

Errors ErrorHandling::now() {
  if (!innermost) return Errors::AsBefore;
  const GilGuard gil;  // operators called from inside others, without the GIL, are traced too
  // The function does not make these calls itself (call_watch.h).
  const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
  const Ref state = state_now(), filters = attribute("warnings", "filters");
  if (state.get() != innermost->state_.get() && ignores_all()) return Errors::Ignored;
  if (filters.get() != innermost->filters_.get()) return is_silent(filters.get()) ? Errors::Ignored : Errors::Other;
  return state.get() == innermost->state_.get() ? Errors::AsBefore : Errors::Other;
}

}  // namespace tnp::python
