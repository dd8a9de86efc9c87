// What a library of Fourier transforms does for fourier_lines.cpp: some lines at constant distances, in one call. Which
// library it is was chosen when building (TORCH_NP_FFT): line_transform_dfti.cpp or line_transform_ducc.cpp.
#pragma once

#include <memory>

#include "aten/kernels/fourier_lines.h"

namespace tnp {

// Strides and distances are in elements. `alone`: the lines are the only one of the whole call; results may depend on
// it, but not on how many of several lines one call has. `threads`: there may be threads inside of a transform.
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
  // By several threads at once, on lines of their own. ComplexToReal may use `in` as workspace.
  virtual void run(bool forward, char* in, char* out) const = 0;
};

std::shared_ptr<const LineTransform> make_line_transform(const LinePlan& plan);

}  // namespace tnp
