// Choice of the BLAS and LAPACK library for each kind of work, by the processor's vendor.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "aten/core/errors/error.h"
#include "aten/core/threads/capability.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/processor.h"
#include "aten/kernels/blas_library.h"

namespace tnp::blas {

#if !defined(TNP_WITH_MKL_BLAS)
const Library* mkl() { return nullptr; }
#endif
#if !defined(TNP_WITH_OPENBLAS)
const Library* openblas() { return nullptr; }
#endif

namespace {

constexpr std::string_view kLoops = "loops";
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// OpenBLAS does the work for sizes in [from, to), oneMKL for other sizes.
struct Sizes {
  int64_t from = kNever, to = kNever;
};
enum Type : uint8_t { kFloat, kDouble, kComplexFloat, kComplexDouble, kTypes };

struct Table {
  Sizes of[kWorks][kTypes];
  Sizes& operator()(Work work, Type type) { return of[static_cast<int>(work)][type]; }
};

// Note [Which library]: this table has the rows that `benchmarks/tune_products.py` printed on two
// cores of an AMD EPYC (family 25, model 17: Zen 4) and where OpenBLAS gains 5 % or more. On Zen 3
// the rows for products, products with vectors, LU and inverses hold as well (products of float32
// are within 10 % of oneMKL's on either side). oneMKL does all work without a row here, and all
// work on Intel processors. oneMKL also does large LU, Cholesky and QR factorisations, because it
// uses several threads for them.
Table for_amd() {
  Table t;
  t(Work::Product, kFloat) = {0, kNever};
  t(Work::Product, kDouble) = {0, kNever};
  t(Work::VectorProduct, kFloat) = {0, kNever};
  t(Work::VectorProduct, kDouble) = {0, kNever};
  t(Work::VectorProduct, kComplexFloat) = {0, kNever};
  t(Work::VectorProduct, kComplexDouble) = {0, kNever};
  t(Work::Triangular, kFloat) = {0, kNever};
  t(Work::LU, kFloat) = {32, 200};
  t(Work::LU, kComplexFloat) = {64, 200};
  t(Work::LU, kComplexDouble) = {32, 200};
  t(Work::Cholesky, kFloat) = {32, 200};
  t(Work::Cholesky, kComplexDouble) = {32, 256};
  t(Work::QR, kComplexDouble) = {32, 200};
  t(Work::SymmetricEigen, kDouble) = {64, 512};
  t(Work::SymmetricEigen, kComplexDouble) = {64, 256};
  t(Work::Eigen, kFloat) = {200, kNever};
  t(Work::Eigen, kDouble) = {200, kNever};
  t(Work::Eigen, kComplexDouble) = {16, kNever};
  t(Work::SVD, kFloat) = {200, kNever};
  t(Work::SVD, kDouble) = {16, kNever};
  t(Work::SVD, kComplexFloat) = {128, kNever};
  t(Work::SVD, kComplexDouble) = {32, kNever};
  return t;
}

// With more threads than the table was measured with, oneMKL does factorisations that are large
// enough to be shared among threads.
constexpr int kThreadsOfTable = 4;
constexpr int64_t kSharedSide = 256;

std::string_view environment() {
  const char* text = std::getenv("TORCH_NP_BLAS");
  return text == nullptr ? "" : text;
}

void warn_of_environment() {
  std::fprintf(stderr,
               "torch_np: TORCH_NP_BLAS is '%s', which is not the name of an available BLAS library; it is ignored\n",
               environment().data());
}

const Library* wanted_by_environment() {
  const std::string_view name = environment();
  if (name.empty() || name == kLoops) return nullptr;
  const Library* lib = name == "mkl" ? mkl() : name == "openblas" ? openblas() : nullptr;
  if (!lib) warn_of_environment();
  return lib;
}

const Library* preferred(Work work, Type type, int64_t size) {
  static const Table table = processor_vendor() == ProcessorVendor::Amd ? for_amd() : Table();
  const Sizes& sizes = table.of[static_cast<int>(work)][type];
  if (size < sizes.from || size >= sizes.to) return mkl();
  const bool factorisation = work >= Work::Triangular;
  if (factorisation && size >= kSharedSide && get_num_threads() > kThreadsOfTable) return mkl();
  return openblas();
}

template <class T>
constexpr Type kTypeOf = std::is_same_v<T, float>            ? kFloat
                         : std::is_same_v<T, double>         ? kDouble
                         : std::is_same_v<T, Complex<float>> ? kComplexFloat
                                                             : kComplexDouble;

const Library* wanted() {
  static const Library* const lib = wanted_by_environment();
  return lib;
}

}  // namespace

void warn_of_missing_loops() {
  if (environment() != kLoops) return;
  // Avoids std::call_once: see Note [Thread-local memory].
  [[maybe_unused]] static const bool warned = (warn_of_environment(), true);
}

template <class T>
bool prefers_loops(int64_t m, int64_t n, int64_t k) {
  // Smaller products do not reuse packed blocks enough: 64 x 64 takes 1.4 times as long as with
  // OpenBLAS.
  constexpr int64_t kThin = 32, kWork = 1 << 21;  // minimum number of lines, and of multiplications
  static const bool always = environment() == kLoops;
  // With AVX2 alone (Zen 3), OpenBLAS is 5 to 15 % faster than these loops.
  static const bool often = always || (processor_vendor() == ProcessorVendor::Amd && !wanted() &&
                                       (cpu_capability() >= CpuCapability::AVX512 || !openblas()));
  if (!often) return false;
  return always || (m * n * k >= kWork && std::min({m, n, k}) >= kThin);
}
template bool prefers_loops<float>(int64_t, int64_t, int64_t);
template bool prefers_loops<double>(int64_t, int64_t, int64_t);
template bool prefers_loops<Complex<float>>(int64_t, int64_t, int64_t);
template bool prefers_loops<Complex<double>>(int64_t, int64_t, int64_t);

template <class T>
bool prefers_loops_for_few_rows(int64_t n, int64_t k) {
  constexpr int64_t kLarge = 1 << 20;  // number of elements of B
  static const bool loops = environment() == kLoops || (processor_vendor() == ProcessorVendor::Amd && !wanted());
  return loops && n * k >= kLarge;
}
template bool prefers_loops_for_few_rows<float>(int64_t, int64_t);
template bool prefers_loops_for_few_rows<double>(int64_t, int64_t);

template <class T>
const Library& library_for(Work work, int64_t size) {
  if (const Library* lib = wanted()) return *lib;
  if (const Library* lib = preferred(work, kTypeOf<T>, size)) return *lib;
  static const Library* const any = mkl() ? mkl() : openblas();
  TNP_CHECK(any, ErrorKind::Runtime, "no BLAS library was found: install scipy-openblas64");
  return *any;
}
template TNP_API const Library& library_for<float>(Work, int64_t);
template TNP_API const Library& library_for<double>(Work, int64_t);
template TNP_API const Library& library_for<Complex<float>>(Work, int64_t);
template TNP_API const Library& library_for<Complex<double>>(Work, int64_t);

}  // namespace tnp::blas
