// Cache of a weight in the layout that a kernel needs, attached to the weight's storage and valid
// until its bytes change.
#pragma once

#include <cstdint>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// Note [Kept weights] Reordering a weight into a kernel's layout costs up to a fifth of a
// convolution of one small image. Inference uses the same weight over and over; training changes it
// between two uses. So a copy is kept from the second use with unchanged bytes on. It is attached
// to the weight's storage and freed with it. The storage's version and loans tell whether the bytes
// are unchanged. A lent storage is never cached, because code outside this library may write to it.
class KeptWeight {
 public:
  // `layout` identifies the kernel's layout; different layouts of a tensor must have different
  // values. A storage keeps two layouts at a time.
  KeptWeight(const Tensor& weight, const std::vector<int64_t>& layout);

  // The copy in that layout, or undefined if it is not cached.
  const Tensor& copy() const { return copy_; }
  // Whether a copy is worth the memory that keep() would use.
  bool is_wanted() const { return wanted_; }
  // Caches `copy`, which the caller made from the weight after constructing this object. Requires
  // is_wanted().
  void keep(const Tensor& copy);

 private:
  // The identity of the bytes that a copy was made from.
  struct Source {
    std::vector<int64_t> layout;  // includes the sizes, strides and dtype of the tensor
    const void* address;
    uint32_t version, loans;
    bool operator==(const Source& other) const;
  };
  struct Entry;

  Storage& storage_;
  Source source_;
  Tensor copy_;
  bool wanted_ = false;
};

}  // namespace tnp
