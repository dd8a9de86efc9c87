// Copies between layouts with different fastest dimensions.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// dst[...] = src if both have the same dtype and shape, do not alias, and are dense along different
// dimensions that are long enough for tiles to pay. Otherwise returns false and writes nothing.
bool copy_transposed(const Tensor& dst, const Tensor& src);

// to[r][c] = from[c][r] for elements of `size` bytes. Rows of `to` have `columns` elements and are
// `to_step` bytes apart; rows of `from` have `rows` elements and are `from_step` bytes apart. Both
// steps are multiples of `size`.
void transpose_elements(int64_t size, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t rows,
                        int64_t columns);

}  // namespace tnp
