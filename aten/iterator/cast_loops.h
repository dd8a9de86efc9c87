// The cast table of each instruction set: casts()[to][from].
#pragma once

#include <array>
#include <span>

#include "aten/core/numbers/dtype.h"
#include "aten/core/threads/capability.h"
#include "aten/iterator/loop.h"

namespace tnp {

using CastRow = std::array<Loop, kNumScalarTypes>;

namespace cast_loops {
TNP_DECLARE_LOOPS(CastRow, casts)
}  // namespace cast_loops

}  // namespace tnp
