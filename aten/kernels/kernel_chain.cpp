#include "aten/kernels/kernel_chain.h"

#include <atomic>

namespace tnp {

namespace {

std::atomic<ChainCompiler*> registered{nullptr};

}  // namespace

ChainCompiler* chain_compiler() { return registered.load(std::memory_order_acquire); }
void register_chain_compiler(ChainCompiler* compiler) { registered.store(compiler, std::memory_order_release); }

}  // namespace tnp
