// A chain of pointwise operators as one kernel, which a device compiles when it is first needed.
// Intermediate values stay in registers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "aten/core/devices/device.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// The computation, independent of shapes. Equal chains share a compiled kernel.
struct KernelChain {
  enum class Reading : uint8_t {
    Elements,  // one element for each element of the results, in the same order
    Periodic,  // broadcast: each element is repeated `inner` times, starting again after `period` elements
    One,       // one element in the device's memory
    Number,    // one number that is passed with the launch
  };
  struct Input {
    ScalarType dtype;
    Reading reading;
    friend bool operator==(const Input&, const Input&) = default;
  };
  struct Operation {
    const PointwiseOp* op;
    const PointwiseLoop* loop;  // the loop of the device
    ScalarType compute;         // if a 16-bit float: operands are rounded to it before the loop computes in float32
    ScalarType result;
    // Each operand is the index of an input, or inputs.size() + the index of an earlier operation.
    std::array<int, 3> operands = {-1, -1, -1};
  };
  std::vector<Input> inputs;
  std::vector<Operation> operations;
  std::vector<int> outputs;  // indices of the operations whose results are written
};

// An operand of a launch: inputs first, then outputs.
struct alignas(16) ChainOperand {
  struct Array {
    char* data;
    uint32_t inner, period;
  };
  union {
    Array array;
    char number[16];
  };
};

class CompiledChain {
 public:
  CompiledChain() = default;
  CompiledChain(const CompiledChain&) = delete;
  CompiledChain& operator=(const CompiledChain&) = delete;
  virtual ~CompiledChain() = default;
  // Launches into the current stream of the device.
  virtual void launch(Device device, std::span<const ChainOperand> operands, uint32_t numel) const = 0;
};

class ChainCompiler {
 public:
  // Whether there is a compiler that can read a functor of this operator.
  virtual bool takes(const PointwiseOp& op) = 0;
  // Returns null if the compiler rejects the chain. The caller then runs the operators one by one.
  virtual std::shared_ptr<const CompiledChain> compile(const KernelChain& chain, Device device) = 0;

 protected:
  ~ChainCompiler() = default;
};

// CUDA's compiler, or null until the CUDA library is loaded.
TNP_API ChainCompiler* chain_compiler();
TNP_API void register_chain_compiler(ChainCompiler* compiler);

// The maximum number of operands of a launch.
inline constexpr size_t kMostChainOperands = 64;

}  // namespace tnp
