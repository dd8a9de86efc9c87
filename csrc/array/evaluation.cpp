#include "csrc/array/evaluation.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>

#include "aten/core/macros.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/switches.h"

namespace tnp::python {

namespace {

struct Trace {
  std::array<void*, 12> frames;
  int count = 0;

  // The trace includes this function's frame.
  TNP_COLD void take() { count = backtrace(frames.data(), static_cast<int>(frames.size())); }
};

enum class Code : uint8_t { Ours, Interpreters, Foreign };

void* library_of(void* address) {
  Dl_info info{};
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

Code code_at(void* address) {
  // Direct-mapped cache of return addresses. It is small, because few call sites in C call
  // operators. Guarded by the GIL.
  struct Known {
    void* address;
    Code code;
  };
  static Known known[256];
  Known& place = known[reinterpret_cast<uintptr_t>(address) * 0x9E3779B97F4A7C15u >> 56];
  if (TNP_LIKELY(place.address == address)) return place.code;
  static void* const ours = library_of(reinterpret_cast<void*>(&init_evaluation));
  static void* const interpreters = library_of(reinterpret_cast<void*>(&PyNumber_Add));
  void* const library = library_of(address);
  const Code code = !library                  ? Code::Foreign
                    : library == ours         ? Code::Ours
                    : library == interpreters ? Code::Interpreters
                                              : Code::Foreign;
  place = {address, code};
  return code;
}

// Returns the index after the last of the consecutive frames with this code that start at `i`.
int skip(const Trace& trace, Code code, int i) {
  while (i < trace.count && code_at(trace.frames[static_cast<size_t>(i)]) == code) ++i;
  return i;
}

// Number of interpreter frames on the C stack between the bytecode evaluation loop and a number
// slot.
int frames_between = 0;
// Return address in the evaluation loop after its call of a number slot; null if it is unknown.
void* evaluation = nullptr;

Trace* traced = nullptr;

PyObject* add(PyObject*, PyObject*) {
  traced->take();
  Py_RETURN_NONE;
}

Ref make_operand() {
  PyType_Slot slots[] = {{Py_nb_add, reinterpret_cast<void*>(&add)}, {0, nullptr}};
  PyType_Spec spec{"torch_np._C._Operand", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, slots};
  Ref type(PyType_FromSpec(&spec));
  return type ? Ref(PyObject_CallNoArgs(type.get())) : Ref();
}

}  // namespace

bool init_evaluation() {
  if (!is_on(Switch::TemporaryElision)) return true;
  const Ref operand = make_operand(), names(PyDict_New());
  if (!operand || !names || PyDict_SetItemString(names.get(), "operand", operand.get()) < 0) return false;
  const auto evaluate = [&](const char* text, Trace& trace) {
    traced = &trace;
    const Ref code(Py_CompileString(text, "<torch_np>", Py_eval_input));
    return code && Ref(PyEval_EvalCode(code.get(), names.get(), names.get()));
  };
  Trace called, evaluated, resumed;
  traced = &called;
  if (!Ref(PyNumber_Add(operand.get(), operand.get())) || !evaluate("operand + operand", evaluated) ||
      !evaluate("next(operand + operand for _ in (0,))", resumed))
    return false;
  traced = nullptr;

  // All traces must have the same interpreter frames between the slot and the caller.
  const int begin = skip(called, Code::Ours, 0), end = skip(called, Code::Interpreters, begin);
  if (begin == 0 || end == called.count || code_at(called.frames[static_cast<size_t>(end)]) != Code::Ours) return true;
  for (const Trace* trace : {&evaluated, &resumed})
    if (skip(*trace, Code::Ours, 0) != begin || skip(*trace, Code::Interpreters, begin) <= end) return true;
  // The evaluation loop has different callers: one for an expression, one for a generator. So an
  // equal address is one inside the loop.
  void* const address = evaluated.frames[static_cast<size_t>(end)];
  if (resumed.frames[static_cast<size_t>(end)] != address) return true;
  frames_between = end - begin;
  evaluation = address;
  return true;
}

TNP_COLD bool called_by_evaluation() {
  if (!evaluation) return false;
  Trace trace;
  trace.take();
  const int begin = skip(trace, Code::Ours, 0), end = begin + frames_between;
  return end < trace.count && skip(trace, Code::Interpreters, begin) >= end &&
         trace.frames[static_cast<size_t>(end)] == evaluation;
}

}  // namespace tnp::python
