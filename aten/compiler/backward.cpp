#include "aten/compiler/backward.h"

#include <algorithm>

#include "aten/autograd/released.h"
#include "aten/compiler/following.h"
#include "aten/compiler/views.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

Arrival Arrival::of(const Tensors& gradients) {
  Arrival arrival;
  for (const Tensor& g : gradients)
    arrival.strides.push_back(g.defined() ? std::optional<DimVector>(g.strides()) : std::nullopt);
  return arrival;
}

Arrival Arrival::dense(TensorList results) {
  Arrival arrival;
  for (const Tensor& t : results) arrival.strides.emplace_back(contiguous_strides(t.sizes()));
  return arrival;
}

bool Gradients::looks() const {
  return std::any_of(backwards.begin(), backwards.end(), [](const Backward& b) {
    return std::any_of(b.trace.steps.begin(), b.trace.steps.end(), [](const auto& step) { return step->looks; });
  });
}

namespace {

bool is_same(const Edge& a, const Edge& b) { return a.node == b.node && a.input_nr == b.input_nr; }

using ObserverGuard = StateGuard<Observer*, &ThreadState::observer>;

// Placeholder gradients. Their values are arbitrary; code that depends on them is guarded in each
// replay.
Tensors stand_ins(TensorList results, const Arrival& arrival) {
  Tensors gradients(results.size());
  const ObserverGuard nobody(nullptr);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!arrival.strides[i]) continue;
    gradients[i] =
        empty_strided_tensor(results[i].sizes(), *arrival.strides[i], results[i].dtype(), results[i].device());
    fill_with(gradients[i], Scalar(1));
  }
  return gradients;
}

bool changes_others(const Trace& r) {
  return std::any_of(r.steps.begin(), r.steps.end(), [&](const auto& step) { return changes_outside(r, *step); });
}

Saved saved_of(const Trace& function, int slot) {
  const Slot& s = function.slots[static_cast<size_t>(slot)];
  // The first view is the array by which the slot was first seen, and begins at its start.
  const auto v =
      std::find_if(function.views.begin(), function.views.end(), [&](const View& view) { return view.slot == slot; });
  Saved saved{slot, -1, false, -1, {}, v->sizes, v->strides, v->dtype};
  if (s.origin == Origin::Step) {
    saved.view = static_cast<int>(v - function.views.begin());
    saved.is_shared = s.escapes;
  } else if (s.origin == Origin::Argument) {
    saved.argument = s.argument;
  } else {
    saved.outside = s.outside;
  }
  return saved;
}

// Call after planning: the values that the backward trace still reads from the function's become
// arguments, numbered from `count` on.
void number_arguments(Backward& b, const Following& following, int count, std::vector<Saved>& all) {
  std::vector<bool> is_read(b.trace.slots.size());
  const auto read = [&](int v) { is_read[static_cast<size_t>(b.trace.views[static_cast<size_t>(v)].slot)] = true; };
  for (const auto& step : b.trace.steps) std::for_each(step->reads.begin(), step->reads.end(), read);
  for (const Backward::Result& r : b.results) read(r.view);
  for (const auto& [slot, of_function] : following.adopted) {
    int& argument = b.trace.slots[static_cast<size_t>(slot)].argument;
    argument = -1;
    if (!is_read[static_cast<size_t>(slot)]) continue;
    argument = count++;
    auto known = std::find_if(all.begin(), all.end(), [&](const Saved& s) { return s.slot == of_function; });
    if (known == all.end()) known = all.insert(all.end(), saved_of(following.trace, of_function));
    b.saved.push_back(static_cast<size_t>(known - all.begin()));
  }
  b.trace.num_arguments = count;
}

// Runs the tape. Its exceptions propagate.
Backward trace_backward(Tracer& function, const Trace& trace, TensorList results, const std::vector<Edge>& inputs,
                        uint64_t first, const Arrival& arrival, const PlanOptions& options,
                        const std::function<const char*(const Node&)>& look, std::vector<Saved>& all) {
  Backward b;
  b.arrival = arrival;
  Tracer tracer(b.trace);
  Following following(tracer, function, trace);
  const Tensors gradients = stand_ins(results, arrival);
  for (const Tensor& g : gradients)
    if (g.defined()) tracer.add_argument(g);
  const int count = b.trace.num_arguments;
  std::vector<Departure> departures;
  {
    const ObserverGuard guard(&tracer);
    Tensors arriving = gradients;
    departures = gradients_within(first, results, std::move(arriving), false, [&](const Node& node) {
      if (const char* reason = look(node)) function.fail(reason);
      TNP_CHECK(function.failure().empty(), ErrorKind::NotImplemented,
                "the gradient of a compiled function cannot be recorded");
    });
  }
  for (const Departure& d : departures) {
    const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const Edge& e) { return is_same(e, d.edge); });
    if (input == inputs.end())
      tracer.fail("it reaches an array that is neither an argument nor a variable or attribute");
    const int view = tracer.result(d.grad);
    const bool is_view = d.grad.is_view() && d.grad.is_contiguous() &&
                         !(d.grad.strides() == IntList(contiguous_strides(d.grad.sizes())));
    if (view >= 0)
      b.results.push_back({static_cast<size_t>(input - inputs.begin()), view, tracer.is_constant(view), is_view});
  }
  tracer.check_arrays();
  tracer.fail_if_raised();
  if (changes_others(b.trace)) tracer.fail("the backward pass changes an array from outside of it");
  if (!tracer.failure().empty()) {
    function.fail("its gradient cannot be recorded: " + tracer.failure());
    return b;
  }
  PlanOptions own = options;
  own.is_backward = true;
  plan(b.trace, own);
  number_arguments(b, following, count, all);
  return b;
}

// For each input, one edge per gradient that any of the backward traces returns for it. At least
// one, since gradients may arrive in a pattern without a trace.
std::vector<size_t> edges_of(const std::vector<Backward>& backwards, const std::vector<Edge>& inputs) {
  std::vector<size_t> edges;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto first = std::find_if(inputs.begin(), inputs.end(), [&](const Edge& e) { return is_same(e, inputs[i]); });
    if (static_cast<size_t>(first - inputs.begin()) != i) continue;
    std::ptrdiff_t most = 1;
    for (const Backward& b : backwards)
      most = std::max(most, std::count_if(b.results.begin(), b.results.end(),
                                          [&](const Backward::Result& r) { return r.input == i; }));
    edges.insert(edges.end(), static_cast<size_t>(most), i);
  }
  return edges;
}

}  // namespace

Gradients trace_gradients(Tracer& function, Trace& trace, TensorList results, const std::vector<Edge>& inputs,
                          uint64_t first, const std::vector<Arrival>& arrivals, const PlanOptions& options,
                          const std::function<const char*(const Node&)>& look) {
  Gradients all;
  try {
    for (const Arrival& arrival : arrivals)
      all.backwards.push_back(
          trace_backward(function, trace, results, inputs, first, arrival, options, look, all.saved));
  } catch (const ReleasedGraph&) {
    all.is_released = true;
    all.backwards.clear();
    all.saved.clear();
  } catch (const Error& error) {
    function.fail("its gradient cannot be computed: " + error.message());
  }
  for (const Saved& s : all.saved)
    if (s.view >= 0) trace.slots[static_cast<size_t>(s.slot)].escapes = true;
  all.edges = edges_of(all.backwards, inputs);
  return all;
}

void put_behind(const intrusive_ptr<Node>& node, TensorList arrays) {
  set_next_edges(*node, arrays);
  uint32_t number = 0;
  for (const Tensor& t : arrays) {
    node->input_meta.emplace_back(t);
    set_history_of(t, node, number++);
  }
}

}  // namespace tnp::compiler
