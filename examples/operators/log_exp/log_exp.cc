// A backend of torch_np.compile: computes expressions of log, exp, + and * in one pass over memory,
// after MXNet's lib_subgraph.
//
//   torch_np.library.load("liblog_exp.so")
//   f = torch_np.compile(lambda x, y: np.log(np.exp(x) * 2.5 + y), backend="log_exp")
//   print(f.lower(x, y))   # %6:float64[1000] = log_exp(%0, %1) {%2 = exp(%0); %4 = mul(%2, %3); ...}
//
// The engine asks once which operators the backend takes over, and creates an executor for each
// connected subgraph. An executor runs its operators on one block of elements after the other, so
// that the block stays in the cache.
#include <torch_np/extension.h>

#include <algorithm>
#include <cmath>

using namespace torch_np;

namespace {

constexpr int64_t kBlock = 512;

// Accepts arrays of one shape and dtype, and numbers.
bool is_supported(const Subgraph& g, const SubgraphNode& node) {
  const SubgraphValue& to = g.output(node);
  if (to.dtype != kFloat32 && to.dtype != kFloat64) return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const SubgraphValue& from = g.input(node, i);
    if (from.constant && from.shape.empty()) {
      if (from.dtype != kFloat32 && from.dtype != kFloat64) return false;
    } else if (from.dtype != to.dtype || from.shape != to.shape) {
      return false;
    }
  }
  return true;
}

template <class T>
class LogExp final : public SubgraphExecutor {
 public:
  explicit LogExp(const Subgraph& g) : num_values_(g.values.size()), inputs_(g.inputs), outputs_(g.outputs) {
    for (size_t i = 0; i < g.values.size(); ++i) {
      const SubgraphValue& v = g.values[i];
      if (!v.constant) continue;
      const auto number = v.dtype == kFloat32 ? static_cast<T>(*static_cast<const float*>(v.constant))
                                              : static_cast<T>(*static_cast<const double*>(v.constant));
      numbers_.push_back({i, number});
    }
    for (const SubgraphNode& n : g.nodes)
      steps_.push_back({n.op[0], n.inputs[0], n.inputs.size() > 1 ? n.inputs[1] : n.inputs[0], n.outputs[0]});
  }

  void forward(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
               const OpResource& resource) const override {
    auto* registers = static_cast<T*>(resource.alloc_cpu(num_values_ * kBlock * sizeof(T)));
    for (const auto& [value, number] : numbers_) std::fill_n(registers + value * kBlock, kBlock, number);
    const int64_t n = outputs[0].numel();
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t count = std::min(kBlock, n - at);
      for (size_t i = 0; i < inputs.size(); ++i)
        std::copy_n(inputs[i].data<T>() + at, count, registers + inputs_[i] * kBlock);
      for (const Step& s : steps_)
        run(s.op, registers + s.a * kBlock, registers + s.b * kBlock, registers + s.to * kBlock, count);
      for (size_t i = 0; i < outputs.size(); ++i)
        std::copy_n(registers + outputs_[i] * kBlock, count, outputs[i].data<T>() + at);
    }
  }

 private:
  struct Step {
    char op;  // the first letters differ: log, exp, add, mul
    size_t a, b, to;
  };
  static void run(char op, const T* a, const T* b, T* to, int64_t count) {
    if (op == 'l')
      for (int64_t i = 0; i < count; ++i) to[i] = std::log(a[i]);
    else if (op == 'e')
      for (int64_t i = 0; i < count; ++i) to[i] = std::exp(a[i]);
    else if (op == 'a')
      for (int64_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
    else
      for (int64_t i = 0; i < count; ++i) to[i] = a[i] * b[i];
  }

  size_t num_values_;
  std::vector<size_t> inputs_, outputs_;
  std::vector<std::pair<size_t, T>> numbers_;
  std::vector<Step> steps_;
};

std::unique_ptr<SubgraphExecutor> create(const Subgraph& g) {
  g.options.expect_only({"least"});
  // A single operator is no gain: the engine's own is faster.
  if (static_cast<int64_t>(g.nodes.size()) < g.options.integer("least", 2)) return nullptr;
  if (g.output(g.nodes[0]).dtype == kFloat32) return std::make_unique<LogExp<float>>(g);
  return std::make_unique<LogExp<double>>(g);
}

}  // namespace

REGISTER_PARTITIONER(log_exp)
    .setSupportedOps({"log", "exp", "add", "mul"}, is_supported)
    .setCreateExecutor(create)
    .setDoc(
        "Expressions of log, exp, + and * of float32 or float64 in one pass. Option `least`: operators of the "
        "smallest one, by default 2.");
