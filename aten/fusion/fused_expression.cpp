#include "aten/fusion/fused_expression.h"

#include <algorithm>
#include <mutex>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/memory/allocator.h"
#include "aten/core/profiler/profiler.h"
#include "aten/fusion/counters.h"

namespace tnp::fusion {

namespace {

bool is_waiting(const Operand& o) { return o.node && !o.node->value; }

}  // namespace

// --- collecting nodes

FusedExpression::FusedExpression(Node& root, Use use)
    : root_(root), use_(use), sizes_(root.sizes), mark_(new_mark()), program_(root.sizes) {
  collect(root);
  collect_relatives();
  for (const intrusive_ptr<Node>& node : nodes_) add_call(*node, node.get() == &root);
  plan_ = BlockPlan::of(program_, use == Use::Elements ? root_memory_ : -1);
  errors_ = std::vector<std::atomic<uint8_t>>(program_.calls().size());
  if (TNP_LIKELY(!root.expected)) return;
  verifier_ = std::make_unique<ExpressionVerifier>(root);
  for (const intrusive_ptr<Node>& node : nodes_) verifier_->add(*node);
}

void FusedExpression::collect(Node& node) {
  node.mark = mark_;
  for (const Operand& o : node.used_operands()) {
    if (is_waiting(o) && o.node->mark != mark_) collect(*o.node);
  }
  nodes_.emplace_back(&node);
}

// Whether `node` reads, directly or through other nodes, a result of this program that is not
// written to memory. If `node` then ran in another program, that program would have to compute the
// result again.
bool FusedExpression::shares_unwritten(const Node& node, uint64_t mark) {
  for (const Operand& o : node.used_operands()) {
    if (!is_waiting(o)) continue;
    if (o.node->mark == mark_) {
      if (!o.node->result || (use_ == Use::Elements && o.node.get() == &root_)) return true;
    } else if (o.node->mark != mark) {
      o.node->mark = mark;
      if (shares_unwritten(*o.node, mark)) return true;
    }
  }
  return false;
}

void FusedExpression::collect_relatives() {
  if (std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->result; })) return;
  for (bool found = true; found;) {
    found = false;
    for (Node* n = first_node(); n; n = n->next) {
      if (!n->result || n->mark == mark_ || !(n->sizes == sizes_) || !shares_unwritten(*n, new_mark())) continue;
      collect(*n);
      found = true;
    }
  }
}

// --- values and calls

int FusedExpression::memory_value(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype,
                                  const DimVector& strides) {
  for (const Known& k : known_)
    if (k.data == data && k.dtype == dtype && k.strides == strides) return k.value;
  inputs_.push_back({storage, storage->version(), storage->loans()});
  memories_.push_back(data);
  known_.push_back({data, dtype, strides, program_.add_memory(dtype, strides)});
  return known_.back().value;
}

int FusedExpression::value_of(const Operand& o, ScalarType dtype_of_number) {
  if (is_waiting(o)) {
    const auto is_it = [&](const auto& known) { return known.first == o.node.get(); };
    return std::find_if(value_of_node_.begin(), value_of_node_.end(), is_it)->second;
  }
  if (o.node) return memory_value(o.node->value, o.node->value->data(), o.node->dtype, {});
  if (o.storage) return memory_value(o.storage, o.data, o.dtype, o.strides);
  return program_.add_number(dtype_of_number, o.number);
}

void FusedExpression::add_call(Node& node, bool is_root) {
  std::array<int, kMaxInputs> in = {};
  for (size_t i = 0; i < node.call.num_inputs; ++i) in[i] = value_of(node.operands[i], node.call.types[1 + i]);
  int out;
  if (is_root && use_ == Use::Elements) {
    root_memory_ = static_cast<int>(memories_.size());
    memories_.push_back(nullptr);
    out = program_.add_memory(node.dtype);
  } else if (node.result || is_root) {
    outputs_.emplace_back(node, use_ == Use::Text ? 0 : static_cast<size_t>(node.numel * element_size(node.dtype)));
    memories_.push_back(static_cast<char*>(outputs_.back().block.data));
    out = program_.add_memory(node.dtype);
  } else {
    out = program_.add_register(node.dtype);
  }
  value_of_node_.emplace_back(&node, out);
  program_.add_call(node.call, out, in);
}

// --- results

FusedExpression::Output::Output(Node& n, size_t bytes)
    : node(&n), block(bytes > 0 ? allocator(Device{}).allocate(bytes, Device{}) : Allocation{}) {}
FusedExpression::Output::~Output() {
  if (block.data) allocator(Device{}).free(block, Device{});
}

bool FusedExpression::publish() {
  // Destroyed after the lock is released, since destroying them may free many other objects.
  std::vector<intrusive_ptr<Node>> operands;
  std::vector<intrusive_ptr<Storage>> storages;
  bool published = use_ == Use::Elements;
  if (TNP_UNLIKELY(verifier_ != nullptr)) {
    for (const Output& o : outputs_) verifier_->compare_result(*o.node, static_cast<const char*>(o.block.data));
    verifier_->compare_errors(*plan_, errors_);
  }
  {
    std::lock_guard guard(lock());
    // A thread that changes an operand computes the root first. It may be changing the operand now,
    // before the version is.
    if (use_ == Use::Elements && root_.value) return false;
    for (const Input& i : inputs_)
      if (i.storage->version() != i.version || i.storage->loans() != i.loans) return false;
    if (TNP_UNLIKELY(verifier_ != nullptr)) verifier_->finish(*plan_);
    ++counters().programs;
    counters().steps += nodes_.size();
    // The current call reports the errors below. `watched` is cleared so that the errors are not
    // reported again if the root has to be computed a second time.
    for (const intrusive_ptr<Node>& node : nodes_)
      if (use_ == Use::Elements) node->call.operation.watched = nullptr, node->was_reduced = node.get() == &root_;
    for (Output& o : outputs_) {
      Node& node = *o.node;
      if (node.value) continue;  // another thread has published this result already
      intrusive_ptr<Storage> storage;
      if (node.result && node.result->try_retain()) storage = intrusive_ptr<Storage>::adopt(node.result);
      if (!storage) storage = new_pending_storage(static_cast<size_t>(node.numel * element_size(node.dtype)), nullptr);
      node.result = nullptr;
      // must precede fulfil(), because other threads may set their own attachment after fulfil()
      storage->detach();
      storage->fulfil(std::exchange(o.block, {}));
      if (TNP_UNLIKELY(profiler::has_memory()))
        profiler::note_memory(static_cast<int64_t>(storage->bytes()), storage->device());
      ++counters().outputs;
      published = true;
      for (Operand& operand : node.operands) {
        operands.push_back(std::move(operand.node));
        storages.push_back(std::move(operand.storage));
      }
      node.call.num_inputs = 0;
      node.leave_list();
      // Nodes that read this node read its memory from `value`.
      node.value = storage;
      storage->set_pending_readers(true);
    }
  }
  for (int s = 0; published && s < plan_->num_calls(); ++s) {
    const auto errors =
        static_cast<FloatingPointErrors>(errors_[static_cast<size_t>(s)].load(std::memory_order_relaxed));
    if (errors) report_floating_point_errors(plan_->watched(s), errors);
  }
  return true;
}

std::optional<std::string> fused_expression_text(Storage& storage) {
  const std::lock_guard guard(lock());
  if (!storage.is_pending()) return {};
  return FusedExpression(node_of(storage), FusedExpression::Use::Text).text();
}

}  // namespace tnp::fusion
