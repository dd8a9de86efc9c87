// Batched tensors of vmap, and pointwise operators on them, the most frequent calls, without Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/compiler/boxed.h"
#include "aten/core/wrapped.h"

namespace tnp::python {

// Note [Lifted tensors] A tensor that is the same for all samples may be wrapped, too: for a derivative
// of the function that vmap transforms. Its number is kLifted, and its part has no axis of the batch.
// So autograd records it apart from its part.
constexpr int64_t kLifted = -1;

// The wrapped tensor of one sample, whose batch is the first axis of `part`; a view of `base`, if that
// is defined.
Tensor wrap_batch(uint64_t level, const Tensor& part, const Tensor& base = {});
// The wrapped tensor of a tensor that is the same for all samples.
Tensor lift(uint64_t level, const Tensor& part, const Tensor& base = {});
// The part of `t`, if it is batched at this level; otherwise null.
const Tensor* batch_part(uint64_t level, const Tensor& t);
// The part of `t`, if it is lifted to this level; otherwise null.
const Tensor* lifted_part(uint64_t level, const Tensor& t);
// Computes a call with one on the parts, whose observer is the thread's. False if a rule in Python must
// compute it: if it writes to given tensors or has a mask, or if promotion depends on which samples have
// no axes.
bool batched_pointwise(uint64_t level, compiler::BoxedCall& call, const compiler::BoxedFunction& function,
                       compiler::BoxedResults& results);

bool add_batches(PyObject* module);

}  // namespace tnp::python
