// One thread per item. F is a struct with `TNP_HOST_DEVICE void operator()(int64_t i) const`.
#pragma once

#include "aten/kernels/cuda/grid_stride.h"

namespace tnp::gpu {

template <class F>
struct ForEach {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  int64_t n;
  F body;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, n, [this](int64_t i) { body(i); });
  }
};

template <class F>
void for_each(int64_t n, const F& body, Device device) {
  if (n > 0) launch(ForEach<F>{n, body}, grid_stride_blocks(n), device);
}

}  // namespace tnp::gpu
