// torch_np.compile: the callable that replaces a function, with its traces (Note [Traces] in
// aten/compiler/trace.h).
#include "csrc/compiler/compiled_function.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aten/compiler/device_fusion.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/graph_replay.h"
#include "aten/compiler/plan.h"
#include "aten/compiler/print.h"
#include "aten/compiler/subgraph.h"
#include "aten/compiler/verify.h"
#include "aten/core/autocast.h"
#include "aten/core/profiler/profiler.h"
#include "aten/fusion/verified_expression.h"
#include "aten/iterator/device_of.h"
#include "csrc/compiler/compiled_backward.h"
#include "csrc/compiler/compiler.h"
#include "csrc/compiler/python_step.h"
#include "csrc/compiler/trace_description.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/variable.h"

#include <structmember.h>

namespace tnp::python {

namespace {

// Limits of branches per key and of keys. Beyond them the function runs uncompiled.
constexpr size_t kMostBranches = 8, kMostKeys = 64;
// After this many calls that match no branch, and more of them than replays, the branches are no
// longer tried.
constexpr uint64_t kMostBeyond = 16;
const std::string kBeyondBranches = "values that Python reads led to more than " + std::to_string(kMostBranches) +
                                    " control-flow paths; further paths are not recorded";
const std::string kBeyondKeys =
    "it was called with more than " + std::to_string(kMostKeys) +
    " kinds of arguments (shapes, dtypes, strides, numbers); further kinds are not recorded";

CompiledFunction& self_of(PyObject* o) { return *reinterpret_cast<CompiledFunction*>(o); }

// Warns once that calls run uncompiled, or raises in each call if the user requires a full graph.
void say(const CompiledFunction& self, const std::string& reason, bool& is_said) {
  if (TNP_LIKELY(is_said)) return;
  const Ref said(check(PyObject_CallFunction(self.warn, "Os", self.function, reason.c_str())));
  is_said = true;
}

// Lock of tracing: one thread at a time, since a tensor can be watched by one tracer only.
// Meanwhile, other threads run the function uncompiled.
class Turn {
 public:
  Turn() : is_ours_(!std::exchange(is_taken, true)) {}  // under the GIL
  ~Turn() {
    if (is_ours_) is_taken = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  explicit operator bool() const { return is_ours_; }

 private:
  static inline bool is_taken = false;
  const bool is_ours_;
};

// --- replay

// Whether the branch has backward traces for all observed arrival patterns.
bool has_all_gradients(Branch& branch, const Entry& entry) {
  if (branch.num_differentiable == 0 || branch.gradients.is_released || branch.num_arrivals == entry.arrivals.size())
    return true;
  const auto& known = branch.gradients.backwards;
  const bool has_all = std::all_of(entry.arrivals.begin(), entry.arrivals.end(), [&](const compiler::Arrival& a) {
    return std::any_of(known.begin(), known.end(), [&](const compiler::Backward& b) { return b.arrival == a; });
  });
  if (has_all) branch.num_arrivals = entry.arrivals.size();
  return has_all;
}

bool has_lent_memory(const CallKey& key, const Branch& branch) {
  const auto is_lent = [](const Tensor& t) { return t.storage().is_lent(); };
  const std::vector<Tensor> outside = branch.outside.arrays();
  return std::any_of(key.arrays().begin(), key.arrays().end(), is_lent) ||
         std::any_of(outside.begin(), outside.end(), is_lent);
}

// Whether the arrival pattern is still unknown, and a wrong guess could not be repaired by calling
// the function again.
bool waits_for_gradients(const Entry& entry) {
  if (!entry.arrivals.empty()) return false;
  return std::any_of(entry.branches.begin(), entry.branches.end(), [](const auto& branch) {
    return branch->num_differentiable > 1 && !branch->changes_nothing && !branch->gradients.is_released;
  });
}

// Named such as "compiled step".
TNP_COLD profiler::Ticket begin_profiled(const CompiledFunction& self, const std::vector<Tensor>& arrays) {
  const Ref name(PyObject_GetAttrString(self.function, "__name__"));
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  Device device;
  find_device(device, arrays);
  return profiler::begin_named(std::string("compiled ") + (text ? text : "function"), profiler::Kind::Compiled, device);
}

// Runs the trace's steps. If one raises, `may_rerun` tells whether the function may run uncompiled
// instead: nothing outside the trace has changed, and the error is not a backend's.
bool run_steps(const compiler::Trace& trace, compiler::Frame& frame, bool& may_rerun) {
  size_t at = 0;
  try {
    return compiler::run(trace, frame, at);
  } catch (const VerificationError&) {
    may_rerun = false;
    throw;
  } catch (...) {
    may_rerun = at < trace.first_change && !compiler::backend_of(*trace.steps[at]);
    throw;
  }
}

// Returns the function's result, or null if the call takes another path. If it raises, `may_rerun`
// tells whether the function may run uncompiled instead.
Ref replay(CompiledFunction& self, const std::shared_ptr<Entry>& entry, const std::shared_ptr<Branch>& held,
           const Call& call, bool& may_rerun) {
  Branch& branch = *held;
  const CallKey& key = call.key;
  if (std::any_of(branch.reached.begin(), branch.reached.end(),
                  [&](const KnownLeaf& leaf) { return has_hooks(leaf.in(key)); }))
    return Ref();
  intrusive_ptr<CompiledBackward> node;
  if (branch.num_differentiable > 0) {
    const std::vector<Edge> inputs = branch.inputs.edges(key);
    if (inputs.empty()) return Ref();
    node = make_intrusive<CompiledBackward>(entry, held, inputs);
    const bool can_be_repeated = branch.changes_nothing && !has_lent_memory(key, branch);
    if (!can_be_repeated && branch.gradients.looks()) return Ref();
    if (can_be_repeated)
      node->keep_call(std::make_unique<FunctionCall>(self.function, key, call.nargs, call.kwnames, branch));
  }
  const profiler::Operation profiled([&] { return begin_profiled(self, key.arrays()); });
  const Frames::Lease frame(branch.frames, branch.trace);
  std::vector<Tensor> arguments = key.arrays();
  for (Tensor& gradient : branch.outside.gradients()) arguments.push_back(std::move(gradient));
  for (size_t i = 0; i < arguments.size(); ++i) frame->set_argument(static_cast<int>(i), arguments[i]);
  may_rerun = branch.changes_nothing;
  if (!branch.graph->run(*frame) && !run_steps(branch.trace, *frame, may_rerun)) {
    take_floating_point_reports();  // of a path that this call does not take
    return Ref();
  }
  for (const LeafGradient& g : branch.leaf_gradients) g.in(key).set_grad(frame->tensor(g.view));
  if (node) node->save(*frame, arguments);
  return Ref(branch.output->build(*frame, key, node));
}

// The outcome of a replay.
struct Outcome {
  bool is_done = false;   // a trace computed the result
  bool may_rerun = true;  // after an error: the function may run uncompiled
};

template <bool compat>
PyObject* replay_any(CompiledFunction& self, const std::shared_ptr<Entry>& entry, const Call& call, Outcome& outcome) {
  return protect<compat>([&]() -> PyObject* {
    const NoGradGuard no_grad;
    const NoAutocastGuard no_autocast;  // the trace has the casts
    for (size_t i = 0; i < entry->branches.size(); ++i) {
      // Keep it alive: other threads may run meanwhile.
      const std::shared_ptr<Branch> branch = entry->branches[i];
      if (!branch->guards.hold() || !branch->outside.is_as_traced(call.key.arrays())) continue;
      if (!has_all_gradients(*branch, *entry)) {  // trace it anew
        entry->branches.erase(entry->branches.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
      if (Ref result = replay(self, entry, branch, call, outcome.may_rerun)) {
        ++self.replayed;
        ++entry->num_replayed;
        outcome.is_done = true;
        return result.release();
      }
    }
    return Py_NewRef(Py_None);  // no branch matched
  });
}

// Forgets which attributes the function reads of instances: its methods may be others.
void forget_members(PyObject* members) {
  const Ref find(Py_NewRef(PyDict_GetItemWithError(members, Py_None)));
  PyDict_Clear(members);
  check(PyDict_SetItem(members, Py_None, find.get()) == 0);
}

// `is_fresh`: the attributes of instances in the key are those that the function reads now.
PyObject* answer(CompiledFunction& self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool is_fresh) {
  CallKey key;
  const Call call{key, static_cast<size_t>(nargs), kwnames};
  if (!key.read(args, nargs, kwnames, self.members)) {
    say(self, key.reason(), self.is_said);
    ++self.plain;
    return PyObject_Vectorcall(self.function, args, static_cast<size_t>(nargs), kwnames);
  }
  auto known = self.entries->find(key.bytes());
  if (known == self.entries->end()) {
    if (self.entries->size() >= kMostKeys) {
      say(self, kBeyondKeys, self.is_said);
      ++self.plain;
      return call_plainly(self, call);
    }
    known = self.entries->emplace(key.bytes(), make_shared_by_threads<Entry>()).first;
  }
  const std::shared_ptr<Entry> held = known->second;
  Entry& entry = *held;
  const bool waits = waits_for_gradients(entry);
  if (!entry.branches.empty() && !waits) {
    Outcome outcome;
    Ref result(key.is_numpy_face() ? replay_any<true>(self, held, call, outcome)
                                   : replay_any<false>(self, held, call, outcome));
    if (!result && outcome.may_rerun && PyErr_ExceptionMatches(PyExc_Exception)) {
      // The function may handle the error.
      PyErr_Clear();
      if (outcome.is_done) --self.replayed;  // its floating-point errors raise
      ++self.plain;
      return call_plainly(self, call);
    }
    if (outcome.is_done || !result) return result.release();
  }
  const bool has_room = entry.branches.size() < kMostBranches;
  if (!is_fresh && !key.classes().empty() && has_room && entry.reason.empty()) {
    forget_members(self.members);
    return answer(self, args, nargs, kwnames, true);
  }
  if (const Turn turn; turn && has_room && !waits && entry.reason.empty()) {
    PyObject* result = trace_call(self, held, call);
    if (!result || entry.reason.empty()) return result;
    const Ref kept(result);
    say(self, entry.reason, entry.is_said);
    return Py_NewRef(result);
  }
  if (!has_room && !waits) {
    if (++entry.num_beyond >= kMostBeyond && entry.num_beyond > entry.num_replayed)
      entry.give_up(kBeyondBranches, true);
    say(self, kBeyondBranches, entry.is_said);
  } else if (!entry.reason.empty()) {
    say(self, entry.reason, entry.is_said);
  }
  ++self.plain;
  return call_plainly(self, call);
}

PyObject* call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* kwnames) {
  CompiledFunction& self = self_of(callable);
  const Py_ssize_t nargs = PyVectorcall_NARGS(flags);
  // A call inside of another function that is being traced becomes part of that trace.
  if (observer()) return PyObject_Vectorcall(self.function, args, static_cast<size_t>(nargs), kwnames);
  return guarded<true>([&] { return answer(self, args, nargs, kwnames, false); });
}

// --- the Python type

PyObject* compiled_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"function", "walk", "warn", "members", "backend", "is_measured", nullptr};
  PyObject *function, *walk, *warn, *members, *backend = Py_None;
  int is_measured = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOO!|Op", const_cast<char**>(names), &function, &walk, &warn,
                                   &PyDict_Type, &members, &backend, &is_measured))
    return nullptr;
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) return nullptr;
  CompiledFunction& self = self_of(o);
  self.vectorcall = call;
  self.function = Py_NewRef(function);
  self.walk = Py_NewRef(walk);
  self.warn = Py_NewRef(warn);
  self.backend = Py_NewRef(backend);
  self.members = Py_NewRef(members);
  self.is_measured = is_measured != 0;
  self.entries = new std::unordered_map<std::string, std::shared_ptr<Entry>>;
  return o;
}

// Deletes the traces. Python code may run meanwhile, which finds none.
void delete_traces(CompiledFunction& self) {
  std::unordered_map<std::string, std::shared_ptr<Entry>> old;
  old.swap(*self.entries);
}

// Visits what traces hold, unless an autograd node or a running call owns the trace, too: the
// collector would count the references of one owner only.
int compiled_traverse(PyObject* o, visitproc visit, void* arg) {
  CompiledFunction& self = self_of(o);
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self.function);
  Py_VISIT(self.walk);
  Py_VISIT(self.warn);
  Py_VISIT(self.backend);
  Py_VISIT(self.members);
  Py_VISIT(self.dict);
  if (!self.entries) return 0;
  for (const auto& [key, entry] : *self.entries) {
    if (entry.use_count() != 1) continue;
    for (const auto& branch : entry->branches) {
      if (branch.use_count() != 1) continue;
      if (const int found = branch->visit(visit, arg)) return found;
    }
  }
  return 0;
}

int compiled_clear(PyObject* o) {
  CompiledFunction& self = self_of(o);
  Py_CLEAR(self.function);
  Py_CLEAR(self.walk);
  Py_CLEAR(self.warn);
  Py_CLEAR(self.backend);
  Py_CLEAR(self.members);
  Py_CLEAR(self.dict);
  if (self.entries) delete_traces(self);
  return 0;
}

void compiled_dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  CompiledFunction& self = self_of(o);
  if (self.weakrefs) PyObject_ClearWeakRefs(o);
  compiled_clear(o);
  delete self.entries;
  PyTypeObject* type = Py_TYPE(o);
  type->tp_free(o);
  Py_DECREF(type);
}

// Binds as a method if it is a class attribute.
PyObject* compiled_descr_get(PyObject* o, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(o, instance) : Py_NewRef(o);
}

PyObject* statistics(PyObject* o, PyObject*) {
  const CompiledFunction& self = self_of(o);
  Ref reasons(PyList_New(0));
  size_t traces = 0, bytes = 0;
  uint64_t backwards = 0;
  for (const auto& [key, entry] : *self.entries) {
    traces += entry->branches.size();
    backwards += entry->num_backwards;
    for (const auto& branch : entry->branches) {
      bytes += branch->trace.arena_bytes;
      for (const compiler::Backward& b : branch->gradients.backwards) bytes += b.trace.arena_bytes;
    }
    if (entry->reason.empty()) continue;
    const Ref text(PyUnicode_FromString(entry->reason.c_str()));
    if (!reasons || !text || PyList_Append(reasons.get(), text.get()) != 0) return nullptr;
  }
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:O}", "recorded", number(self.traced), "replayed",
                       number(self.replayed), "plain", number(self.plain), "backwards", number(backwards), "records",
                       number(traces), "bytes", number(bytes), "reasons", reasons.get());
}

// Lists the traces for a call with these arguments, each converted by `show`.
template <class F>
PyObject* list_traces(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, F&& show) {
  return guarded<true>([&]() -> PyObject* {
    CallKey key;
    Ref list(check(PyList_New(0)));
    if (!key.read(args, nargs, kwnames, self_of(o).members)) return list.release();
    const auto found = self_of(o).entries->find(key.bytes());
    if (found == self_of(o).entries->end()) return list.release();
    for (const auto& branch : found->second->branches) {
      const Ref item = show(*branch);
      check(PyList_Append(list.get(), item.get()) == 0);
    }
    return list.release();
  });
}

PyObject* text(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return list_traces(o, args, nargs, kwnames, [](const Branch& branch) {
    std::string s = compiler::text(branch.trace);
    for (const compiler::Backward& b : branch.gradients.backwards) s += "backward:\n" + compiler::text(b.trace);
    return Ref(check(PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()))));
  });
}

PyObject* describe(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return list_traces(o, args, nargs, kwnames, [](const Branch& branch) { return described(branch.trace); });
}

PyObject* guards(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return list_traces(o, args, nargs, kwnames, [](const Branch& branch) { return branch.guards.described(); });
}

PyObject* reason(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded<true>([&]() -> PyObject* {
    CallKey key;
    if (!key.read(args, nargs, kwnames, self_of(o).members)) return check(PyUnicode_FromString(key.reason()));
    const auto& entries = *self_of(o).entries;
    const auto found = entries.find(key.bytes());
    const std::string* reason = nullptr;
    if (found == entries.end()) {
      if (entries.size() >= kMostKeys) reason = &kBeyondKeys;
    } else if (!found->second->reason.empty()) {
      reason = &found->second->reason;
    } else if (found->second->num_beyond > 0) {
      reason = &kBeyondBranches;
    }
    return reason ? check(PyUnicode_FromString(reason->c_str())) : Py_NewRef(Py_None);
  });
}

PyObject* clear_traces(PyObject* o, PyObject*) {
  delete_traces(self_of(o));
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"_statistics", statistics, METH_NOARGS,
     "Counts of recorded, replayed and plain calls, and the reasons for plain calls."},
    {"_text", as_method(text), METH_FASTCALL | METH_KEYWORDS, "Records for a call with these arguments, as text."},
    {"_describe", as_method(describe), METH_FASTCALL | METH_KEYWORDS,
     "Records for a call with these arguments, as dicts. csrc/compiler/trace_description.h describes\n"
     "them."},
    {"_guards", as_method(guards), METH_FASTCALL | METH_KEYWORDS,
     "Guards of each record for a call with these arguments: lists of (kind, key, value, where)."},
    {"_reason", as_method(reason), METH_FASTCALL | METH_KEYWORDS,
     "Reason why a call with these arguments is not replayed from a record; None if it is."},
    {"_clear", clear_traces, METH_NOARGS, "Deletes all records."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT_EX, offsetof(CompiledFunction, function), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(compiled_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(compiled_dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(compiled_traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(compiled_clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(compiled_descr_get)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"torch_np._C.CompiledFunction", sizeof(CompiledFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

PyObject* kernel_statistics(PyObject*, PyObject*) {
  const compiler::FusedKernelStatistics s = compiler::fused_kernel_statistics();
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  const compiler::GraphStatistics g = compiler::graph_statistics();
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "compiled", number(s.compiled), "refused", number(s.refused),
                       "launched", number(s.launched), "graphs", number(g.captured), "graph_launches",
                       number(g.launched));
}

}  // namespace

// Returns the former setting.
PyObject* set_verifying(PyObject*, PyObject* on) {
  const bool before = is_verifying();
  tnp::set_verifying(on == Py_True);
  return PyBool_FromLong(before);
}

PyObject* verification_statistics(PyObject*, PyObject*) {
  const compiler::VerificationStatistics s = compiler::verification_statistics();
  const fusion::VerifiedExpressions pending = fusion::verified_expressions();
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "differences", number(num_verification_errors()), "verified",
                       number(s.verified), "not_verifiable", number(s.not_verifiable), "expressions",
                       number(pending.expressions), "reductions", number(pending.reductions));
}

bool add_compiler(PyObject* module) {
  static PyMethodDef functions[] = {{"_call_opaque", call_opaque, METH_VARARGS, nullptr},
                                    {"_guard_kinds", guard_kinds, METH_NOARGS, nullptr},
                                    {"_buffer_state", buffer_state, METH_O, nullptr},
                                    {"_is_observed", is_observed, METH_NOARGS, nullptr},
                                    {"_kernel_statistics", kernel_statistics, METH_NOARGS, nullptr},
                                    {"_set_verifying", set_verifying, METH_O, nullptr},
                                    {"_verification_statistics", verification_statistics, METH_NOARGS, nullptr},
                                    {nullptr, nullptr, 0, nullptr}};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "CompiledFunction", type.get()) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace tnp::python
