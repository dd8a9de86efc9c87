// What a backward pass does beside computing gradients: a check for NaN, and callbacks at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aten/core/macros.h"

namespace tnp {

// Whether backward passes of all threads raise Runtime if a node computes a NaN
// (autograd.detect_anomaly).
TNP_API bool nan_check_enabled();
TNP_API void set_nan_check(bool enabled);

// One backward pass of this thread, and the callbacks that are queued while it runs.
class TNP_API BackwardPass {
 public:
  BackwardPass();
  ~BackwardPass();
  BackwardPass(const BackwardPass&) = delete;
  BackwardPass& operator=(const BackwardPass&) = delete;
  void succeeded();  // runs the callbacks

  // Queues a callback of the pass that this thread executes. Raises Runtime if there is none.
  static void queue(std::function<void()> callback);
  // The number of the pass that this thread executes; 0 if there is none. Numbers are unique.
  static uint64_t number();

 private:
  uint64_t number_;
  std::vector<std::function<void()>> callbacks_;
  BackwardPass* outer_;
};

}  // namespace tnp
