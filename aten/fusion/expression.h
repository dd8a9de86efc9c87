// Expression graphs of pointwise operators with pending results: Note [Pending results] in
// aten/core/memory/storage.h.
//
// Note [Expressions] Every pending result has a Node: an operator, its loop, and its operands. An
// operand is a number, a storage's memory, or another node. A node lives as long as its result, or
// any node that reads the node, is alive. Computing an expression writes the results that are still
// referenced; all other values stay in the block's registers (block_program.h).
//
// One lock guards all nodes, and no computation runs under it. A thread plans under the lock,
// computes without it, and publishes under it again. If an operand has changed in the meantime, the
// thread starts over. If another thread has published the result first, the thread discards its own
// copy.
#pragma once

#include <array>
#include <mutex>
#include <span>

#include "aten/core/memory/pending_lock.h"
#include "aten/core/tensor.h"
#include "aten/fusion/block_program.h"
#include "aten/fusion/verified_expression.h"

namespace tnp::fusion {

inline constexpr int kMaxInputs = 3;

class Node;

struct Operand {
  // The operand is a node, or memory of a storage. If both pointers are null, it is a number.
  intrusive_ptr<Node> node;
  intrusive_ptr<Storage> storage;
  char* data = nullptr;
  DimVector strides;            // in bytes, along the node's axes; empty if dense
  ScalarType dtype;             // of the node or memory
  alignas(16) char number[16];  // in the loop's dtype
};

class Node final : public WeaklyKnown {
 public:
  Node();  // under lock()
  ~Node() override;

  Elementwise call;
  ScalarType dtype;  // of the result
  DimVector sizes;
  int64_t numel = 0;
  std::array<Operand, kMaxInputs> operands;
  std::span<Operand> used_operands() { return {operands.data(), call.num_inputs}; }
  std::span<const Operand> used_operands() const { return {operands.data(), call.num_inputs}; }
  // Set at the call while verification is on, else null: Note [Verified expressions].
  std::shared_ptr<const ExpectedResult> expected;

  Storage* result = nullptr;     // pending; null once its last owner has released it
  intrusive_ptr<Storage> value;  // set when computed, for nodes that read it
  // A reduction has read the elements without writing them to memory. If they are read once more,
  // they are written to memory, since a third read may follow.
  bool was_reduced = false;

  // Mark of graph traversals: the number of the last traversal that visited this node. Access under
  // lock().
  uint64_t mark = 0;
  // Doubly linked list of all nodes that are not computed yet.
  Node *previous = nullptr, *next = nullptr;
  void leave_list();  // call when the node has been computed
};

// Flags of a thread. They share eight bytes of static thread-local memory: Note [Thread-local
// memory] in aten/core/threads/thread_object.h.
struct ThreadFlags {
  bool is_releasing = false;  // compute_pending_of_released() is running
  bool is_last_use = false;   // a LastUse exists
};
extern thread_local constinit ThreadFlags thread_flags;

inline std::recursive_mutex& lock() { return pending_lock(); }
Node* first_node();
uint64_t new_mark();

// Returns the node of a pending storage.
Node& node_of(Storage& storage);
// Creates the pending tensor that is the result of `node`.
Tensor pending_result(intrusive_ptr<Node> node);

// Frees memory before a result of `bytes` bytes is deferred. Pending nodes may be the only owners
// of some operands. The function adds up the sizes of these operands and of all pending results. If
// the sum would exceed the program's peak memory (so far, or as it would be without fusion), the
// function computes the nodes that own the operands. It also computes the oldest pending result if
// too many results are pending.
void make_room(int64_t bytes);

// Computes `node`, which is not computed yet. Other pending results that are still referenced and
// read the same operands are computed in the same program.
void compute(intrusive_ptr<Node> node);

}  // namespace tnp::fusion
