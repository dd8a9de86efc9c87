#include "aten/kernels/cpu/pointwise/vector_math.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "aten/core/threads/processor.h"
#include "aten/kernels/cpu/pointwise/vector_math/variants.h"

namespace tnp {

#if !defined(TNP_WITH_MKL_VECTOR_MATH)
const VectorMath32And64* mkl_vector_math() { return nullptr; }
#endif

namespace vector_math_loops {
const LoopVariants<VectorMath32And64>& variants() {
  static constexpr LoopVariants<VectorMath32And64> all = TNP_LOOP_VARIANTS(loops);
  return all;
}
}  // namespace vector_math_loops

const VectorMath32And64& own_vector_math() {
  static const VectorMath32And64& own = vector_math_loops::variants().choose()[0];
  return own;
}

namespace {

// Note [Choosing vector math] Our own functions are used by default. This table lists the
// exceptions: functions for which oneMKL is faster on a processor of that vendor with that
// instruction set. `make tune` measures, and prints the row for the current processor. "all" stands
// for every function that oneMKL has.
struct Row {
  ProcessorVendor vendor;
  CpuCapability capability;
  std::string_view floats, doubles;
};
constexpr Row kMklIsAhead[] = {
    // Measured on an Intel Xeon (family 6, model 207: Emerald Rapids). TORCH_NP_CPU_CAPABILITY was
    // set for the AVX2 and Baseline rows.
    {ProcessorVendor::Intel, CpuCapability::AVX512,
     "exp exp2 log log2 log10 sin cos tan asin acos atan atanh cbrt erf atan2 fmod", "all"},
    {ProcessorVendor::Intel, CpuCapability::AVX2,
     "exp exp2 log log2 log10 sin cos tan asin acos atan tanh atanh cbrt erf pow atan2 fmod", "all"},
    {ProcessorVendor::Intel, CpuCapability::Baseline,
     "exp exp2 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf pow atan2 "
     "fmod",
     "all"},
    // Measured on an AMD EPYC (family 25, model 17: Zen 4) with TORCH_NP_CPU_CAPABILITY set. There
    // is no AVX512 row, because our functions are faster with AVX-512.
    {ProcessorVendor::Amd, CpuCapability::AVX2, "cbrt erf", "exp2 cosh erf pow"},
    {ProcessorVendor::Amd, CpuCapability::Baseline,
     "exp exp2 log log2 log10 sin cos tan asin acos atan cosh tanh atanh cbrt erf pow atan2 fmod",
     "exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh cbrt erf pow atan2 fmod"},
};

bool contains(std::string_view names, std::string_view name) {
  for (size_t at = 0; at < names.size();) {
    const size_t end = std::min(names.find(' ', at), names.size());
    if (names.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return names == "all";
}

template <class T>
void take(VectorMathFunctions<T>& functions, const VectorMathFunctions<T>& from, std::string_view names) {
#define TNP_TAKE(functor, name) \
  if (from.name && contains(names, #name)) functions.name = from.name;
  TNP_VECTOR_MATH_UNARY(TNP_TAKE)
  TNP_VECTOR_MATH_BINARY(TNP_TAKE)
#undef TNP_TAKE
  if (from.pow_constant && contains(names, "pow")) functions.pow_constant = from.pow_constant;
}

// The environment variable TORCH_NP_VECTOR_MATH=own (or mkl) selects one implementation for all
// functions.
std::string_view wanted_by_environment() {
  const char* text = std::getenv("TORCH_NP_VECTOR_MATH");
  const std::string_view name = text ? text : "";
  if (name.empty() || name == "own" || (name == "mkl" && mkl_vector_math())) return name;
  std::fprintf(stderr,
               "torch_np: TORCH_NP_VECTOR_MATH is '%s', which is not the name of an available vector math library; it "
               "is ignored\n",
               text);
  return "";
}

VectorMath32And64 choose() {
  VectorMath32And64 functions = own_vector_math();
  const VectorMath32And64* mkl = mkl_vector_math();
  const std::string_view wanted = wanted_by_environment();
  if (!mkl || wanted == "own") return functions;
  auto take_both = [&](std::string_view floats, std::string_view doubles) {
    take(functions.floats, mkl->floats, floats);
    take(functions.doubles, mkl->doubles, doubles);
  };
  if (wanted == "mkl") {
    take_both("all", "all");
    return functions;
  }
  for (const Row& row : kMklIsAhead)
    if (row.vendor == processor_vendor() && row.capability == cpu_capability()) take_both(row.floats, row.doubles);
  return functions;
}

}  // namespace

const VectorMath32And64& chosen_vector_math() {
  static const VectorMath32And64 chosen = choose();
  return chosen;
}

}  // namespace tnp
