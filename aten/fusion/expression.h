// Expressions of pointwise operators whose results are pending: Note [Pending results] in aten/core/memory/storage.h.
//
// Note [Expressions] Every pending result has a Node: an operator, its loop, and operands, each a number, the bytes of
// a storage, or another node. A node lives as long as its result or a node that reads it. What somebody holds is
// written when the expression is computed, the rest stays in registers of a block (block_program.h). All that is known
// of nodes is guarded by one lock, under which nothing is computed: a thread plans, computes without the lock, and
// publishes, unless another was faster or an operand has changed meanwhile. In that case it begins again.
#pragma once

#include <array>
#include <mutex>

#include "aten/core/tensor.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

inline constexpr int kMaxInputs = 3;

class Node;

struct Operand {
  // One of three: a node, bytes of a storage, or neither: a number.
  intrusive_ptr<Node> node;
  intrusive_ptr<Storage> storage;
  char* data = nullptr;
  DimVector strides;            // in bytes, over the node's sizes; none where the elements lie one after the other
  ScalarType dtype;             // of what is there
  Loop cast = nullptr;          // to the loop's dtype; null if it needs none
  alignas(16) char number[16];  // in the loop's dtype
};

class Node final : public WeaklyKnown {
 public:
  Node();  // under lock()
  ~Node() override;

  const PointwiseOp* op = nullptr;
  const PointwiseLoop* loop = nullptr;
  ScalarType dtype;               // of the result
  Loop cast = nullptr;            // from the loop's dtype to it; null if it needs none
  const char* watched = nullptr;  // whose floating-point errors are recorded: Note [Floating-point errors]
  DimVector sizes;
  int64_t numel = 0;
  int num_operands = 0;
  std::array<Operand, kMaxInputs> operands;

  Storage* result = nullptr;     // pending; null where nobody holds it
  intrusive_ptr<Storage> value;  // once it is computed, for nodes that read it
  bool was_reduced = false;      // without being written; who looks a second time may do so a third

  // For walks under lock(): nodes that this walk has been at.
  uint64_t mark = 0;
  // All nodes that are not computed.
  Node *previous = nullptr, *next = nullptr;
  void leave_list();  // it is computed
};

inline std::recursive_mutex& lock() { return pending_lock(); }
Node* first_node();
uint64_t new_mark();

// The node of a pending storage.
Node& node_of(Storage& storage);
// A result of `node` that is pending.
Tensor pending_result(intrusive_ptr<Node> node);

// Before a result of so many bytes is recorded: computes what keeps operands that nobody else holds, if all that is
// pending could else not be computed in the memory that the program has needed, or would have without fusion, so far;
// and what waits longest, where hundreds do.
void make_room(int64_t bytes);

// Computes a node that is not computed yet, and what is held of the nodes that share its operands.
void compute(intrusive_ptr<Node> node);

}  // namespace tnp::fusion
