// Fourier transforms of many lines, by cuFFT.
#pragma once

#include <compare>
#include <memory>

#include "aten/core/devices/device.h"
#include "aten/kernels/fourier_lines.h"

namespace tnp::gpu {

// What a plan is made for: `lines` lines of n points (n >= 2), whose elements are `stride` apart and whose beginnings
// `distance`, in elements of their own dtype. Real numbers are transformed to the first n / 2 + 1 values, and from
// them. All are positive.
struct FourierLayout {
  Fourier kind;
  bool double_precision;
  int64_t n, lines, stride_in, distance_in, stride_out, distance_out;
  friend auto operator<=>(const FourierLayout&, const FourierLayout&) = default;
};

class FourierPlan {
 public:
  virtual ~FourierPlan() = default;
  // Without scaling, in the device's current stream; may be called from several threads. Both ends are aligned to a
  // complex number, also where they hold real ones. ComplexToReal may overwrite `in`; for Complex only, the direction
  // says something.
  virtual void run(bool forward, void* in, void* out) = 0;
};

std::shared_ptr<FourierPlan> make_fourier_plan(const FourierLayout& layout, Device device);

// What torch_np.backends.cuda.cufft_plan_cache shows; called when the library is loaded.
void register_fourier_plans(int devices);

}  // namespace tnp::gpu
