#include "aten/iterator/cast.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "aten/core/errors/floating_point_errors.h"
#include "aten/iterator/cast_loops.h"

namespace tnp {

namespace {

Loop portable(ScalarType to, ScalarType from) {
  using namespace cast_loops;
  static constexpr LoopVariants<CastRow> variants = TNP_LOOP_VARIANTS(casts);
  static const std::span<const CastRow> chosen = variants.choose();
  return chosen[static_cast<size_t>(to)][static_cast<size_t>(from)];
}

#if defined(__x86_64__)
// Half precision conversion by the F16C instructions, about ten times as fast as the portable one.
__attribute__((target("avx,f16c"))) void half_to_float_f16c(char* const* data, const int64_t* strides, int64_t n) {
  if (strides[0] != 4 || strides[1] != 2) return portable(ScalarType::Float32, ScalarType::Float16)(data, strides, n);
  auto* to = reinterpret_cast<float*>(data[0]);
  auto* from = reinterpret_cast<const Half*>(data[1]);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
  for (; i < n; ++i) to[i] = detail::half_to_float(from[i].bits);
}

__attribute__((target("avx,f16c"))) void float_to_half_f16c(char* const* data, const int64_t* strides, int64_t n) {
  if (strides[0] != 2 || strides[1] != 4) return portable(ScalarType::Float16, ScalarType::Float32)(data, strides, n);
  auto* to = reinterpret_cast<Half*>(data[0]);
  auto* from = reinterpret_cast<const float*>(data[1]);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < n; ++i) {  // sets the overflow flag if needed
    const __m128i half = _mm_cvtps_ph(_mm_load_ss(from + i), _MM_FROUND_TO_NEAREST_INT);
    to[i] = Half(static_cast<uint16_t>(_mm_extract_epi16(half, 0)), Half::FromBits{});
  }
}
#endif

}  // namespace

Loop cast_loop(ScalarType to, ScalarType from) {
#if defined(__x86_64__)
  static const bool f16c = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  if (f16c && to == ScalarType::Float32 && from == ScalarType::Float16) return half_to_float_f16c;
  if (f16c && to == ScalarType::Float16 && from == ScalarType::Float32) return float_to_half_f16c;
#endif
  return portable(to, from);
}

bool cast_has_errors(ScalarType to, ScalarType from) {
  if (to == from || is_bool(from)) return false;
  if (is_integral(from)) return to == ScalarType::Float16;
  return is_integral(to) ? !is_bool(to) : element_size(to_real(to)) < element_size(to_real(from));
}

const char kDiscardsImaginaryPart[] = "Casting complex values to real discards the imaginary part";

void report_discarded_imaginary_part(ScalarType to, ScalarType from) {
  if (TNP_LIKELY(!is_complex(from) || is_complex(to) || is_bool(to))) return;
  if (dialect().error_watch() != ErrorWatch::Never) report_runtime_warning(kDiscardsImaginaryPart);
}

void report_cast_errors(const Scalar& number, ScalarType dtype) {
  if (!cast_has_errors(dtype, number.dtype()) || !wants_floating_point_errors()) return;
  alignas(16) char from[16], to[16];
  visit_dtype(number.dtype(), [&]<class T>() { *reinterpret_cast<T*>(from) = number.to<T>(); });
  const FloatingPointWatch watch("cast");
  cast_element(to, dtype, from, number.dtype());
}

}  // namespace tnp
