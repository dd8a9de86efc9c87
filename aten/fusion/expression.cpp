#include "aten/fusion/expression.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "aten/core/errors/error.h"
#include "aten/core/profiler/profiler.h"
#include "aten/fusion/counters.h"
#include "aten/fusion/fused_expression.h"
#include "aten/fusion/mode.h"

namespace tnp::fusion {

thread_local constinit ThreadFlags thread_flags;

namespace {

Node* head = nullptr;
uint64_t last_mark = 0;

// The number of pending results. If it is 0, callers do not have to take the lock.
std::atomic<int64_t> num_pending = 0;

// Attachment of a pending result's storage. The attachment owns the node of the result.
struct PendingNode final : Storage::Attachment {
  explicit PendingNode(intrusive_ptr<Node> n) : node(std::move(n)) {
    num_pending.fetch_add(1, std::memory_order_relaxed);
  }
  ~PendingNode() override {
    num_pending.fetch_sub(1, std::memory_order_relaxed);
    std::lock_guard guard(lock());
    if (node->result) ++counters().dropped;
    node->result = nullptr;
  }
  intrusive_ptr<Node> node;
};

}  // namespace

Node* first_node() { return head; }
uint64_t new_mark() { return ++last_mark; }

Node::Node() : next(head) {
  if (head) head->previous = this;
  head = this;
}

Node::~Node() {
  std::lock_guard guard(lock());
  leave_list();
}

void Node::leave_list() {
  if (previous)
    previous->next = next;
  else if (head == this)
    head = next;
  if (next) next->previous = previous;
  previous = next = nullptr;
}

Node& node_of(Storage& storage) {
  auto* const pending = storage.attachment<PendingNode>();
  TNP_INTERNAL_ASSERT(pending);
  return *pending->node;
}

Tensor pending_result(intrusive_ptr<Node> node) {
  Node& n = *node;
  const auto bytes = static_cast<size_t>(n.numel * element_size(n.dtype));
  intrusive_ptr<Storage> storage = new_pending_storage(bytes, std::make_unique<PendingNode>(std::move(node)));
  n.result = storage.get();
  auto impl = make_intrusive<TensorImpl>(std::move(storage), n.dtype, n.sizes, n.numel, nullptr);
  impl->set_access(Access::Pending);
  return Tensor(std::move(impl));
}

namespace {

TNP_COLD profiler::Ticket begin_profiled(const FusedExpression& program) {
  const std::string name = "fused(" + std::to_string(program.size()) + ")";
  return profiler::begin_named(name, profiler::Kind::Fused, Device{});
}

}  // namespace

void compute(intrusive_ptr<Node> node) {
  compute_pending_of_released();
  for (;;) {
    std::unique_ptr<FusedExpression> program;
    {
      std::lock_guard guard(lock());
      if (node->value || (!node->result && node->use_count() == 1)) return;
      program = std::make_unique<FusedExpression>(*node);
    }
    const profiler::Operation profiled([&] { return begin_profiled(*program); });
    program->run();
    if (program->publish()) return;
  }
}

}  // namespace tnp::fusion

namespace tnp {

using namespace fusion;

void compute_pending(Storage& storage) {
  intrusive_ptr<Node> node;
  {
    std::lock_guard guard(lock());
    if (!storage.is_pending()) return;
    node = intrusive_ptr<Node>(&node_of(storage));
  }
  compute(std::move(node));
}

namespace {

bool reads(const Node& node, const Storage& storage, uint64_t mark) {
  for (const Operand& o : node.used_operands()) {
    if (o.storage.get() == &storage) return true;
    if (!o.node) continue;
    if (o.node->value) {
      if (o.node->value.get() == &storage) return true;
    } else if (o.node->mark != mark) {
      o.node->mark = mark;
      if (reads(*o.node, storage, mark)) return true;
    }
  }
  return false;
}

// A lower bound of the peak memory without fusion since the last reset_peak(): all allocated bytes
// plus all pending bytes, minus the bytes of operands that only nodes keep alive.
int64_t most_bytes = 0;

// Returns the storages that are kept alive by nodes only.
std::vector<const Storage*> released() {
  std::unordered_map<const Storage*, uint32_t> held;  // number of operands that reference each storage
  std::unordered_set<const Node*> computed;
  for (const Node* n = first_node(); n; n = n->next) {
    for (const Operand& o : n->used_operands()) {
      if (o.storage) ++held[o.storage.get()];
      if (o.node && o.node->value && computed.insert(o.node.get()).second) ++held[o.node->value.get()];
    }
  }
  std::vector<const Storage*> found;
  for (const auto& [storage, count] : held)
    if (storage->use_count() == count) found.push_back(storage);
  return found;
}

// Returns the node of the oldest pending result that reads one of `storages`. Results are computed
// in the order of the calls, as without fusion. So the operands of one result are released before
// the next result is allocated.
Node* first_reader_of(const std::vector<const Storage*>& storages) {
  Node* found = nullptr;
  for (Node* n = first_node(); n && !storages.empty(); n = n->next) {  // newest first
    if (!n->result) continue;
    for (const Storage* s : storages)
      if (reads(*n, *s, new_mark())) found = n;
  }
  return found;
}

// Maximum number of pending results. Each deferred operator visits all pending nodes, so their
// number must be limited.
constexpr int kMostWaiting = 64;

// Returns the node of the oldest pending result if there are more than kMostWaiting, else null.
Node* one_too_many() {
  int waiting = 0;
  Node* oldest = nullptr;
  for (Node* n = first_node(); n; n = n->next) {
    ++waiting;
    if (n->result) oldest = n;
  }
  return waiting < kMostWaiting ? nullptr : oldest;
}

}  // namespace

void compute_pending_of_released() {
  if (TNP_LIKELY(num_pending.load(std::memory_order_relaxed) == 0) || fusion::thread_flags.is_releasing) return;
  // A worker thread inside a parallel operator must not compute pending results.
  if (tbb::this_task_arena::current_thread_index() > 0) return;
  fusion::thread_flags.is_releasing = true;
  struct End {
    ~End() { fusion::thread_flags.is_releasing = false; }
  } end;
  for (;;) {
    intrusive_ptr<Node> node;
    {
      std::lock_guard guard(lock());
      node = intrusive_ptr<Node>(first_reader_of(released()));
    }
    if (!node) return;
    compute(std::move(node));
  }
}

void fusion::reset_peak() {
  std::lock_guard guard(lock());
  most_bytes = 0;
}

void fusion::make_room(int64_t bytes) {
  if (num_pending.load(std::memory_order_relaxed) == 0) return;
  intrusive_ptr<Node> oldest;
  {
    std::lock_guard guard(lock());
    oldest = intrusive_ptr<Node>(one_too_many());
  }
  if (oldest) compute(std::move(oldest));
  {
    std::lock_guard guard(lock());
    int64_t pending = 0, kept = 0;
    for (const Node* n = first_node(); n; n = n->next)
      if (n->result) pending += n->numel * element_size(n->dtype);
    const int64_t together = static_cast<int64_t>(cpu_memory_statistics().allocated_bytes) + pending;
    if (together + bytes <= most_bytes) return;
    for (const Storage* s : released()) kept += static_cast<int64_t>(s->bytes());
    most_bytes = std::max(most_bytes, together - kept);
    if (kept == 0 || together + bytes <= most_bytes) return;
  }
  compute_pending_of_released();
}

void compute_pending_readers(Storage& storage) {
  for (;;) {
    intrusive_ptr<Node> reader;
    {
      std::lock_guard guard(lock());
      for (Node* n = first_node(); n && !reader; n = n->next)
        // The node's result keeps `storage` alive.
        if (n->result && reads(*n, storage, new_mark())) reader = intrusive_ptr<Node>(n);
      if (!reader) return storage.set_pending_readers(false);
    }
    compute(std::move(reader));
  }
}

}  // namespace tnp
