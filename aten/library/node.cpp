#include "aten/library/node.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "aten/autograd/generated_support.h"
#include "aten/autograd/variable.h"
#include "aten/compiler/tracer.h"
#include "aten/core/shapes.h"
#include "aten/iterator/copy.h"
#include "aten/library/traced_calls.h"

namespace tnp {

namespace {

// Node of gradients that a library's backward function computed. Such gradients have no
// derivatives, so the node raises an error when a gradient reaches it.
class LibraryGradient final : public Node {
 public:
  explicit LibraryGradient(std::string message) : message_(std::move(message)) {}
  const char* name() const override { return "NotDifferentiable"; }
  Tensors apply(Tensors&&) override { TNP_RAISE(ErrorKind::Runtime, message_); }

 private:
  std::string message_;
};

// C structs of the interface that describe tensors without data.
class DescribedMetas {
 public:
  TorchNpTensor add(const InputMeta& meta) {
    auto& [sizes, strides] = shapes_.emplace_back(meta.sizes, contiguous_strides(meta.sizes));
    return described(nullptr, meta.device, meta.dtype, sizes, strides);
  }

 private:
  std::list<std::pair<DimVector, DimVector>> shapes_;
};

// Computes a call's gradients by the library's backward function. Owns no tensors or nodes of the
// graph.
struct LibraryDerivative {
  LibraryDerivative(std::shared_ptr<const LibraryOperator> of, const LibraryArguments& given)
      : op(std::move(of)), arguments(given) {}
  Device device() const { return output_metas.empty() ? Device{} : output_metas[0].device; }

  // `req`: for each input, whether its gradient is not needed, written, or added to
  // (TORCH_NP_REQ_*). `firsts`: for each input, the index of the first input that is the same
  // Tensor.
  Tensors run(const Tensors& grads, const Tensors& inputs, const Tensors& outputs, LibraryState* state,
              std::vector<int32_t> req, const std::vector<size_t>& firsts) const {
    const Device device = this->device();
    const TorchNpOperator& table = op->table();
    const TorchNpFunction backward = op->backward_on(device);
    CallContext context = op->context();
    TNP_CHECK(backward && !device.is_meta(), ErrorKind::NotImplemented, context.prefix(),
              "it has no derivative for device '", device, "'");
    Tensors made(inputs.size()), operands;
    std::vector<TorchNpTensor> input_list, grad_list, output_list, made_list;
    operands.reserve(grads.size() + inputs.size() + outputs.size());
    const auto describe_all = [&](const Tensors& from, std::vector<TorchNpTensor>& list, auto&& unsaved) {
      for (size_t i = 0; i < from.size(); ++i) {
        operands.push_back(from[i].defined() ? as_operand(table, detach(from[i])) : from[i]);
        list.push_back(from[i].defined() ? described(operands.back(), true) : unsaved(i));
      }
    };
    DescribedMetas metas;
    describe_all(grads, grad_list, [](size_t) { return TorchNpTensor{}; });
    describe_all(inputs, input_list,
                 [&](size_t i) { return input_metas[i] ? metas.add(*input_metas[i]) : TorchNpTensor{}; });
    describe_all(outputs, output_list, [&](size_t i) { return metas.add(output_metas[i]); });
    const bool takes_req = (table.flags & TORCH_NP_TAKES_REQ) != 0;
    std::vector<Tensor> unwanted;  // memory for functions that always write all gradients
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!input_metas[i]) {
        made_list.push_back(TorchNpTensor{});
        continue;
      }
      const InputMeta& meta = *input_metas[i];
      const auto new_gradient = [&] { return empty_tensor(meta.sizes, meta.dtype, device); };
      const size_t first = takes_req && req[i] != TORCH_NP_REQ_NULL ? firsts[i] : i;
      // An input that is passed twice has one gradient. The function adds to it for each
      // occurrence, in any order.
      if (first != i) {
        if (req[first] == TORCH_NP_REQ_WRITE) fill_with(made[first], Scalar(0));
        req[first] = req[i] = TORCH_NP_REQ_ADD;
        made_list.push_back(made_list[first]);
      } else if (req[i] != TORCH_NP_REQ_NULL) {
        made[i] = new_gradient();
        made_list.push_back(described(made[i], true));
      } else if (takes_req) {
        made_list.push_back(metas.add(meta));
      } else {
        unwanted.push_back(new_gradient());
        made_list.push_back(described(unwanted.back(), true));
      }
    }
    TorchNpCall call{};
    describe_call(call, context, device, arguments.get());
    call.state = state ? state->get() : nullptr;
    call.num_inputs = static_cast<int64_t>(inputs.size());
    call.inputs = input_list.data();
    call.num_outputs = static_cast<int64_t>(outputs.size());
    call.outputs = output_list.data();
    call.output_grads = grad_list.data();
    call.input_grads = made_list.data();
    call.input_req = req.data();
    call.is_train = 1;
    context.phase = CallContext::Phase::Computation;
    int32_t failure;
    {
      CurrentDeviceGuard current(device);
      context.long_work.emplace();
      // Several threads may compute the same derivative, but a state serves one at a time.
      const std::unique_lock<std::mutex> alone =
          state ? std::unique_lock(state->mutex) : std::unique_lock<std::mutex>();
      failure = context.result_of(backward, op->librarys_table(), call);
      context.long_work.reset();
    }
    context.check(failure, "backward");
    return made;
  }

  std::shared_ptr<const LibraryOperator> op;
  KeptArguments arguments;
  std::vector<std::optional<InputMeta>> input_metas;  // nullopt for optional inputs that are not given
  std::vector<InputMeta> output_metas;
};

class LibraryNode final : public Node {
 public:
  LibraryNode(std::shared_ptr<const LibraryOperator> of, const LibraryArguments& arguments,
              std::shared_ptr<LibraryState> state)
      : derivative_(std::make_shared<LibraryDerivative>(std::move(of), arguments)), state_(std::move(state)) {
    name_ = op().name();
    name_ = name_.substr(name_.rfind(':') + 1) + "Backward";
    materialize_grads = true;
  }
  const char* name() const override { return name_.c_str(); }
  void release_variables() override {
    for (SavedTensor& s : inputs_) s.reset();
    for (SavedTensor& s : outputs_) s.reset();
    state_.reset();
    released_ = true;
  }

  // Saves the inputs and outputs that the derivative reads. For all others, saves only shape and
  // dtype.
  void save(const LibraryTensors& inputs, const LibraryTensors& outputs, std::span<const int64_t> mutated) {
    const uint64_t flags = op().table().flags;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool changed = std::ranges::count(mutated, static_cast<int64_t>(i)) > 0;
      const bool reads = !(flags & (changed ? TORCH_NP_SAVES_NO_MUTATED : TORCH_NP_SAVES_NO_INPUTS));
      inputs_.emplace_back(reads ? inputs[i] : Tensor(), false);
      derivative_->input_metas.push_back(inputs[i].defined() ? std::optional(InputMeta(inputs[i])) : std::nullopt);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool reads = !(flags & TORCH_NP_SAVES_NO_OUTPUTS);
      outputs_.emplace_back(reads ? outputs[i] : Tensor(), true, static_cast<uint32_t>(i));
      derivative_->output_metas.emplace_back(outputs[i]);
    }
  }

  Tensors apply(Tensors&& grads) override {
    TNP_CHECK(!released_, ErrorKind::Runtime,
              "Trying to backward through the graph a second time: the values saved for ", name(),
              " were freed by the first one. Specify retain_graph=True there");
    // A tensor is undefined if the input was not given or the tensor was not saved.
    Tensors inputs, outputs;
    for (const SavedTensor& s : inputs_) inputs.push_back(s.unpack(this));
    for (const SavedTensor& s : outputs_) outputs.push_back(s.unpack(this));
    if (op().table().gradient) return through_operators(grads, inputs, outputs);
    Tensors result;
    {
      NoGradGuard no_grad;
      result = computed(grads, inputs, outputs);
    }
    if (grad_enabled()) forbid_another(result, grads, inputs);
    return result;
  }

 private:
  // Computes the gradients by a library function that composes them of operators. The operators are
  // recorded if second derivatives are needed.
  Tensors through_operators(const Tensors& grads, const Tensors& inputs, const Tensors& outputs) {
    CallContext context = op().context();
    context.phase = CallContext::Phase::Gradient;
    context.gradients.resize(inputs.size());
    const auto handles = [&](const Tensors& tensors) {
      std::vector<void*> list;
      for (const Tensor& t : tensors) {
        context.handles.push_back(t);
        list.push_back(t.defined() ? &context.handles.back() : nullptr);
      }
      return list;
    };
    const std::vector<void*> grad_handles = handles(grads), input_handles = handles(inputs),
                             output_handles = handles(outputs);
    TorchNpCall call{};
    describe_call(call, context, derivative_->device(), derivative_->arguments.get());
    call.state = state_ ? state_->get() : nullptr;
    call.is_train = 1;
    const std::vector<int32_t> req = wanted();
    call.num_inputs = static_cast<int64_t>(inputs.size());
    call.num_outputs = static_cast<int64_t>(outputs.size());
    call.input_handles = input_handles.data();
    call.output_handles = output_handles.data();
    call.output_grad_handles = grad_handles.data();
    call.input_req = req.data();
    context.check(context.result_of(op().table().gradient, op().librarys_table(), call), "gradient");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& made = context.gradients[i];
      TNP_CHECK(!made.defined() || !derivative_->input_metas[i] ||
                    broadcasts_to(derivative_->input_metas[i]->sizes, made.sizes()),
                ErrorKind::Value, context.prefix(), "gradient: that of input ", static_cast<int64_t>(i),
                " has the shape ", made.sizes(), ", expected ", IntList(derivative_->input_metas[i]->sizes));
    }
    return std::move(context.gradients);
  }

  std::vector<int32_t> wanted() const {
    std::vector<int32_t> req(inputs_.size(), TORCH_NP_REQ_NULL);
    for (size_t i = 0; i < req.size(); ++i) {
      if (needs_grad(i)) req[i] = TORCH_NP_REQ_WRITE;
    }
    return req;
  }

  // Computes the gradients by the library's backward function.
  Tensors computed(const Tensors& grads, const Tensors& inputs, const Tensors& outputs) const {
    const std::vector<int32_t> req = wanted();
    std::vector<size_t> firsts;
    for (size_t i = 0; i < inputs.size(); ++i) firsts.push_back(first_of(i));
    compiler::Tracer* r = observer() ? compiler::active_tracer() : nullptr;
    if (!r || state_) return derivative_->run(grads, inputs, outputs, state_.get(), req, firsts);
    std::vector<Tensor> all(grads.begin(), grads.end());
    all.insert(all.end(), inputs.begin(), inputs.end());
    all.insert(all.end(), outputs.begin(), outputs.end());
    const size_t first_input = grads.size(), first_output = grads.size() + inputs.size();
    // The traced step may outlive the graph, so the lambda must not capture nodes or tensors of
    // the graph.
    return trace_derivative(
        *r, op().name(),
        [d = derivative_, req, firsts, first_input, first_output](const std::vector<Tensor>& tensors) {
          const auto part = [&](size_t from, size_t to) {
            return Tensors(tensors.begin() + static_cast<std::ptrdiff_t>(from),
                           tensors.begin() + static_cast<std::ptrdiff_t>(to));
          };
          return d->run(part(0, first_input), part(first_input, first_output), part(first_output, tensors.size()),
                        nullptr, req, firsts);
        },
        all);
  }

  // Returns the index of the first input that is the same Tensor as input `i`. (Equal inputs have
  // equal edges.)
  size_t first_of(size_t i) const {
    for (size_t k = 0; k < i; ++k) {
      const Edge &a = next_edges[k], &b = next_edges[i];
      if (a.node && a.node == b.node && a.input_nr == b.input_nr) return k;
    }
    return i;
  }

  void forbid_another(Tensors& result, const Tensors& grads, const Tensors& inputs) const {
    Tensors sources;
    for (const Tensors* list : {&grads, &inputs}) {
      for (const Tensor& t : *list) {
        if (t.defined() && t.requires_grad()) sources.push_back(t);
      }
    }
    if (sources.empty()) return;
    auto node = make_intrusive<LibraryGradient>(
        op().context().prefix() + "its derivative is not made of operators, and cannot be differentiated again");
    set_next_edges(*node, sources);
    uint32_t nr = 0;
    node->input_meta.resize(result.size());
    for (Tensor& t : result) {
      if (t.defined()) set_history(t, node, nr);
      ++nr;
    }
  }

  const LibraryOperator& op() const { return *derivative_->op; }

  std::shared_ptr<LibraryDerivative> derivative_;
  std::shared_ptr<LibraryState> state_;
  std::string name_;
  std::vector<SavedTensor> inputs_, outputs_;
  bool released_ = false;
};

}  // namespace

void set_library_history(const std::shared_ptr<const LibraryOperator>& op, const LibraryTensors& inputs,
                         const LibraryTensors& outputs, std::span<const int64_t> mutated,
                         const LibraryArguments& arguments, const std::shared_ptr<LibraryState>& state) {
  auto node = make_intrusive<LibraryNode>(op, arguments, state);
  set_next_edges(*node, TensorList(inputs.data(), inputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) set_history(outputs[i], node, static_cast<uint32_t>(i));
  node->save(inputs, outputs, mutated);
}

}  // namespace tnp
