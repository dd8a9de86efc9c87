#include "aten/library/traced_calls.h"

#include <string>
#include <utility>

#include "aten/compiler/traced.h"

namespace tnp {

namespace {

using compiler::ArgumentValue;
using compiler::Frame;
using compiler::Tracer;
using compiler::ViewNumber;

class LibraryStep final : public compiler::Step {
 public:
  LibraryStep(Tracer& r, const LibraryOperator& op, const LibraryTensors& inputs, const LibraryArguments& arguments,
              std::span<const int64_t> mutated, bool is_train)
      : op_(op.shared_from_this()),
        arguments_(arguments),
        mutated_(mutated.begin(), mutated.end()),
        is_train_(is_train) {
    is_foreign = true;
    for (const Tensor& t : inputs) inputs_.push_back({r.read(t, *this)});
    call = {op_.get(), op_->name(), r.dialect_of_step()};
    // Operators without a schema do not list their inputs among the arguments.
    if (!op_->has_schema())
      for (ViewNumber v : inputs_) call.arguments.push_back({v});
    const LibraryArguments kept = arguments_.get();
    for (size_t i = 0; i < kept.values.size(); ++i)
      call.arguments.push_back({value_of(kept.values[i]), op_->has_schema() ? nullptr : kept.names[i]});
    if (is_train_) call.arguments.push_back({true, "is_train"});
  }
  bool run(Frame& frame) const override {
    const DialectGuard guard(call.dialect);
    LibraryTensors inputs, made;
    for (ViewNumber v : inputs_) inputs.push_back(frame.tensor(v.view));
    op_->run(inputs, arguments_.get(), mutated_, made, is_train_);
    return results.bind(frame, std::vector<Tensor>(made.begin(), made.end()));
  }

 private:
  ArgumentValue value_of(const TorchNpValue& v) const {
    const auto n = static_cast<size_t>(v.count), input = static_cast<size_t>(v.as.integer);
    switch (v.kind) {
      case TORCH_NP_TENSOR:
        return inputs_[input];
      case TORCH_NP_TENSORS:
        return std::vector(inputs_.begin() + v.as.integer, inputs_.begin() + v.as.integer + v.count);
      case TORCH_NP_BOOL:
        return v.as.integer != 0;
      case TORCH_NP_INT:
        return v.as.integer;
      case TORCH_NP_FLOAT:
        return v.as.numbers[0];
      case TORCH_NP_COMPLEX:
        return Scalar(Complex<double>(v.as.numbers[0], v.as.numbers[1]));
      case TORCH_NP_STRING:
        return std::string(v.as.string, n);
      case TORCH_NP_BOOLS:
        return std::vector<uint8_t>(v.as.bool_list, v.as.bool_list + n);
      case TORCH_NP_INTS:
        return DimVector(IntList(v.as.int_list, n));
      case TORCH_NP_FLOATS:
        return std::vector<double>(v.as.float_list, v.as.float_list + n);
      default:
        return std::monostate();
    }
  }

  std::shared_ptr<const LibraryOperator> op_;
  KeptArguments arguments_;
  std::vector<int64_t> mutated_;
  std::vector<ViewNumber> inputs_;
  bool is_train_;
};

class DerivativeStep final : public compiler::Step {
 public:
  DerivativeStep(Tracer& r, std::string name, TensorFunction f, const std::vector<Tensor>& tensors)
      : name_(std::move(name) + "_backward"), function_(std::move(f)) {
    is_foreign = true;
    // Its arguments omit those of the forward call, so it is equal to no other.
    call = {this, name_.c_str(), r.dialect_of_step()};
    compiler::StepWriter writer(r, *this);
    for (const Tensor& t : tensors) writer.add(t);
  }
  bool run(Frame& frame) const override {
    compiler::ArgumentReader reader(call, frame);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < call.arguments.size(); ++i) tensors.push_back(reader.tensor());
    return results.bind(frame, function_(tensors));
  }

 private:
  std::string name_;
  TensorFunction function_;
};

}  // namespace

void trace_library_call(Tracer& r, const LibraryOperator& op, const LibraryTensors& inputs,
                        const LibraryArguments& arguments, std::span<const int64_t> mutated, LibraryTensors& results,
                        bool is_tracked) {
  if (is_tracked && op.table().create_state)
    r.fail(std::string("the operator ") + op.name() + " keeps a state from its call to its derivative");
  compiler::TracedCall call(r, std::make_unique<LibraryStep>(r, op, inputs, arguments, mutated, is_tracked));
  {
    const Tracer::Within within(r);
    op.run(inputs, arguments, mutated, results, false);
  }
  call.note_changes();
  call.note(std::vector<Tensor>(results.begin(), results.end()));
  call.add();
}

std::vector<Tensor> trace_derivative(Tracer& r, const char* name, TensorFunction f,
                                     const std::vector<Tensor>& tensors) {
  compiler::TracedCall call(r, std::make_unique<DerivativeStep>(r, name, f, tensors));
  std::vector<Tensor> results;
  {
    const Tracer::Within within(r);
    results = f(tensors);
  }
  call.note_changes();
  call.note(results);
  call.add();
  return results;
}

}  // namespace tnp
