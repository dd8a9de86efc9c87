#include "aten/kernels/fused_kernel.h"

#include <atomic>

namespace tnp {

namespace {

std::atomic<KernelCompiler*> registered{nullptr};

}  // namespace

KernelCompiler* kernel_compiler() { return registered.load(std::memory_order_acquire); }
void register_kernel_compiler(KernelCompiler* compiler) { registered.store(compiler, std::memory_order_release); }

}  // namespace tnp
