// Compiled pointwise loops from functors: make_loops<Add, ComputeTypes>() is the table of
// `PointwiseLoop`s of a PointwiseOp. Generated translation units include this header, one per
// functor file.
//
// Each loop is compiled for the common layouts (all operands contiguous; one of two operands
// constant), where the compiler vectorises it, and once for arbitrary strides. With three operands,
// constants are expanded to lines of a buffer.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/functors/functor.h"
#include "aten/kernels/cpu/linalg/complex_products.h"
#include "aten/kernels/cpu/pointwise/small_step_loops.h"
#include "aten/kernels/cpu/pointwise/vectorized_functors.h"
#include "aten/kernels/loops.h"

// Translation units with loops are compiled once per instruction set. The namespace separates their
// templates. `flatten` inlines functors, so that the linker cannot pick a functor that was compiled
// for another instruction set.
#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif
#define TNP_LOOP __attribute__((flatten))

namespace tnp {

// Whether compilers can vectorize F: `vectorizes:` in the yaml. Other functors have one loop for all
// strides.
template <class F>
inline constexpr bool vectorizes = true;

inline namespace TNP_CPU_CAPABILITY {

template <class F, class Outputs = typename FunctorTraits<F>::Outputs, class Inputs = typename FunctorTraits<F>::Inputs,
          class = std::make_index_sequence<static_cast<size_t>(FunctorTraits<F>::nin)>>
struct PointwiseKernel;

template <class F, class... Outs, class... Ins, size_t... I>
struct PointwiseKernel<F, TypeList<Outs...>, TypeList<Ins...>, std::index_sequence<I...>> {
  static constexpr int nout = sizeof...(Outs), nin = sizeof...(Ins);
  using Out = typename FunctorTraits<F>::Result;

  TNP_LOOP static void run(char* const* data, const int64_t* strides, int64_t n) {
    if constexpr (!vectorizes<F>) return strided(data, strides, n);
    constexpr int64_t sizes[] = {sizeof(Outs)..., sizeof(Ins)...};
    bool dense_outputs = true;
    for (int k = 0; k < nout; ++k) dense_outputs &= strides[k] == sizes[k];
    if (dense_outputs) {
      bool dense = true;
      for (int k = nout; k < nout + nin; ++k) dense &= strides[k] == sizes[k];
      if (dense) return contiguous(data, n);
      if constexpr (nin == 2 && !VectorMath<F>::available) {
        if (strides[nout] == 0 && strides[nout + 1] == sizes[nout + 1]) return first_constant(data, n);
        if (strides[nout + 1] == 0 && strides[nout] == sizes[nout]) return second_constant(data, n);
      }
      if constexpr (nin == 3 && !VectorMath<F>::available) {
        bool dense_or_constant = n >= kFewForPieces;
        for (int k = nout; k < nout + nin; ++k) dense_or_constant &= strides[k] == sizes[k] || strides[k] == 0;
        if (dense_or_constant) return gathered(data, strides, n);
      }
    }
    if constexpr (VectorMath<F>::available)
      gathered(data, strides, n);
    else if (n < kFewForPieces || !run_in_pieces(&run, data, strides, sizes, nout, nin, n))
      strided(data, strides, n);
  }

 private:
  template <class T>
  static TNP_INLINE T& at(char* p, int64_t offset) {
    return *reinterpret_cast<T*>(p + offset);
  }

  static TNP_INLINE void store(char* const* data, const int64_t* strides, int64_t i, const Out& value) {
    if constexpr (nout == 1) {
      at<Out>(data[0], i * strides[0]) = value;
    } else {
      at<decltype(value.first)>(data[0], i * strides[0]) = value.first;
      at<decltype(value.second)>(data[1], i * strides[1]) = value.second;
    }
  }

  // Pointers are passed by value: a pointer read through `data` would be reloaded for each element,
  // since a write of bytes might change it. An output may alias an operand; iterations are
  // independent (ivdep).
  static TNP_INLINE void contiguous(char* const* data, int64_t n) {
    if constexpr (VectorMath<F>::available)
      vector_math(data, n, std::make_index_sequence<nout>{});
    else if constexpr (nout == 1)
      map(reinterpret_cast<Out*>(data[0]), n, reinterpret_cast<const stored_t<Ins>*>(data[1 + I])...);
    else
      map_pair(reinterpret_cast<decltype(Out::first)*>(data[0]), reinterpret_cast<decltype(Out::second)*>(data[1]), n,
               reinterpret_cast<const stored_t<Ins>*>(data[2 + I])...);
  }
  static TNP_INLINE void map(Out* out, int64_t n, const stored_t<Ins>*... in) {
    if constexpr (kIsComplexProduct<F>) {
      ComplexProducts<typename Out::value_type>::multiply(in..., out, n);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = F{}(static_cast<Ins>(in[i])...);
    }
  }
  template <class First, class Second>
  static TNP_INLINE void map_pair(First* first, Second* second, int64_t n, const stored_t<Ins>*... in) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      Out value = F{}(static_cast<Ins>(in[i])...);
      first[i] = value.first;
      second[i] = value.second;
    }
  }

  template <size_t... O>
  static TNP_INLINE void vector_math(char* const* data, int64_t n, std::index_sequence<O...>) {
    VectorMath<F>::apply(reinterpret_cast<const Ins*>(data[nout + I])..., reinterpret_cast<Outs*>(data[O])..., n);
  }

  static TNP_INLINE bool by_constant([[maybe_unused]] char* const* data, [[maybe_unused]] const int64_t* strides,
                                     [[maybe_unused]] int64_t n) {
    if constexpr (requires { &VectorMath<F>::apply_constant; }) {
      if (strides[2] == 0) {
        VectorMath<F>::apply_constant(input<0>(data[1]), *input<1>(data[2]), reinterpret_cast<Out*>(data[0]), n);
        return true;
      }
    }
    return false;
  }

  static TNP_INLINE void first_constant(char* const* data, int64_t n) {
    if constexpr (nout == 1) {
      auto* out = reinterpret_cast<Out*>(data[0]);
      const auto a = static_cast<Input<0>>(*input<0>(data[nout]));
      auto* b = input<1>(data[nout + 1]);
      if constexpr (kIsComplexProduct<F>) {
        ComplexProducts<typename Out::value_type>::multiply_by(b, a, out, n);
      } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) out[i] = F{}(a, static_cast<Input<1>>(b[i]));
      }
    } else {
      constexpr int64_t strides[] = {sizeof(Outs)..., 0, sizeof(*input<1>(nullptr))};
      strided(data, strides, n);
    }
  }
  static TNP_INLINE void second_constant(char* const* data, int64_t n) {
    if constexpr (nout == 1) {
      auto* out = reinterpret_cast<Out*>(data[0]);
      auto* a = input<0>(data[nout]);
      const auto b = static_cast<Input<1>>(*input<1>(data[nout + 1]));
      if constexpr (kIsComplexProduct<F>) {
        ComplexProducts<typename Out::value_type>::multiply_by(a, b, out, n);
      } else {
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) out[i] = F{}(static_cast<Input<0>>(a[i]), b);
      }
    } else {
      constexpr int64_t strides[] = {sizeof(Outs)..., sizeof(*input<0>(nullptr)), 0};
      strided(data, strides, n);
    }
  }
  template <size_t k>
  using Input = std::tuple_element_t<k, std::tuple<Ins...>>;
  template <size_t k>
  static TNP_INLINE auto* input(const char* p) {
    return reinterpret_cast<const stored_t<Input<k>>*>(p);
  }

  static TNP_INLINE void strided(char* const* data, const int64_t* strides, int64_t n) {
    char* p[nout + nin];
    int64_t s[nout + nin];
    for (int k = 0; k < nout + nin; ++k) p[k] = data[k], s[k] = strides[k];
    for (int64_t i = 0; i < n; ++i)
      store(p, s, i, F{}(static_cast<Ins>(at<stored_t<Ins>>(p[nout + I], i * s[nout + I]))...));
  }

  // Runs loops that need dense operands: vector math, whose results must not depend on strides, and
  // loops with constants beside dense operands. Dense operands are used in place. Others are copied
  // to small buffers, constants only once.
  static TNP_INLINE void gathered(char* const* data, const int64_t* strides, int64_t n) {
    constexpr int64_t kPiece = 512;
    constexpr int64_t sizes[] = {sizeof(Outs)..., sizeof(Ins)...};
    alignas(64) char buffers[nout + nin][kPiece * 16];
    char* pointers[nout + nin];
    for (int64_t start = 0; start < n; start += kPiece) {
      int64_t length = std::min(kPiece, n - start);
      auto gather = [&]<class T>(int k) {
        const char* from = data[k] + start * strides[k];
        if (strides[k] == sizes[k]) {
          pointers[k] = const_cast<char*>(from);
          return;
        }
        pointers[k] = buffers[k];
        if (strides[k] == 0 && start > 0) return;
        for (int64_t i = 0; i < length; ++i)
          at<T>(buffers[k], i * sizes[k]) = *reinterpret_cast<const T*>(from + i * strides[k]);
      };
      (gather.template operator()<stored_t<Ins>>(nout + static_cast<int>(I)), ...);
      for (int k = 0; k < nout; ++k) pointers[k] = strides[k] == sizes[k] ? data[k] + start * strides[k] : buffers[k];
      if (!by_constant(pointers, strides, length)) contiguous(pointers, length);
      int k = 0;
      auto scatter = [&]<class T>(int j) {
        if (strides[j] == sizes[j]) return;
        for (int64_t i = 0; i < length; ++i) at<T>(data[j], (start + i) * strides[j]) = at<T>(buffers[j], i * sizes[j]);
      };
      (scatter.template operator()<Outs>(k++), ...);
    }
  }
};

// Note [Errors by values] The loop of an operator for which the processor's flags prove nothing
// of floating-point errors. If errors are not watched, the plain loop runs. Otherwise each result
// is compared with its operands if there is a hint of an error: a flag, a report by vector math, or
// a result that is not finite. A NaN from operands without NaN is invalid. An infinity from finite
// operands is an overflow, or a division by zero at a pole of the functor. Optional members of a
// functor:
//   static bool is_pole(T x);
//       Whether x is a pole.
//   static constexpr bool underflows = true;
//       The functor may give 0 or subnormal results for normal operands.
//   static constexpr bool silent = is_reduced_float_v<T>;
//       Errors may occur without any hint, so all results are compared.
//   static constexpr bool misleading_flags = is_complex_v<T>;
//       The flags prove nothing for this type, but they do for the operator's other types.
//   static FloatingPointErrors error_of(T result, T x);
//       The error of a result, if the rules above do not apply.
//   static FloatingPointErrors errors(T a, T b);
//       The error of operands, for arithmetic without flags (integers).
template <class F, class Outputs = typename FunctorTraits<F>::Outputs, class Inputs = typename FunctorTraits<F>::Inputs,
          class = std::make_index_sequence<static_cast<size_t>(FunctorTraits<F>::nin)>>
struct ErrorsByValues;

template <class F, class... Outs, class... Ins, size_t... I>
struct ErrorsByValues<F, TypeList<Outs...>, TypeList<Ins...>, std::index_sequence<I...>> {
  using Kernel = PointwiseKernel<F>;
  static constexpr int nout = sizeof...(Outs), nin = sizeof...(Ins);
  static constexpr bool by_operands = requires(Ins... in) { F::errors(in...); };
  static constexpr bool is_silent = [] {
    if constexpr (requires { F::silent; }) return F::silent;
    return false;
  }();
  static constexpr bool by_results = (!std::is_integral_v<Outs> || ...) && !by_operands;

  static void run(char* const* data, const int64_t* strides, int64_t n) {
    if (!has_error_watch() || !(by_operands || by_results)) return Kernel::run(data, strides, n);
    const FloatingPointErrors before = take_floating_point_flags();  // raised by earlier casts
    FloatingPointErrors errors = kNoErrors;
    if constexpr (by_operands) {
      errors = errors_of_operands(data, strides, n);
      Kernel::run(data, strides, n);
      take_floating_point_flags();
    } else if ((is_output(data, I) || ...)) {
      errors = in_pieces(data, strides, n);
    } else {
      errors = run_and_compare(data, data, strides, strides, n);
    }
    if (TNP_UNLIKELY(before | errors)) raise_floating_point_flags(before | errors);
  }

 private:
  static TNP_INLINE bool is_output(char* const* data, size_t i) {
    for (int k = 0; k < nout; ++k)
      if (data[k] == data[nout + i]) return true;
    return false;
  }

  TNP_LOOP static FloatingPointErrors errors_of_operands(char* const* data, const int64_t* strides, int64_t n) {
    if constexpr (by_operands) {
      uint8_t errors = kNoErrors;
      bool dense = true;
      ((dense &= strides[nout + I] == sizeof(Ins)), ...);
      if (dense)
        for (int64_t i = 0; i < n; ++i) errors |= F::errors(reinterpret_cast<const Ins*>(data[nout + I])[i]...);
      else
        for (int64_t i = 0; i < n; ++i)
          errors |= F::errors(*reinterpret_cast<const Ins*>(data[nout + I] + i * strides[nout + I])...);
      return static_cast<FloatingPointErrors>(errors);
    }
    return kNoErrors;
  }

  // For an output that aliases an operand: saves the operands until the results have been compared
  // with them.
  static FloatingPointErrors in_pieces(char* const* data, const int64_t* strides, int64_t n) {
    constexpr int64_t kPiece = 512;
    constexpr int64_t sizes[] = {sizeof(Ins)...};
    alignas(64) char kept[nin][kPiece * 16];
    FloatingPointErrors errors = kNoErrors;
    for (int64_t start = 0; start < n; start += kPiece) {
      const int64_t length = std::min(kPiece, n - start);
      char *piece[nout + nin], *compared[nout + nin];
      int64_t compared_strides[nout + nin];
      for (int k = 0; k < nout + nin; ++k) {
        compared[k] = piece[k] = data[k] + start * strides[k];
        compared_strides[k] = strides[k];
      }
      auto keep = [&]<class T>(size_t i) {
        if (!is_output(data, i)) return;
        const size_t k = nout + i;
        auto* to = reinterpret_cast<T*>(kept[i]);
        if (strides[k] == sizeof(T))
          std::memcpy(to, piece[k], static_cast<size_t>(length) * sizeof(T));
        else
          for (int64_t j = 0; j < length; ++j) to[j] = *reinterpret_cast<const T*>(piece[k] + j * strides[k]);
        compared[k] = kept[i];
        compared_strides[k] = sizes[i];
      };
      (keep.template operator()<Ins>(I), ...);
      errors |= run_and_compare(piece, compared, strides, compared_strides, length);
    }
    return errors;
  }

  static TNP_INLINE FloatingPointErrors run_and_compare(char* const* data, char* const* compared,
                                                        const int64_t* strides, const int64_t* compared_strides,
                                                        int64_t n) {
    Kernel::run(data, strides, n);
    const bool reported = VectorMath<F>::available && vectorized::take_report();
    const FloatingPointErrors flags = take_floating_point_flags();
    if (TNP_LIKELY(!reported && !flags && !is_silent)) return kNoErrors;
    const FloatingPointErrors errors = compare(compared, compared_strides, n);
    take_floating_point_flags();
    return errors;
  }

  template <class T>
  static bool is_nan(const T& x) {
    if constexpr (is_reduced_float_v<T>)
      return std::isnan(static_cast<float>(x));
    else
      return math::isnan(x);
  }
  template <class T>
  static bool is_finite(const T& x) {
    if constexpr (is_complex_v<T>)
      return std::isfinite(x.re) && std::isfinite(x.im);
    else if constexpr (std::is_integral_v<T>)
      return true;
    else
      return std::isfinite(static_cast<std::conditional_t<is_reduced_float_v<T>, float, T>>(x));
  }
  template <class T>
  static bool is_infinite(const T& x) {
    if constexpr (is_complex_v<T>)
      return std::isinf(x.re) || std::isinf(x.im);
    else
      return !is_finite(x) && !is_nan(x);
  }
  // Whether `x` is neither zero nor subnormal.
  template <class T>
  static bool is_normal(const T& x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnormal(x);
    return true;
  }

  TNP_COLD static FloatingPointErrors compare(char* const* data, const int64_t* strides, int64_t n) {
    FloatingPointErrors errors = kNoErrors;
    for (int64_t i = 0; i < n; ++i) {
      int k = 0;
      auto one = [&]<class Out>(const Out& out) {
        if constexpr (std::is_integral_v<Out>) return;
        errors |= error_of(out, *reinterpret_cast<const stored_t<Ins>*>(data[nout + I] + i * strides[nout + I])...);
      };
      ((one(*reinterpret_cast<const Outs*>(data[k] + i * strides[k])), ++k), ...);
    }
    return errors;
  }

  template <class Out>
  static FloatingPointErrors error_of(const Out& out, const Ins&... in) {
    if constexpr (requires { F::error_of(out, in...); }) return F::error_of(out, in...);
    if (is_finite(out)) {
      if constexpr (requires { F::underflows; })
        if (!is_normal(out) && (is_normal(in) && ...) && (is_finite(in) && ...)) return kUnderflow;
      return kNoErrors;
    }
    const bool finite = (is_finite(in) && ...);
    FloatingPointErrors errors = kNoErrors;
    // A part of a complex result may be NaN because the other part has infinities.
    if (is_nan(out) && (finite || !(is_complex_v<Out> || (is_nan(in) || ...)))) errors |= kInvalid;
    if (is_infinite(out) && finite) {
      bool pole = false;
      if constexpr (requires { F::is_pole(in...); }) pole = F::is_pole(in...);
      errors |= pole ? kDivideByZero : kOverflow;
    }
    return errors;
  }
};

template <class F, class Outputs, class Inputs>
struct LoopEntry;
template <class F, class... Outs, class... Ins>
struct LoopEntry<F, TypeList<Outs...>, TypeList<Ins...>> {
  static_assert(sizeof...(Outs) + sizeof...(Ins) <= 4, "PointwiseLoop::types holds four dtypes");
  static constexpr bool says_errors = requires(Ins... in) { F::errors(in...); };
  static constexpr bool has_misleading_flags = [] {
    if constexpr (requires { F::misleading_flags; }) return F::misleading_flags;
    return false;
  }();
  template <ErrorSource errors>
  static constexpr PointwiseLoop make(ScalarType key) {
    constexpr bool by_values =
        errors == ErrorSource::Values || (errors == ErrorSource::Flags && (has_misleading_flags || says_errors));
    constexpr Loop loop = by_values ? &ErrorsByValues<F>::run : &PointwiseKernel<F>::run;
    return {key, {scalar_type_of<Outs>..., scalar_type_of<Ins>...}, loop};
  }
};

template <template <class> class F, class List, ErrorSource errors>
struct LoopTable;
template <template <class> class F, class... Ts, ErrorSource errors>
struct LoopTable<F, TypeList<Ts...>, errors> {
  static constexpr PointwiseLoop loops[] = {
      LoopEntry<F<Ts>, typename FunctorTraits<F<Ts>>::Outputs,
                typename FunctorTraits<F<Ts>>::Inputs>::template make<errors>(scalar_type_of<Ts>)...};
};

// One loop for each type of List. The loop's key is the functor's type.
template <template <class> class F, class List, ErrorSource errors = ErrorSource::None>
std::span<const PointwiseLoop> make_loops() {
  return LoopTable<F, List, errors>::loops;
}

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
