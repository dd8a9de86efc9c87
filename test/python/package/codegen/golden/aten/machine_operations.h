// Generated from native_functions.yaml. The operators that machine code computes: their names, and their operations
// (aten/fusion/instruction_sequence.h).
#pragma once

#define TNP_MACHINE_OPERATIONS(X)
