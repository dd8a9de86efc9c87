// oneMKL, linked statically, on oneTBB's threads.
#include "aten/kernels/blas_library.h"

namespace tnp::blas {

// Declared with the types of the tables, so that MKL_Complex16 and the like need no conversion.
#define TNP_DECLARE(member, function) std::remove_pointer_t<decltype(RoutinesHere::member)> function;
#define TNP_DECLARE_ALL(T, p, ROUTINES) \
  namespace of_##p {                    \
    using RoutinesHere = Routines<T>;   \
    extern "C" {                        \
    ROUTINES(TNP_DECLARE, p)            \
    }                                   \
  }
TNP_DECLARE_ALL(float, s, TNP_REAL_ROUTINES)
TNP_DECLARE_ALL(double, d, TNP_REAL_ROUTINES)
TNP_DECLARE_ALL(Complex<float>, c, TNP_COMPLEX_ROUTINES)
TNP_DECLARE_ALL(Complex<double>, z, TNP_COMPLEX_ROUTINES)
extern "C" {
int MKL_Set_Num_Threads_Local(int n);
void LAPACKE_set_nancheck(int flag);
}

namespace {

Library load() {
  Library lib{"mkl", MKL_Set_Num_Threads_Local, {}, {}, {}, {}};
#define TNP_TAKE(member, function) table.member = function;
#define TNP_TAKE_ALL(p, ROUTINES) \
  {                               \
    using namespace of_##p;       \
    auto& table = lib.p;          \
    ROUTINES(TNP_TAKE, p)         \
  }
  TNP_TAKE_ALL(s, TNP_REAL_ROUTINES)
  TNP_TAKE_ALL(d, TNP_REAL_ROUTINES)
  TNP_TAKE_ALL(c, TNP_COMPLEX_ROUTINES)
  TNP_TAKE_ALL(z, TNP_COMPLEX_ROUTINES)
  // Disables LAPACKE's search for NaNs: the callers of lapack.h handle NaNs.
  LAPACKE_set_nancheck(0);
  return lib;
}

}  // namespace

const Library* mkl() {
  static const Library lib = load();
  return &lib;
}

}  // namespace tnp::blas
