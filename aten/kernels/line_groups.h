// Grouping of the lines of two tensors along an axis, for libraries that transform many equally
// spaced lines in one call.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// The lines of both tensors as groups of `lines` equally spaced lines each. The axes other than
// `dim` are ordered fastest first and merged where possible. The tensors have the same sizes except
// along `dim`. Distances and steps are in elements.
struct LineGroups {
  int64_t lines = 1, distance_in = 1, distance_out = 1;
  DimVector groups, steps_in, steps_out;

  LineGroups(const Tensor& in, const Tensor& out, int64_t dim) {
    bool first = true;
    for (int64_t d = in.dim(); d-- > 0;) {
      const int64_t count = in.size(d), step_in = in.stride(d), step_out = out.stride(d);
      if (d == dim || count == 1) continue;
      if (first) {
        lines = count, distance_in = step_in, distance_out = step_out, first = false;
      } else if (groups.empty() && step_in == lines * distance_in && step_out == lines * distance_out) {
        lines *= count;
      } else if (!groups.empty() && step_in == groups.back() * steps_in.back() &&
                 step_out == groups.back() * steps_out.back()) {
        groups.back() *= count;
      } else {
        groups.push_back(count), steps_in.push_back(step_in), steps_out.push_back(step_out);
      }
    }
  }
  int64_t num_groups() const {
    int64_t n = 1;
    for (int64_t count : groups) n *= count;
    return n;
  }
  // Computes the offsets of group `g` in both tensors, in elements.
  void locate(int64_t g, int64_t& at_in, int64_t& at_out) const {
    at_in = at_out = 0;
    for (size_t d = 0; d < groups.size(); ++d) {
      const int64_t index = g % groups[d];
      g /= groups[d];
      at_in += index * steps_in[d], at_out += index * steps_out[d];
    }
  }
};

}  // namespace tnp
