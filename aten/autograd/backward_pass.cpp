// The check for NaN of backward passes, and their callbacks.
#include "aten/autograd/backward_pass.h"

#include <atomic>
#include <utility>

#include "aten/core/errors/error.h"

namespace tnp {

namespace {
std::atomic<bool> checks_nan{false};
std::atomic<uint64_t> passes{0};
thread_local BackwardPass* current = nullptr;
}  // namespace

bool nan_check_enabled() { return checks_nan.load(std::memory_order_relaxed); }
void set_nan_check(bool enabled) { checks_nan.store(enabled, std::memory_order_relaxed); }

BackwardPass::BackwardPass()
    : number_(passes.fetch_add(1, std::memory_order_relaxed) + 1), outer_(std::exchange(current, this)) {}
BackwardPass::~BackwardPass() { current = outer_; }

void BackwardPass::succeeded() {
  for (size_t i = 0; i < callbacks_.size(); ++i) {  // a callback may queue another one
    const auto callback = std::move(callbacks_[i]);
    callback();
  }
}

uint64_t BackwardPass::number() { return current ? current->number_ : 0; }

void BackwardPass::queue(std::function<void()> callback) {
  TNP_CHECK(current, ErrorKind::Runtime, "queue_callback() must be called during a backward pass");
  current->callbacks_.push_back(std::move(callback));
}

}  // namespace tnp
