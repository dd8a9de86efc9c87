#include "aten/kernels/cpu/linalg/onednn_library.h"

#include <dlfcn.h>

#include <initializer_list>

namespace tnp::onednn {

namespace {

// The library is found via the rpath of libtorch_np.so. libdnnl.so has no rpath, so its
// dependencies must be loaded first; libtbb is already loaded. The libraries are never closed,
// because threads keep streams.
void* open_library() {
  for (const char* needed : {"libintlc.so.5", "libimf.so"}) dlopen(needed, RTLD_NOW | RTLD_LOCAL);
  return dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL);
}

const Library* load() {
  void* handle = open_library();
  if (!handle) return nullptr;
  static Library lib;
#define TNP_LOAD(name)                                                           \
  lib.name = reinterpret_cast<decltype(lib.name)>(dlsym(handle, "dnnl_" #name)); \
  if (!lib.name) return nullptr;
  TNP_ONEDNN_FUNCTIONS(TNP_LOAD)
#undef TNP_LOAD
  const dnnl_version_t* v = lib.version();
  // Another library in the process may have loaded a different build, with its own threads.
  if (v->major != 3 || v->cpu_runtime != DNNL_RUNTIME_TBB) return nullptr;
  return lib.engine_create(&lib.cpu, dnnl_cpu, 0) == dnnl_success ? &lib : nullptr;
}

}  // namespace

const Library* library() {
  static const Library* const lib = load();
  return lib;
}

}  // namespace tnp::onednn
