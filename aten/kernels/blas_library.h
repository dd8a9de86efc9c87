// Function tables of the available BLAS and LAPACK libraries. The tables hold the C interfaces
// CBLAS and LAPACKE with 64-bit integers, which all of these libraries provide. None of the
// libraries' headers is included, because two of them would contradict each other. blas.h and
// lapack.h build on the tables and have one overloaded name per routine.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "aten/core/macros.h"
#include "aten/core/numbers/complex.h"
#include "aten/core/numbers/dtype.h"

namespace tnp::blas {

using Int = int64_t;

// Values of CBLAS's and LAPACKE's enumerations.
inline constexpr int kRowMajor = 101, kColumnMajor = 102, kNoTranspose = 111, kTranspose = 112, kUpper = 121,
                     kLower = 122, kNonUnit = 131, kUnit = 132, kLeft = 141, kRight = 142;

// Signatures that differ between real and complex matrices.
template <class T, bool complex = is_complex_v<T>>
struct RoutinesOfKind {
  using Factor = T;
  using Dot = T(Int, const T*, Int, const T*, Int);
  using Geev = Int(int, char, char, Int, T*, Int, T*, T*, T*, Int, T*, Int);
};
template <class T>
struct RoutinesOfKind<T, true> {
  using Factor = const T*;
  using Dot = void(Int, const T*, Int, const T*, Int, T*);
  using Geev = Int(int, char, char, Int, T*, Int, T*, T*, Int, T*, Int);
};

template <class T>
struct Routines {
  using R = real_t<T>;
  using Factor = typename RoutinesOfKind<T>::Factor;
  // BLAS: layout first, then flags, sizes, factors and operands.
  void (*gemm)(int, int, int, Int, Int, Int, Factor, const T*, Int, const T*, Int, Factor, T*, Int);
  void (*gemv)(int, int, Int, Int, Factor, const T*, Int, const T*, Int, Factor, T*, Int);
  void (*syrk)(int, int, int, Int, Int, Factor, const T*, Int, Factor, T*, Int);
  void (*trsm)(int, int, int, int, int, Int, Int, Factor, const T*, Int, T*, Int);
  typename RoutinesOfKind<T>::Dot* dot;
  // LAPACK: each returns `info`.
  Int (*getrf)(int, Int, Int, T*, Int, Int*);
  Int (*getrs)(int, char, Int, Int, const T*, Int, const Int*, T*, Int);
  Int (*getri)(int, Int, T*, Int, const Int*);
  Int (*potrf)(int, char, Int, T*, Int);
  Int (*geqrf)(int, Int, Int, T*, Int, T*);
  Int (*orgqr)(int, Int, Int, Int, T*, Int, const T*);
  Int (*ormqr)(int, char, char, Int, Int, Int, const T*, Int, const T*, T*, Int);
  Int (*gesdd)(int, char, Int, Int, T*, Int, R*, T*, Int, T*, Int);
  Int (*syevd)(int, char, char, Int, T*, Int, R*);
  Int (*sytrd)(int, char, Int, T*, Int, R*, R*, T*);
  Int (*stedc)(int, char, Int, R*, R*, T*, Int);
  Int (*ormtr)(int, char, char, char, Int, Int, const T*, Int, const T*, T*, Int);
  // Exists for real numbers only. LAPACKE has no laed1, so this is the Fortran routine, with
  // arguments by pointer.
  void (*laed1)(const Int*, R*, R*, const Int*, Int*, R*, const Int*, R*, Int*, Int*);
  Int (*gelsd)(int, Int, Int, Int, T*, Int, T*, Int, R*, R, Int*);
  typename RoutinesOfKind<T>::Geev* geev;
  // Symmetric indefinite matrices. hetrf and hetrs are the Hermitian variants for complex numbers,
  // and null for real ones.
  Int (*sytrf)(int, char, Int, T*, Int, Int*);
  Int (*sytrs)(int, char, Int, Int, const T*, Int, const Int*, T*, Int);
  Int (*hetrf)(int, char, Int, T*, Int, Int*) = nullptr;
  Int (*hetrs)(int, char, Int, Int, const T*, Int, const Int*, T*, Int) = nullptr;
};

// F(member, function) for each member of Routines; `p` is the letter of the type.
// clang-format off
#define TNP_ROUTINES(F, p)     \
  F(gemm, cblas_##p##gemm)     \
  F(gemv, cblas_##p##gemv)     \
  F(syrk, cblas_##p##syrk)     \
  F(trsm, cblas_##p##trsm)     \
  F(getrf, LAPACKE_##p##getrf) \
  F(getrs, LAPACKE_##p##getrs) \
  F(getri, LAPACKE_##p##getri) \
  F(potrf, LAPACKE_##p##potrf) \
  F(geqrf, LAPACKE_##p##geqrf) \
  F(gesdd, LAPACKE_##p##gesdd) \
  F(gelsd, LAPACKE_##p##gelsd) \
  F(stedc, LAPACKE_##p##stedc) \
  F(sytrf, LAPACKE_##p##sytrf) \
  F(sytrs, LAPACKE_##p##sytrs) \
  F(geev, LAPACKE_##p##geev)
#define TNP_REAL_ROUTINES(F, p) \
  TNP_ROUTINES(F, p)            \
  F(dot, cblas_##p##dot)        \
  F(orgqr, LAPACKE_##p##orgqr)  \
  F(ormqr, LAPACKE_##p##ormqr)  \
  F(syevd, LAPACKE_##p##syevd)  \
  F(sytrd, LAPACKE_##p##sytrd)  \
  F(ormtr, LAPACKE_##p##ormtr)  \
  F(laed1, p##laed1_)
#define TNP_COMPLEX_ROUTINES(F, p) \
  TNP_ROUTINES(F, p)               \
  F(dot, cblas_##p##dotu_sub)      \
  F(orgqr, LAPACKE_##p##ungqr)     \
  F(ormqr, LAPACKE_##p##unmqr)     \
  F(syevd, LAPACKE_##p##heevd)     \
  F(sytrd, LAPACKE_##p##hetrd)     \
  F(ormtr, LAPACKE_##p##unmtr)     \
  F(hetrf, LAPACKE_##p##hetrf)     \
  F(hetrs, LAPACKE_##p##hetrs)
// clang-format on

struct Library {
  std::string_view name;  // the value of TORCH_NP_BLAS that selects it
  // Sets how many threads calls from this thread may use, and returns the previous number. Null if
  // calls always compute on the calling thread.
  int (*set_threads_here)(int);
  Routines<float> s;
  Routines<double> d;
  Routines<Complex<float>> c;
  Routines<Complex<double>> z;

  template <class T>
  const Routines<T>& of() const {
    if constexpr (std::is_same_v<T, float>)
      return s;
    else if constexpr (std::is_same_v<T, double>)
      return d;
    else if constexpr (std::is_same_v<T, Complex<float>>)
      return c;
    else
      return z;
  }
  bool has_threads() const { return set_threads_here != nullptr; }
};

const Library* mkl();       // null if not built in
const Library* openblas();  // null if not built in or not installed; the first call opens it

// Kinds of work for which the library is chosen separately.
enum class Work : uint8_t {
  Product,
  VectorProduct,
  Triangular,
  LU,
  Cholesky,
  QR,
  SymmetricEigen,
  TridiagonalEigen,
  Eigen,
  SVD
};
inline constexpr int kWorks = 10;

// The library that is fastest for `work` on matrices of T on this processor (blas_choice.cpp).
// `size` is the number of multiplications of a product, or the longer side of a matrix to
// factorise. The environment variable TORCH_NP_BLAS=mkl (or openblas) selects one library for
// everything. Raises Runtime if there is no library.
template <class T>
TNP_API const Library& library_for(Work work, int64_t size);

// Whether our own loops (cpu/linalg/product_loops.h) are faster for products of (m, k) and (k, n),
// on instruction sets that have them. With TORCH_NP_BLAS=loops: true for every product that they
// support.
template <class T>
bool prefers_loops(int64_t m, int64_t n, int64_t k);
// Like prefers_loops(), for the product of a few rows and a float or double matrix (k, n).
template <class T>
bool prefers_loops_for_few_rows(int64_t n, int64_t k);
// Warns once, on stderr, if TORCH_NP_BLAS=loops is set but this build or processor has no such
// loops.
void warn_of_missing_loops();

}  // namespace tnp::blas
