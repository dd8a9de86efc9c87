// Conservative tests of whether two strided arrays share memory: they may report an overlap where
// there is none. They compare addresses, not storages: two arrays made from one NumPy array have
// separate storages.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

struct Extent {
  const char* data;
  IntList sizes;
  IntList strides;  // bytes
  int64_t itemsize;
};

enum class Overlap {
  None,
  Same,  // the same elements at the same indices: safe if each element is read before it is written
  Some,
};
TNP_API Overlap memory_overlap(const Extent& a, const Extent& b);
TNP_API Overlap memory_overlap(const Tensor& a, const Tensor& b);
// PyTorch's rules for a tensor that an operator changes: Dialect::changes_apart. Raise Runtime if
// elements of `changed` share memory, or if it shares memory with `operand` other than element for
// element. As in PyTorch, tensors with gaps count as apart.
TNP_API void check_elements_apart(const Tensor& changed);
TNP_API void check_apart(const Tensor& changed, const Tensor& operand);
// As check_apart(), for operators that read `operand` after the first write: the same elements at the
// same indices raise, too.
TNP_API void check_no_overlap(const Tensor& changed, const Tensor& operand);
// Whether the address ranges overlap.
TNP_API bool may_share_memory(const Tensor& a, const Tensor& b);

}  // namespace tnp
