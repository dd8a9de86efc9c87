// Autograd node of a library's operator.
#pragma once

#include <memory>
#include <vector>

#include "aten/library/operator.h"

namespace tnp {

// Puts a call on the autograd tape: creates a node with the edges of `inputs` and sets it as the
// history of `outputs`.
void set_library_history(const std::shared_ptr<const LibraryOperator>& op, const LibraryTensors& inputs,
                         const LibraryTensors& outputs, std::span<const int64_t> mutated,
                         const LibraryArguments& arguments, const std::shared_ptr<LibraryState>& state);

}  // namespace tnp
