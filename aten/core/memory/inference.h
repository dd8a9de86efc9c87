// autograd.inference_mode: a mode of threads in which new storages are marked.
#pragma once

#include "aten/core/macros.h"

namespace tnp {

TNP_API extern thread_local constinit bool inference_mode;

}  // namespace tnp
