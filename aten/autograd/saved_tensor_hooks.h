// Hooks of saved tensors: functions that replace the tensors that nodes save, and restore them when
// the backward pass reads them. autograd.graph.saved_tensors_hooks registers them.
#pragma once

#include <memory>

#include "aten/core/tensor.h"

namespace tnp {

// The value that a node keeps instead of a saved tensor.
struct PackedTensor {
  virtual ~PackedTensor() = default;
  virtual Tensor unpack() const = 0;  // a tensor of the same content
};

struct SavedTensorHooks {
  virtual ~SavedTensorHooks() = default;
  // Packs a tensor; must not change it. Recording is off. Null: the tensor is saved as without hooks.
  virtual std::unique_ptr<PackedTensor> pack(const Tensor& t) const = 0;
};

// The hooks of this thread. Tensors are saved with the hooks that were pushed last.
TNP_API void push_saved_tensor_hooks(std::shared_ptr<const SavedTensorHooks> hooks);
TNP_API void pop_saved_tensor_hooks();

}  // namespace tnp
