// Interface to a library of Fourier transforms, used by fourier_lines.cpp. The library transforms
// several equally spaced lines in one call. The build option TORCH_NP_FFT selects the library:
// line_transform_dfti.cpp or line_transform_ducc.cpp.
#pragma once

#include <memory>

#include "aten/kernels/fourier_lines.h"

namespace tnp {

// Strides and distances are in elements. `alone`: the call transforms a single line in all. Results
// may depend on `alone`, but not on how the lines of a call are split. `threads`: a transform may
// use threads internally.
struct LinePlan {
  Fourier kind;
  bool single_precision, in_place, alone, threads;
  int64_t n, lines, stride_in, stride_out, distance_in, distance_out;
  double forward_scale, backward_scale;
  friend bool operator==(const LinePlan&, const LinePlan&) = default;
};

class LineTransform {
 public:
  virtual ~LineTransform() = default;
  // Several threads may call this at once on different lines. ComplexToReal may use `in` as
  // workspace.
  virtual void run(bool forward, char* in, char* out) const = 0;
};

std::shared_ptr<const LineTransform> make_line_transform(const LinePlan& plan);

}  // namespace tnp
