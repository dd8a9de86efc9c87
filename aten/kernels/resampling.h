// Linear maps of images that act on each spatial axis by itself: interpolation, average pooling, borders that repeat
// pixels. Each axis has a sparse matrix; its transpose is the gradient.
#pragma once

#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// In the order of the schema's `mode`.
enum class Resampling : int64_t {
  Nearest,
  NearestExact,
  Linear,
  Cubic,
  LinearAntialias,
  CubicAntialias,
  Average,  // of equal parts: adaptive average pooling
  Window,   // average pooling; parameters: kernel, stride, padding, count_include_pad
  Reflect,  // parameters: what is added before, after
  Replicate,
  Circular,
};
inline constexpr int64_t kResamplings = 11;
inline bool is_border(Resampling r) { return r >= Resampling::Reflect; }
inline bool picks(Resampling r) { return r == Resampling::Nearest || r == Resampling::NearestExact || is_border(r); }

// Output i is the sum over offsets[i] <= j < offsets[i + 1] of weights[j] times input indices[j].
struct AxisMap {
  std::vector<int64_t> offsets, indices;
  std::vector<double> weights;
  bool identity = false;  // output i is input i

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

// What the axis of `input` elements becomes one of `output` by. `scale`: how many outputs there are to an input, where
// the caller gave that; 0: their quotient. float32 images have indices and weights computed in float32, so that pixels
// at the edge between two are PyTorch's.
struct AxisRule {
  Resampling mode;
  int64_t input, output;
  bool align_corners;
  double scale;
  int64_t parameters[4];
  bool single;  // float32
};
TNP_API AxisMap axis_map(const AxisRule& rule);
TNP_API AxisMap transposed(const AxisMap& map, int64_t inputs);

// All that a call says: maps of its spatial axes, first to last (1 to 3).
TNP_API std::vector<AxisMap> axis_maps(IntList input_size, IntList output_size, int64_t mode, IntList parameters,
                                       bool align_corners, const double* scales, bool transpose, ScalarType dtype);

}  // namespace tnp
