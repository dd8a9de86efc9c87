// Node: numbering and destruction.
#include "aten/autograd/node.h"

#include <atomic>

#include "aten/autograd/engine.h"
#include "aten/autograd/variable.h"

namespace tnp {

namespace {
std::atomic<uint64_t> sequence_numbers{0};
// Deferred deletions: the nodes that became unreachable while another node is being deleted. Null
// if no node is being deleted.
thread_local std::vector<Node*>* unreachable = nullptr;
}  // namespace

Node::Node() : sequence_nr(sequence_numbers.fetch_add(1, std::memory_order_relaxed)) {}
Node::~Node() = default;

void Node::run_tensor_hooks(Tensors& grads) {
  for (size_t i = 0, n = tensor_hooks.size(); i < n; ++i) {
    const HooksOfOutput of = tensor_hooks[i];  // a copy, since a hook may add to the list
    if (of.output_nr < grads.size() && grads[of.output_nr].defined()) of.hooks->run(grads[of.output_nr], true);
  }
}

uint64_t next_sequence_nr() { return sequence_numbers.load(std::memory_order_relaxed); }

// Deleting a node drops its edges and saved tensors, which may free further nodes. These nodes are
// queued in `unreachable` instead of deleted recursively, so a chain of any length needs constant
// stack depth.
void Node::destroy() {
  if (unreachable) {
    unreachable->push_back(this);
    return;
  }
  std::vector<Node*> queue;
  unreachable = &queue;
  delete this;
  while (!queue.empty()) {
    Node* node = queue.back();
    queue.pop_back();
    delete node;
  }
  unreachable = nullptr;
}

}  // namespace tnp
