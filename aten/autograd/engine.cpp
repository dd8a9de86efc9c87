// The engine: finds the dependencies between nodes, runs the nodes in order and accumulates
// gradients between them.
//
// Each call of backward() runs one Sweep on the calling thread. A hook or a Python Function may
// call backward() again; this inner call runs another Sweep.
#include "aten/autograd/engine.h"

#include <atomic>
#include <queue>
#include <unordered_map>
#include <utility>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/backward_pass.h"
#include "aten/autograd/current_pass.h"
#include "aten/autograd/linear.h"
#include "aten/autograd/sparse_gradients.h"
#include "aten/core/autocast.h"
#include "aten/core/profiler/profiler.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

namespace {

// The profiler copies the node's name, since the name may be freed together with the node.
TNP_COLD profiler::Ticket begin_profiled(const Node& node, const Tensors& grads) {
  Device device;
  find_device(device, grads);
  return profiler::begin_named(node.name(), profiler::Kind::Backward, device);
}

// Raises Runtime if a gradient that the node computed has a NaN.
TNP_COLD void check_for_nan(const Node& node, const Tensors& results) {
  NoGradGuard guard;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || !is_differentiable(results[i].dtype())) continue;
    const Tensor& values = is_sparse(results[i]) ? sparse_parts(results[i]).values : results[i];
    TNP_CHECK(!any(isnan(values)).item<bool>(), ErrorKind::Runtime, "Function '", node.name(),
              "' returned nan values in its ", static_cast<int64_t>(i), "th output.");
  }
}

void materialize(const Node& node, Tensors& grads) {
  if (!node.materialize_grads) return;
  for (size_t i = 0; i < node.input_meta.size(); ++i) {
    if (!grads[i].defined()) grads[i] = zeros_for(node.input_meta[i]);
  }
}

class Sweep;
thread_local const Sweep* current_sweep = nullptr;  // of the innermost backward pass

class Sweep {
 public:
  // `returns_captures`: for grad(), which does not run the nodes of captures for their own sake.
  Sweep(bool retain_graph, bool create_graph, bool returns_captures = false)
      : retain_graph_(retain_graph), create_graph_(create_graph), returns_captures_(returns_captures) {}

  // Returns the gradients that arrive at `captures`, and runs only the nodes on paths from `roots`
  // to `captures`. Without captures, runs all nodes and returns an empty list.
  Tensors run(const std::vector<Edge>& roots, Tensors&& grads, const std::vector<Edge>& captures, bool capture) {
    GradModeGuard grad_mode(create_graph_);
    Tensors captured(captures.size());
    captured_ = &captured;
    for (size_t i = 0; i < captures.size(); ++i) {
      if (captures[i]) entries_[captures[i].node.get()].captures.emplace_back(captures[i].input_nr, i);
    }
    plan(roots, capture);
    struct Current {
      explicit Current(const Sweep* sweep) : outer(std::exchange(current_sweep, sweep)) {}
      ~Current() { current_sweep = outer; }
      const Sweep* outer;
    } const current(this);
    run_from(roots, std::move(grads));
    return captured;
  }
  CurrentPass state() const { return {id_, running_, retain_graph_}; }
  bool will_execute(const Node& node) const {
    const auto found = entries_.find(const_cast<Node*>(&node));
    if (found == entries_.end() || !found->second.visited || !found->second.wanted) return false;
    TNP_CHECK(
        !returns_captures_ || found->second.captures.empty() || node.sequence_nr != kAccumulators, ErrorKind::Runtime,
        "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
        "currently not supported.");
    return true;
  }
  // Runs only nodes with a sequence number of at least `first`. Returns the gradients for edges to
  // nodes that do not run.
  std::vector<Departure> run_within(uint64_t first, const std::vector<Edge>& roots, Tensors&& grads,
                                    const std::function<void(const Node&)>& look) {
    GradModeGuard grad_mode(create_graph_);
    first_ = first;
    is_part_ = true;
    std::vector<Edge> inside;
    Tensors arriving;
    for (size_t i = 0; i < roots.size(); ++i) {
      if (leaves(roots[i])) {
        departures_.push_back({roots[i], std::move(grads[i])});
      } else {
        inside.push_back(roots[i]);
        arriving.push_back(std::move(grads[i]));
      }
    }
    plan(inside, false);
    if (look) {
      for (const auto& [node, entry] : entries_) look(*node);
    }
    run_from(inside, std::move(arriving));
    return std::move(departures_);
  }

 private:
  struct Entry {
    intrusive_ptr<Node> keep;  // a hook may drop the graph while the node runs
    // Number of edges into this node that have not delivered a gradient yet.
    int64_t dependencies = 0;
    Tensors buffer;                                     // accumulated gradients, per output
    std::vector<std::pair<uint32_t, size_t>> captures;  // output number, index of the captured result
    bool visited = false, queued = false;
    bool runs = true;    // whether to call apply
    bool wanted = true;  // whether the gradients that arrive at the node are needed
  };
  struct EarlierLast {
    bool operator()(const Node* a, const Node* b) const { return a->sequence_nr < b->sequence_nr; }
  };

  void run_from(const std::vector<Edge>& roots, Tensors&& grads) {
    for (size_t i = 0; i < roots.size(); ++i) collect(roots[i], std::move(grads[i]));
    for (const Edge& root : roots) {
      Entry& entry = entries_[root.node.get()];
      if (entry.dependencies == 0 && !entry.queued) enqueue(root.node.get(), entry);
    }
    while (!ready_.empty()) {
      Node* node = ready_.top();
      ready_.pop();
      step(node);
    }
  }

  // Whether an edge leads out of the part of the graph that runs.
  bool leaves(const Edge& edge) const {
    return is_part_ && (edge.node->sequence_nr < first_ || edge.node->sequence_nr == kAccumulators);
  }

  // Counts the edges into each reachable node, and finds the nodes that lead to a capture. The
  // depth-first search has an explicit stack, so a deep graph does not overflow the call stack.
  void plan(const std::vector<Edge>& roots, bool capture) {
    std::vector<std::pair<Node*, size_t>> stack;
    auto visit = [&](const intrusive_ptr<Node>& node) {
      Entry& entry = entries_[node.get()];
      if (entry.visited) return;
      entry.visited = true;
      entry.keep = node;
      entry.runs = !capture;
      stack.emplace_back(node.get(), 0);
    };
    for (const Edge& root : roots) {
      visit(root.node);
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next < node->next_edges.size()) {
          const Edge& edge = node->next_edges[next++];
          if (!edge || leaves(edge)) continue;
          ++entries_[edge.node.get()].dependencies;
          visit(edge.node);
          continue;
        }
        Entry& entry = entries_[node];
        for (const Edge& edge : node->next_edges) {
          if (edge && !leaves(edge) && entries_[edge.node.get()].wanted) entry.runs = true;
        }
        if (!returns_captures_ && !entry.captures.empty()) entry.runs = true;
        entry.wanted = entry.runs || !entry.captures.empty();
        stack.pop_back();
      }
    }
  }

  void enqueue(Node* node, Entry& entry) {
    entry.queued = true;
    ready_.push(node);
  }

  // Accumulates a gradient in the buffer of the node that the edge leads to.
  void collect(const Edge& edge, Tensor&& grad) {
    if (!grad.defined()) return;
    Tensors& buffer = entries_[edge.node.get()].buffer;
    if (buffer.size() < edge.node->input_meta.size()) buffer.resize(edge.node->input_meta.size());
    Tensor& sum = buffer[edge.input_nr];
    if (!sum.defined()) {
      sum = std::move(grad);
    } else if (TNP_UNLIKELY(is_sparse(sum) || is_sparse(grad))) {
      sum = sum_of_sparse_gradients(grad, sum);  // the newer one first, as in PyTorch
    } else if (!create_graph_ && is_exclusive(sum) && !sum.requires_grad()) {
      PointwiseOptions in_place;
      in_place.out[0] = sum;
      add(sum, grad, in_place);
    } else {
      sum = add(sum, grad);
    }
  }

  void step(Node* node) {
    Entry& entry = entries_[node];
    if (!entry.wanted) return;
    // Floating-point errors are reported for the program's own operators, not for derivative
    // formulas.
    DialectGuard guard(node->dialect.with(ErrorWatch::Never));
    Tensors grads = std::move(entry.buffer);
    grads.resize(std::max<size_t>(node->input_meta.size(), 1));
    struct Running {
      Running(Node*& now, Node* node) : now(now), before(std::exchange(now, node)) {}
      ~Running() { now = before; }
      Node*& now;
      Node* const before;
    } const running(running_, node);
    node->run_tensor_hooks(grads);
    for (auto [output, index] : entry.captures) (*captured_)[index] = grads[output];
    if (!entry.runs) return;
    run_hooks(node->pre_hooks, grads);

    Tensors results = evaluate(*node, std::move(grads));
    for (size_t i = 0; i < node->next_edges.size(); ++i) {
      const Edge& edge = node->next_edges[i];
      if (!edge) continue;
      if (TNP_UNLIKELY(leaves(edge))) {
        if (i >= results.size() || !results[i].defined()) continue;
        departures_.push_back({edge, validated_gradient(results[i], edge.node->input_meta[edge.input_nr], *node, i)});
        continue;
      }
      Entry& next = entries_[edge.node.get()];
      if (next.wanted && i < results.size()) {
        collect(edge, validated_gradient(results[i], edge.node->input_meta[edge.input_nr], *node, i));
      }
      if (--next.dependencies == 0 && !next.queued) enqueue(edge.node.get(), next);
    }
  }

  // Returns the gradients of the node's inputs, or an empty list if no output of the node has a
  // gradient.
  Tensors evaluate(Node& node, Tensors&& grads) {
    bool any = std::any_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.defined(); });
    if (!any) return {};
    materialize(node, grads);
    Tensors outputs;
    if (!node.post_hooks.empty()) outputs = grads;
    Tensors results;
    {
      const profiler::Operation profiled([&] { return begin_profiled(node, grads); });
      results = node.apply(std::move(grads));
    }
    if (TNP_UNLIKELY(nan_check_enabled())) check_for_nan(node, results);
    run_hooks(node.post_hooks, results, outputs);
    if (!retain_graph_) node.release_variables();
    TNP_CHECK(results.size() <= node.next_edges.size(), ErrorKind::Runtime, "Function ", node.name(),
              " returned an incorrect number of gradients (expected ", static_cast<int64_t>(node.next_edges.size()),
              ", got ", static_cast<int64_t>(results.size()), ")");
    return results;
  }

  static int64_t next_id() {
    static std::atomic<int64_t> number{0};
    return number.fetch_add(1, std::memory_order_relaxed);
  }

  bool retain_graph_, create_graph_, returns_captures_;
  const int64_t id_ = next_id();
  Node* running_ = nullptr;
  NoAutocastGuard no_autocast_;  // gradients are computed in the dtypes of the forward pass
  std::unordered_map<Node*, Entry> entries_;
  std::priority_queue<Node*, std::vector<Node*>, EarlierLast> ready_;
  Tensors* captured_ = nullptr;
  bool is_part_ = false;
  uint64_t first_ = 0;  // smallest sequence number of the nodes to run, if is_part_
  std::vector<Departure> departures_;
};

std::vector<Edge> root_edges(TensorList roots) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < roots.size(); ++i) {
    edges.push_back(gradient_edge(roots[i]));
    TNP_CHECK(edges.back(), ErrorKind::Runtime, "element ", static_cast<int64_t>(i),
              " of tensors does not require grad and does not have a grad_fn");
  }
  return edges;
}

// Checks the gradients of the roots and returns them. A missing gradient is replaced by ones.
Tensors root_gradients(TensorList roots, TensorList grads) {
  TNP_CHECK(grads.empty() || grads.size() == roots.size(), ErrorKind::Runtime, "got ",
            static_cast<int64_t>(roots.size()), " tensors and ", static_cast<int64_t>(grads.size()), " gradients");
  Tensors result;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Tensor& root = roots[i];
    if (i >= grads.size() || !grads[i].defined()) {
      TNP_CHECK(root.numel() == 1, ErrorKind::Runtime, "grad can be implicitly created only for scalar outputs");
      TNP_CHECK(!root.is_complex(), ErrorKind::Runtime,
                "grad can be implicitly created only for real scalar outputs but got ", root.dtype());
      Tensor one = empty_tensor(root.sizes(), root.dtype(), root.device());
      fill_with(one, Scalar(1));
      result.push_back(std::move(one));
      continue;
    }
    Tensor given = grads[i];
    TNP_CHECK(given.sizes() == root.sizes(), ErrorKind::Runtime, "Mismatch in shape: grad_output[",
              static_cast<int64_t>(i), "] has a shape of ", given.sizes(), " and output[", static_cast<int64_t>(i),
              "] has a shape of ", root.sizes(), ".");
    TNP_CHECK(given.is_complex() == root.is_complex(), ErrorKind::Runtime,
              "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
              "dtype: grad_output[",
              static_cast<int64_t>(i), "] has a dtype of ", given.dtype(), " and output[", static_cast<int64_t>(i),
              "] has a dtype of ", root.dtype(), ".");
    // A 0-d CPU gradient is valid for a root on a device, but not every kernel could read it there.
    if (given.dim() == 0 && given.device().is_cpu() && root.device().is_cuda())
      given = transfer(given, root.device(), false);
    result.push_back(cast_gradient(given, root.dtype()));
  }
  return result;
}

std::vector<Edge> input_edges(TensorList inputs) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    TNP_CHECK(input.requires_grad(), ErrorKind::Runtime, "One of the differentiated Tensors does not require grad");
    edges.push_back(gradient_edge(input));
  }
  return edges;
}

}  // namespace

bool will_execute(const Node& node) {
  TNP_CHECK(current_sweep, ErrorKind::Runtime,
            "_will_engine_execute_node should only be called during the backward pass");
  return current_sweep->will_execute(node);
}

void backward(TensorList roots, TensorList grads, bool retain_graph, bool create_graph, TensorList inputs) {
  std::vector<Edge> from = root_edges(roots), to = input_edges(inputs);
  BackwardPass pass;
  Tensors captured =
      Sweep(retain_graph || create_graph, create_graph).run(from, root_gradients(roots, grads), to, !inputs.empty());
  GradModeGuard grad_mode(create_graph);
  for (size_t i = 0; i < captured.size(); ++i) {
    if (!captured[i].defined() || inputs[i].is_leaf()) continue;  // the AccumulateGrad of a leaf has run
    tell_leaf_watch(inputs[i]);
    accumulate_into(make_autograd_meta(inputs[i]).grad, std::move(captured[i]), inputs[i]);
  }
  pass.succeeded();
}

Tensors grad(TensorList roots, TensorList inputs, TensorList grads, bool retain_graph, bool create_graph,
             bool allow_unused) {
  std::vector<Edge> from = root_edges(roots), to = input_edges(inputs);
  BackwardPass pass;
  Tensors captured =
      Sweep(retain_graph || create_graph, create_graph, true).run(from, root_gradients(roots, grads), to, true);
  for (const Tensor& g : captured) {
    TNP_CHECK(g.defined() || allow_unused, ErrorKind::Runtime,
              "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
              "this is the desired behavior.");
  }
  pass.succeeded();
  return captured;
}

std::vector<Departure> gradients_within(uint64_t first, TensorList roots, Tensors&& grads, bool create_graph,
                                        const std::function<void(const Node&)>& look) {
  std::vector<Edge> from;
  Tensors arriving;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!grads[i].defined()) continue;
    from.push_back(gradient_edge(roots[i]));
    arriving.push_back(std::move(grads[i]));
  }
  return Sweep(true, create_graph).run_within(first, from, std::move(arriving), look);
}

Tensors call_node(Node& node, Tensors&& grads) {
  if (std::none_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.defined(); })) return {};
  DialectGuard guard(node.dialect.with(ErrorWatch::Never));
  materialize(node, grads);
  return node.apply(std::move(grads));
}

CurrentPass current_pass() { return current_sweep ? current_sweep->state() : CurrentPass(); }

}  // namespace tnp
