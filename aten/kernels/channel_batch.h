// What batch and group normalisation are told of their input: a batch of samples of channels, each of some elements.
#pragma once

#include "aten/iterator/memory_format.h"

namespace tnp {

// (batch, channels, length), or in memory (batch, length, channels) where `last`.
struct ChannelBatch {
  int64_t batch, channels, length = 1;
  bool last;

  // Of a dense tensor, row-major or channels last.
  explicit ChannelBatch(const Tensor& t)
      : batch(t.size(0)), channels(t.size(1)), last(!t.is_contiguous() && is_channels_last(t)) {
    for (int64_t d = 2; d < t.dim(); ++d) length *= t.size(d);
  }
};

}  // namespace tnp
