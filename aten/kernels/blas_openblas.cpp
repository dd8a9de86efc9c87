// OpenBLAS from PyPI's scipy-openblas64. The first call that it is chosen for loads it, so that
// `import torch_np` does not wait for it and machines where oneMKL is faster never load it.
//
// OpenBLAS has its own thread pool, which would run beside oneTBB's and spin between calls. It is
// therefore limited to one thread, and matmul.cpp shares products among threads as several calls.
// OpenBLAS allows calls from several threads at a time. NumPy's wheels bring a copy under another
// name, with separate settings.
#include <dlfcn.h>

#include <string>

#include "aten/kernels/blas_library.h"

namespace tnp::blas {

namespace {

constexpr const char* kFile = "libscipy_openblas64_.so";  // found via the rpath of libtorch_np.so

// Function names in that file have a prefix and a suffix. The suffix stands for 64-bit integers.
template <class F>
bool find(void* handle, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, ("scipy_" + std::string(name) + "64_").c_str()));
  return function != nullptr;
}

// Returns false if a function is missing.
bool fill(void* handle, Library& lib) {
  bool all = true;
#define TNP_FIND(member, function) all = find(handle, #function, table.member) && all;
#define TNP_FIND_ALL(p, ROUTINES) \
  {                               \
    auto& table = lib.p;          \
    ROUTINES(TNP_FIND, p)         \
  }
  TNP_FIND_ALL(s, TNP_REAL_ROUTINES)
  TNP_FIND_ALL(d, TNP_REAL_ROUTINES)
  TNP_FIND_ALL(c, TNP_COMPLEX_ROUTINES)
  TNP_FIND_ALL(z, TNP_COMPLEX_ROUTINES)
  return all;
}

const Library* load() {
  void* handle = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  static Library lib{"openblas", nullptr, {}, {}, {}, {}};
  void (*set_num_threads)(int) = nullptr;
  void (*set_nancheck)(int) = nullptr;
  if (!fill(handle, lib) || !find(handle, "openblas_set_num_threads", set_num_threads) ||
      !find(handle, "LAPACKE_set_nancheck", set_nancheck)) {
    return nullptr;
  }
  set_num_threads(1);
  set_nancheck(0);  // the callers of lapack.h handle NaNs
  return &lib;
}

}  // namespace

const Library* openblas() {
  static const Library* const lib = load();
  return lib;
}

}  // namespace tnp::blas
