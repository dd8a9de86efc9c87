#include "aten/compiler/subgraph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "aten/compiler/dependencies.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

namespace {

class SubgraphStep final : public Step {
 public:
  SubgraphStep(std::string backend, std::vector<std::unique_ptr<Step>> steps, std::unique_ptr<Executor> executor)
      : backend_(std::move(backend)), executor_(std::move(executor)) {
    parts = std::move(steps);
    is_foreign = true;
  }

  bool run(Frame& frame) const override {
    std::vector<Tensor> inputs, outputs;
    for (int v : reads) inputs.push_back(frame.tensor(v));
    for (int v : writes) {
      const View& view = frame.trace().views[static_cast<size_t>(v)];
      outputs.push_back(empty_strided_tensor(view.sizes, view.strides, view.dtype));
    }
    executor_->run(inputs, outputs);
    for (size_t i = 0; i < writes.size(); ++i)
      if (!frame.bind(writes[i], outputs[i])) return false;
    return true;
  }
  std::string name() const override { return "subgraph:" + backend_; }
  std::string heading() const override {
    std::string s = backend_ + '(';
    for (size_t i = 0; i < reads.size(); ++i) s += (i > 0 ? ", %" : "%") + std::to_string(reads[i]);
    return s + ") {";
  }
  const char* backend() const { return backend_.c_str(); }

 private:
  std::string backend_;
  std::unique_ptr<Executor> executor_;
};

class Partitioning {
 public:
  Partitioning(Trace& trace, const Backend& backend)
      : r_(trace), backend_(backend), first_(first_of_equal_views(trace)) {}

  void run() {
    find_candidates();
    if (candidates_.empty()) return;
    DependencyGraph graph = dependencies(r_, first_);
    for (int i : candidates_) graph.nodes[static_cast<size_t>(i)].is_supported = true;
    std::vector<std::unique_ptr<Step>> steps;
    for (const std::vector<int>& group : partition(graph)) {
      if (graph.nodes[static_cast<size_t>(group[0])].is_supported) {
        const Subgraph subgraph = subgraph_of(group);
        if (std::unique_ptr<Executor> executor = backend_.executor(subgraph)) {
          steps.push_back(step_of(group, std::move(executor)));
          continue;
        }
      }
      for (int i : group) steps.push_back(std::move(r_.steps[static_cast<size_t>(i)]));
    }
    r_.steps = std::move(steps);
  }

 private:
  const View& view(int v) const { return view_of(r_, v); }
  const Slot& slot(int v) const { return r_.slots[static_cast<size_t>(view(v).slot)]; }
  int first(int v) const { return first_[static_cast<size_t>(v)]; }
  const Step& step(int i) const { return *r_.steps[static_cast<size_t>(i)]; }

  // Whether a backend could replace the step. It must only make new arrays of others, its arguments
  // must be plain, and the arrays must have a plain memory layout.
  bool can_be_replaced(size_t i) const {
    const Step& s = *r_.steps[i];
    if (s.draws || s.looks || s.writes.empty() || !s.call.op || !s.call.is_plain()) return false;
    for (int v : s.writes) {
      if (slot(v).origin != Origin::Step) return false;
      for (const auto* others : {&s.reads, &s.writes})
        for (int w : *others)
          if (w != v && view(w).slot == view(v).slot) return false;
      if (std::count(s.reads.begin(), s.reads.end(), v) > 0) return false;
      // A backend allocates memory of the view's size, so no other view may extend beyond it.
      const auto [first_byte, end] = extent(view(v));
      if (first_byte != 0) return false;
      for (const View& w : r_.views) {
        if (w.slot != view(v).slot) continue;
        const auto [from, to] = extent(w);
        const int64_t offset = w.offset - view(v).offset;
        if (offset + from < 0 || offset + to > end) return false;
      }
    }
    return true;
  }

  void find_candidates() {
    std::vector<int> steps;
    for (size_t i = 0; i < r_.steps.size(); ++i)
      if (can_be_replaced(i)) steps.push_back(static_cast<int>(i));
    const std::vector<bool> supported = backend_.supported(subgraph_of(steps));
    for (size_t k = 0; k < steps.size(); ++k)
      if (supported[k]) candidates_.push_back(steps[k]);
  }

  Subgraph subgraph_of(const std::vector<int>& steps) const {
    Subgraph g;
    std::map<int, int> numbers;  // keyed by the first of equal views
    const auto number = [&](int v) {
      const auto [known, is_new] = numbers.try_emplace(first(v), static_cast<int>(g.values.size()));
      if (is_new) g.values.push_back({view(v), slot(v).is_constant ? operand(r_, v) : Tensor()});
      return known->second;
    };
    for (int i : steps) {
      const Call& call = step(i).call;
      Subgraph::Node& node = g.nodes.emplace_back(Subgraph::Node{call.name, {}, {}});
      for (const Argument& a : call.arguments)
        if (!a.keyword) node.arguments.push_back(a.value);
      for (ArgumentValue& a : node.arguments) {
        if (auto* one = std::get_if<ViewNumber>(&a)) one->view = number(one->view);
        if (auto* list = std::get_if<std::vector<ViewNumber>>(&a))
          for (ViewNumber& v : *list) v.view = number(v.view);
      }
      for (int v : step(i).writes) node.outputs.push_back(number(v));
    }
    for (int v : inputs_of(steps)) g.inputs.push_back(numbers.at(v));
    for (int v : outputs_of(steps)) g.outputs.push_back(numbers.at(first(v)));
    return g;
  }

  // The values that the steps read from outside, without constants. Of equal views, the first one
  // is listed, once.
  std::vector<int> inputs_of(const std::vector<int>& steps) const {
    std::vector<int> made, inputs;
    for (int i : steps) {
      for (int v : step(i).reads) {
        const auto is_in = [&](const std::vector<int>& list) {
          return std::find(list.begin(), list.end(), first(v)) != list.end();
        };
        if (!slot(v).is_constant && !is_in(made) && !is_in(inputs)) inputs.push_back(first(v));
      }
      for (int v : step(i).writes) made.push_back(first(v));
    }
    return inputs;
  }

  std::vector<int> outputs_of(const std::vector<int>& steps) const {
    std::vector<bool> is_within(r_.steps.size()), is_read(r_.slots.size());
    for (int i : steps) is_within[static_cast<size_t>(i)] = true;
    for (size_t i = 0; i < r_.steps.size(); ++i) {
      if (is_within[i] || !r_.steps[i]) continue;  // replaced already by an earlier subgraph
      for_each_view(*r_.steps[i], [&](int v) { is_read[static_cast<size_t>(view(v).slot)] = true; });
    }
    std::vector<int> outputs;
    for (int i : steps)
      for (int v : step(i).writes)
        if (slot(v).escapes || is_read[static_cast<size_t>(view(v).slot)]) outputs.push_back(v);
    return outputs;
  }

  std::unique_ptr<Step> step_of(const std::vector<int>& group, std::unique_ptr<Executor> executor) {
    const std::vector<int> reads = inputs_of(group), writes = outputs_of(group);
    std::vector<std::unique_ptr<Step>> steps;
    for (int i : group) steps.push_back(std::move(r_.steps[static_cast<size_t>(i)]));
    auto made = std::make_unique<SubgraphStep>(backend_.name(), std::move(steps), std::move(executor));
    made->reads = reads;
    made->writes = writes;
    return made;
  }

  Trace& r_;
  const Backend& backend_;
  std::vector<int> first_;       // for each view: the first view that is equal
  std::vector<int> candidates_;  // steps
};

}  // namespace

const char* backend_of(const Step& step) {
  const auto* subgraph = dynamic_cast<const SubgraphStep*>(&step);
  return subgraph ? subgraph->backend() : nullptr;
}

void replace_subgraphs(Trace& trace, const Backend& backend) { Partitioning(trace, backend).run(); }

}  // namespace tnp::compiler
