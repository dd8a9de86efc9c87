// Joins the steps of a record that compute element for element: block_step.h.
#pragma once

#include "aten/compiler/record.h"

namespace tnp::compiler {

void fuse(Record& record);

}  // namespace tnp::compiler
