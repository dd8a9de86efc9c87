#include "csrc/compiler/trace_description.h"

#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/explain.h"
#include "aten/compiler/print.h"
#include "aten/compiler/subgraph.h"

namespace tnp::python {

namespace {

template <class Items, class F>
Ref list_of(const Items& items, F&& made) {
  Ref list(check(PyList_New(0)));
  for (const auto& item : items) {
    const Ref o(check(made(item)));
    check(PyList_Append(list.get(), o.get()) == 0);
  }
  return list;
}

PyObject* text(const std::string& s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

Ref numbers(const std::vector<int>& list) {
  return list_of(list, [](int v) { return PyLong_FromLong(v); });
}

const char* origin_of(const compiler::Slot& slot) {
  switch (slot.origin) {
    case compiler::Origin::Argument:
      return "argument";
    case compiler::Origin::Outside:
      return slot.is_constant ? "constant" : "outside";
    default:
      return "step";
  }
}

}  // namespace

Ref described(const compiler::Trace& trace) {
  const Ref slots = list_of(trace.slots, [](const compiler::Slot& s) {
    return Py_BuildValue("siO", origin_of(s), s.argument, s.escapes ? Py_True : Py_False);
  });
  const Ref views = list_of(trace.views, [](const compiler::View& v) {
    const Ref shape = list_of(v.sizes, [](int64_t n) { return PyLong_FromLongLong(n); });
    const Ref sizes(check(PyList_AsTuple(shape.get())));
    return Py_BuildValue("isO", v.slot, dtype_name(v.dtype), sizes.get());
  });
  const Ref steps = list_of(compiler::explain(trace), [](const compiler::ExplainedStep& explained) {
    const compiler::Step& step = *explained.step;
    const char* backend = compiler::backend_of(step);
    const Ref op(check(text(backend ? backend : step.name()))), all(check(text(compiler::text(step)))),
        reads = numbers(step.reads), writes = numbers(step.writes),
        why(explained.reason.empty() ? Py_NewRef(Py_None) : check(text(explained.reason)));
    return Py_BuildValue("OOOOOii", op.get(), all.get(), reads.get(), writes.get(), why.get(), explained.group,
                         explained.tiles);
  });
  return Ref(check(Py_BuildValue("{s:O,s:O,s:O}", "slots", slots.get(), "views", views.get(), "steps", steps.get())));
}

}  // namespace tnp::python
