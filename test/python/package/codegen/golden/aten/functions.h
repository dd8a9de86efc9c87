// Generated from native_functions.yaml. All operators, for programs that use the engine. Files of the
// engine include the families that they call, so a new operator recompiles only the users of its
// family.
#pragma once

#include "aten/functions/arrays.h"
#include "aten/functions/elements.h"
