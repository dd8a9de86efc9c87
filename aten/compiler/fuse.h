// Fuses elementwise steps of a record: block_step.h.
#pragma once

#include "aten/compiler/record.h"

namespace tnp::compiler {

void fuse(Record& record);

}  // namespace tnp::compiler
