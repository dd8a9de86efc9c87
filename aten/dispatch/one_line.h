// Operands that form one line: each is traversed with one stride, or is one element that repeats.
#pragma once

#include <algorithm>
#include <cstdint>

#include "aten/core/tensor.h"

namespace tnp {

class OneLine {
 public:
  // Adds operand `k` of the loop, whose elements have its dtype. Returns false if it does not fit:
  // it has another shape than an earlier operand, or several axes that are not contiguous.
  TNP_INLINE bool add(int k, const TensorImpl& t) {
    data[k] = t.data;
    if (t.sizes.empty()) {
      strides[k] = 0;
      return true;
    }
    if (TNP_UNLIKELY(!t.is_contiguous && t.sizes.size() != 1)) return false;
    strides[k] = step_of(t);
    if (shape && !is_same_shape(shape->sizes, t.sizes)) return false;
    shape = &t;
    return true;
  }
  // Adds a number, which `bytes` holds.
  TNP_INLINE void add_number(int k, char* bytes) {
    data[k] = bytes;
    strides[k] = 0;
  }
  // Adds an existing array as the result `k` for these operands. Returns false if it has another
  // shape than `sizes` or shares memory with an operand, other than element for element.
  TNP_INLINE bool add_out(int k, const TensorImpl& out, const DimVector& sizes, const TensorImpl* const* operands,
                          int num_operands) {
    if (!out.writeable || out.origin != ViewOrigin::Recorded || out.storage->is_inference()) return false;
    if (!is_same_shape(out.sizes, sizes)) return false;
    if (!out.is_contiguous && (out.sizes.size() != 1 || out.strides[0] == 0)) return false;
    const Span written = span_of(out);  // compares memory, not storages: see overlap.h
    for (int i = 0; i < num_operands; ++i) {
      const TensorImpl* const t = operands[i];
      if (!t || t == &out) continue;
      const Span read = span_of(*t);
      if (read.begin < written.end && written.begin < read.end && !is_same_memory(*t, out)) return false;
    }
    data[k] = out.data;
    strides[k] = out.sizes.empty() ? 0 : step_of(out);
    return true;
  }

  const TensorImpl* shape = nullptr;  // an operand with axes; null if there is none
  char* data[4];
  int64_t strides[4];

 private:
  struct Span {
    const char *begin, *end;
  };
  static TNP_INLINE bool is_same_shape(const DimVector& a, const DimVector& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  static TNP_INLINE int64_t step_of(const TensorImpl& t) {
    const int64_t size = element_size(t.dtype);
    return TNP_LIKELY(t.is_contiguous) ? size : t.strides[0] * size;
  }
  static Span span_of(const TensorImpl& t) {
    const int64_t size = element_size(t.dtype), last = t.numel > 0 ? (t.numel - 1) * step_of(t) : -size;
    return {t.data + std::min<int64_t>(last, 0), t.data + std::max<int64_t>(last, 0) + size};
  }
  static bool is_same_memory(const TensorImpl& a, const TensorImpl& b) {
    return a.data == b.data && a.numel == b.numel && element_size(a.dtype) == element_size(b.dtype) &&
           step_of(a) == step_of(b);
  }
};

}  // namespace tnp
