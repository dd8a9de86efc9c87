// Masked copies.
#pragma once

#include "aten/core/numbers/dtype.h"
#include "aten/iterator/iterator.h"

namespace tnp {

// A loop over (to, from, mask): to = mask ? from : to. Elements of `dtype` are copied bit for bit.
Loop copy_where_loop(ScalarType dtype);

}  // namespace tnp
