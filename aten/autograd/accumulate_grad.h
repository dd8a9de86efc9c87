// AccumulateGrad: the node at which a leaf's gradient arrives.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

// Their sequence number: nothing waits for them, so they run (and free the gradient) at once.
constexpr uint64_t kAccumulators = UINT64_MAX;

// The AccumulateGrad of a leaf that requires grad: the one that lives, or a new one.
intrusive_ptr<Node> accumulator_of(const Tensor& leaf);

// Whose gradient arrives at an AccumulateGrad; undefined for every other node.
TNP_API Tensor leaf_of(const Node& node);

// Who is told of each leaf of this thread's backward passes before its gradient is added up; null: nobody. For
// torch_np.compile, while it records a function.
struct LeafWatch {
  virtual void reached(const Tensor& leaf) = 0;

 protected:
  ~LeafWatch() = default;
};
TNP_API LeafWatch* set_leaf_watch(LeafWatch* watch);  // returns the one before
void tell_leaf_watch(const Tensor& leaf);

// slot += grad. While nothing is recorded, an existing gradient is changed in place (who holds it sees the sum) and a
// new one is taken over without a copy if nobody else can see it. While recording, both happen out of place.
TNP_API void accumulate_into(Tensor& slot, const Tensor& grad);
TNP_API void accumulate_into(Tensor& slot, Tensor&& grad);

// Whether nobody but this handle can see the memory, so that it may be overwritten.
bool is_exclusive(const Tensor& t);

}  // namespace tnp
