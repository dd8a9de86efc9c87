// Separable linear maps of images: interpolation, average pooling, borders that repeat pixels. Each
// spatial axis has a sparse matrix; its transpose is the gradient.
#pragma once

#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// The modes, in the order of the numbers of the operator's argument `mode`.
enum class Resampling : int64_t {
  Nearest,
  NearestExact,
  Linear,
  Cubic,
  LinearAntialias,
  CubicAntialias,
  Average,  // means over equal parts: adaptive average pooling
  Window,   // average pooling; parameters: kernel, stride, padding, count_include_pad
  Reflect,  // parameters: pixels added before and after
  Replicate,
  Circular,
};
inline constexpr int64_t kResamplings = 11;
inline bool is_border(Resampling r) { return r >= Resampling::Reflect; }
inline bool picks(Resampling r) { return r == Resampling::Nearest || r == Resampling::NearestExact || is_border(r); }

// Output i = the sum of weights[j] * input[indices[j]] over offsets[i] <= j < offsets[i + 1].
struct AxisMap {
  std::vector<int64_t> offsets, indices;
  std::vector<double> weights;
  bool identity = false;  // output i is input i

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

// Parameters of the map from an axis of `input` elements to one of `output` elements. `scale`:
// the ratio of output to input elements that the caller passed; 0 stands for output / input. For
// float32 images, indices and weights are computed in float32, so that rounding at the edge between
// two pixels matches PyTorch.
struct AxisRule {
  Resampling mode;
  int64_t input, output;
  bool align_corners;
  double scale;
  int64_t parameters[4];
  bool single;  // whether the image is float32
};
TNP_API AxisMap axis_map(const AxisRule& rule);
TNP_API AxisMap transposed(const AxisMap& map, int64_t inputs);

// The maps of all spatial axes (1 to 3) of a call, first to last.
TNP_API std::vector<AxisMap> axis_maps(IntList input_size, IntList output_size, int64_t mode, IntList parameters,
                                       bool align_corners, const double* scales, bool transpose, ScalarType dtype);

}  // namespace tnp
