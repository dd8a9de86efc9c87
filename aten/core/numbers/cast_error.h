// The error for an operand whose dtype cannot be cast to the loop's dtype.
#pragma once

#include "aten/core/numbers/promotion.h"

namespace tnp {

// Raises Casting: "Cannot cast ufunc 'add' input 1 from dtype('float64') to dtype('int64') with
// casting rule 'safe'". `op`: a name, or "{op}" for the function that the caller used. `number`:
// the input's index, or -1 for the operand of a unary operator.
[[noreturn]] TNP_API TNP_COLD void raise_cannot_cast_input(const char* op, int64_t number, ScalarType from,
                                                           ScalarType to, Casting casting);

}  // namespace tnp
