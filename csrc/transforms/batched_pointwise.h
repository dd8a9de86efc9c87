// Pointwise operators on batched tensors, the most frequent calls of vmap, without Python.
#pragma once

#include "aten/compiler/boxed.h"
#include "aten/core/wrapped.h"

namespace tnp::python {

// The wrapped tensor of one sample, whose batch is the first axis of `part`; a view of `base`, if that
// is defined.
Tensor wrap_batch(uint64_t level, const Tensor& part, const Tensor& base = {});
// The part of `t`, if it is batched at this level; otherwise null.
const Tensor* batch_part(uint64_t level, const Tensor& t);
// Computes a call with one on the parts, whose observer is the thread's. False if a rule in Python must
// compute it: if it writes to given tensors or has a mask, or if promotion depends on which samples have
// no axes.
bool batched_pointwise(uint64_t level, compiler::BoxedCall& call, const compiler::BoxedFunction& function,
                       compiler::BoxedResults& results);

}  // namespace tnp::python
