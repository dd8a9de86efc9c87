// Pointwise operators one after the other as one kernel, which a device compiles when it is first needed: the values
// between them stay in registers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "aten/core/devices/device.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// What is computed, whatever the shapes: chains that are equal share a kernel.
struct KernelChain {
  enum class Reading : uint8_t {
    Elements,  // one for each element of the results, in their order
    Periodic,  // broadcast: each `inner` times, and after `period` of them again the first
    One,       // one element in the device's memory
    Number,    // one number that comes with the launch
  };
  struct Input {
    ScalarType dtype;
    Reading reading;
    friend bool operator==(const Input&, const Input&) = default;
  };
  struct Operation {
    const PointwiseOp* op;
    const PointwiseLoop* loop;  // the device's
    ScalarType compute;         // what 16-bit floats are rounded to before the loop's float32
    ScalarType result;
    std::array<int, 3> operands = {-1, -1, -1};  // an input; from inputs.size() on, what an earlier operation gave
  };
  std::vector<Input> inputs;
  std::vector<Operation> operations;
  std::vector<int> outputs;  // operations whose results are written
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
  // Into the current stream of the device.
  virtual void launch(Device device, std::span<const ChainOperand> operands, uint32_t numel) const = 0;
};

class ChainCompiler {
 public:
  // Whether there is a compiler, and a functor for this operator that it can read.
  virtual bool takes(const PointwiseOp& op) = 0;
  // Null where the compiler refuses: the operators run one by one.
  virtual std::shared_ptr<const CompiledChain> compile(const KernelChain& chain, Device device) = 0;

 protected:
  ~ChainCompiler() = default;
};

// Of CUDA, once its library is loaded, or null.
TNP_API ChainCompiler* chain_compiler();
TNP_API void register_chain_compiler(ChainCompiler* compiler);

// The most operands that one launch takes.
inline constexpr size_t kMostChainOperands = 64;

}  // namespace tnp
