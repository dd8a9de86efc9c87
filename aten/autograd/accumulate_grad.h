// AccumulateGrad: the node that receives a leaf's gradient.
#pragma once

#include "aten/autograd/variable.h"

namespace tnp {

// Sequence number of AccumulateGrad nodes. The highest number runs first, and no node waits for
// them, so the engine can free a leaf's gradient early.
constexpr uint64_t kAccumulators = UINT64_MAX;

// Returns the AccumulateGrad of a leaf that requires grad. Creates it on first use.
intrusive_ptr<Node> accumulator_of(const Tensor& leaf);

// Returns the leaf that an AccumulateGrad node accumulates into, or an undefined tensor for every
// other kind of node.
TNP_API Tensor leaf_of(const Node& node);

// Observer of leaves: a backward pass on this thread calls reached() for each leaf before it
// accumulates the gradient. torch_np.compile sets one while it traces a function. A null pointer
// means that there is no observer.
struct LeafWatch {
  virtual void reached(const Tensor& leaf) = 0;

 protected:
  ~LeafWatch() = default;
};
TNP_API LeafWatch* set_leaf_watch(LeafWatch* watch);  // returns the previous one
void tell_leaf_watch(const Tensor& leaf);

// slot += grad. Without recording, an existing gradient changes in place, so other references to it
// see the sum. A new gradient is adopted without a copy if no other tensor shares its memory. While
// recording, both happen out of place. A new gradient has the strides of `leaf` if these are dense,
// else it is row-major. `num_owners`: how many handles of `grad` may exist, so that it is adopted.
TNP_API void accumulate_into(Tensor& slot, const Tensor& grad);
TNP_API void accumulate_into(Tensor& slot, Tensor&& grad, const Tensor& leaf = {}, uint32_t num_owners = 1);

// Whether no tensor other than `t` shares its memory, so that the memory may be overwritten. `num_owners`: how many
// handles of `t` may exist.
bool is_exclusive(const Tensor& t, uint32_t num_owners = 1);

}  // namespace tnp
