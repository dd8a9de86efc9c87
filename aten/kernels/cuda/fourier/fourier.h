// Batched Fourier transforms, by cuFFT.
#pragma once

#include <compare>
#include <memory>

#include "aten/core/devices/device.h"
#include "aten/kernels/fourier_lines.h"

namespace tnp::gpu {

// Parameters of a plan: `lines` lines of n points (n >= 2). `stride` is the distance between
// elements of a line, `distance` that between lines, in elements of the input's or output's dtype.
// Real-to-complex transforms write the first n / 2 + 1 values; complex-to-real transforms read that
// many. All these parameters are positive.
struct FourierLayout {
  Fourier kind;
  bool double_precision;
  int64_t n, lines, stride_in, distance_in, stride_out, distance_out;
  friend auto operator<=>(const FourierLayout&, const FourierLayout&) = default;
};

class FourierPlan {
 public:
  virtual ~FourierPlan() = default;
  // Transforms without scaling, in the device's current stream. Thread-safe. `in` and `out` are
  // aligned to a complex number, even if they hold real ones. ComplexToReal may overwrite `in`.
  // `forward` matters for Complex only.
  virtual void run(bool forward, void* in, void* out) = 0;
};

std::shared_ptr<FourierPlan> make_fourier_plan(const FourierLayout& layout, Device device);

// Registers the plan caches for torch_np.backends.cuda.cufft_plan_cache. Called when the library is
// loaded.
void register_fourier_plans(int devices);

}  // namespace tnp::gpu
