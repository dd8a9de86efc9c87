#include "aten/iterator/overlap.h"

#include <numeric>

namespace tnp {

namespace {

struct Bounds {
  const char *low, *high;  // [low, high)
};

Bounds bounds(const Extent& e) {
  const char *low = e.data, *high = e.data + e.itemsize;
  for (size_t d = 0; d < e.sizes.size(); ++d) {
    if (e.sizes[d] == 0) return {e.data, e.data};
    int64_t reach = (e.sizes[d] - 1) * e.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

// All elements of both lie on one lattice of step g: a[0::2] and a[1::2], or two columns of a matrix, never meet.
int64_t common_step(const Extent& e, int64_t g) {
  for (size_t d = 0; d < e.sizes.size(); ++d) {
    if (e.sizes[d] > 1) g = std::gcd(g, e.strides[d] < 0 ? -e.strides[d] : e.strides[d]);
  }
  return g;
}

bool same_elements(const Extent& a, const Extent& b) {
  if (a.data != b.data || a.itemsize != b.itemsize || !(a.sizes == b.sizes)) return false;
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] > 1 && (a.strides[d] != b.strides[d] || a.strides[d] == 0)) return false;
  }
  return true;
}

}  // namespace

Overlap memory_overlap(const Extent& a, const Extent& b) {
  Bounds x = bounds(a), y = bounds(b);
  if (x.high <= y.low || y.high <= x.low || x.low == x.high || y.low == y.high) return Overlap::None;
  if (same_elements(a, b)) return Overlap::Same;
  int64_t g = common_step(b, common_step(a, 0));
  if (g > 0) {
    int64_t offset = ((b.data - a.data) % g + g) % g;
    if (offset >= a.itemsize && g - offset >= b.itemsize) return Overlap::None;
  }
  return Overlap::Some;
}

}  // namespace tnp
