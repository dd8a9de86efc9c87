// Includes the C interface to operator libraries, which torch_np/extension.h declares for both
// sides.
#pragma once

#define TORCH_NP_EXTENSION_C_ONLY
#include "torch_np/include/torch_np/extension.h"
