// Tracing: the first call of a compiled function with a given key runs under a tracer and
// becomes a branch.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/variable.h"
#include "aten/compiler/graph_replay.h"
#include "aten/compiler/plan.h"
#include "aten/compiler/tracer.h"
#include "aten/core/containers/function_ref.h"
#include "csrc/compiler/backend.h"
#include "csrc/compiler/call_watch.h"
#include "csrc/compiler/compiled_backward.h"
#include "csrc/compiler/compiled_function.h"
#include "csrc/compiler/error_handling.h"
#include "csrc/objects/errors.h"
#include "csrc/objects/kept_python_error.h"
#include "csrc/objects/mixed_operands.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

namespace {

using ObserverGuard = StateGuard<Observer*, &ThreadState::observer>;

// An array whose gradient may change: an argument, or an array from outside. Most are leaves; a
// program may assign a gradient to any array.
struct Leaf {
  Tensor tensor, grad;
  int argument;
  bool is_reached = false;  // by a gradient
};

std::vector<Leaf> leaves_of(const CallKey& key, const std::vector<Tensor>& outside) {
  std::vector<Leaf> leaves;
  const auto add = [&](const Tensor& t, int argument) { leaves.push_back({t, t.grad(), argument}); };
  for (size_t i = 0; i < key.arrays().size(); ++i)
    if (key.array_objects()[i]) add(key.arrays()[i], static_cast<int>(i));
  for (const Tensor& t : outside) add(t, -1);
  return leaves;
}

// Makes the tracer fail if the backward pass reaches a leaf whose gradient a replay could not
// assign.
class KnownLeaves final : public LeafWatch {
 public:
  KnownLeaves(const std::vector<Leaf>& leaves, compiler::Tracer& tracer, const compiler::Trace& trace)
      : leaves_(leaves), tracer_(tracer), trace_(trace), before_(set_leaf_watch(this)) {}
  ~KnownLeaves() { set_leaf_watch(before_); }
  KnownLeaves(const KnownLeaves&) = delete;
  KnownLeaves& operator=(const KnownLeaves&) = delete;
  void reached(const Tensor& leaf) override {
    for (const Leaf& known : leaves_)
      if (known.tensor.is_same(leaf)) return;
    const int view = tracer_.result(leaf);
    if (view < 0) return;
    const compiler::Slot& slot = trace_.slots[static_cast<size_t>(trace_.views[static_cast<size_t>(view)].slot)];
    // A leaf that the function makes itself, such as x.detach().requires_grad_(), dies with the
    // call.
    if (slot.is_from_outside() && !tracer_.is_made_view(leaf))
      tracer_.fail("a gradient for an array that is neither an argument nor a variable or attribute");
  }

 private:
  const std::vector<Leaf>& leaves_;
  compiler::Tracer& tracer_;
  const compiler::Trace& trace_;
  LeafWatch* const before_;
};

// Puts hooks on arrays from outside, to find those that receive a gradient while the function runs.
// Such a leaf must have no other hooks, at trace time and in replays. An array with a history must
// receive no gradient: it would reach older nodes of the graph, which no guard covers.
class GradientHooks {
 public:
  GradientHooks(std::vector<Leaf>& leaves, const CallKey& key, const std::vector<Tensor>& outside,
                compiler::Tracer& tracer) {
    for (Leaf& leaf : leaves) {
      if (!leaf.tensor.requires_grad() || !leaf.tensor.is_leaf()) continue;
      add(leaf.tensor, tracer, [&leaf, &tracer] {
        leaf.is_reached = true;
        constexpr size_t kOurs = 1;
        const TensorHooks& all = *autograd_meta(leaf.tensor)->hooks;
        if (all.hooks.size() > kOurs || !all.after_accumulation.empty())
          tracer.fail("a hook on an array that receives a gradient inside the function");
      });
    }
    const auto add_history = [&](const Tensor& t) {
      if (!t.requires_grad() || t.is_leaf()) return;
      add(t, tracer, [&tracer] { tracer.fail("a gradient for an array that was computed outside of the function"); });
    };
    for (size_t i = 0; i < key.arrays().size(); ++i)
      if (key.array_objects()[i]) add_history(key.arrays()[i]);
    for (const Tensor& t : outside) add_history(t);
  }
  ~GradientHooks() {
    for (const auto& [hooks, id] : added_) remove_hook(hooks, id);
  }
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  template <class F>
  void add(const Tensor& t, const compiler::Tracer& tracer, F&& reached) {
    // Another thread may compute gradients meanwhile, and run a copy of the hook after this object
    // is destroyed.
    const size_t id = add_hook(t, [&tracer, reached](const Tensor&) {
      if (observer() == &tracer) reached();
      return Tensor();
    });
    added_.emplace_back(autograd_meta(t)->hooks, id);
  }
  std::vector<std::pair<std::shared_ptr<TensorHooks>, size_t>> added_;
};

// Replaces 0-d arrays that stand for NumPy scalars by scalars, in the containers of a result. Lists
// and dictionaries stay the same objects. Returns a new reference.
PyObject* with_scalars(PyObject* o, std::unordered_set<PyObject*>& seen) {
  const bool is_number = Py_TYPE(o) == ndarray_type && unwrap(o).impl()->is_value && !unwrap(o).impl()->writeable;
  if (is_number) return check(wrap_value(Tensor(unwrap(o))));
  if (PyTuple_Check(o)) {
    const Py_ssize_t n = PyTuple_GET_SIZE(o);
    Ref all(check(PyTuple_New(n)));
    bool is_same = true;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyTuple_SET_ITEM(all.get(), i, with_scalars(PyTuple_GET_ITEM(o, i), seen));
      is_same = is_same && PyTuple_GET_ITEM(all.get(), i) == PyTuple_GET_ITEM(o, i);
    }
    if (is_same) return Py_NewRef(o);
    if (PyTuple_CheckExact(o)) return all.release();
    const Ref make(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "_make"));  // a namedtuple
    if (!make) PyErr_Clear();
    return check(PyObject_CallOneArg(make ? make.get() : reinterpret_cast<PyObject*>(Py_TYPE(o)), all.get()));
  }
  if (PyList_CheckExact(o) && seen.insert(o).second) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i)
      check(PyList_SetItem(o, i, with_scalars(PyList_GET_ITEM(o, i), seen)) == 0);
  } else if (PyDict_CheckExact(o) && seen.insert(o).second) {
    // Scalars may be keys, too.
    const Ref all(check(PyDict_New()));
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      const Ref name(with_scalars(key, seen)), item(with_scalars(value, seen));
      check(PyDict_SetItem(all.get(), name.get(), item.get()) == 0);
    }
    PyDict_Clear(o);
    check(PyDict_Update(o, all.get()) == 0);
  }
  return Py_NewRef(o);
}

// The caller receives this array of Python numbers and may change it, so the trace keeps a copy. Returns
// the reason if that is impossible; null otherwise.
const char* keep_apart(compiler::Slot& slot) {
  if (!slot.outside.device().is_cpu()) return "a result that is made of Python numbers, on a device";
  if (!slot.outside.storage().owns_memory()) return "a result that shares memory with an array of another library";
  slot.outside = with_memory(slot.outside, copy_of_memory(slot.outside));
  return nullptr;
}

// Why results with gradients cannot be rebuilt; null if they can.
const char* reason_against_results(const Returned& returned, compiler::Tracer& tracer, const compiler::Trace& trace) {
  const std::vector<Tensor>& all = returned.differentiable;
  for (size_t i = 0; i < all.size(); ++i) {
    const Tensor& t = all[i];
    const int view = tracer.result(t);
    if (view < 0 ||
        trace.slots[static_cast<size_t>(trace.views[static_cast<size_t>(view)].slot)].origin != compiler::Origin::Step)
      return "a result with a gradient that is a view of an array from outside";
    if (t.is_leaf()) return "a result that requires a gradient and is a leaf";
    if (const AutogradMeta* meta = autograd_meta(t); meta && (meta->hooks || meta->retains_grad))
      return "a result with a gradient hook or retain_grad()";
    const auto shares = [&](const Tensor& other) { return &other.storage() == &t.storage(); };
    const bool has_view = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), shares) ||
                          std::any_of(returned.others.begin(), returned.others.end(),
                                      [&](const Tensor& other) { return shares(other) && other.is_view(); });
    if (has_view) return "results with gradients that share memory";
  }
  return nullptr;
}

// Traces the gradients of the function's results for the branch that is being traced.
void trace_gradients(Branch& branch, const Entry& entry, const Returned& returned, compiler::Tracer& tracer,
                     const std::vector<Edge>& inputs, uint64_t first, const compiler::PlanOptions& options) {
  branch.num_differentiable = returned.differentiable.size();
  branch.num_arrivals = entry.arrivals.size();
  if (returned.differentiable.empty() || !tracer.failure().empty()) return;
  if (const char* reason = reason_against_results(returned, tracer, branch.trace)) return tracer.fail(reason);
  if (inputs.empty()) return tracer.fail("a result whose gradient reaches no argument and no array from outside");
  std::vector<compiler::Arrival> arrivals = entry.arrivals;
  if (arrivals.empty()) arrivals.push_back(compiler::Arrival::dense(returned.differentiable));
  branch.gradients = compiler::trace_gradients(tracer, branch.trace, returned.differentiable, inputs, first, arrivals,
                                               options, [](const Node& node) { return reason_against(node); });
  branch.backward_frames.resize(branch.gradients.backwards.size());
  for (const compiler::Backward& b : branch.gradients.backwards)
    branch.backward_graphs.push_back(std::make_unique<compiler::GraphReplay>(b.trace));
}

// Handles an error while tracing. A 0-d array in the place of a NumPy
// scalar may have caused it. If nothing outside has changed, the function is called again
// uncompiled, and that outcome counts.
PyObject* call_after_error(CompiledFunction& self, Entry& entry, const Call& call, bool has_scalars,
                           function_ref<bool()> has_effects) {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const KeptPythonError error(type, value, traceback);
  if (!has_scalars || has_effects()) return error.restore(), nullptr;
  PyObject* result = call_plainly(self, call);
  if (result) entry.reason = "it raises an error because recording replaces NumPy's scalars by 0-d arrays";
  return result;
}

// The change to state outside that prevents a trace; null if there is none.
const char* reason_against_changes(const Branch& branch, const CallKey& before, const CallKey& after) {
  if (after.argument_bytes() != before.argument_bytes())
    return "the function changes its arguments, not only their elements";
  const bool is_same = branch.outside.are_same_tensors() &&
                       std::equal(before.array_objects().begin(), before.array_objects().end(), before.arrays().begin(),
                                  [](PyObject* o, const Tensor& t) { return !o || unwrap(o).is_same(t); });
  if (!is_same) return "the shape, dtype or memory of an array is changed";
  if (!branch.guards.hold()) return "the function changes a variable or an attribute that it depends on";
  return nullptr;
}

}  // namespace

bool has_hooks(const Tensor& leaf) {
  const AutogradMeta* meta = autograd_meta(leaf);
  return meta && meta->hooks && (!meta->hooks->hooks.empty() || !meta->hooks->after_accumulation.empty());
}

PyObject* trace_call(CompiledFunction& self, const std::shared_ptr<Entry>& known, const Call& call) {
  const CallKey& key = call.key;
  ++self.traced;
  Entry& entry = *known;
  auto branch = make_shared_by_threads<Branch>();
  const Ref arguments(check(PyTuple_New(static_cast<Py_ssize_t>(key.objects().size()))));
  for (size_t i = 0; i < key.objects().size(); ++i) {
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(key.objects()[i]));
    branch->kept.emplace_back(Py_NewRef(key.objects()[i]));
  }
  const Ref classes(check(PyTuple_New(static_cast<Py_ssize_t>(key.classes().size()))));
  for (size_t i = 0; i < key.classes().size(); ++i) {
    PyTuple_SET_ITEM(classes.get(), static_cast<Py_ssize_t>(i), Py_NewRef(key.classes()[i]));
    branch->kept.emplace_back(Py_NewRef(key.classes()[i]));
  }
  // The function's dependencies: guarded locations, and the arrays found in them.
  Ref found(check(PyObject_CallFunctionObjArgs(self.walk, self.function, arguments.get(), classes.get(), nullptr)));
  PyObject *places, *arrays, *trouble, *inspection, *notice;
  int handles_errors;
  check(PyArg_ParseTuple(found.get(), "OOOpOO", &places, &arrays, &trouble, &handles_errors, &inspection, &notice) !=
        0);
  if (trouble != Py_None) {
    entry.reason = text_of(trouble);
    found = Ref();  // it would keep objects alive that the function replaces
    return call_plainly(self, call);
  }
  branch->guards = Guards(places);

  const ErrorHandling handling;
  compiler::Tracer tracer(branch->trace, ErrorHandling::now);
  if (inspection != Py_None)
    tracer.refuse_scalars("it makes a NumPy scalar, which other code may see by " + text_of(inspection));
  std::vector<Tensor> outside;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arrays); ++i) outside.push_back(unwrap(PyList_GET_ITEM(arrays, i)));
  for (size_t i = 0; i < key.arrays().size(); ++i)
    key.array_objects()[i] ? tracer.add_argument(key.arrays()[i]) : tracer.add_gradient(key.arrays()[i]);
  std::vector<Leaf> leaves = leaves_of(key, outside);
  branch->outside = Outside(arrays, key.arrays());
  for (const Tensor& gradient : branch->outside.gradients()) tracer.add_gradient(gradient);
  for (const Tensor& t : outside) tracer.add_outside(t);
  branch->inputs = Inputs(key, outside);
  const std::vector<Edge> inputs = branch->inputs.edges(key);
  const uint64_t first = next_sequence_nr();

  const uint64_t num_scalars = num_replaced_scalars;
  Ref result;
  {
    const CallWatch calls(notice);
    const ObserverGuard guard(&tracer);
    const KnownLeaves watch(leaves, tracer, branch->trace);
    const GradientHooks hooks(leaves, key, outside, tracer);
    result = Ref(call_plainly(self, call));
  }
  const auto has_effects = [&] {
    tracer.check_arrays();
    return !tracer.failure().empty() || tracer.has_effects() || !branch->guards.hold() ||
           std::any_of(leaves.begin(), leaves.end(),
                       [](const Leaf& leaf) { return !leaf.tensor.grad().is_same(leaf.grad); });
  };
  if (!result) return call_after_error(self, entry, call, num_replaced_scalars != num_scalars, has_effects);
  const Ref unknown(check(PyObject_GetAttrString(notice, "trouble")));
  const Ref is_misled(check(PyObject_GetAttrString(notice, "is_misled")));
  if (is_misled.get() == Py_True && !has_effects()) {
    entry.reason = text_of(unknown.get());
    result = Ref();
    return call_plainly(self, call);
  }
  Returned returned;
  branch->output = std::make_unique<Output>(result.get(), tracer, key, arrays, branch->guards, returned);
  tracer.check_arrays();
  tracer.fail_if_raised();
  for (const int view : returned.constants)
    if (const char* reason =
            keep_apart(branch->trace.slots[static_cast<size_t>(branch->trace.views[static_cast<size_t>(view)].slot)]))
      tracer.fail(reason);
  if (unknown.get() != Py_None) tracer.fail(text_of(unknown.get()));
  for (const Leaf& leaf : leaves) {
    const KnownLeaf known{leaf.argument < 0 ? leaf.tensor : Tensor(), leaf.argument};
    if (leaf.is_reached) branch->reached.push_back(known);
    const Tensor now = leaf.tensor.grad();
    if (now.is_same(leaf.grad)) continue;
    branch->leaf_gradients.push_back({known, now.defined() ? tracer.result(now) : -1});
  }
  CallKey after;
  after.read(key.call().data(), static_cast<Py_ssize_t>(call.nargs), call.kwnames, key.members());
  if (const char* reason = reason_against_changes(*branch, key, after)) tracer.fail(reason);
  const std::vector<Edge> inputs_now = branch->inputs.edges(key);
  if (!std::equal(inputs_now.begin(), inputs_now.end(), inputs.begin(), inputs.end(), is_same))
    tracer.fail("the autograd history of an array is changed");
  trace_gradients(*branch, entry, returned, tracer, inputs, first, {.is_measured = self.is_measured});
  if (tracer.failure().empty()) {
    // Backends compute in host memory.
    const auto is_elsewhere = [](const Tensor& t) { return !t.device().is_cpu(); };
    const bool is_on_device = std::any_of(key.arrays().begin(), key.arrays().end(), is_elsewhere) ||
                              std::any_of(outside.begin(), outside.end(), is_elsewhere);
    compiler::plan(branch->trace,
                   {.backend = is_on_device ? nullptr : backend_in(self.backend), .is_measured = self.is_measured});
    branch->graph = std::make_unique<compiler::GraphReplay>(branch->trace);
    branch->changes_nothing =
        branch->trace.first_change == branch->trace.steps.size() && branch->leaf_gradients.empty();
    if (!returned.differentiable.empty()) watch_arrivals(known, returned.differentiable);
    if (branch->gradients.looks() && !branch->changes_nothing)
      entry.reason = "its gradient depends on values, and the function changes arrays or draws random numbers";
    else if (handles_errors && !branch->changes_nothing)
      entry.reason =
          "it handles errors, and changes arrays or draws random numbers, which cannot be undone before a handler runs";
    else
      entry.branches.push_back(std::move(branch));
  } else {
    entry.reason = tracer.failure();
  }
  std::unordered_set<PyObject*> seen;
  return with_scalars(result.get(), seen);
}

}  // namespace tnp::python
