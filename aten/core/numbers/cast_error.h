// What is said of an operand whose dtype does not go into a loop's.
#pragma once

#include "aten/core/numbers/promotion.h"

namespace tnp {

// Raises Casting: "Cannot cast ufunc 'add' input 1 from dtype('float64') to dtype('int64') with casting rule 'safe'".
// `op`: "{op}" for what was called. The only operand of an operator has no number: -1.
[[noreturn]] TNP_API TNP_COLD void raise_cannot_cast_input(const char* op, int64_t number, ScalarType from,
                                                           ScalarType to, Casting casting);

}  // namespace tnp
