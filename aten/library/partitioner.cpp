#include "aten/library/partitioner.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <type_traits>

#include "aten/iterator/dense.h"
#include "aten/library/operator.h"

namespace tnp {

namespace {

using compiler::ArgumentValue;
using compiler::Subgraph;
using compiler::ViewNumber;

// Describes a subgraph by the C structs of the interface. The structs point into `from`, which must
// outlive them.
class DescribedSubgraph {
 public:
  explicit DescribedSubgraph(const Subgraph& from) {
    for (const Subgraph::Value& v : from.values) {
      auto& [sizes, strides] = geometries_.emplace_back(v.view.sizes, v.view.strides);
      values_.push_back(
          described(v.constant.defined() ? v.constant.address() : nullptr, Device{}, v.view.dtype, sizes, strides));
    }
    for (const Subgraph::Node& n : from.nodes) add(n);
    for (Node& n : nodes_) tables_.push_back(&n.table);
    inputs_.assign(from.inputs.begin(), from.inputs.end());
    outputs_.assign(from.outputs.begin(), from.outputs.end());
    const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
    table_ = {sizeof(table_), count(values_), values_.data(),  count(tables_), tables_.data(),
              count(inputs_), inputs_.data(), count(outputs_), outputs_.data()};
  }
  DescribedSubgraph(const DescribedSubgraph&) = delete;
  DescribedSubgraph& operator=(const DescribedSubgraph&) = delete;
  const TorchNpSubgraph& table() const { return table_; }

 private:
  struct Node {
    TorchNpNode table{};
    std::vector<TorchNpValue> arguments;
    std::vector<int64_t> inputs, outputs;
    std::list<std::string> texts;
    std::list<std::vector<int64_t>> integers;
  };

  void add(const Subgraph::Node& from) {
    Node& n = nodes_.emplace_back();
    for (const ArgumentValue& a : from.arguments)
      n.arguments.push_back(std::visit([&](const auto& value) { return described_value(value, n); }, a));
    n.outputs.assign(from.outputs.begin(), from.outputs.end());
    const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
    n.table = {sizeof(TorchNpNode), from.op.c_str(), count(n.arguments), n.arguments.data(),
               count(n.inputs),     n.inputs.data(), count(n.outputs),   n.outputs.data()};
  }

  static TorchNpValue value_of_kind(TorchNpKind kind, size_t count = 0) {
    TorchNpValue v{};
    v.kind = kind, v.count = static_cast<int64_t>(count);
    return v;
  }
  static TorchNpValue described_value(std::monostate, Node&) { return value_of_kind(TORCH_NP_NONE); }
  static TorchNpValue described_value(ViewNumber view, Node& n) {
    return described_value(std::vector<ViewNumber>{view}, n, TORCH_NP_TENSOR);
  }
  static TorchNpValue described_value(const std::vector<ViewNumber>& views, Node& n,
                                      TorchNpKind kind = TORCH_NP_TENSORS) {
    TorchNpValue v = value_of_kind(kind, views.size());
    v.as.integer = static_cast<int64_t>(n.inputs.size());
    for (ViewNumber view : views) n.inputs.push_back(view.view);
    return v;
  }
  static TorchNpValue described_value(bool flag, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_BOOL);
    v.as.integer = flag;
    return v;
  }
  static TorchNpValue described_value(int64_t number, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_INT);
    v.as.integer = number;
    return v;
  }
  static TorchNpValue described_value(double number, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_FLOAT);
    v.as.numbers[0] = number;
    return v;
  }
  static TorchNpValue described_value(const Scalar& number, Node& n) {
    if (number.is_bool()) return described_value(number.to<bool>(), n);
    return number.is_integral() ? described_value(number.to<int64_t>(), n) : described_value(number.to<double>(), n);
  }
  static TorchNpValue described_value(compiler::Enumerator v, Node& n) { return described_value(v.number, n); }
  static TorchNpValue described_value(const std::string& text, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_STRING, text.size());
    v.as.string = text.c_str();
    return v;
  }
  static TorchNpValue described_value(ScalarType dtype, Node& n) {
    return described_value(n.texts.emplace_back(dtype_name(dtype)), n);
  }
  static TorchNpValue described_value(Device device, Node& n) {
    return described_value(n.texts.emplace_back(to_string(device)), n);
  }
  static TorchNpValue described_value(std::span<const int64_t> list, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_INTS, list.size());
    v.as.int_list = list.data();
    return v;
  }
  static TorchNpValue described_value(const DimVector& list, Node& n) { return described_value(IntList(list), n); }
  static TorchNpValue described_value(const std::vector<uint8_t>& flags, Node& n) {
    return described_value(std::span<const int64_t>(n.integers.emplace_back(flags.begin(), flags.end())), n);
  }
  static TorchNpValue described_value(const std::vector<double>& list, Node&) {
    TorchNpValue v = value_of_kind(TORCH_NP_FLOATS, list.size());
    v.as.float_list = list.data();
    return v;
  }
  // Call::is_plain() excludes them.
  static TorchNpValue described_value(Generator*, Node&) { return value_of_kind(TORCH_NP_NONE); }
  static TorchNpValue described_value(const compiler::Opaque&, Node&) { return value_of_kind(TORCH_NP_NONE); }

  std::list<std::pair<DimVector, DimVector>> geometries_;
  std::vector<TorchNpTensor> values_;
  std::list<Node> nodes_;
  std::vector<const TorchNpNode*> tables_;
  std::vector<int64_t> inputs_, outputs_;
  TorchNpSubgraph table_{};
};

class LibraryExecutor final : public compiler::Executor {
 public:
  LibraryExecutor(std::shared_ptr<const LibraryPartitioner> partitioner, void* state, std::vector<Tensor> constants)
      : partitioner_(std::move(partitioner)), state_(state), constants_(std::move(constants)) {}
  ~LibraryExecutor() override { partitioner_->table().delete_executor(&partitioner_->librarys_table(), state_); }
  LibraryExecutor(const LibraryExecutor&) = delete;
  LibraryExecutor& operator=(const LibraryExecutor&) = delete;

  void run(TensorList inputs, TensorList outputs) const override {
    const TorchNpPartitioner& table = partitioner_->table();
    const bool takes_strides = (table.flags & TORCH_NP_TAKES_STRIDES) != 0;
    std::vector<Tensor> held;
    std::vector<TorchNpTensor> in, out;
    held.reserve(inputs.size() + outputs.size());
    int64_t elements = 0;
    for (const Tensor& t : inputs) {
      held.push_back(takes_strides ? t : native::to_dense(t, t.dtype()));
      in.push_back(described(held.back(), true));
      elements += t.numel();
    }
    for (const Tensor& t : outputs) {
      held.push_back(takes_strides || t.is_contiguous() ? t : empty_tensor(t.sizes(), t.dtype()));
      out.push_back(described(held.back(), true));
      elements += t.numel();
    }
    CallContext context = partitioner_->context();
    TorchNpCall call{};
    partitioner_->describe(call, context);
    call.num_inputs = static_cast<int64_t>(in.size());
    call.inputs = in.data();
    call.num_outputs = static_cast<int64_t>(out.size());
    call.outputs = out.data();
    call.state = state_;
    context.phase = CallContext::Phase::Computation;
    if (elements >= kLongCall) context.long_work.emplace();
    const int32_t failure = context.shielded([&] { return table.forward(&partitioner_->librarys_table(), &call); });
    context.long_work.reset();
    context.check(failure, "forward");
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& made = held[inputs.size() + i];
      if (!made.is_same(outputs[i])) copy_into(outputs[i], made);
    }
  }

 private:
  // Minimum number of elements for which the GIL is released. For fewer elements, releasing it
  // would take as long as the call.
  static constexpr int64_t kLongCall = 1024;

  std::shared_ptr<const LibraryPartitioner> partitioner_;
  void* state_;
  std::vector<Tensor> constants_;  // the library may read them while the executor lives
};

}  // namespace

LibraryPartitioner::LibraryPartitioner(std::shared_ptr<SharedLibrary> library, const TorchNpPartitioner& table,
                                       std::vector<std::pair<std::string, std::string>> options)
    : library_(std::move(library)), librarys_table_(table), options_(std::move(options)) {
  std::memcpy(&table_, &table, std::min<size_t>(table.size, sizeof(table_)));
  for (const auto& [name, text] : options_) {
    option_names_.push_back(name.c_str());
    TorchNpValue v{};
    v.kind = TORCH_NP_STRING, v.count = static_cast<int64_t>(text.size()), v.as.string = text.c_str();
    option_values_.push_back(v);
  }
}

void LibraryPartitioner::describe(TorchNpCall& call, CallContext& context) const {
  describe_call(call, context, Device{}, {option_values_, option_names_.data()});
}

std::vector<bool> LibraryPartitioner::supported(const Subgraph& all) const {
  std::vector<uint8_t> flags;
  for (const Subgraph::Node& n : all.nodes) {
    const char* const* const end = table_.supported_ops + table_.num_supported_ops;
    flags.push_back(std::any_of(table_.supported_ops, end, [&](const char* op) { return n.op == op; }));
  }
  const bool is_any = std::find(flags.begin(), flags.end(), 1) != flags.end();
  if (table_.is_supported && is_any) {
    const DescribedSubgraph described(all);
    CallContext context = this->context();
    TorchNpCall call{};
    describe(call, context);
    std::vector<uint8_t> answers = flags;
    context.check(context.shielded(
                      [&] { return table_.is_supported(&librarys_table_, &call, &described.table(), answers.data()); }),
                  "supportedOps");
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] && answers[i];
  }
  return std::vector<bool>(flags.begin(), flags.end());
}

std::unique_ptr<compiler::Executor> LibraryPartitioner::executor(const Subgraph& subgraph) const {
  const DescribedSubgraph described(subgraph);
  CallContext context = this->context();
  TorchNpCall call{};
  describe(call, context);
  context.phase = CallContext::Phase::State;
  const int32_t failure =
      context.shielded([&] { return table_.create_executor(&librarys_table_, &call, &described.table()); });
  std::vector<Tensor> constants;
  for (const Subgraph::Value& v : subgraph.values)
    if (v.constant.defined()) constants.push_back(v.constant);
  std::unique_ptr<LibraryExecutor> made;
  if (context.state) made = std::make_unique<LibraryExecutor>(shared_from_this(), context.state, std::move(constants));
  context.check(failure, "createExecutor");
  return made;
}

}  // namespace tnp
