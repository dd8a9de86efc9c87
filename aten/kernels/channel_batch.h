// The input of batch and group normalisation as an array of (batch, channels, length).
#pragma once

#include "aten/iterator/memory_format.h"

namespace tnp {

// The array in memory has shape (batch, channels, length), or (batch, length, channels) if `last`.
struct ChannelBatch {
  int64_t batch, channels, length = 1;
  bool last;

  // `t` is dense, row-major or channels last.
  explicit ChannelBatch(const Tensor& t)
      : batch(t.size(0)), channels(t.size(1)), last(!t.is_contiguous() && is_channels_last(t)) {
    for (int64_t d = 2; d < t.dim(); ++d) length *= t.size(d);
  }
};

}  // namespace tnp
