// Native functions of torch_np/fusion.py: Note [Pending results] in aten/core/memory/storage.h.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "aten/core/observer.h"
#include "aten/core/threads/thread_state.h"
#include "aten/fusion/deferral.h"
#include "aten/fusion/fused_expression.h"
#include "aten/fusion/last_use.h"
#include "aten/fusion/machine_code.h"
#include "aten/fusion/mode.h"
#include "csrc/array/temporaries.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/gil.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

PyObject* get_mode(PyObject*, PyObject*) { return PyLong_FromLong(static_cast<long>(fusion::mode())); }

PyObject* set_mode(PyObject*, PyObject* number) {
  const long mode = PyLong_AsLong(number);
  if (mode == -1 && PyErr_Occurred()) return nullptr;
  if (mode < 0 || mode > 2) return PyErr_SetString(PyExc_ValueError, "the mode must be 0, 1 or 2"), nullptr;
  fusion::set_mode(static_cast<fusion::Mode>(mode));
  Py_RETURN_NONE;
}

PyObject* statistics(PyObject*, PyObject*) {
  const fusion::Statistics s = fusion::statistics();
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "recorded", number(s.deferred), "dropped", number(s.dropped),
                       "programs", number(s.programs), "steps", number(s.steps), "outputs", number(s.outputs));
}

PyObject* has_machine_code(PyObject*, PyObject*) { return PyBool_FromLong(fusion::has_machine_code()); }

PyObject* set_machine_code(PyObject*, PyObject* is_on) {
  const int truth = PyObject_IsTrue(is_on);
  if (truth < 0) return nullptr;
  fusion::set_machine_code(truth != 0);
  Py_RETURN_NONE;
}

PyObject* machine_code_statistics(PyObject*, PyObject*) {
  const fusion::MachineCodeStatistics s = fusion::machine_code_statistics();
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  return Py_BuildValue("{s:K,s:K,s:K}", "made", number(s.made), "found", number(s.found), "bytes", number(s.bytes));
}

PyObject* program(PyObject*, PyObject* o) {
  if (!is_variable(o)) return PyErr_SetString(PyExc_TypeError, "expected a torch_np array"), nullptr;
  return protect<false>([&]() -> PyObject* {
    const std::optional<std::string> text = fusion::fused_expression_text(unwrap(o).storage());
    if (!text) Py_RETURN_NONE;
    return PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
  });
}

// A borrowed member of a module that stays imported; null without an exception if there is none.
PyObject* member_of(const char* module_name, const char* name) {
  Ref module(PyImport_ImportModule(module_name));
  PyObject* found = module ? PyObject_GetAttrString(module.get(), name) : nullptr;
  if (!found) PyErr_Clear();
  return found;
}

// Whether np.errstate has its default, which issues warnings. With another state, errors must be
// reported at once, because the `with` block may have ended when a pending result is computed.
bool is_errstate_usual() {
  static PyObject *state = nullptr, *geterr = nullptr;
  if (!state) state = member_of("numpy._core.umath", "_extobj_contextvar");
  if (!geterr) geterr = member_of("numpy", "geterr");
  static PyObject* usual = nullptr;  // cache of the last state that was found to be the default
  PyObject* now = nullptr;
  if (!state || !geterr || PyContextVar_Get(state, nullptr, &now) != 0 || !now) return PyErr_Clear(), false;
  Ref held(now);
  if (now == usual) return true;
  // A compiled function that is being recorded does not make this call itself.
  const StateGuard<Observer*, &ThreadState::observer> nobody(nullptr);
  Ref modes(PyObject_CallNoArgs(geterr));
  if (!modes) return PyErr_Clear(), false;
  PyObject *kind, *mode;
  for (Py_ssize_t at = 0; PyDict_Next(modes.get(), &at, &kind, &mode);) {
    const bool is_underflow = PyUnicode_CompareWithASCIIString(kind, "under") == 0;
    if (PyUnicode_CompareWithASCIIString(mode, is_underflow ? "ignore" : "warn") != 0) return false;
  }
  Py_XSETREF(usual, Py_NewRef(now));
  return true;
}

// Whether the warning filters turn RuntimeWarning into an exception.
bool warnings_raise() {
  static PyObject* module = nullptr;
  if (!module) module = PyImport_ImportModule("warnings");
  Ref filters(module ? PyObject_GetAttrString(module, "filters") : nullptr);
  if (!filters || !PyList_Check(filters.get())) return PyErr_Clear(), true;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters.get()); ++i) {
    PyObject* filter = PyList_GET_ITEM(filters.get(), i);
    if (!PyTuple_Check(filter) || PyTuple_GET_SIZE(filter) < 3) return true;
    PyObject *action = PyTuple_GET_ITEM(filter, 0), *category = PyTuple_GET_ITEM(filter, 2);
    if (!PyUnicode_Check(action) || PyUnicode_CompareWithASCIIString(action, "error") != 0) continue;
    if (PyObject_IsSubclass(PyExc_RuntimeWarning, category) != 0) return PyErr_Clear(), true;
  }
  return false;
}

bool errors_may_wait() { return holds_gil() && is_errstate_usual() && !warnings_raise(); }

// Whether a tensor among a call's arguments is a temporary.
bool is_temporary_of_call(const TensorImpl& t) {
  auto* const tensor = static_cast<PyObject*>(t.python_objects[0]);
  auto* const ndarray = static_cast<PyObject*>(t.python_objects[1]);
  PyObject* const object = tensor ? tensor : ndarray;
  if (!object || (tensor && ndarray) || !holds_gil()) return false;
  const auto* v = reinterpret_cast<const THPVariable*>(object);
  return Py_TYPE(object) == (tensor ? tensor_type : ndarray_type) && !v->weakrefs && !v->dict && is_temporary(object);
}

PyMethodDef functions[] = {
    {"_fusion_mode", get_mode, METH_NOARGS, "Mode of fusion: 0 (off), 1 (auto) or 2 (always)."},
    {"_fusion_set_mode", set_mode, METH_O, "_fusion_set_mode(number): sets the mode of fusion."},
    {"_fusion_statistics", statistics, METH_NOARGS,
     "Counts of deferred operators and of programs since the start, as a dict."},
    {"_fusion_has_machine_code", has_machine_code, METH_NOARGS, "Whether fused operators run as machine code."},
    {"_fusion_set_machine_code", set_machine_code, METH_O,
     "_fusion_set_machine_code(is_on): sets whether fused operators run as machine code."},
    {"_fusion_machine_code_statistics", machine_code_statistics, METH_NOARGS,
     "Counts and bytes of machine code since the start, as a dict."},
    {"_fusion_program", program, METH_O,
     "Program that computes a pending array, as text with one step a line. None if the array is not\n"
     "pending."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_fusion(PyObject* module) {
  fusion::errors_may_wait.store(errors_may_wait, std::memory_order_release);
  fusion::is_temporary.store(is_temporary_of_call, std::memory_order_release);
  if (const char* named = std::getenv("TORCH_NP_FUSION")) {
    constexpr std::string_view kNames[] = {"off", "auto", "always"};
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), named);
    if (found == std::end(kNames)) {
      PyErr_Format(PyExc_ValueError, "TORCH_NP_FUSION must be off, auto or always, got %s", named);
      return false;
    }
    fusion::set_mode(static_cast<fusion::Mode>(found - std::begin(kNames)));
  }
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tnp::python
