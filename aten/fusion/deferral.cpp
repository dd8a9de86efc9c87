#include "aten/fusion/deferral.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/memory/array_bytes.h"
#include "aten/fusion/counters.h"
#include "aten/fusion/expression.h"
#include "aten/fusion/lines.h"
#include "aten/iterator/cast.h"

namespace tnp::fusion {

namespace {

// Maximum number of nodes of an expression. Longer expressions are computed in several programs,
// because their registers would not fit the cache and traversing the nodes would take more time
// than fusion saves.
constexpr int kMostNodes = 48;
// Minimum number of elements in a line of an operand that is not dense. For shorter lines and
// transposed operands, the unfused operator is faster.
constexpr int64_t kShortestLine = 64;

// Computes the broadcast shape. Returns false if the operands do not broadcast, or are all 0-d.
bool find_shape(TensorList inputs, DimVector& sizes) {
  for (const Tensor& t : inputs)
    if (t.sizes().size() > sizes.size()) sizes = t.sizes();
  for (const Tensor& t : inputs) {
    const size_t offset = sizes.size() - t.sizes().size();
    for (size_t d = 0; d < t.sizes().size(); ++d) {
      const int64_t n = t.sizes()[d];
      int64_t& common = sizes[offset + d];
      if (common == 1)
        common = n;
      else if (n != common && n != 1)
        return false;
    }
  }
  return !sizes.empty();
}

bool is_dense(const Tensor& t, const DimVector& sizes) { return t.is_contiguous() && t.sizes() == IntList(sizes); }

// Computes the operand's strides along the result's axes, in bytes. Returns false if the operand is
// not read line by line from front to back. In this case the result would not be row-major, or
// gathering blocks would be slow.
bool find_strides(const Tensor& t, const DimVector& sizes, DimVector& strides) {
  const size_t offset = sizes.size() - t.sizes().size();
  strides = DimVector(sizes.size(), 0);
  for (size_t d = 0; d < t.sizes().size(); ++d)
    if (t.sizes()[d] > 1) strides[offset + d] = t.strides()[d] * t.itemsize();
  return has_quick_lines(sizes, strides, t.itemsize(), kShortestLine);
}

// Quick test: false if the result is certainly smaller than `least` bytes. Uses an upper bound that
// holds for all broadcast shapes and dtypes.
bool may_be_large(TensorList inputs, int64_t least) {
  double most = 16;
  for (const Tensor& t : inputs) most *= static_cast<double>(t.numel());
  return std::min(most, 1e18) >= static_cast<double>(least);
}

// Whether a small result (such as the truth values of a comparison) reads a large pending result.
// If so, the operator is deferred, because the large result may then never have to be written.
bool continues_large(TensorList inputs, const DimVector& sizes, int64_t least) {
  return std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) {
    return t.impl()->access() == Access::Pending && bytes_of(sizes, t.dtype()) >= least && is_dense(t, sizes);
  });
}

void read_number(const Tensor& t, ScalarType wanted, Operand& operand) {
  if (t.dtype() == wanted) {
    std::memcpy(operand.number, t.data(), static_cast<size_t>(t.itemsize()));
    return;
  }
  const FloatingPointWatch watch("cast");
  cast_element(operand.number, wanted, t.data(), t.dtype());
}

// The number of uncomputed nodes in the expression of `node`.
int count_nodes(Node& node, uint64_t mark) {
  node.mark = mark;
  int count = 1;
  for (const Operand& o : node.used_operands()) {
    if (o.node && !o.node->value && o.node->mark != mark) count += count_nodes(*o.node, mark);
  }
  return count;
}

// Fills in an operand that is an array.
void read_array(const Tensor& t, Operand& operand) {
  Storage& storage = t.storage();
  if (storage.is_pending() && operand.strides.empty()) {
    operand.node = intrusive_ptr<Node>(&node_of(storage));
    return;
  }
  operand.storage = t.impl()->storage;
  operand.data = t.address();
}

bool waits_for_errors(const char* watched) {
  if (!watched) return true;
  bool (*const may_wait)() = errors_may_wait.load(std::memory_order_acquire);
  return !may_wait || may_wait();
}

}  // namespace

constinit std::atomic<bool (*)()> errors_may_wait = nullptr;

bool defer(const PointwiseOp& op, const PointwiseLoop& loop, ScalarType dtype, TensorList inputs,
           const PointwiseOptions& options, Tensor* results, int64_t least) {
  if (!may_be_large(inputs, least)) return false;
  if (op.nout != 1 || options.out[0].defined() || options.where.defined() || has_error_watch()) return false;
  DimVector sizes;
  if (!find_shape(inputs, sizes) || (options.order == Order::F && sizes.size() > 1)) return false;
  const int64_t bytes = bytes_of(sizes, dtype);
  if (bytes == 0 || (bytes < least && !continues_large(inputs, sizes, least))) return false;

  const char* const watched = wants_floating_point_errors() ? op.watched_as : nullptr;
  if (!waits_for_errors(watched)) return false;

  std::array<Operand, kMaxInputs> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    Operand& operand = operands[i];
    if (t.is_unaligned()) return false;
    if (t.dim() == 0) continue;
    if (t.storage().is_lent()) return false;
    if (!is_dense(t, sizes) && !find_strides(t, sizes, operand.strides)) return false;
    operand.dtype = t.dtype();
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dim() == 0)
      read_number(inputs[i], loop.types[1 + i], operands[i]);
    else if (!operands[i].strides.empty())
      inputs[i].address();  // computes the operand if it is pending, because its shape differs from the result's
  }
  std::shared_ptr<const ExpectedResult> expected;
  if (TNP_UNLIKELY(is_verifying())) expected = expected_result(op, loop, dtype, sizes, inputs);
  make_room(bytes);
  for (;;) {
    std::vector<intrusive_ptr<Node>> too_long;
    {
      std::lock_guard guard(lock());
      for (const Tensor& t : inputs) {
        if (t.dim() == 0) continue;
        // Checks again, because other threads may have run during make_room().
        // set_pending_readers() must precede the test of is_lent(): see Storage::lend().
        t.storage().set_pending_readers(true);
        if (t.storage().is_lent()) return false;
      }
      auto node = make_intrusive<Node>();
      node->call = {{loop.loop, op.name, watched, op.cost}, inputs.size(), {}};
      std::copy_n(loop.types, 1 + inputs.size(), node->call.types.begin());
      node->dtype = dtype;
      node->sizes = sizes;
      node->numel = bytes / element_size(dtype);
      node->operands = operands;
      node->expected = expected;
      for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].dim() > 0) read_array(inputs[i], node->operands[i]);
      if (count_nodes(*node, new_mark()) <= kMostNodes) {
        ++counters().deferred;
        results[0] = pending_result(std::move(node));
        return true;
      }
      for (const Operand& o : node->operands)
        if (o.node) too_long.push_back(o.node);
    }
    for (intrusive_ptr<Node>& node : too_long) compute(std::move(node));
  }
}

}  // namespace tnp::fusion
