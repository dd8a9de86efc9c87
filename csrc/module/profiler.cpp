// Native functions of torch_np/profiler and of torch_np/_report: aten/core/profiler/profiler.h, marks.h.
#include "aten/core/profiler/profiler.h"

#include "aten/core/profiler/marks.h"
#include "csrc/module/modules.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

namespace {

PyObject* start(PyObject*, PyObject* with_memory) {
  const int truth = PyObject_IsTrue(with_memory);
  if (truth < 0) return nullptr;
  return protect<false>([&] {
    profiler::start(truth != 0);
    return Py_NewRef(Py_None);
  });
}

PyObject* list_of_names(const std::vector<std::string>& names) {
  Ref list(check(PyList_New(static_cast<Py_ssize_t>(names.size()))));
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    check(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace")));
  }
  return list.release();
}

PyObject* list_of_threads(const std::vector<profiler::Thread>& threads) {
  Ref list(check(PyList_New(0)));
  for (const profiler::Thread& t : threads) {
    const auto bytes = static_cast<Py_ssize_t>(t.entries.size() * sizeof(profiler::Entry));
    const Ref item(check(
        Py_BuildValue("Ly#", static_cast<long long>(t.id), reinterpret_cast<const char*>(t.entries.data()), bytes)));
    check(PyList_Append(list.get(), item.get()) == 0);
  }
  return list.release();
}

PyObject* stop(PyObject*, PyObject*) {
  return protect<false>([&] {
    const profiler::Profile p = profiler::stop();
    const Ref names(list_of_names(p.names)), threads(list_of_threads(p.threads));
    return check(Py_BuildValue("LLKOO", static_cast<long long>(p.began), static_cast<long long>(p.duration),
                               static_cast<unsigned long long>(p.lost), names.get(), threads.get()));
  });
}

PyObject* stop_and_sum_up(PyObject*, PyObject*) {
  return protect<false>([&] {
    const profiler::Totals t = profiler::sum_up(profiler::stop());
    const Ref names(list_of_names(t.names)), totals(check(PyList_New(0)));
    for (const profiler::Total& x : t.totals) {
      const Ref item(check(Py_BuildValue("(IiOLLLLL)", x.name, static_cast<int>(x.kind),
                                         x.outermost ? Py_True : Py_False, static_cast<long long>(x.line),
                                         static_cast<long long>(x.count), static_cast<long long>(x.nanoseconds),
                                         static_cast<long long>(x.own_nanoseconds), static_cast<long long>(x.bytes))));
      check(PyList_Append(totals.get(), item.get()) == 0);
    }
    return check(Py_BuildValue("LKOO", static_cast<long long>(t.duration), static_cast<unsigned long long>(t.lost),
                               names.get(), totals.get()));
  });
}

PyObject* is_on(PyObject*, PyObject*) { return PyBool_FromLong(profiler::is_on()); }

PyObject* count(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(profiler::event_count()); }

PyObject* begin(PyObject*, PyObject* name) {
  if (!profiler::is_on()) return PyLong_FromLong(0);
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &length);
  if (!text) return nullptr;
  const std::string_view named(text, static_cast<size_t>(length));
  return PyLong_FromUnsignedLongLong(profiler::begin_named(named, profiler::Kind::Label, Device{}));
}

PyObject* end(PyObject*, PyObject* ticket) {
  const unsigned long long number = PyLong_AsUnsignedLongLong(ticket);
  if (PyErr_Occurred()) return nullptr;
  if (number != 0) profiler::end(number);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_profiler_start", start, METH_O, "Starts the profiler. A true argument records memory too."},
    {"_profiler_stop", stop, METH_NOARGS,
     "Stops the profiler. Returns (start in nanoseconds since 1970, duration in nanoseconds, number of\n"
     "lost events, names, list of (thread, events))."},
    {"_profiler_stop_and_sum_up", stop_and_sum_up, METH_NOARGS,
     "Stops the profiler. Returns (duration in nanoseconds, number of lost events, names, list of (index of\n"
     "the name, kind, whether outermost, line, count, nanoseconds, those without nested events, bytes))."},
    {"_profiler_is_on", is_on, METH_NOARGS, "Whether a profile is being recorded."},
    {"_profiler_count", count, METH_NOARGS, "Number of the events recorded so far."},
    {"_profiler_begin", begin, METH_O, "Begins a named label. Returns its ticket, or 0 if the profiler is off."},
    {"_profiler_end", end, METH_O, "Ends the label of a ticket."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_profiler(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace tnp::python
