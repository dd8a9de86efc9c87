// Expression graphs of pointwise operators with pending results: Note [Pending results] in
// aten/core/memory/storage.h.
//
// Note [Expressions] Every pending result has a Node: an operator, its loop, and its operands. An
// operand is a number, a storage's memory, or another node. A node lives as long as its result or a
// node that reads it. Computing an expression writes the results that are still referenced; all
// other values stay in the block's registers (block_program.h).
//
// One lock guards all nodes, and no computation runs under it. A thread plans under the lock,
// computes without it, and publishes under it again. If an operand has changed in the meantime, the
// thread starts over. If another thread has published the result first, the thread discards its
// own.
#pragma once

#include <array>
#include <mutex>

#include "aten/core/memory/pending_lock.h"
#include "aten/core/tensor.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

inline constexpr int kMaxInputs = 3;

class Node;

struct Operand {
  // One of three: a node, memory of a storage, or (if both are null) a number.
  intrusive_ptr<Node> node;
  intrusive_ptr<Storage> storage;
  char* data = nullptr;
  DimVector strides;            // in bytes, along the node's axes; empty if dense
  ScalarType dtype;             // of the node or memory
  Loop cast = nullptr;          // to the loop's dtype; null if none is needed
  alignas(16) char number[16];  // in the loop's dtype
};

class Node final : public WeaklyKnown {
 public:
  Node();  // under lock()
  ~Node() override;

  const PointwiseOp* op = nullptr;
  const PointwiseLoop* loop = nullptr;
  ScalarType dtype;     // of the result
  Loop cast = nullptr;  // from the loop's dtype to `dtype`; null if none is needed
  // operator that floating-point errors are reported for: Note [Floating-point errors]
  const char* watched = nullptr;
  DimVector sizes;
  int64_t numel = 0;
  int num_operands = 0;
  std::array<Operand, kMaxInputs> operands;

  Storage* result = nullptr;     // pending; null once its last owner has released it
  intrusive_ptr<Storage> value;  // set when computed, for nodes that read it
  // A reduction has consumed it without writing it. A second reader materialises it, as a third may
  // follow.
  bool was_reduced = false;

  // Visited mark of walks, under lock(): the number of the last walk that reached this node.
  uint64_t mark = 0;
  // Doubly linked list of all nodes that are not computed yet.
  Node *previous = nullptr, *next = nullptr;
  void leave_list();  // call when it is computed
};

inline std::recursive_mutex& lock() { return pending_lock(); }
Node* first_node();
uint64_t new_mark();

// The node of a pending storage.
Node& node_of(Storage& storage);
// Makes the pending result tensor of `node`.
Tensor pending_result(intrusive_ptr<Node> node);

// Frees memory before a result of `bytes` bytes is recorded. Some operands are kept alive by
// pending nodes alone. If pending results and those operands together would exceed the program's
// peak memory (so far, or as it would be without fusion), this computes the nodes that keep the
// operands. It also computes the oldest pending result if too many are waiting.
void make_room(int64_t bytes);

// Computes a node that is not computed yet, together with the referenced results that share its
// operands.
void compute(intrusive_ptr<Node> node);

}  // namespace tnp::fusion
