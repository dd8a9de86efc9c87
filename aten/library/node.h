// Autograd node of a library's operator.
#pragma once

#include <memory>
#include <vector>

#include "aten/library/operator.h"

namespace tnp {

// Makes `outputs` the outputs of a node whose inputs are `inputs`.
void record_call(const std::shared_ptr<const LibraryOperator>& op, const LibraryTensors& inputs,
                 const LibraryTensors& outputs, std::span<const int64_t> mutated, const LibraryArguments& arguments,
                 const std::shared_ptr<LibraryState>& state);

}  // namespace tnp
