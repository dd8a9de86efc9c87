// From a functor to compiled loops: make_loops<Add, ComputeTypes>() is the table of `PointwiseLoop`s that a PointwiseOp
// points to. Included by generated translation units, one per functor file.
//
// Each loop is written out for the layouts that matter (everything contiguous; one operand constant), where the
// compiler vectorises it, and once for any strides.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "aten/functors/functor.h"
#include "aten/kernels/cpu/vml.h"
#include "aten/kernels/pointwise.h"

// Translation units with loops are compiled once per instruction set; the name keeps their templates apart, and
// `flatten` keeps functors from becoming functions that the linker could take from another instruction set.
#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif
#define TNP_LOOP __attribute__((flatten))

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class F, class Outputs = typename FunctorTraits<F>::Outputs, class Inputs = typename FunctorTraits<F>::Inputs,
          class = std::make_index_sequence<static_cast<size_t>(FunctorTraits<F>::nin)>>
struct PointwiseKernel;

template <class F, class... Outs, class... Ins, size_t... I>
struct PointwiseKernel<F, TypeList<Outs...>, TypeList<Ins...>, std::index_sequence<I...>> {
  static constexpr int nout = sizeof...(Outs), nin = sizeof...(Ins);
  using Out = typename FunctorTraits<F>::Result;

  TNP_LOOP static void run(char* const* data, const int64_t* strides, int64_t n) {
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
    }
    if constexpr (VectorMath<F>::available)
      gathered(data, strides, n);
    else
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

  // Pointers come as values: read through `data`, they would be reloaded for each element, since a write of bytes could
  // have changed them. An output may be the memory of an operand, element for element: no iteration depends on another
  // (ivdep).
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
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = F{}(static_cast<Ins>(in[i])...);
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
      if (strides[2] == 0)
        return VectorMath<F>::apply_constant(input<0>(data[1]), *input<1>(data[2]), reinterpret_cast<Out*>(data[0]), n);
    }
    return false;
  }

  static TNP_INLINE void first_constant(char* const* data, int64_t n) {
    if constexpr (nout == 1) {
      auto* out = reinterpret_cast<Out*>(data[0]);
      const auto a = static_cast<Input<0>>(*input<0>(data[nout]));
      auto* b = input<1>(data[nout + 1]);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = F{}(a, static_cast<Input<1>>(b[i]));
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
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = F{}(static_cast<Input<0>>(a[i]), b);
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

  // Vector math on other layouts: the same numbers come out whatever the strides. Dense operands are used where they
  // lie, others go through small buffers, constants once.
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
      (gather.template operator()<Ins>(nout + static_cast<int>(I)), ...);
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

template <class F, class Outputs, class Inputs>
struct LoopEntry;
template <class F, class... Outs, class... Ins>
struct LoopEntry<F, TypeList<Outs...>, TypeList<Ins...>> {
  static_assert(sizeof...(Outs) + sizeof...(Ins) <= 4, "PointwiseLoop::types holds four dtypes");
  static constexpr PointwiseLoop make(ScalarType key) {
    return {key, {scalar_type_of<Outs>..., scalar_type_of<Ins>...}, &PointwiseKernel<F>::run};
  }
};

template <template <class> class F, class List>
struct LoopTable;
template <template <class> class F, class... Ts>
struct LoopTable<F, TypeList<Ts...>> {
  static constexpr PointwiseLoop loops[] = {
      LoopEntry<F<Ts>, typename FunctorTraits<F<Ts>>::Outputs, typename FunctorTraits<F<Ts>>::Inputs>::make(
          scalar_type_of<Ts>)...};
};

// One loop for each type of List. The key of a loop is the type that its functor was made for.
template <template <class> class F, class List>
std::span<const PointwiseLoop> make_loops() {
  return LoopTable<F, List>::loops;
}

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
