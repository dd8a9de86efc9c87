// Generated from native_functions.yaml. All operators: for those who use the engine. In the engine, include the families that you
// call, so that a new operator recompiles what calls its relatives.
#pragma once

#include "aten/functions/arrays.h"
#include "aten/functions/elements.h"
