#include "aten/library/operator.h"

#include <algorithm>
#include <cstring>

#include "aten/autograd/variable.h"
#include "aten/autograd/view.h"
#include "aten/compiler/tracer.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/memory/dlpack.h"
#include "aten/core/profiler/profiler.h"
#include "aten/functions/copies.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"
#include "aten/iterator/overlap.h"
#include "aten/library/node.h"
#include "aten/library/traced_calls.h"

namespace tnp {

// --- arguments

KeptArguments::KeptArguments(const LibraryArguments& arguments) {
  size_t i = 0;
  for (TorchNpValue v : arguments.values) {
    const auto n = static_cast<size_t>(v.count);
    if (v.kind == TORCH_NP_STRING) {
      v.as.string = texts_.emplace_back(v.as.string, n).c_str();
    } else if (v.kind == TORCH_NP_INTS) {
      v.as.int_list = integers_.emplace_back(v.as.int_list, v.as.int_list + n).data();
    } else if (v.kind == TORCH_NP_FLOATS) {
      v.as.float_list = numbers_.emplace_back(v.as.float_list, v.as.float_list + n).data();
    } else if (v.kind == TORCH_NP_BOOLS) {
      v.as.bool_list = booleans_.emplace_back(v.as.bool_list, v.as.bool_list + n).data();
    }
    values_.push_back(v);
    names_.push_back(texts_.emplace_back(arguments.names[i++]).c_str());
  }
}

// --- functions that calls and derivatives share

void describe_call(TorchNpCall& call, CallContext& context, Device device, const LibraryArguments& arguments) {
  call.size = sizeof(call);
  call.host = &library_host();
  call.context = &context;
  call.num_arguments = static_cast<int64_t>(arguments.values.size());
  call.argument_names = arguments.names;
  call.arguments = arguments.values.data();
  call.device_type = device.is_cuda() ? dlpack::kCUDA : dlpack::kCPU;
  call.device_index = device.index;
  if (TNP_UNLIKELY(device.is_cuda()))
    call.stream = reinterpret_cast<void*>(runtime_of(device).current_stream(device.index));
  context.device = device;
}

Tensor as_operand(const TorchNpOperator& table, const Tensor& t) {
  if (!t.defined() || t.is_contiguous()) return t;
  NoGradGuard no_grad;
  return table.flags & TORCH_NP_TAKES_STRIDES ? aligned(t) : contiguous(detach(t));
}

CurrentDeviceGuard::CurrentDeviceGuard(Device device) {
  if (!device.is_cuda()) return;
  DeviceRuntime& runtime = runtime_of(device);
  const int now = runtime.current_device();
  if (now == device.index) return;
  runtime.set_current_device(device.index);
  before_ = now;
}
CurrentDeviceGuard::~CurrentDeviceGuard() {
  if (before_ >= 0) device_runtime()->set_current_device(before_);
}

// --- operators

LibraryOperator::LibraryOperator(std::shared_ptr<SharedLibrary> library, const TorchNpOperator& table,
                                 int64_t num_outputs)
    : library_(std::move(library)), librarys_table_(table), num_outputs_(num_outputs) {
  std::memcpy(&table_, &table, std::min<size_t>(table.size, sizeof(table_)));
}

TorchNpFunction LibraryOperator::forward_on(Device device) const {
  const TorchNpFunction function = device.is_cuda() ? table_.forward_gpu : table_.forward_cpu;
  TNP_CHECK(function, ErrorKind::NotImplemented, context().prefix(), "it has no function for device '", device, "'");
  return function;
}
TorchNpFunction LibraryOperator::backward_on(Device device) const {
  return device.is_cuda() ? table_.backward_gpu : table_.backward_cpu;
}

// One call of an operator: runs the phases of LibraryOperator::operator() in order.
class LibraryCall {
 public:
  LibraryCall(const LibraryOperator& op, const LibraryTensors& inputs, const LibraryArguments& arguments,
              LibraryTensors& outputs)
      : op_(op),
        table_(op.table()),
        inputs_(inputs),
        arguments_(arguments),
        outputs_(outputs),
        context_(op.context()) {}

  void run(std::span<const int64_t> mutated, bool is_train) {
    bool any_requires_grad = false;
    for (const Tensor& t : inputs_) {
      if (!t.defined()) continue;
      if (!like_) like_ = &t, device_ = t.device();
      check(t.device() == device_, ErrorKind::Runtime, "expected all Tensors on one device, got ", device_, " and ",
            t.device());
      any_requires_grad |= t.requires_grad();
    }
    requires_grad_ = any_requires_grad && grad_enabled();
    call_.is_train = requires_grad_ || is_train;
    describe_call(call_, context_, device_, arguments_);
    call_.num_inputs = static_cast<int64_t>(inputs_.size());
    using Phase = CallContext::Phase;
    context_.phase = Phase::Attributes;
    if (!op_.has_schema()) find_counts();
    context_.phase = Phase::Mutation;
    find_mutated(mutated);
    context_.phase = Phase::Inference;
    describe_inputs();
    if (!table_.infer && op_.num_outputs_ >= 0 && like_) {
      for (int64_t i = 0; i < op_.num_outputs_; ++i) outputs_.push_back(new_output(i, like_->sizes(), like_->dtype()));
    } else {
      infer();
      make_outputs();
    }
    if (!device_.is_meta()) {
      context_.phase = Phase::State;
      if (table_.create_state) create_state();
      compute();
    }
    if (requires_grad_)
      set_library_history(op_.shared_from_this(), inputs_, outputs_, context_.mutated, arguments_, state_);
  }

 private:
  template <class... Parts>
  void check(bool holds, ErrorKind kind, const Parts&... parts) const {
    if (TNP_UNLIKELY(!holds)) TNP_RAISE(kind, context_.prefix(), parts...);
  }

  void find_counts() {
    context_.outputs.resize(1);
    if (!table_.parse_attributes) return;
    context_.check(told_by(table_.parse_attributes), "parseAttrs");
    check(context_.num_inputs.has_value(), ErrorKind::Value, "parseAttrs: it sets no numbers of inputs and outputs");
    check_num_inputs();
  }

  int32_t told_by(TorchNpFunction function) { return context_.result_of(function, op_.librarys_table(), call_); }

  void check_num_inputs() const {
    check(!context_.num_inputs || *context_.num_inputs == call_.num_inputs, ErrorKind::Type, "it takes ",
          context_.num_inputs.value_or(0), " inputs, but ", call_.num_inputs,
          call_.num_inputs == 1 ? " was given" : " were given");
  }

  void find_mutated(std::span<const int64_t> of_schema) {
    for (int64_t i : of_schema) {
      if (inputs_[static_cast<size_t>(i)].defined()) context_.mutated.push_back(i);
    }
    if (table_.mutate_inputs && !op_.has_schema()) context_.check(told_by(table_.mutate_inputs), "mutateInputs");
    for (int64_t i : context_.mutated) check_mutated(i);
  }

  void check_mutated(int64_t i) const {
    check(i >= 0 && i < call_.num_inputs, ErrorKind::Value, "mutateInputs: it names input ", i, " of ",
          call_.num_inputs);
    const Tensor& t = inputs_[static_cast<size_t>(i)];
    check(std::ranges::count(arguments_.copies, i) == 0, ErrorKind::Type, "input ", i,
          " is changed in place and must be an array, not a value that is converted to a copy");
    check(t.impl()->writeable, ErrorKind::ReadOnly, "input ", i, " is changed in place, and is read-only");
    t.storage().prepare_change();
    check(!requires_grad_ || !t.requires_grad(), ErrorKind::Runtime, "input ", i,
          " requires grad and is changed in place, which has no gradient: detach it");
    check_inplace(t, requires_grad_);
    check(t.device().is_meta() || !may_overlap(t.sizes(), t.strides()), ErrorKind::Domain, "input ", i,
          " is changed in place, and several elements are in one place of memory: copy it");
    for (const Tensor& other : inputs_)
      check(&other == &t || !other.defined() || device_.is_meta() || memory_overlap(t, other) == Overlap::None,
            ErrorKind::Value, "input ", i, " is changed in place, and shares memory with input ",
            &other - inputs_.data());
  }

  // The Tensor to pass for an input: the input itself, or a copy in a layout that the operator
  // accepts.
  const Tensor& operand(size_t i) {
    const Tensor& t = inputs_[i];
    if (TNP_LIKELY(!t.defined() || t.is_contiguous())) return t;
    if (!t.is_unaligned() && (table_.flags & TORCH_NP_TAKES_STRIDES)) return t;
    copies_.resize(inputs_.size());
    if (!copies_[i].defined()) copies_[i] = as_operand(table_, t);
    return copies_[i];
  }

  void describe_inputs() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& t = inputs_[i];
      if (!t.defined())
        described_.push_back(TorchNpTensor{});
      else
        // Strides are in elements, so an unaligned view needs a copy.
        described_.push_back(described(t.is_unaligned() ? operand(i) : t, false));
    }
    call_.inputs = described_.data();
  }

  void infer() {
    if (op_.has_schema()) context_.outputs.resize(op_.num_outputs_ >= 0 ? static_cast<size_t>(op_.num_outputs_) : 1);
    if (table_.infer) {
      call_.num_outputs = static_cast<int64_t>(context_.outputs.size());
      context_.check(told_by(table_.infer), op_.has_schema() ? "shape function" : "inferShape and inferType");
      check_num_inputs();
    }
    check(op_.num_outputs_ < 0 || static_cast<int64_t>(context_.outputs.size()) == op_.num_outputs_, ErrorKind::Value,
          "its shape function describes ", static_cast<int64_t>(context_.outputs.size()), " results, its schema ",
          op_.num_outputs_);
  }

  void make_outputs() {
    for (OutputSpec& spec : context_.outputs) {
      const bool has_shape = spec.has_shape || like_, has_dtype = spec.has_dtype || like_;
      const int64_t n = &spec - context_.outputs.data();
      check(has_shape && has_dtype, ErrorKind::Value, "output ", n, " of ",
            static_cast<int64_t>(context_.outputs.size()), " was given no ", has_shape ? "dtype" : "shape");
      const IntList sizes = spec.has_shape ? IntList(spec.sizes) : like_->sizes();
      const ScalarType dtype = spec.has_dtype ? spec.dtype : like_->dtype();
      int64_t bytes;
      check(!spec.has_shape || !__builtin_mul_overflow(numel_of(sizes), element_size(dtype), &bytes), ErrorKind::Value,
            "output ", n, " of shape ", sizes, " is larger than an address");
      outputs_.push_back(new_output(n, sizes, dtype));
    }
  }

  Tensor new_output(int64_t n, IntList sizes, ScalarType dtype) const {
    try {
      return empty_tensor(sizes, dtype, device_);
    } catch (const Error& error) {
      TNP_RAISE(error.kind(), context_.prefix(), "output ", n, " of shape ", sizes, ": ", error.message());
    }
  }

  void create_state() {
    const int32_t failure = told_by(table_.create_state);
    if (context_.state) state_ = std::make_shared<LibraryState>(op_.shared_from_this(), context_.state);
    context_.check(failure, "createOpState");
    check(state_ != nullptr, ErrorKind::Runtime, "createOpState: it returned no state");
    call_.state = state_->get();
  }

  void compute() {
    const TorchNpFunction forward = op_.forward_on(device_);
    int64_t elements = 0;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& t = operand(i);
      if (!t.defined()) continue;
      if (t.is_same(inputs_[i]))
        described_[i].data = t.address();
      else
        described_[i] = described(t, true);
      elements += t.numel();
    }
    SmallVector<TorchNpTensor, 3> results;
    for (const Tensor& t : outputs_) results.push_back(described(t, true)), elements += t.numel();
    call_.num_outputs = static_cast<int64_t>(results.size());
    call_.outputs = results.data();
    context_.phase = CallContext::Phase::Computation;
    const bool lets_go = elements >= kLongCall;
    // owns the memory during the call, since other threads may meanwhile replace an array's shape
    // and memory
    LibraryTensors held;
    for (size_t i = 0; lets_go && i < inputs_.size(); ++i) {
      if (inputs_[i].defined()) described_[i] = described(held.emplace_back(detach(operand(i))), true);
    }
    int32_t failure;
    {
      CurrentDeviceGuard current(device_);
      if (lets_go) context_.long_work.emplace();
      failure = told_by(forward);
      context_.long_work.reset();
    }
    for (int64_t n : context_.mutated) {
      const auto i = static_cast<size_t>(n);
      if (operand(i).is_same(inputs_[i]))
        inputs_[i].bump_version();
      else
        copy_into(inputs_[i], copies_[i]);
    }
    context_.check(failure, "forward");
  }

  // Minimum number of elements for which the GIL is released. For fewer elements, releasing it
  // would take as long as the call.
  static constexpr int64_t kLongCall = 1024;

  const LibraryOperator& op_;
  const TorchNpOperator& table_;
  const LibraryTensors& inputs_;
  const LibraryArguments& arguments_;
  LibraryTensors& outputs_;
  CallContext context_;
  TorchNpCall call_{};
  const Tensor* like_ = nullptr;  // the first input
  Device device_;
  bool requires_grad_ = false;
  SmallVector<TorchNpTensor, 6> described_;
  LibraryTensors copies_;
  std::shared_ptr<LibraryState> state_;
};

void LibraryOperator::operator()(const LibraryTensors& inputs, const LibraryArguments& arguments,
                                 std::span<const int64_t> mutated, LibraryTensors& results) const {
  if (TNP_UNLIKELY(observer() != nullptr)) {
    if (compiler::Tracer* r = compiler::active_tracer()) {
      const bool is_tracked = grad_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) {
                                return t.defined() && t.requires_grad();
                              });
      return trace_library_call(*r, *this, inputs, arguments, mutated, results, is_tracked);
    }
  }
  run(inputs, arguments, mutated, results, false);
}

void LibraryOperator::run(const LibraryTensors& inputs, const LibraryArguments& arguments,
                          std::span<const int64_t> mutated, LibraryTensors& results, bool is_train) const {
  const profiler::Operation profiled([&] {
    Device device;
    find_device(device, inputs);
    return profiler::begin_named(name(), profiler::Kind::Operator, device);
  });
  LibraryCall(*this, inputs, arguments, results).run(mutated, is_train);
}

}  // namespace tnp
