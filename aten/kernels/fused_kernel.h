// A fused kernel: pointwise operators as one kernel, which a device compiles when it is first
// needed. Intermediate values stay in registers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "aten/core/devices/device.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// The computation, independent of shapes. Equal kernels share a compiled kernel.
struct FusedKernel {
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
    std::array<bool, 3> is_kept = {};  // operands that are not rounded to `compute`
  };
  std::vector<Input> inputs;
  std::vector<Operation> operations;
  std::vector<int> outputs;  // indices of the operations whose results are written
};

// An operand of a launch: inputs first, then outputs.
struct alignas(16) KernelOperand {
  struct Array {
    char* data;
    uint32_t inner, period;
  };
  union {
    Array array;
    char number[16];
  };
};

class CompiledKernel {
 public:
  CompiledKernel() = default;
  CompiledKernel(const CompiledKernel&) = delete;
  CompiledKernel& operator=(const CompiledKernel&) = delete;
  virtual ~CompiledKernel() = default;
  // Launches into the current stream of the device.
  virtual void launch(Device device, std::span<const KernelOperand> operands, uint32_t numel) const = 0;
};

class KernelCompiler {
 public:
  // Whether there is a compiler that can read a functor of this operator.
  virtual bool takes(const PointwiseOp& op) = 0;
  // Returns null if the compiler rejects the kernel. The caller then runs the operators one by one.
  virtual std::shared_ptr<const CompiledKernel> compile(const FusedKernel& kernel, Device device) = 0;

 protected:
  ~KernelCompiler() = default;
};

// CUDA's compiler, or null until the CUDA library is loaded.
TNP_API KernelCompiler* kernel_compiler();
TNP_API void register_kernel_compiler(KernelCompiler* compiler);

// The maximum number of operands of a launch.
inline constexpr size_t kMostKernelOperands = 64;

}  // namespace tnp
