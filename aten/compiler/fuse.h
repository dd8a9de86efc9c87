// Fuses elementwise steps of a trace: block_step.h.
#pragma once

#include "aten/compiler/trace.h"

namespace tnp::compiler {

void fuse(Trace& trace);

}  // namespace tnp::compiler
