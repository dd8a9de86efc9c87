#include "aten/library/traced_calls.h"

#include <string>
#include <utility>

#include "aten/compiler/call.h"
#include "aten/compiler/foreign_code.h"

namespace tnp {

namespace {

using compiler::Frame;
using compiler::Tracer;

class LibraryStep final : public compiler::Step, public compiler::ForeignCode {
 public:
  LibraryStep(Tracer& r, const LibraryOperator& op, const LibraryTensors& inputs, const LibraryArguments& arguments,
              std::span<const int64_t> mutated, bool is_train)
      : op_(op.shared_from_this()),
        arguments_(arguments),
        mutated_(mutated.begin(), mutated.end()),
        dialect_(r.dialect_of_step()),
        is_train_(is_train) {
    for (const Tensor& t : inputs) inputs_.push_back(r.read(t, *this));
  }
  bool run(Frame& frame) const override {
    const DialectGuard guard(dialect_);
    LibraryTensors inputs, made;
    for (int v : inputs_) inputs.push_back(frame.tensor(v));
    op_->run(inputs, arguments_.get(), mutated_, made, is_train_);
    return results.bind(frame, std::vector<Tensor>(made.begin(), made.end()));
  }
  std::string name() const override { return op_->name(); }
  std::string text() const override {
    std::string s = op_->name();
    s += '(';
    const LibraryArguments arguments = arguments_.get();
    const char* between = "";
    // Operators without a schema do not list their inputs among the arguments.
    for (size_t i = 0; !op_->has_schema() && i < inputs_.size(); ++i) {
      s += std::exchange(between, ", ");
      compiler::print_view(s, inputs_[i]);
    }
    for (size_t i = 0; i < arguments.values.size(); ++i) {
      s += std::exchange(between, ", ");
      if (!op_->has_schema()) s += std::string(arguments.names[i]) + '=';
      print(s, arguments.values[i]);
    }
    return s += ')';
  }
  compiler::Results results;

 private:
  void print(std::string& to, const TorchNpValue& v) const {
    const auto n = static_cast<size_t>(v.count);
    switch (v.kind) {
      case TORCH_NP_TENSOR:
        return compiler::print_view(to, inputs_[static_cast<size_t>(v.as.integer)]);
      case TORCH_NP_TENSORS:
        to += '[';
        for (size_t k = 0; k < n; ++k) {
          if (k > 0) to += ", ";
          compiler::print_view(to, inputs_[static_cast<size_t>(v.as.integer) + k]);
        }
        to += ']';
        return;
      case TORCH_NP_BOOL:
        return compiler::print_value(to, v.as.integer != 0);
      case TORCH_NP_INT:
        return compiler::print_value(to, v.as.integer);
      case TORCH_NP_FLOAT:
        return compiler::print_value(to, v.as.numbers[0]);
      case TORCH_NP_COMPLEX:
        return compiler::print_value(to, Scalar(Complex<double>(v.as.numbers[0], v.as.numbers[1])));
      case TORCH_NP_STRING:
        return compiler::print_value(to, std::string_view(v.as.string, n));
      case TORCH_NP_BOOLS:
        return compiler::print_list(to, std::span<const bool>(reinterpret_cast<const bool*>(v.as.bool_list), n));
      case TORCH_NP_INTS:
        return compiler::print_list(to, std::span<const int64_t>(v.as.int_list, n));
      case TORCH_NP_FLOATS:
        return compiler::print_list(to, std::span<const double>(v.as.float_list, n));
      default:
        return compiler::print_none(to);
    }
  }

  std::shared_ptr<const LibraryOperator> op_;
  KeptArguments arguments_;
  std::vector<int64_t> mutated_;
  std::vector<int> inputs_;  // indices of views
  Dialect dialect_;
  bool is_train_;
};

class DerivativeStep final : public compiler::Step, public compiler::ForeignCode {
 public:
  DerivativeStep(Tracer& r, std::string name, TensorFunction f, const std::vector<Tensor>& tensors)
      : name_(std::move(name)), number_(r.mark().steps), function_(std::move(f)) {
    for (const Tensor& t : tensors) views_.push_back(r.read(t, *this));
  }
  bool run(Frame& frame) const override {
    std::vector<Tensor> tensors;
    for (int v : views_) tensors.push_back(frame.tensor(v));
    return results.bind(frame, function_(tensors));
  }
  std::string name() const override { return name_ + "_backward"; }
  std::string text() const override {
    std::string s = name_ + "_backward(";
    for (size_t i = 0; i < views_.size(); ++i) {
      if (i > 0) s += ", ";
      compiler::print_view(s, views_[i]);
    }
    // The text omits the call's numeric arguments, so a number makes it unique.
    return s += ", call=" + std::to_string(number_) + ")";
  }
  compiler::Results results;

 private:
  std::string name_;
  size_t number_;
  TensorFunction function_;
  std::vector<int> views_;
};

}  // namespace

void trace_library_call(Tracer& r, const LibraryOperator& op, const LibraryTensors& inputs,
                        const LibraryArguments& arguments, std::span<const int64_t> mutated, LibraryTensors& results,
                        bool is_tracked) {
  if (is_tracked && op.table().create_state)
    r.fail(std::string("the operator ") + op.name() + " keeps a state from its call to its derivative");
  auto step = std::make_unique<LibraryStep>(r, op, inputs, arguments, mutated, is_tracked);
  const std::vector<uint32_t> before = r.versions(*step);
  {
    const Tracer::Within within(r);
    op.run(inputs, arguments, mutated, results, false);
  }
  r.note_changes(*step, before);
  step->results.note(r, *step, std::vector<Tensor>(results.begin(), results.end()));
  if (r.is_needed(*step)) r.add(std::move(step));
}

std::vector<Tensor> trace_derivative(Tracer& r, const char* name, TensorFunction f,
                                     const std::vector<Tensor>& tensors) {
  auto step = std::make_unique<DerivativeStep>(r, name, f, tensors);
  const std::vector<uint32_t> before = r.versions(*step);
  std::vector<Tensor> results;
  {
    const Tracer::Within within(r);
    results = f(tensors);
  }
  r.note_changes(*step, before);
  step->results.note(r, *step, results);
  if (r.is_needed(*step)) r.add(std::move(step));
  return results;
}

}  // namespace tnp
