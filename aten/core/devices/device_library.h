// Where the library that knows CUDA is looked for, beside the folder that libtorch_np.so is in (Note [Other devices]).
#pragma once

#include <string>

#include "aten/core/macros.h"

namespace tnp {

// A folder of another package's that has libtorch_np_cuda.so: opened if libtorch_np.so's own folder has none. To be
// called before anybody asks for a GPU; empty: there is no such folder.
TNP_API void set_device_library_folder(std::string folder);

}  // namespace tnp
