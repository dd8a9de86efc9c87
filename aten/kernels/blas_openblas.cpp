// OpenBLAS, of PyPI's scipy-openblas64: opened at run time, by the first call that it is chosen for, so that
// `import torch_np` does not wait for it and machines where oneMKL is faster never load it.
//
// It has a pool of threads of its own, which would stand beside oneTBB's and spin between its calls. So it is told to
// use one thread, and products are shared out among calls here (matmul.cpp). NumPy's wheels bring a copy under another
// name, whose settings are its own. Calls from several threads at a time are what it allows.
#include <dlfcn.h>

#include <string>

#include "aten/kernels/blas_library.h"

namespace tnp::blas {

namespace {

constexpr const char* kFile = "libscipy_openblas64_.so";  // found along the rpath of libtorch_np.so

// Names there have a prefix and a suffix, the latter for 64-bit integers.
template <class F>
bool find(void* handle, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, ("scipy_" + std::string(name) + "64_").c_str()));
  return function != nullptr;
}

// False if one is missing.
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
  set_nancheck(0);  // what happens with NaNs is decided by the callers of lapack.h
  return &lib;
}

}  // namespace

const Library* openblas() {
  static const Library* const lib = load();
  return lib;
}

}  // namespace tnp::blas
