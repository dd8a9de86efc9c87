// A weight in the layout that a kernel takes, kept beside the weight's own bytes while nobody changes those.
#pragma once

#include <cstdint>
#include <vector>

#include "aten/core/tensor.h"

namespace tnp {

// Note [Kept weights] Bringing a weight into a kernel's layout costs as much as a fifth of a convolution of one small
// image. Whoever infers uses the same weight over and over; whoever trains changes it between two uses. So a copy is
// kept from the second use on that finds the same bytes, beside the weight's storage, with which it goes. That the
// bytes are the same is known from the storage's version and loans: memory that somebody else may write to is not kept.
class KeptWeight {
 public:
  // `layout` names what the kernel takes: other numbers for another one of the same tensor. Two layouts of a storage
  // are kept at a time.
  KeptWeight(const Tensor& weight, const std::vector<int64_t>& layout);

  // The bytes in that layout; undefined where they aren't kept.
  const Tensor& copy() const { return copy_; }
  // Whether keep() is worth its memory.
  bool is_wanted() const { return wanted_; }
  // Keeps `copy`, which was made of the weight's bytes since this object was. Only if it is wanted.
  void keep(const Tensor& copy);

 private:
  // What a copy was made of.
  struct Source {
    std::vector<int64_t> layout;  // with the sizes, strides and dtype of the tensor
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
