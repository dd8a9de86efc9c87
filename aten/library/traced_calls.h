// Steps of torch_np.compile that call operators of libraries (aten/compiler/trace.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "aten/library/operator.h"

namespace tnp {

namespace compiler {
class Tracer;
}

// Calls the operator and traces the call. `is_tracked`: the call is on the autograd tape.
void trace_library_call(compiler::Tracer& tracer, const LibraryOperator& op, const LibraryTensors& inputs,
                        const LibraryArguments& arguments, std::span<const int64_t> mutated, LibraryTensors& results,
                        bool is_tracked);

// Calls `f`, which computes gradients from `tensors` (some may be undefined), and traces the call.
// `name`: the name of the operator.
using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
std::vector<Tensor> trace_derivative(compiler::Tracer& tracer, const char* name, TensorFunction f,
                                     const std::vector<Tensor>& tensors);

}  // namespace tnp
