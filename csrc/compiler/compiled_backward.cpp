#include "csrc/compiler/compiled_backward.h"

#include <algorithm>

#include "aten/autograd/linear.h"
#include "aten/autograd/released.h"
#include "aten/compiler/plan.h"
#include "aten/core/verification.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"

namespace tnp::python {

namespace {

constexpr size_t kMostArrivals = 8;
constexpr int kMostOtherWays = 8;

using ObserverGuard = StateGuard<Observer*, &ThreadState::observer>;

std::vector<uint32_t> versions_of(const std::vector<Tensor>& arrays) {
  std::vector<uint32_t> all;
  for (const Tensor& t : arrays) all.push_back(t.storage().version());
  return all;
}

}  // namespace

void Entry::note(const compiler::Arrival& arrival) {
  if (std::find(arrivals.begin(), arrivals.end(), arrival) != arrivals.end()) return;
  if (arrivals.size() == kMostArrivals) return give_up("its gradients arrive in too many patterns");
  arrivals.push_back(arrival);
}

// --- repeating the call

FunctionCall::FunctionCall(PyObject* function, const CallKey& key, size_t nargs, PyObject* kwnames,
                           const Branch& branch)
    : function_(share(function)),
      num_positional_(nargs),
      bytes_(key.argument_bytes()),
      versions_(versions_of(key.arrays())),
      outside_(branch.outside.versions()) {
  const Ref arguments(check(PyTuple_New(static_cast<Py_ssize_t>(key.call().size()))));
  for (size_t i = 0; i < key.call().size(); ++i)
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(key.call()[i]));
  arguments_ = share(arguments.get());
  if (kwnames) names_ = share(kwnames);
  if (key.members()) members_ = share(key.members());
}

void FunctionCall::check_versions(const CallKey& key, const Branch& branch) const {
  const std::vector<uint32_t> now = versions_of(key.arrays());
  // Gradients of arguments follow the arguments, and may be present or not.
  const size_t n = std::min(now.size(), versions_.size());
  const bool is_same = std::equal(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(n), versions_.begin());
  TNP_CHECK(is_same && branch.outside.versions() == outside_, ErrorKind::Runtime,
            "one of the variables needed for gradient computation has been modified by an inplace operation: an "
            "argument of a compiled function, or an array that it reads from outside. Gradients that are not recorded, "
            "such as those with create_graph=True, need its old values");
}

Ref FunctionCall::repeat(CallKey& key, const Branch& branch) const {
  PyObject* const* arguments = &PyTuple_GET_ITEM(arguments_.get(), 0);
  const bool is_known = key.read(arguments, static_cast<Py_ssize_t>(num_positional_), names_.get(), members_.get());
  TNP_CHECK(
      is_known && key.argument_bytes() == bytes_ && branch.guards.hold() && branch.outside.is_as_traced(key.arrays()),
      ErrorKind::Runtime,
      "a compiled function cannot be called again for gradients that are not recorded, such as those with "
      "create_graph=True: its arguments, or state that it reads, have changed since the call");
  check_versions(key, branch);
  return Ref(check(
      call_python([&] { return PyObject_Vectorcall(function_.get(), arguments, num_positional_, names_.get()); })));
}

int FunctionCall::visit(visitproc visit, void* arg) const {
  if (function_.use_count() == 1) Py_VISIT(function_.get());
  if (arguments_.use_count() == 1) Py_VISIT(arguments_.get());
  if (members_.use_count() == 1) Py_VISIT(members_.get());
  return 0;
}

// --- autograd node

CompiledBackward::CompiledBackward(std::shared_ptr<Entry> entry, std::shared_ptr<Branch> branch,
                                   const std::vector<Edge>& inputs)
    : entry_(std::move(entry)), branch_(std::move(branch)) {
  for (const size_t input : branch_->gradients.edges) next_edges.push_back(inputs[input]);
  input_meta.resize(branch_->num_differentiable);
}

void CompiledBackward::save(compiler::Frame& frame, const std::vector<Tensor>& arguments) {
  const std::vector<compiler::Saved>& all = branch_->gradients.saved;
  shared_.resize(all.size());
  own_.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const compiler::Saved& s = all[i];
    if (s.view >= 0 && !s.is_shared)
      own_[i] = frame.tensor(s.view);
    else if (s.view >= 0)
      shared_[i] = SavedTensor(frame.tensor(s.view), true);
    else
      shared_[i] = SavedTensor(s.argument >= 0 ? arguments[static_cast<size_t>(s.argument)] : s.outside, false);
  }
}

Tensor CompiledBackward::saved(size_t i) {
  if (own_[i].defined()) return own_[i];
  Tensor t = shared_[i].unpack(this, false);
  const compiler::Saved& s = branch_->gradients.saved[i];
  TNP_CHECK(
      t.dtype() == s.dtype && t.sizes() == IntList(s.sizes) && t.strides() == IntList(s.strides), ErrorKind::Runtime,
      "an array of shape ", IntList(s.sizes),
      ", which the gradient of a compiled function needs, has changed its dtype, shape or strides since the call");
  return t;
}

const compiler::Backward* CompiledBackward::find(const compiler::Arrival& arrival) const {
  for (const compiler::Backward& b : branch_->gradients.backwards)
    if (b.arrival == arrival) return &b;
  return nullptr;
}

bool CompiledBackward::replay(const compiler::Backward& backward, const Tensors& grads, Tensors& results) {
  const auto number = static_cast<size_t>(&backward - branch_->gradients.backwards.data());
  const Frames::Lease frame(branch_->backward_frames[number], backward.trace);
  int argument = 0;
  for (const Tensor& g : grads)
    if (g.defined()) frame->set_argument(argument++, g);
  for (const size_t i : backward.saved) frame->set_argument(argument++, saved(i));
  size_t at = 0;
  try {
    if (!branch_->backward_graphs[number]->run(*frame) && !compiler::run(backward.trace, *frame, at)) return false;
  } catch (const VerificationError&) {
    throw;
  } catch (const Error&) {  // the trace has changed nothing outside: call the function again
    if (!call_) throw;
    return false;
  }
  const std::vector<size_t>& edges = branch_->gradients.edges;
  results.resize(edges.size());
  for (const compiler::Backward::Result& r : backward.results) {
    auto edge = static_cast<size_t>(std::find(edges.begin(), edges.end(), r.input) - edges.begin());
    while (results[edge].defined()) ++edge;
    const Tensor& t = frame->tensor(r.view);
    results[edge] = r.is_copied ? clone(t) : r.is_view ? view_of(t, t.sizes(), t.strides(), t.address()) : t;
  }
  ++entry_->num_backwards;
  return true;
}

Tensors CompiledBackward::call_again(Tensors&& grads) {
  TNP_CHECK(call_, ErrorKind::NotImplemented,
            "gradients of a compiled function that are not recorded, such as those with create_graph=True, are not "
            "implemented if the function changes arrays, draws random numbers, or reads memory that other code can "
            "change. Its attribute __wrapped__ is the uncompiled function");
  const uint64_t first = next_sequence_nr();
  const bool create_graph = grad_enabled();
  CallKey key;
  Ref returned;
  {
    const GradModeGuard with_gradients(true);
    returned = call_->repeat(key, *branch_);
  }
  const std::vector<Tensor> roots = differentiable_arrays(returned.get(), key, branch_->outside.arrays());
  TNP_CHECK(roots.size() == branch_->num_differentiable, ErrorKind::Runtime,
            "a compiled function, called again for gradients that are not recorded, returned ",
            static_cast<int64_t>(roots.size()), " arrays with a gradient instead of ",
            static_cast<int64_t>(branch_->num_differentiable));
  Tensors results(next_edges.size());
  for (Departure& d : gradients_within(first, roots, std::move(grads), create_graph)) {
    auto edge = std::find_if(next_edges.begin(), next_edges.end(), [&](const Edge& e) { return is_same(e, d.edge); });
    TNP_CHECK(edge != next_edges.end(), ErrorKind::Runtime,
              "a compiled function, called again for gradients that are not recorded, sends gradients to other arrays "
              "than at recording");
    auto i = static_cast<size_t>(edge - next_edges.begin());
    while (results[i].defined() && i + 1 < next_edges.size() && is_same(next_edges[i + 1], d.edge)) ++i;
    results[i] = results[i].defined() ? add(results[i], d.grad) : std::move(d.grad);
  }
  return results;
}

Tensors CompiledBackward::apply(Tensors&& grads) {
  if (branch_->gradients.is_released) throw ReleasedGraph();
  released_.unpack(this);
  const GilGuard gil;
  if (compiler::Tracer* const tracer = is_tracing() ? static_cast<compiler::Tracer*>(observer()) : nullptr)
    tracer->fail("it computes a gradient of another compiled function's result");
  const ObserverGuard nobody(nullptr);
  if (grad_enabled()) {
    entry_->give_up("its gradients are computed with create_graph=True");
    return call_again(std::move(grads));
  }
  for (size_t i = 0; i < grads.size(); ++i) {
    Tensor& g = grads[i];
    // Arrival patterns do not include the device, so a 0-d gradient on the CPU moves to the
    // result's device.
    if (g.defined() && g.device() != input_meta[i].device) {
      TNP_CHECK(g.dim() == 0, ErrorKind::Runtime, "expected a gradient on the result's device, got one on ", g.device(),
                " for a result of a compiled function on ", input_meta[i].device);
      g = transfer(g, input_meta[i].device);
    }
    if (g.defined() && g.is_unaligned()) g = identity_copy(g);
  }
  Tensors results;
  const compiler::Arrival arrival = compiler::Arrival::of(grads);
  if (const compiler::Backward* known = find(arrival)) {
    if (replay(*known, grads, results)) return results;
    if (++entry_->num_other_ways > kMostOtherWays) entry_->give_up("guards of its backward records failed too often");
  }
  entry_->note(arrival);
  // Makes the gradients dense to match a trace. Another layout changes at most the rounding of
  // sums.
  if (!call_) {
    for (Tensor& g : grads)
      if (g.defined()) g = identity_copy(g);
    const compiler::Backward* known = find(compiler::Arrival::of(grads));
    if (known && replay(*known, grads, results)) return results;
  }
  return call_again(std::move(grads));
}

void CompiledBackward::release_variables() {
  if (branch_->gradients.saved.empty()) return;
  for (SavedTensor& s : shared_) s.reset();
  own_.assign(own_.size(), Tensor());
  released_.reset();
  call_.reset();
}

// --- observing arrival patterns

namespace {

// Passes gradients through and notes their arrival pattern.
class ArrivalNode final : public Node {
 public:
  explicit ArrivalNode(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}
  const char* name() const override { return "CompiledBackward"; }
  Tensors apply(Tensors&& grads) override {
    const GilGuard gil;
    if (grad_enabled())
      entry_->give_up("its gradients are computed with create_graph=True");
    else if (std::none_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.defined() && g.is_unaligned(); }))
      entry_->note(compiler::Arrival::of(grads));
    return std::move(grads);
  }

 private:
  const std::shared_ptr<Entry> entry_;
};

}  // namespace

void watch_arrivals(const std::shared_ptr<Entry>& entry, TensorList results) {
  compiler::put_behind(make_intrusive<ArrivalNode>(entry), results);
}

const char* reason_against(const Node& node) {
  if (!node.tensor_hooks.empty() || !node.pre_hooks.empty() || !node.post_hooks.empty())
    return "a hook on a gradient inside the function";
  if (dynamic_cast<const PythonNode*>(&node)) return "a gradient that an autograd.Function computes in Python";
  return nullptr;
}

}  // namespace tnp::python
