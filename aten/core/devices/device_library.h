// Second search path of the CUDA library. The first is the folder of libtorch_np.so (Note [Other
// devices]).
#pragma once

#include <string>

#include "aten/core/macros.h"

namespace tnp {

// Sets the folder of another package that contains libtorch_np_cuda.so, used if libtorch_np.so's
// own folder has none. Must be called before the first use of a GPU. An empty string means no such
// folder.
TNP_API void set_device_library_folder(std::string folder);

}  // namespace tnp
