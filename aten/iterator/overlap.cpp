#include "aten/iterator/overlap.h"

#include <cstdlib>
#include <numeric>

namespace tnp {

namespace {

struct Bounds {
  const char *low, *high;  // [low, high)
};

Bounds bounds(const Extent& e) {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the range exists, as the array is in memory
  ByteRange r = byte_range(e.sizes, e.strides, 1, e.itemsize).value();
  return {e.data + r.low, e.data + r.high};
}

// The greatest common divisor of g and the strides of `e`. All elements are at multiples of it from
// the first one. So a[0::2] and a[1::2], or two columns of a matrix, are found not to overlap.
int64_t common_step(const Extent& e, int64_t g) {
  for (size_t d = 0; d < e.sizes.size(); ++d) {
    if (e.sizes[d] > 1) g = std::gcd(g, e.strides[d] < 0 ? -e.strides[d] : e.strides[d]);
  }
  return g;
}

// Whether the strides of `e` prove that no two of its elements overlap: each stride exceeds the
// span of all smaller strides.
bool lies_apart(const Extent& e) {
  int64_t reach = e.itemsize, before = 0;
  for (size_t found = 0, n = e.sizes.size(); found < n; ++found) {
    int64_t next = 0, size = 1;  // the axis of the next larger stride; with equal strides, elements overlap
    size_t equals = 0;
    for (size_t d = 0; d < n; ++d) {
      const int64_t stride = std::abs(e.strides[d]);
      if (e.sizes[d] <= 1 || stride <= before) continue;
      if (next == 0 || stride < next)
        next = stride, size = e.sizes[d], equals = 0;
      else if (stride == next)
        ++equals;
    }
    if (next == 0) return true;
    if (next < reach || equals > 0) return false;
    reach += next * (size - 1);
    before = next;
  }
  return true;
}

bool same_elements(const Extent& a, const Extent& b) {
  if (a.data != b.data || a.itemsize != b.itemsize || !(a.sizes == b.sizes)) return false;
  for (size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] > 1 && (a.strides[d] != b.strides[d] || a.strides[d] == 0)) return false;
  }
  return lies_apart(a);
}

// On `meta` all tensors have the same address, so distinct storages count as not aliasing.
bool apart_on_meta(const Tensor& a, const Tensor& b) {
  return TNP_UNLIKELY(a.device().is_meta()) && &a.storage() != &b.storage();
}

}  // namespace

bool may_share_memory(const Tensor& a, const Tensor& b) {
  if (a.device() != b.device() || a.numel() == 0 || b.numel() == 0 || apart_on_meta(a, b)) return false;
  DimVector x = a.byte_strides(), y = b.byte_strides();
  Bounds p = bounds({a.address(), a.sizes(), x, a.itemsize()}), q = bounds({b.address(), b.sizes(), y, b.itemsize()});
  return p.low < q.high && q.low < p.high;
}

Overlap memory_overlap(const Tensor& a, const Tensor& b) {
  if (apart_on_meta(a, b)) return Overlap::None;
  DimVector x = a.byte_strides(), y = b.byte_strides();
  return memory_overlap(Extent{a.address(), a.sizes(), x, a.itemsize()},
                        Extent{b.address(), b.sizes(), y, b.itemsize()});
}

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

namespace {

// Whether the elements fill a range of memory.
bool has_no_gaps(const Tensor& t) {
  if (t.is_contiguous()) return true;
  const DimVector strides = t.byte_strides();
  const Extent extent{t.address(), t.sizes(), strides, t.itemsize()};
  const Bounds range = bounds(extent);
  return range.high - range.low == t.numel() * t.itemsize() && lies_apart(extent);
}

}  // namespace

void check_elements_apart(const Tensor& changed) {
  if (TNP_LIKELY(changed.is_contiguous()) || !dialect().changes_apart()) return;
  for (size_t d = 0; d < changed.sizes().size(); ++d)
    TNP_CHECK(changed.sizes()[d] <= 1 || changed.strides()[d] != 0, ErrorKind::Runtime,
              "unsupported operation: more than one element of the written-to tensor refers to a single memory "
              "location. Please clone() the tensor before performing the operation.");
}

[[noreturn]] static TNP_COLD void raise_shared() {
  TNP_RAISE(ErrorKind::Runtime,
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation.");
}

void check_apart(const Tensor& changed, const Tensor& operand) {
  if (TNP_LIKELY(&changed.storage() != &operand.storage()) || changed.is_same(operand) || !dialect().changes_apart())
    return;
  if (has_no_gaps(changed) && has_no_gaps(operand) && memory_overlap(changed, operand) == Overlap::Some) raise_shared();
}

void check_no_overlap(const Tensor& changed, const Tensor& operand) {
  if (TNP_LIKELY(&changed.storage() != &operand.storage()) || !dialect().changes_apart()) return;
  if (changed.is_same(operand) ||
      (has_no_gaps(changed) && has_no_gaps(operand) && memory_overlap(changed, operand) != Overlap::None))
    raise_shared();
}

}  // namespace tnp
