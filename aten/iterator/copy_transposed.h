// Copies between layouts whose fastest dimensions differ.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// dst[...] = src, if both have one dtype and shape, lie apart, and are dense along different dimensions, each long
// enough to pay for tiles. False, and nothing written, otherwise.
bool copy_transposed(const Tensor& dst, const Tensor& src);

// to[r][c] = from[c][r] for elements of `size` bytes, lines of `columns` and of `rows` elements that are `to_step` and
// `from_step` bytes apart (multiples of `size`).
void transpose_elements(int64_t size, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows,
                        int64_t columns);

}  // namespace tnp
