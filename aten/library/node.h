// Autograd node of a library's operator.
#pragma once

#include <memory>
#include <vector>

#include "aten/library/operator.h"

namespace tnp {

// Records a call for autograd: creates a node with the edges of `inputs` and sets it as the history
// of `outputs`.
void record_call(const std::shared_ptr<const LibraryOperator>& op, const LibraryTensors& inputs,
                 const LibraryTensors& outputs, std::span<const int64_t> mutated, const LibraryArguments& arguments,
                 const std::shared_ptr<LibraryState>& state);

}  // namespace tnp
