// Copies of those elements that a mask names.
#pragma once

#include "aten/core/numbers/dtype.h"
#include "aten/iterator/iterator.h"

namespace tnp {

// A loop over (to, from, mask): to = mask ? from : to, for elements of `dtype`, which are moved as they are.
Loop copy_where_loop(ScalarType dtype);

}  // namespace tnp
